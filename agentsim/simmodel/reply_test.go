package simmodel_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/traces"
)

func TestReplies(t *testing.T) {
	type seen struct {
		Status                  int
		Reasoning, Text, Finish string
		Calls                   int
		Usage                   bool
		Done                    bool
	}
	for _, test := range []struct {
		name  string
		body  string
		style simmodel.ReasoningStyle
		want  seen
		says  string // part of an error's message
		code  string
	}{
		{
			name: "the script is chosen by the first user message, white space around it aside",
			body: `{"model":"exact","stream":true,"tools":[{"type":"function","function":{"name":"read"}}],` +
				`"messages":[{"role":"system","content":"x"},{"role":"user","content":" go\n"}]}`,
			want: seen{Status: 200, Reasoning: "what the task asks for", Text: "Two files, please.", Finish: "tool_calls", Calls: 2, Done: true},
		},
		{
			name: "the turn is the number of assistant messages",
			body: `{"model":"exact","stream":true,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,` +
				`"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"y"}]}`,
			want: seen{Status: 200, Text: "Done.", Finish: "stop", Done: true},
		},
		{
			name: "content may come in parts; unknown fields do not matter; usage comes if asked for",
			body: `{"model":"exact","stream":true,"stream_options":{"include_usage":true,"x":1},"new":{"a":[1]},"seed":null,"tools":[{"type":"function"}],` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"g"},{"type":"text","text":"o"}]}]}`,
			want: seen{Status: 200, Reasoning: "what the task asks for", Text: "Two files, please.", Finish: "tool_calls", Calls: 2, Usage: true, Done: true},
		},
		{
			name: "a limit on tokens cuts the reply short",
			body: ask("go", `,"max_completion_tokens":8`),
			want: seen{Status: 200, Reasoning: "what the task asks for", Text: "Two files,", Finish: "length", Usage: true, Done: true},
		},
		{
			name:  "reasoning under its other name",
			body:  ask("go"),
			style: simmodel.ReasoningPlain,
			want:  seen{Status: 200, Reasoning: "what the task asks for", Text: "Two files, please.", Finish: "tool_calls", Calls: 2, Usage: true, Done: true},
		},
		{
			name:  "hidden reasoning",
			body:  ask("go"),
			style: simmodel.ReasoningHidden,
			want:  seen{Status: 200, Text: "Two files, please.", Finish: "tool_calls", Calls: 2, Usage: true, Done: true},
		},
		{
			name: "an unknown model",
			body: `{"model":"gpt","messages":[{"role":"user","content":"go"}]}`,
			want: seen{Status: 404},
			says: `no model "gpt"; there are exact`,
			code: "model_not_found",
		},
		{
			name: "an unknown effort",
			body: ask("go", `,"reasoning_effort":"heroic"`),
			want: seen{Status: 400},
			says: `the effort is "heroic"; it can be none, minimal`,
		},
		{name: "no JSON", body: `{"model":`, want: seen{Status: 400}, says: "not a chat completion request"},
		{name: "no messages", body: `{"model":"exact"}`, want: seen{Status: 400}, says: "conversation is empty"},
		{name: "several choices", body: ask("go", `,"n":2`), want: seen{Status: 400}, says: "one choice a request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := everything
			cfg.Profiles = exact(*everything.Profiles[0].Exact)
			cfg.Profiles[0].Reasoning = test.style
			serve(t, cfg, func(t *testing.T, b *bench) {
				r := b.post(t.Context(), t, test.body)
				p := parse(t, r)
				got := seen{r.Status, p.Reasoning, p.Text, p.Finish, len(p.Calls), p.Usage != nil, p.Done}
				got.Reasoning = strings.TrimSpace(got.Reasoning)
				if got.Reasoning != "" { // the words depend on the seed
					got.Reasoning = "what the task asks for"
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("-want +got:\n%s", d)
				}
				if r.Status == 200 {
					return
				}
				var e struct {
					Error struct{ Message, Type, Code string }
				}
				if err := json.Unmarshal([]byte(r.Body), &e); err != nil {
					t.Fatalf("%v: %s", err, r.Body)
				}
				if !strings.Contains(e.Error.Message, test.says) || e.Error.Type != "invalid_request_error" || e.Error.Code != test.code {
					t.Errorf("error %+v", e.Error)
				}
			})
		})
	}
}

func TestHiddenReasoningTakesItsTime(t *testing.T) {
	cfg := everything
	cfg.Profiles = exact(*everything.Profiles[0].Exact)
	cfg.Profiles[0].Reasoning = simmodel.ReasoningHidden
	b := &bench{}
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		if p := parse(t, b.post(t.Context(), t, ask("go"))); p.FirstVisible != 365*ms || p.Usage.Out.Reasoning != 5 {
			t.Errorf("first visible at %v, %d reasoning tokens", p.FirstVisible, p.Usage.Out.Reasoning)
		}
	})
	if got := b.truths[0].Phase(traces.Reasoning); got != 40*ms {
		t.Errorf("reasoning takes %v", got)
	}
}

func TestAnyClientGetsAReply(t *testing.T) {
	serve(t, simmodel.Config{}, func(t *testing.T, b *bench) {
		r := b.post(t.Context(), t, `{"model":"sim-moe-49b","stream":true,"reasoning_effort":"low","messages":[{"role":"user","content":"What is the weather like?"}]}`)
		p := parse(t, r)
		want := "This is a simulated model. It has no script for this prompt of 7 tokens, so it has nothing to say about it, " +
			"but it says so at the pace of sim-moe-49b at low effort."
		if p.Text != want || p.Finish != "stop" || p.ReasoningChunks == 0 {
			t.Errorf("got %q, finish %q, %d reasoning chunks", p.Text, p.Finish, p.ReasoningChunks)
		}
	})
}

func TestModels(t *testing.T) {
	serve(t, simmodel.Config{}, func(t *testing.T, b *bench) {
		for path, want := range map[string]int{"/v1/models": 200, "/v1/models/sim-moe-13b": 200, "/v1/models/none": 404, "/v1/nothing": 404} {
			resp, err := b.client.Get("http://model.test" + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != want || !json.Valid(body) {
				t.Errorf("%s: status %d, %v: %s", path, resp.StatusCode, err, body)
			}
			if path == "/v1/models" {
				golden(t, "models.json", string(body))
			}
		}
	})
}

func TestLog(t *testing.T) {
	var b bytes.Buffer
	log := simmodel.NewLog(&b)
	log.Write(simmodel.Truth{Request: 1, Model: "m", Status: 200, Finish: "stop", Speed: 10,
		Phases: []simmodel.TruthPhase{{Phase: traces.Prefill, End: 300 * ms, Tokens: 1}}})
	log.Write(simmodel.Truth{Request: 2, Status: http.StatusTooManyRequests, Fault: simmodel.RateLimit, Finish: "error"})
	if err := log.Err(); err != nil {
		t.Error(err)
	}
	golden(t, "truth.jsonl", b.String())

	log = simmodel.NewLog(brokenWriter{})
	log.Write(simmodel.Truth{})
	log.Write(simmodel.Truth{})
	if !errors.Is(log.Err(), io.ErrShortWrite) {
		t.Errorf("error %v", log.Err())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
