package stream_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
)

// samples hold a response of each API, with some of everything.
var samples = map[string][]string{
	"chat": {`data: {"id":"c1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

: ping
data: {"choices":[{"index":0,"delta":{"reasoning_content":"h\u00e9"}}]}

data: {"choices":[{"index":0,"delta":{"content":"<think>x</think>y"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`, `{"choices":[{"message":{"content":"a","tool_calls":[{"id":"b"}]},"finish_reason":"stop"}],"error":null}`, `data: {"error":{"code":1e3}}`},
	"responses": {`event: response.created
data: {"type":"response.created","response":{"id":"r1","model":"m","status":"in_progress","output":[]}}

data: {"type":"response.output_item.added","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[]}}

data: {"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"hm"}

data: {"type":"response.output_item.done","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[{"type":"summary_text","text":"hm"},{"text":"more"}]}}

data: {"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"<think>a</think>b"}

data: {"type":"response.output_item.added","output_index":2,"item":{"id":"fc","type":"function_call","call_id":"c","name":"ls","arguments":""}}

data: {"delta":"{}","type":"response.function_call_arguments.delta","item_id":"fc"}

data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}}

data: {"type":"keepalive"}

data: {"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8},"error":null}}

`, `{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"text":"a"}]},{"type":"local_shell_call","call_id":"c","action":{"command":["ls"]}}]}`,
		`data: {"type":"error","error":{"code":"x"}}`},
	"anthropic": {`event: message_start
data: {"type":"message_start","message":{"id":"m1","model":"m","content":[],"usage":{"input_tokens":9,"cache_read_input_tokens":4,"output_tokens":1}}}

event: ping
data: {"type":"ping"}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"ls","input":{}}}

data: {"index":1,"delta":{"partial_json":"{}","type":"input_json_delta"},"type":"content_block_delta"}

data: {"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"t","name":"search","input":{"q":1}}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}

data: {"type":"message_stop"}

`, `{"type":"message","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"ls","input":{"p":1}}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`,
		`{"type":"error","error":{"type":"overloaded_error"}}`},
	"ollama": {`{"model":"m","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}
{"model":"m","message":{"role":"assistant","content":"<think>x</think>hi"},"done":false}
{"model":"m","message":{"tool_calls":[{"function":{"name":"ls","arguments":{"p":"}"}}}]},"done":false}
{"model":"m","response":"cut off
{"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4,"eval_duration":5}
`, `{"response":"a","done":true}`, `{"error":"no such model"}`},
	"gemini": {`[{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}],"usageMetadata":{"promptTokenCount":2}}
,
{"candidates":[{"content":{"parts":[{"functionCall":{"name":"ls","willContinue":true}}]}}]},
{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.p","stringValue":"a"}]}},{"text":"t"}]},"finishReason":"STOP","index":0}],"responseId":"g"}]`,
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\r\n\r\ndata: {\"response\":{\"candidates\":[{\"finishReason\":\"STOP\"}]}}\r\n\r\n",
		`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`},
}

func FuzzChat(f *testing.F)      { fuzzSplits(f, "chat") }
func FuzzResponses(f *testing.F) { fuzzSplits(f, "responses") }
func FuzzMessages(f *testing.F)  { fuzzSplits(f, "anthropic") }
func FuzzOllama(f *testing.F)    { fuzzSplits(f, "ollama") }
func FuzzGemini(f *testing.F)    { fuzzSplits(f, "gemini") }

// What a response says must not depend on how its bytes were cut, and nothing that a server sends may make a decoder
// panic.
func fuzzSplits(f *testing.F, api string) {
	for i, body := range samples[api] {
		f.Add(body, uint8(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body string, n, mode uint8) {
		opt := stream.Options{Think: stream.ThinkTags(mode % 3), Content: mode&4 != 0}
		read := func(n int) string {
			d := decoders[api](opt)
			for rest := body; len(rest) > 0; {
				k := min(n, len(rest))
				d.Feed(0, []byte(rest[:k]))
				d.Result().Phases(0, 0, 0)
				rest = rest[k:]
			}
			return told(d.Close(0, io.EOF))
		}
		if whole, cut := read(len(body)+1), read(int(n)+1); whole != cut {
			t.Errorf("whole: %s\nin pieces of %d: %s", whole, n+1, cut)
		}
	})
}

// told is what a result says but for times.
func told(r *stream.Result) string {
	for i, call := range r.ToolCalls {
		r.ToolCalls[i] = stream.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments}
	}
	count := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	u := r.Usage
	return fmt.Sprint(r.Chunks, r.Outcome, r.ErrorType, r.Model, r.ID, r.PreviousID, r.FinishReason, r.ToolCalls, count(u.Input), count(u.Cached),
		count(u.Output), count(u.Reasoning), count(r.CacheWrite), u.Source, r.UsageInconsistent, r.TimingsInconsistent, r.Visibility, r.Whole,
		r.OutputChars, r.ReasoningChars, r.Comments, len(r.Pings), r.Ignored, r.Text, r.Reasoning)
}

// Phases tile the attempt whatever was sent and whenever it came.
func FuzzPhasesTileTheAttempt(f *testing.F) {
	for _, api := range apis {
		for _, body := range samples[api] {
			f.Add(api, body, uint16(700), uint16(9))
		}
	}
	f.Fuzz(func(t *testing.T, api, body string, step, size uint16) {
		start := decoders[api]
		if start == nil {
			return
		}
		d := start(stream.Options{})
		at := time.Duration(0)
		for rest := []byte(body); len(rest) > 0; {
			k := min(int(size)+1, len(rest))
			at += time.Duration(step) * time.Millisecond
			d.Feed(at, rest[:k])
			rest = rest[k:]
		}
		r := d.Close(at+1, io.EOF)
		until := time.Duration(0)
		for _, p := range r.Phases(5, at+1, time.Second) {
			if p.From != until || p.To <= p.From {
				t.Fatalf("phase %v begins at %v, want %v", p, p.From, until)
			}
			until = p.To
		}
		if until != at+1 {
			t.Errorf("phases end at %v, want %v", until, at+1)
		}
	})
}

func FuzzSocket(f *testing.F) {
	for _, body := range samples["responses"] {
		f.Add(`{"type":"response.create","generate":false,"stream_id":"a"}`, strings.ReplaceAll(body, "data: ", ""))
	}
	f.Fuzz(func(t *testing.T, client, server string) {
		s := stream.NewSocket(stream.Options{})
		for _, frame := range strings.Split(server, "\n") {
			s.Client(1, []byte(client))
			s.Server(2, []byte(frame))
		}
		s.Close(3, nil)
	})
}

// A request can be anything, and one that goes on where another ended has its prefix.
func FuzzParseRequest(f *testing.F) {
	f.Add("/v1/chat/completions", `{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"x"}}]}`)
	f.Add("/v1/responses", `{"type":"function_call_output","call_id":"a","output":"b"}`)
	f.Add("/v1/messages", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`)
	f.Add("/v1beta/models/m:generateContent", `{"role":"model","parts":[{"functionCall":{"name":"x","id":"i"}}]}`)
	f.Fuzz(func(t *testing.T, path, message string) {
		stream.ParseRequest("POST", path, nil, []byte(message))
		body := func(n int) stream.Request {
			list := strings.Join(slices.Repeat([]string{message}, n), ",")
			return stream.ParseRequest("POST", path, nil, []byte(`{"messages":[`+list+`],"model":"m"}`))
		}
		if !json.Valid([]byte(message)) {
			return
		}
		one, two := body(1), body(2)
		if len(one.Prefix) != 1 || len(two.Prefix) != 2 || one.Prefix[0] != two.Prefix[0] {
			t.Errorf("got prefixes %v and %v", one.Prefix, two.Prefix)
		}
	})
}
