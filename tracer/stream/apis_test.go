package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// play feeds events one millisecond apart, framed as the API has it, and ends the body with err a millisecond later.
func play(api string, err error, events ...string) *stream.Result {
	d := decoders[api](stream.Options{Content: true})
	for i, e := range events {
		switch {
		case strings.HasPrefix(e, "whole "):
			e = e[len("whole "):]
		case api == "ollama":
			e += "\n"
		default:
			e = "data: " + e + "\n\n"
		}
		d.Feed(ms(float64(i+1)), []byte(e))
	}
	return d.Close(ms(float64(len(events)+1)), err)
}

// drawn is what a result says, in one line, what is not there left out: arrivals as "2r3", three characters of reasoning at 2 ms; text
// and reasoning; calls as "id name arguments first-last"; windows; usage as input/cached/output/reasoning; how it ended.
func drawn(r *stream.Result) string {
	var parts []string
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	if s := arrivals(r); s != "" {
		add("%s", s)
	}
	if r.Text != "" {
		add("says %s", r.Text)
	}
	if r.Reasoning != "" {
		add("thinks %s", r.Reasoning)
	}
	for _, c := range r.ToolCalls {
		add("calls %s", strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %d-%d", c.ID, c.Name, c.Arguments, c.First.Milliseconds(), c.Last.Milliseconds())), " "))
	}
	for _, w := range r.Windows {
		add("hides %d-%d", w.From.Milliseconds(), w.To.Milliseconds())
	}
	if u := r.Usage; u.Source == traces.UsageProvider {
		s := ""
		for _, n := range []*int64{u.Input, u.Cached, u.Output, u.Reasoning} {
			if s += "/"; n != nil {
				s += fmt.Sprint(*n)
			}
		}
		add("counts %s", s[1:])
	}
	if r.UsageInconsistent {
		add("counts wrong")
	}
	if len(r.Pings) > 0 {
		add("pings %d", len(r.Pings))
	}
	if r.Ignored > 0 {
		add("ignores %d", r.Ignored)
	}
	add("%s", strings.TrimSpace(fmt.Sprint(r.Outcome, " ", r.FinishReason, " ", r.ErrorType)))
	if r.Whole {
		add("whole")
	}
	return strings.Join(parts, "; ")
}

type apiCase struct {
	name   string
	err    error // how the body ended; nil: cleanly
	events []string
	want   string
}

func check(t *testing.T, api string, cases []apiCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.err == nil {
				c.err = io.EOF
			}
			if got := drawn(play(api, c.err, c.events...)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

var errReset = errors.New("connection reset by peer")

func TestResponses(t *testing.T) {
	const (
		created = `{"type":"response.created","response":{"id":"r","model":"m","status":"in_progress","output":[],"usage":null,"error":null}}`
		message = `{"type":"response.output_item.added","output_index":1,"item":{"id":"m1","type":"message","role":"assistant","content":[]}}`
		hello   = `{"type":"response.output_text.delta","output_index":1,"content_index":0,"item_id":"m1","delta":"Hi"}`
		done    = `{"type":"response.completed","response":{"id":"r","status":"completed","error":null,"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14}}}`
		call    = `{"type":"response.output_item.added","output_index":2,"item":{"id":"f1","type":"function_call","call_id":"c1","name":"ls","arguments":""}}`
		think   = `{"type":"response.output_item.added","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[]}}`
		thought = `{"type":"response.output_item.done","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[],"encrypted_content":"x"}}`
	)
	check(t, "responses", []apiCase{
		{"envelopes are no output", nil, []string{created, `{"type":"response.in_progress","response":{"id":"r"}}`, message,
			`{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}`, hello, done}, "5o2; says Hi; counts 9/4/5/2; ok completed"},
		{"what is repeated when it is done counts once", nil, []string{message, hello, `{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"Hi"}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"m1","type":"message","content":[{"type":"output_text","text":"Hi"}]}}`,
			`{"type":"response.completed","response":{"status":"completed","output":[{"id":"m1","type":"message","content":[{"type":"output_text","text":"Hi"}]}]}}`}, "2o2; says Hi; ok completed"},
		{"what comes only when it is done counts then", nil, []string{message, `{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"Hi"}`,
			`{"type":"response.output_text.done","output_index":1,"content_index":1,"text":"ya"}`, done}, "2o2 3o2; says Hiya; counts 9/4/5/2; ok completed"},
		{"or with its item", nil, []string{`{"type":"response.output_item.done","output_index":0,"item":{"id":"m1","type":"message","content":[{"type":"output_text","text":"Hi"}]}}`, done}, "1o2; says Hi; counts 9/4/5/2; ok completed"},
		{"or with the response", nil, []string{created, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"text":"Hi"}]}]}}`}, "2r2 2o2; says Hi; thinks hm; ok completed"},
		{"the name of a tool is output", nil, []string{created, call, `{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"f1","delta":"{}"}`,
			`{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{}"}`,
			`{"type":"response.output_item.done","output_index":2,"item":{"id":"f1","type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}}`, done}, "2a2 3a2; calls c1 ls {} 2-3; counts 9/4/5/2; ok completed"},
		{"parallel calls are told apart by their place", nil, []string{call, strings.NewReplacer(`"output_index":2`, `"output_index":3`, "f1", "f2", "c1", "c2").Replace(call),
			`{"type":"response.function_call_arguments.delta","output_index":3,"item_id":"gateway","delta":"{2"}`, `{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"other","delta":"{1"}`,
			done}, "1a2 2a2 3a2 4a2; calls c1 ls {1 1-4; calls c2 ls {2 2-3; counts 9/4/5/2; ok completed"},
		{"or by their ids where places are left out", nil, []string{`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_1","name":"a","arguments":""}}`,
			`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_2","name":"b","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"1"}`, `{"type":"response.function_call_arguments.delta","item_id":"fc_2","delta":"2"}`, done},
			"1a1 2a1 3a1 4a1; calls fc_1 a 1 1-3; calls fc_2 b 2 2-4; counts 9/4/5/2; ok completed"},
		{"arguments may come only when they are done", nil, []string{call, `{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{}"}`, done}, "1a2 2a2; calls c1 ls {} 1-2; counts 9/4/5/2; ok completed"},
		{"a custom tool has an input", nil, []string{`{"type":"response.output_item.added","output_index":0,"item":{"type":"custom_tool_call","call_id":"c","name":"sh","input":""}}`,
			`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"ls"}`, done}, "1a2 2a2; calls c sh ls 1-2; counts 9/4/5/2; ok completed"},
		{"a shell call has no name and is whole", nil, []string{`{"type":"response.output_item.added","output_index":0,"item":{"type":"local_shell_call","call_id":"c","status":"in_progress"}}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"local_shell_call","call_id":"c","action":{"command":["ls"]}}}`, done}, `2a29; calls c local_shell {"command":["ls"]} 2-2; counts 9/4/5/2; ok completed`},
		{"what the provider runs itself is no call of the client's", nil, []string{`{"type":"response.output_item.added","output_index":0,"item":{"id":"w","type":"web_search_call","status":"in_progress"}}`,
			`{"type":"response.web_search_call.searching","output_index":0,"item_id":"w"}`, `{"type":"response.output_item.added","output_index":1,"item":{"id":"x","type":"mcp_call","name":"q","server_label":"s","arguments":""}}`,
			`{"type":"response.mcp_call_arguments.delta","output_index":1,"item_id":"x","delta":"{}"}`, `{"type":"response.code_interpreter_call_code.delta","output_index":2,"delta":"1+1"}`, done}, "3a1 4a2 5a3; counts 9/4/5/2; ok completed"},
		{"raw reasoning is reasoning", nil, []string{think, `{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"}`, `{"type":"response.reasoning_text.done","output_index":0,"content_index":0,"text":"hm"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs","type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}],"summary":[]}}`, hello, done}, "2r2 5o2; says Hi; thinks hm; counts 9/4/5/2; ok completed"},
		{"summaries are reasoning", nil, []string{think, `{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
			`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"hm"}`, `{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"so"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs","type":"reasoning","summary":[{"text":"hm"},{"text":"so"}]}}`, done}, "3r2 4r2; thinks hmso; counts 9/4/5/2; ok completed"},
		{"an item without text is a window", nil, []string{created, think, thought, message, hello, done}, "5o2; says Hi; hides 2-3; counts 9/4/5/2; ok completed"},
		{"windows may be several, between output", nil, []string{think, thought, hello, strings.ReplaceAll(think, `"output_index":0`, `"output_index":4`), call, done},
			"3o2 5a2; says Hi; calls c1 ls 5-5; hides 1-2; hides 4-5; counts 9/4/5/2; ok completed"},
		{"a window that is open when the stream is cut lasts until then", errReset, []string{created, think}, "hides 2-3; truncated"},
		{"or when the response is complete", nil, []string{think, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`}, "hides 1-2; ok max_output_tokens"},
		{"a refusal is visible", nil, []string{`{"type":"response.refusal.delta","output_index":1,"content_index":0,"delta":"No"}`, done}, "1o2; says No; counts 9/4/5/2; ok completed"},
		{"tags in text are reasoning", nil, []string{`{"type":"response.output_text.delta","output_index":0,"delta":"<think>hm</think>"}`, `{"type":"response.output_text.delta","output_index":0,"delta":"Hi"}`, done}, "1r2 2o2; says Hi; thinks hm; counts 9/4/5/2; ok completed"},
		{"incomplete is ok and says why", nil, []string{hello, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`}, "1o2; says Hi; ok max_output_tokens"},
		{"failed is an error", nil, []string{hello, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"secret"}}}`}, "1o2; says Hi; error  server_error"},
		{"a cancelled response is cancelled", nil, []string{created, `{"type":"response.cancelled","response":{"status":"cancelled"}}`}, "cancelled cancelled"},
		{"an error may be flat", nil, []string{created, `{"type":"error","code":"rate_limit_exceeded","message":"m","param":null,"sequence_number":2}`}, "error  rate_limit_exceeded"},
		{"or nested, and then failed", nil, []string{created, `{"type":"error","error":{"type":"x","code":"overloaded","message":"m"}}`, `{"type":"response.failed","response":{"status":"failed","error":{"code":"overloaded"}}}`}, "error  overloaded"},
		{"a clean end without an end marker is truncated", nil, []string{created, hello}, "2o2; says Hi; truncated"},
		{"a client that leaves before it cancels", context.Canceled, []string{call, `{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}}`}, "1a2 2a2; calls c1 ls {} 1-2; cancelled"},
		{"and after it does not", context.Canceled, []string{hello, done}, "1o2; says Hi; counts 9/4/5/2; ok completed"},
		{"the type may stand last, or only in the event's name", nil, []string{`{"delta":"Hi","output_index":1,"type":"response.output_text.delta"}`, "{\"delta\":\"ya\",\"output_index\":1}\nevent: response.output_text.delta", done}, "1o2 2o2; says Hiya; counts 9/4/5/2; ok completed"},
		{"signs of life are no output", nil, []string{`{"type":"keepalive","sequence_number":1}`, hello, done}, "2o2; says Hi; counts 9/4/5/2; pings 1; ok completed"},
		{"damaged events are skipped", nil, []string{`{"type":"response.output_text.delta","delta":"x`, hello, done}, "2o2; says Hi; counts 9/4/5/2; ignores 1; ok completed"},
		{"a whole response", nil, []string{`whole {"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},` +
			`{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}`}, "says Hi; thinks hm; calls c ls {} 1-1; counts 1//2/; ok completed; whole"},
		{"a whole error", nil, []string{`whole {"error":{"message":"m","type":"invalid_request_error","code":null}}`}, "error  invalid_request_error; whole"},
		{"half of a whole response is truncated", nil, []string{`whole {"id":"r","status":"completed","output":[{"type":"message","content":[{"text":"Hi"}]}]`}, "ignores 1; truncated; whole"},
	})
}

func TestMessages(t *testing.T) {
	const (
		start = `{"type":"message_start","message":{"id":"m","model":"c","content":[],"usage":{"input_tokens":9,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":1}}}`
		text  = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
		hello = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`
		stop0 = `{"type":"content_block_stop","index":0}`
		think = `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`
		tool  = `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"ls","input":{}}}`
		end   = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7,"output_tokens_details":{"thinking_tokens":3}}}`
		stop  = `{"type":"message_stop"}`
	)
	check(t, "anthropic", []apiCase{
		{"openings and pings are no output", nil, []string{start, `{"type":"ping"}`, text, `{"type":"ping"}`, hello, stop0, end, stop}, "5o2; says Hi; counts 119/100/7/3; pings 2; ok end_turn"},
		{"thinking is reasoning, a signature is nothing", nil, []string{start, think, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`, stop0, end, stop}, "3r2; thinks hm; counts 119/100/7/3; ok end_turn"},
		{"thinking without text is a window", nil, []string{start, think, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"","estimated_tokens":50}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`, stop0, `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}}`, end, stop},
			"6o2; says Hi; hides 2-5; counts 119/100/7/3; ok end_turn"},
		{"redacted thinking is hidden", nil, []string{start, `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}`, stop0, text, hello, end, stop}, "5o2; says Hi; hides 2-3; counts 119/100/7/3; ok end_turn"},
		{"arguments come in pieces, the first one empty", nil, []string{tool, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p\":1}"}}`, end, stop}, `1a2 3a7; calls t1 ls {"p":1} 1-3; counts //7/3; ok end_turn`},
		{"or whole, with the name", nil, []string{`{"type":"content_block_start","index":1,"content_block":{"input":{"p":1},"name":"ls","id":"t1","type":"tool_use"}}`, stop}, `1a9; calls t1 ls {"p":1} 1-1; ok`},
		{"what the provider runs itself is no call of the client's", nil, []string{`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, stop0, `{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","content":[{"text":"x"}]}}`, stop}, "1a10 2a2; ok"},
		{"a second message has blocks of its own", nil, []string{start, tool, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}`, start, strings.ReplaceAll(tool, "t1", "t2"),
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, end, stop}, "2a2 3a1 5a2 6a2; calls t1 ls { 2-3; calls t2 ls {} 5-6; counts 119/100/7/3; ok end_turn"},
		{"counts are cumulative, the last that is not null counts", nil, []string{start, hello, `{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":3,"input_tokens":null}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":8,"input_tokens":61}}`, stop}, "2o2; says Hi; counts 171/100/8/; ok end_turn"},
		{"a stream that is cut has no count of its output", nil, []string{start, hello}, "2o2; says Hi; counts 119/100//; truncated"},
		{"a refusal is a way to end", nil, []string{start, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"x":1}},"usage":{"output_tokens":0}}`, stop}, "counts 119/100/0/; ok refusal"},
		{"a stop reason without an end marker is ok", errReset, []string{hello, end}, "1o2; says Hi; counts //7/3; ok end_turn"},
		{"an error inside the stream", nil, []string{start, hello, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`}, "2o2; says Hi; counts 119/100//; error  overloaded_error"},
		{"a client that leaves before the end marker cancels", context.Canceled, []string{start, tool}, "2a2; calls t1 ls 2-2; counts 119/100//; cancelled"},
		{"more thinking than output is flagged", nil, []string{`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3,"output_tokens_details":{"thinking_tokens":5}}}`, stop}, "counts ///5; counts wrong; ok end_turn"},
		{"a whole message", nil, []string{`whole {"type":"message","id":"m","model":"c","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"ls","input":{"p":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}`},
			`says Hi; thinks hm; calls t ls {"p":1} 1-1; counts 1//2/; ok tool_use; whole`},
		{"a whole error", nil, []string{`whole {"type":"error","error":{"type":"rate_limit_error","message":"m"}}`}, "error  rate_limit_error; whole"},
	})
}

func TestOllama(t *testing.T) {
	const (
		hm   = `{"model":"m","created_at":"t","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}`
		hi   = `{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}`
		done = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":9,"load_duration":1,"prompt_eval_count":11,"prompt_eval_duration":2,"eval_count":18,"eval_duration":3}`
	)
	check(t, "ollama", []apiCase{
		{"thinking, text, counts", nil, []string{hm, hi, done}, "1r2 2o2; says Hi; thinks hm; counts 11//18/; ok stop"},
		{"a line without text is no output", nil, []string{`{"model":"m","message":{"role":"assistant","content":""},"done":false}`, hi, done}, "2o2; says Hi; counts 11//18/; ok stop"},
		{"calls come whole, of one name or several", nil, []string{`{"message":{"tool_calls":[{"function":{"name":"ls","arguments":{"p":"a}"}}},{"function":{"index":1,"name":"ls","arguments":{}}}]},"done":false}`, done},
			`1a16; calls ls {"p":"a}"} 1-1; calls ls {} 1-1; counts 11//18/; ok stop`},
		{"generate has no message", nil, []string{`{"model":"m","thinking":"hm","response":"","done":false}`, `{"model":"m","response":"Hi","done":false}`, `{"response":"","done":true,"context":[1,2]}`}, "1r2 2o2; says Hi; thinks hm; ok"},
		{"tags in text are reasoning", nil, []string{`{"message":{"content":"<think>"},"done":false}`, `{"message":{"content":"hm</think>"},"done":false}`, hi, done}, "1r0 2r2 3o2; says Hi; thinks hm; counts 11//18/; ok stop"},
		{"counts of zero are left out and unknown", nil, []string{hi, `{"done":true,"done_reason":"length"}`}, "1o2; says Hi; ok length"},
		{"an error line ends it", nil, []string{hi, `{"error":"an error was encountered"}`}, "1o2; says Hi; error  _OTHER"},
		{"no last line is truncated", nil, []string{hi}, "1o2; says Hi; truncated"},
		{"half a line is skipped, whole ones after it count", nil, []string{`{"message":{"content":"half`, hi, done}, "2o2; says Hi; counts 11//18/; ignores 1; ok stop"},
		{"a client that leaves after the last line does not cancel", context.Canceled, []string{hi, done}, "1o2; says Hi; counts 11//18/; ok stop"},
		{"a whole response", nil, []string{`whole {"model":"m","message":{"role":"assistant","content":"Hi","thinking":"hm"},` + "\n " + `"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":2}`}, "says Hi; thinks hm; counts 1//2/; ok stop; whole"},
		{"a whole error", nil, []string{`{"error":"model not found"}`}, "error  _OTHER; whole"},
	})
}

func TestGemini(t *testing.T) {
	part := func(parts string, more string) string {
		return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"}` + more + `,"index":0}],"modelVersion":"g","responseId":"r"}`
	}
	stop := part(`{"text":"","thoughtSignature":"x"}`, `,"finishReason":"STOP"`)
	usage := `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":13,"thoughtsTokenCount":302,"totalTokenCount":324}}`
	check(t, "gemini", []apiCase{
		{"thoughts and text", nil, []string{part(`{"text":"hm","thought":true}`, ""), part(`{"text":"Hi"}`, ""), stop}, "1r2 2o2; says Hi; thinks hm; ok STOP"},
		{"both in one event", nil, []string{part(`{"thought":true,"text":"hm"},{"text":"Hi"}`, ""), stop}, "1r2 1o2; says Hi; thinks hm; ok STOP"},
		{"a whole call", nil, []string{part(`{"functionCall":{"id":"c","name":"ls","args":{"p":1}}},{"functionCall":{"name":"ls","args":{}}}`, ""), stop}, `1a13; calls c ls {"p":1} 1-1; calls ls {} 1-1; ok STOP`},
		{"a call in pieces", nil, []string{part(`{"functionCall":{"name":"ls","willContinue":true}}`, ""), part(`{"functionCall":{"partialArgs":[{"jsonPath":"$.p","stringValue":"a"}],"willContinue":true}}`, ""), part(`{"functionCall":{}}`, ""), stop},
			`1a2 2a38; calls ls [{"jsonPath":"$.p","stringValue":"a"}] 1-2; ok STOP`},
		{"code is generated, its result is not", nil, []string{part(`{"executableCode":{"language":"PYTHON","code":"1+1"}}`, ""), part(`{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}}`, ""), stop}, "1a3; ok STOP"},
		{"output leaves out thoughts", nil, []string{part(`{"text":"Hi"}`, ""), usage}, "1o2; says Hi; counts 9/4/315/302; ok STOP"},
		{"thoughts alone are all the output", nil, []string{`{"candidates":[{"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":302,"totalTokenCount":311}}`}, "counts 9//302/302; ok MAX_TOKENS"},
		{"what tools brought is input", nil, []string{`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"toolUsePromptTokenCount":20,"candidatesTokenCount":3,"totalTokenCount":32}}`}, "counts 29//3/; ok STOP"},
		{"a total that fits nothing is flagged", nil, []string{`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"thoughtsTokenCount":5,"totalTokenCount":99}}`}, "counts 9///5; counts wrong; ok STOP"},
		{"a count of traffic is none of tokens", nil, []string{`{"usageMetadata":{"trafficType":"ON_DEMAND"}}`, stop}, "ok STOP"},
		{"counts are cumulative", nil, []string{`{"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`, usage}, "counts 9/4/315/302; ok STOP"},
		{"a prompt that is blocked ends with the reason", nil, []string{`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`}, "counts 9///; ok SAFETY"},
		{"no finish reason is truncated", nil, []string{part(`{"text":"Hi"}`, "")}, "1o2; says Hi; truncated"},
		{"an error inside the stream", nil, []string{part(`{"text":"Hi"}`, ""), `{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`}, "1o2; says Hi; error  UNAVAILABLE"},
		{"the envelope of the gateway", nil, []string{`{"response":` + part(`{"text":"Hi"}`, "") + `,"traceId":"t"}`, `{"response":` + usage + `}`}, "1o2; says Hi; counts 9/4/315/302; ok STOP"},
		{"a growing array", nil, []string{"whole [" + part(`{"text":"Hi"}`, ""), "whole ,\r\n" + usage, "whole ]"}, "1o2; says Hi; counts 9/4/315/302; ok STOP"},
		{"an array that is cut", nil, []string{"whole [" + part(`{"text":"Hi"}`, "") + ",", `whole {"candidates":[`}, "1o2; says Hi; ignores 1; truncated"},
		{"an error in an array", nil, []string{`whole [{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]`}, "error  RESOURCE_EXHAUSTED"},
		{"a whole response", nil, []string{"whole " + part(`{"text":"Hi"}`, `,"finishReason":"STOP"`)}, "says Hi; ok STOP; whole"},
	})
}

func TestLegacyCompletions(t *testing.T) {
	check(t, "chat", []apiCase{
		{"streamed", nil, []string{`{"id":"c","object":"text_completion","choices":[{"text":"","index":0,"finish_reason":null}]}`, `{"choices":[{"text":"Hi","index":0,"finish_reason":null}]}`,
			`{"choices":[{"text":"","finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, "[DONE]"}, "2o2; says Hi; counts 1//2/; ok length"},
		{"whole", nil, []string{`whole {"id":"c","object":"text_completion","choices":[{"text":"Hi","finish_reason":"stop"}]}`}, "says Hi; ok stop; whole"},
		{"a whole error in an array, as Google's gateway has it", nil, []string{`whole [{"error":{"code":400,"status":"INVALID_ARGUMENT"}}]`}, "error  INVALID_ARGUMENT; whole"},
	})
}

func TestWhichDecoder(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions": "*stream.Chat", "/openai/deployments/x/chat/completions/": "*stream.Chat", "/v1/completions": "*stream.Chat",
		"/v1/responses": "*stream.Responses", "/v1/messages": "*stream.Messages", "/api/chat": "*stream.Ollama", "/api/generate": "*stream.Ollama",
		"/v1beta/models/gemini-2.5-pro:streamGenerateContent": "*stream.Gemini", "/v1beta/models/x:generateContent": "*stream.Gemini",
		"/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict": "*stream.Messages",
		"/v1/messages/count_tokens": "*stream.Opaque", "/v1/threads/t/messages": "*stream.Opaque", "/v1beta/models/x:countTokens": "*stream.Opaque",
		"/v1/models": "*stream.Opaque", "/v1/responses/r/cancel": "*stream.Opaque", "/v1/analytics/codex/turn-costs": "*stream.Opaque",
	} {
		d, ok := stream.New(path, stream.Options{})
		if got := fmt.Sprintf("%T", d); got != want || ok != (want != "*stream.Opaque") {
			t.Errorf("%s: got %s, %v, want %s", path, got, ok, want)
		}
	}
}
