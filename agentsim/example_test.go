package agentsim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tools"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// An agent asks a simulated model, which calls a tool and then answers; the run is recorded and explained.
func Example() {
	server := httptest.NewServer(simmodel.New(simmodel.Config{
		Profiles: []simmodel.Profile{{Name: "fast", Exact: &simmodel.Exact{Rate: 10_000}}},
		Scripts: []simmodel.Script{{Name: "weather", Prompt: "Do I need an umbrella in Bergen?", Play: simmodel.Linear(
			simmodel.Reply{ReasoningTokens: 10, Calls: []simmodel.Call{{Name: "weather", Args: `{"city":"Bergen"}`}}},
			simmodel.Reply{Text: "Yes, it rains."},
		)}},
	}))
	defer server.Close()

	recorded := &kept{}
	t := tracer.New(tracer.Options{Sink: recorded})
	agent := &agentsim.Agent{
		Client: openai.NewClient(option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("none")),
		Model:  "fast", Effort: "low", Tracer: t,
		Tools: []tools.Tool{{
			Name: "weather",
			Run:  func(context.Context, json.RawMessage) (string, error) { return "It rains in Bergen.", nil },
		}},
	}
	result, err := agent.Do(context.Background(), agentsim.Task{
		Name:   "umbrella",
		Prompt: "Do I need an umbrella in Bergen?",
		Verify: func(_ context.Context, answer string) (bool, string) {
			return strings.HasPrefix(answer, "Yes"), "it rains"
		},
	}, tracer.RunConfig{Group: map[string]string{"effort": "low"}})
	fmt.Println(result.Outcome, result.Answer, err)
	if err := t.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	runs, _ := traces.Build(recorded.recs)
	fmt.Println(len(runs[0].Steps), "steps,", len(runs[0].ModelCalls), "model calls,", len(runs[0].ToolCalls), "tool call")
	// Output:
	// ok Yes, it rains. <nil>
	// 2 steps, 2 model calls, 1 tool call
}
