package stream_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/tracer/stream"
)

// A recorded request is one that a real agent sent, and what the server knows of it.
type recorded struct {
	Method, Path string
	Headers      map[string]string
	API          stream.API
	Model        string
	Stream       bool
	Body         json.RawMessage
	Truth        struct {
		Main    bool
		Step    int
		NTools  int `json:"n_tools"`
		Outcome string
		Planned struct {
			Act   string
			Calls []struct{ Name string }
		}
	}
}

func recordings(t *testing.T) map[string][]recorded {
	files, err := filepath.Glob("testdata/requests/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	all := map[string][]recorded{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r recorded
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(file, err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			all[name] = append(all[name], r)
		}
	}
	return all
}

func parse(r recorded) stream.Request {
	header := http.Header{}
	for key, value := range r.Headers {
		header.Set(key, value)
	}
	return stream.ParseRequest(r.Method, r.Path, header, r.Body)
}

// Requests of the main chain go on with each other: what a step before asked for is in the conversation, its results are what
// the request brings, and a repeated attempt has the same body.
func TestRequestsOfRealAgents(t *testing.T) {
	for name, list := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			var before *stream.Request
			var last recorded
			for i, rec := range list {
				got := parse(rec)
				if want := map[stream.API]stream.API{"anthropic": stream.MessagesAPI}[rec.API]; want != "" {
					rec.API = want
				}
				if got.API != rec.API || !got.Generates || got.Model != rec.Model || got.Stream != rec.Stream || got.Tools != rec.Truth.NTools {
					t.Errorf("request %d: got %s %v %s %v with %d tools, want %s %s %v with %d", i+1, got.API, got.Generates, got.Model, got.Stream, got.Tools,
						rec.API, rec.Model, rec.Stream, rec.Truth.NTools)
				}
				if session := rec.Headers["x-session-id"]; got.Session != session {
					t.Errorf("request %d: got session %q, want %q", i+1, got.Session, session)
				}
				if !rec.Truth.Main {
					continue
				}
				if before != nil && last.Truth.Step == rec.Truth.Step {
					if got.Body != before.Body || !slices.Equal(got.Fresh, before.Fresh) {
						t.Errorf("request %d repeats the one before, but is not equal", i+1)
					}
				} else if before != nil {
					server := got.PreviousID != "" // which keeps the conversation
					n := len(before.Prefix)
					if !server && (len(got.Prefix) <= n || !slices.Equal(got.Prefix[:n], before.Prefix) || got.FirstUser != before.FirstUser) {
						t.Errorf("request %d does not go on with the one before", i+1)
					}
					if want := len(last.Truth.Planned.Calls); len(got.Fresh) != want || !server && len(got.Calls) != len(before.Calls)+want {
						t.Errorf("request %d: brings %q of %q, want %d results", i+1, got.Fresh, got.Calls, want)
					}
					if !server && (!slices.Equal(slices.Sorted(slices.Values(got.Results)), slices.Sorted(slices.Values(got.Calls)))) {
						t.Errorf("request %d: got results %q of calls %q", i+1, got.Results, got.Calls)
					}
				}
				before, last = &got, rec
			}
		})
	}
}

func TestParseRequest(t *testing.T) {
	cases := []struct {
		name, path, body string
		header           http.Header
		want             string
	}{
		{"chat", "/v1/chat/completions", `{"messages":[{"role":"user","content":"a \" ] b"},{"role":"assistant","tool_calls":[{"id":"old"}]},{"tool_call_id":"old","role":"tool","content":"x"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"}"}]},{"tool_call_id":"a","role":"tool"}],
			"model":"m\u002d1","reasoning_effort":"low","stream":true,"seed":-7,"temperature":0.25,"max_completion_tokens":100,"tools":[{"model":"no"},{}],"response_format":{"type":"json_schema"}}`, nil,
			"chat m-1 low stream seed -7 temperature 0.25 max 100 tools 2 schema messages 6 calls [old a b] results [old b a] fresh [b a]"},
		{"half a body", "/v1/chat/completions", `{"model":"m","reasoning":{"effort":"high","summary":"auto"},"stream":false`, nil, "chat m high"},
		{"responses", "/v1/responses", `{"model":"m","instructions":"s","input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs","encrypted_content":"x"},{"type":"function_call","id":"fc","call_id":"c"},
			{"type":"function_call_output","call_id":"c","output":"x"}],"reasoning":{"effort":"high"},"text":{"format":{"type":"text"}},"stream":true,"prompt_cache_key":"k"}`,
			http.Header{"Session-Id": {"s"}, "Thread-Id": {"t"}, "X-Openai-Subagent": {"review"}}, "responses m high stream messages 5 calls [c] results [c] fresh [c] session s thread t agent review"},
		{"responses that the server keeps", "/v1/responses", `{"model":"m","previous_response_id":"r1","conversation":{"id":"v"},"input":[{"type":"custom_tool_call_output","call_id":"c","output":"x"}],"text":{"format":{"type":"json_schema"}},"prompt_cache_key":"k"}`,
			nil, "responses m schema messages 1 results [c] fresh [c] after r1 session k thread v"},
		{"messages", "/v1/messages", `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"tool_use","id":"t","name":"ls","input":{"role":"x"}},
			{"type":"server_tool_use","id":"no"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}],"output_config":{"effort":"max"},"metadata":{"user_id":"user_abc_account__session_0a1b"}}`,
			nil, "messages m max max 9 messages 4 calls [t] results [t] fresh [t] session 0a1b"},
		{"messages of a thread", "/v1/messages", `{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}],"thread":{"type":"continue","previous_message_id":"p"},"metadata":{"user_id":"{\"account_uuid\":\"x\",\"session_id\":\"0a1b\"}"}}`,
			nil, "messages m messages 1 results [t] fresh [t] after p session 0a1b"},
		{"gemini", "/v1beta/models/gemini-2.5-pro:streamGenerateContent", `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"ls"}}]},{"role":"user","parts":[{"functionResponse":{"id":"c"}}]}],
			"tools":[{"functionDeclarations":[{},{}]},{"googleSearch":{}}],"generationConfig":{"temperature":1,"maxOutputTokens":5,"responseJsonSchema":{},"thinkingConfig":{"thinkingLevel":"HIGH"}}}`,
			nil, "gemini gemini-2.5-pro HIGH stream temperature 1 max 5 tools 3 schema messages 4 calls [c] results [c] fresh [c]"},
		{"gemini, not streamed, through the gateway", "/v1internal:generateContent", `{"model":"g","request":{"contents":[{"role":"user","parts":[{"text":"a"}]}]}}`, nil, "gemini g messages 1"},
		{"ollama streams unless told not to", "/api/chat", `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"x"}}]},{"role":"tool","tool_call_id":"c"}],"options":{"seed":1,"num_predict":3},"think":"low","format":{"type":"object"}}`,
			nil, "ollama_chat m low stream seed 1 max 3 schema messages 3 calls [c] results [c] fresh [c]"},
		{"ollama generate", "/api/generate", `{"model":"m","prompt":"a","stream":false,"think":true,"format":"json"}`, nil, "ollama_generate m messages 1"},
		{"ollama without a prompt only loads the model", "/api/generate", `{"model":"m"}`, nil, "ollama_generate m stream nothing"},
		{"legacy completions", "/v1/completions", `{"model":"m","prompt":["a","b"]}`, nil, "completions m messages 2"},
		{"azure has the model in the path", "/openai/deployments/gpt/chat/completions", `{"messages":[]}`, nil, "chat gpt"},
		{"counting tokens generates nothing", "/v1/messages/count_tokens", `{"model":"m","messages":[]}`, nil, " m nothing"},
		{"the session of Claude Code", "/v1/messages", `{}`, http.Header{"X-Claude-Code-Session-Id": {"s"}, "X-Claude-Code-Agent-Id": {"a"}}, "messages session s agent a"},
		{"the session of pi", "/v1/responses", `{"prompt_cache_key":"s"}`, http.Header{"Session_id": {"s"}}, "responses session s"},
		{"the session of codex in its metadata", "/v1/responses", `{"client_metadata":{"session_id":"no"}}`, http.Header{"X-Codex-Turn-Metadata": {`{"session_id":"s","thread_id":"t","turn_id":"u"}`}}, "responses session s thread t"},
		{"what is too long is no id", "/v1/responses", `{"previous_response_id":"` + strings.Repeat("x", 300) + `"}`, nil, "responses"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := stream.ParseRequest("POST", c.path, c.header, []byte(c.body))
			got := fmt.Sprint(r.API)
			add := func(seen bool, a ...any) {
				if seen {
					got += " " + fmt.Sprint(a...)
				}
			}
			add(r.Model != "", r.Model)
			add(r.Effort != "", r.Effort)
			add(r.Stream, "stream")
			add(!r.Generates, "nothing")
			if r.Seed != nil {
				add(true, "seed ", *r.Seed)
			}
			if r.Temperature != nil {
				add(true, "temperature ", *r.Temperature)
			}
			if r.MaxTokens != nil {
				add(true, "max ", *r.MaxTokens)
			}
			add(r.Tools > 0, "tools ", r.Tools)
			add(r.HasSchema, "schema")
			add(len(r.Prefix) > 0, "messages ", len(r.Prefix))
			add(r.Calls != nil, "calls ", r.Calls)
			add(r.Results != nil, "results ", r.Results)
			add(r.Fresh != nil, "fresh ", r.Fresh)
			add(r.PreviousID != "", "after ", r.PreviousID)
			add(r.Session != "", "session ", r.Session)
			add(r.Thread != "", "thread ", r.Thread)
			add(r.Agent != "", "agent ", r.Agent)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if r := stream.ParseRequest("GET", "/v1/responses", nil, nil); r.Generates || r.Body != 0 {
		t.Errorf("GET generates: %+v", r)
	}
}

func TestWhatContinuesAConversation(t *testing.T) {
	prefix := func(path, body string) []uint64 {
		return stream.ParseRequest("POST", path, nil, []byte(body)).Prefix
	}
	const path = "/v1/messages"
	first := prefix(path, `{"system":"s","messages":[{"role":"user","content":"a"}]}`)
	cases := []struct {
		name, body string
		want       int // messages that are the same
	}{
		{"more messages", `{"system":"s","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, 2},
		{"with white space and the system prompt last", `{"messages": [ {"content" : "a", "role":"user"} ], "system": "s"}`, 2},
		{"a text in a list of parts", `{"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, 2},
		{"a mark for the cache", `{"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`, 2},
		{"another text", `{"system":"s","messages":[{"role":"user","content":"A"}]}`, 1},
		{"another role", `{"system":"s","messages":[{"role":"assistant","content":"a"}]}`, 1},
		{"another system prompt", `{"system":"t","messages":[{"role":"user","content":"a"}]}`, 0},
		{"a picture instead of a text", `{"system":"s","messages":[{"role":"user","content":[{"type":"image","source":"a"}]}]}`, 1},
		{"none", `{}`, 0},
	}
	for _, c := range cases {
		got := prefix(path, c.body)
		same := 0
		for same < min(len(got), len(first)) && got[same] == first[same] {
			same++
		}
		if same != c.want {
			t.Errorf("%s: %d messages are the same, want %d", c.name, same, c.want)
		}
	}
}
