package simmodel_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

// A model that is asked for the capital of France looks it up, unless it is in a hurry and guesses.
func ExampleNew() {
	server := httptest.NewServer(simmodel.New(simmodel.Config{
		Speed: 100,
		Scripts: []simmodel.Script{{
			Name:   "capital",
			Prompt: "What is the capital of France?",
			Play: simmodel.WrongTurn(simmodel.Odds{"low": 0.3, "high": 0.01},
				simmodel.Linear(simmodel.Reply{ReasoningTokens: 20, Text: "Lyon."}),
				simmodel.Linear(
					simmodel.Reply{ReasoningTokens: 40, Calls: []simmodel.Call{{Name: "search", Args: map[string]any{"text": "capital of France"}}}},
					simmodel.Reply{Text: "Paris."},
				)),
		}},
	}))
	defer server.Close()

	resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(
		`{"model":"sim-moe-13b","reasoning_effort":"high","messages":[{"role":"user","content":"What is the capital of France?"}]}`))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

// An agent that is not ours, with a model's name and a shell of its own, in another API.
func ExampleErrand() {
	server := httptest.NewServer(simmodel.New(simmodel.Config{Speed: 100, Default: "sim-moe-13b", Fallback: simmodel.Errand()}))
	defer server.Close()

	resp, err := http.Post(server.URL+"/v1/messages", "application/json", strings.NewReader(`{"model":"acme-large","max_tokens":1000,
		"tools":[{"name":"terminal","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}}],
		"messages":[{"role":"user","content":"Tidy up, please."}]}`))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer resp.Body.Close()
	var message struct {
		Content []struct {
			Type, Name string
			Input      struct{ Command string }
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&message); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			fmt.Println(block.Name, block.Input.Command)
		}
	}
	// Output: terminal echo hi; ls
}
