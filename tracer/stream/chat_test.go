package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// decode feeds events one millisecond apart, each as the delta of a chunk unless it is a whole chunk or a marker, and
// ends the body cleanly.
func decode(opt stream.Options, events ...string) *stream.Result {
	d := stream.NewChat(opt)
	for i, e := range events {
		if !strings.HasPrefix(e, `{"`) || strings.HasPrefix(e, `{"delta`) {
			if e != "[DONE]" {
				e = `{"choices":[{"index":0,"delta":{` + e + `},"finish_reason":null}]}`
			}
		}
		d.Feed(ms(float64(i+1)), []byte("data: "+e+"\n\n"))
	}
	return d.Close(ms(float64(len(events)+1)), io.EOF)
}

// arrivals draws the chunk series: "1r4 2o5" is 4 characters of reasoning at 1 ms and 5 of output at 2 ms.
func arrivals(r *stream.Result) string {
	letters := map[traces.Component]string{traces.Reasoning: "r", traces.Output: "o", traces.ToolArgs: "a"}
	var parts []string
	for _, c := range r.Chunks.List {
		parts = append(parts, fmt.Sprintf("%d%s%d", c.At.Milliseconds(), letters[c.Kind], c.Chars))
	}
	return strings.Join(parts, " ")
}

func TestWhatIsGeneratedOutput(t *testing.T) {
	cases := []struct {
		name   string
		events []string
		want   string
	}{
		{"a role is not", []string{`"role":"assistant","content":""`, `"content":"hi"`}, "2o2"},
		{"null is not", []string{`"content":null,"reasoning_content":null,"refusal":null,"tool_calls":null`, `"content":"hi"`}, "2o2"},
		{"usage, progress and padding are not", []string{
			`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0,"total_tokens":3}}`,
			`{"choices":[],"prompt_progress":{"total":10,"processed":4}}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":null}],"obfuscation":"abcdef"}`, `"content":"hi"`}, "4o2"},
		{"text outside choices is not", []string{`{"prompt_filter_results":[{"content":"x"}],"choices":[]}`, `"content":"hi"`}, "2o2"},
		{"a finish reason is not", []string{`"content":"hi"`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`}, "1o2"},
		{"a refusal is visible text", []string{`"refusal":"No."`}, "1o3"},
		{"legacy completions are visible text", []string{`{"choices":[{"text":"abc","index":0}]}`}, "1o3"},
		{"speech is visible, its transcript counted", []string{`"audio":{"id":"a","data":"AAAA"}`, `"audio":{"transcript":"hey"}`}, "1o0 2o3"},
		{"reasoning_content is reasoning", []string{`"content":null,"reasoning_content":"hmm"`, `"content":"x","reasoning_content":null`}, "1r3 2o1"},
		{"reasoning is reasoning", []string{`"reasoning":"hmm"`, `"content":"x"`}, "1r3 2o1"},
		{"the same reasoning under two names counts once", []string{
			`"reasoning":"hmm","reasoning_details":[{"type":"reasoning.text","text":"hmm"}]`,
			`"reasoning_content":"ab","reasoning":"ab"`}, "1r3 2r2"},
		{"reasoning_details alone are reasoning", []string{`"reasoning_details":[{"type":"reasoning.text","text":"hmm","signature":"s"}]`}, "1r3"},
		{"parts of type thinking are reasoning", []string{
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hmm"}]}]`, `"content":[{"type":"text","text":"ab"}]`, `"content":""`}, "1r3 2o2"},
		{"reasoning and text in one event arrive together", []string{`"content":"ab","reasoning":"hmm"`}, "1r3 1o2"},
		{"a tool call's name and arguments are, its id is not", []string{
			`"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"","arguments":""}}]`,
			`"tool_calls":[{"index":0,"function":{"name":"ls"}}]`, `"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`}, "2a2 3a2"},
		{"a legacy function call is", []string{`"function_call":{"name":"ls","arguments":""}`, `"function_call":{"arguments":"{}"}`}, "1a2 2a2"},
		{"a custom tool's input is", []string{`"tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"sh","input":"ls -l"}}]`}, "1a7"},
		{"all choices count", []string{`{"choices":[{"index":1,"delta":{"content":"b"}}]}`, `{"choices":[{"index":0,"delta":{"content":"a"}}]}`}, "1o1 2o1"},
		{"escapes and wide characters are one character each", []string{`"content":"\u00e9\n\"漢\ud83d\ude00"`}, "1o5"},
		{"a surrogate pair cut in two is one character", []string{`"content":"\ud83d"`, `"content":"\ude00"`}, "1o1 2o0"},
		{"interleaved thinking is several stretches", []string{`"reasoning":"a"`, `"content":"b"`, `"reasoning":"c"`, `"content":"d"`}, "1r1 2o1 3r1 4o1"},
		{"nothing after the end marker is", []string{`"content":"a"`, `[DONE]`, `"content":"b"`}, "1o1"},
		{"an event that is damaged is not", []string{`{"choices":[{"index":0,"delta":{"content":"a"`, `"content":"b"`}, "2o1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, content := range []bool{false, true} {
				if got := arrivals(decode(stream.Options{Content: content}, c.events...)); got != c.want {
					t.Errorf("content %v: got %q, want %q", content, got, c.want)
				}
			}
		})
	}
}

func TestThinkTags(t *testing.T) {
	cases := []struct {
		name            string
		mode            stream.ThinkTags
		deltas          []string
		want            string
		text, reasoning string
	}{
		{"a reply that opens with the tag is reasoning up to the closing one", stream.ThinkAuto, []string{"<think>ab", "cd</think>", "ef"}, "1r2 2r2 3o2", "ef", "abcd"},
		{"white space may come before the tag", stream.ThinkAuto, []string{"\n", " <think>ab</think>c"}, "1r0 2r2 2o1", "c", "ab"},
		{"tags may be cut anywhere", stream.ThinkAuto, []string{"<th", "ink", ">ab</", "think", ">c"}, "1r0 2r0 3r2 4r0 5r0 5o1", "c", "ab"},
		{"what only looked like the tag is text", stream.ThinkAuto, []string{"<th", "ere", "!"}, "1o0 2o6 3o1", "<there!", ""},
		{"what only looked like the closing tag is reasoning", stream.ThinkAuto, []string{"<think>a</th", "e", "</think>b"}, "1r1 2r5 3r0 3o1", "b", "a</the"},
		{"a tag later in the reply is text", stream.ThinkAuto, []string{"a", "<think>b</think>"}, "1o1 2o16", "a<think>b</think>", ""},
		{"auto takes one block", stream.ThinkAuto, []string{"<think>a</think>", "<think>b"}, "1r1 2o8", "<think>b", "a"},
		{"on takes every block", stream.ThinkOn, []string{"x", "<think>a</think>", "y<think>b</think>z"}, "1o1 2r1 3r1 3o2", "xyz", "ab"},
		{"on believes that the prompt opened what the reply closes", stream.ThinkOn, []string{"a", "b</th", "ink>c", "</think>"}, "1r1 2r1 3r0 3o1 4o8", "c</think>", "ab"},
		{"auto does not", stream.ThinkAuto, []string{"a</think>b"}, "1o10", "a</think>b", ""},
		{"off takes none", stream.ThinkOff, []string{"<think>a</think>b"}, "1o17", "<think>a</think>b", ""},
		{"an escaped tag is a tag", stream.ThinkAuto, []string{`\u003cthink\u003ea\u003c/think\u003eb`}, "1r1 1o1", "b", "a"},
		{"a block that is never closed is reasoning", stream.ThinkAuto, []string{"<think>ab", "c"}, "1r2 2r1", "", "abc"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var events []string
			for _, d := range c.deltas {
				events = append(events, `"content":"`+strings.ReplaceAll(d, "\n", `\n`)+`"`)
			}
			r := decode(stream.Options{Think: c.mode, Content: true}, events...)
			if got := arrivals(r); got != c.want {
				t.Errorf("arrivals: got %q, want %q", got, c.want)
			}
			if r.Text != c.text && strings.TrimSpace(r.Text) != c.text || r.Reasoning != c.reasoning {
				t.Errorf("got text %q, reasoning %q, want %q, %q", r.Text, r.Reasoning, c.text, c.reasoning)
			}
		})
	}
	t.Run("text between tags that also came as a field counts once", func(t *testing.T) {
		r := decode(stream.Options{}, `"content":"<think>ab","reasoning_content":"ab"`, `"content":"c</think>d","reasoning_content":"c"`)
		if got, want := arrivals(r), "1r2 2r1 2o1"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestToolCalls(t *testing.T) {
	cases := []struct {
		name   string
		events []string
		want   []string // id name arguments first-last
	}{
		{"pieces belong to the call of their index", []string{
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":""}}]`, `"tool_calls":[{"index":1,"id":"b","function":{"name":"cat","arguments":""}}]`,
			`"tool_calls":[{"index":0,"function":{"arguments":"{1"}},{"index":1,"function":{"arguments":"{2"}}]`, `"tool_calls":[{"index":0,"function":{"arguments":"}"}}]`},
			[]string{"a ls {1} 1-4", "b cat {2 2-3"}},
		{"an empty id or name on a later piece is none", []string{
			`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":"{"}}]`,
			`"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":"}"}}]`}, []string{"a ls {} 1-2"}},
		{"whole calls without an index are told apart by their ids", []string{
			`"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}},{"id":"b","function":{"name":"ls","arguments":"{}"}}]`},
			[]string{"a ls {} 1-1", "b ls {} 1-1"}},
		{"whole calls that share an index are told apart by their ids", []string{
			`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]`, `"tool_calls":[{"index":0,"id":"b","function":{"name":"ls","arguments":"{}"}}]`},
			[]string{"a ls {} 1-1", "b ls {} 2-2"}},
		{"without index and id a new name opens a call", []string{
			`"tool_calls":[{"function":{"name":"ls","arguments":"{"}}]`, `"tool_calls":[{"function":{"arguments":"}"}}]`, `"tool_calls":[{"function":{"name":"cat","arguments":"{}"}}]`},
			[]string{" ls {} 1-2", " cat {} 3-3"}},
		{"the name may come after the id", []string{
			`"tool_calls":[{"index":0,"id":"a"}]`, `"tool_calls":[{"index":0,"function":{"name":"ls"}}]`}, []string{"a ls  2-2"}},
		{"fields may come in any order", []string{`"tool_calls":[{"function":{"arguments":"{}","name":"ls"},"type":"function","id":"a","index":0}]`}, []string{"a ls {} 1-1"}},
		{"choices are apart", []string{
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}}]},"index":0}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"y"}}]},"index":1}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]},"index":0}]}`}, []string{"a x 1 1-3", "b y  2-2"}},
		{"arguments may be an object", []string{`"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"p":[1]}}}]`}, []string{`a ls {"p":[1]} 1-1`}},
		{"a continuation of nothing is ignored", []string{`"tool_calls":[{"function":{}}]`}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, call := range decode(stream.Options{Content: true}, c.events...).ToolCalls {
				got = append(got, fmt.Sprintf("%s %s %s %d-%d", call.ID, call.Name, call.Arguments, call.First.Milliseconds(), call.Last.Milliseconds()))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHowItEnded(t *testing.T) {
	const text, finish, done = `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n",
		`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n", "data: [DONE]\n\n"
	cases := []struct {
		name string
		body string
		end  error
		want traces.Outcome
		word string
		at   time.Duration // of the end; fed at 1 ms, closed at 5 ms
	}{
		{"an end marker is ok", text + finish + done, io.EOF, traces.OK, "", ms(1)},
		{"a finish reason without an end marker is ok", text + finish, io.EOF, traces.OK, "", ms(5)},
		{"an end marker without a finish reason is ok", text + done, io.EOF, traces.OK, "", ms(1)},
		{"neither is truncated", text, io.EOF, traces.Truncated, "", ms(5)},
		{"a reset is truncated", text, errors.New("connection reset by peer"), traces.Truncated, "", ms(5)},
		{"a reset after the finish reason is ok", text + finish, errors.New("connection reset by peer"), traces.OK, "", ms(5)},
		{"a client that goes away cancels", text, fmt.Errorf("read: %w", context.Canceled), traces.Cancelled, "", ms(5)},
		{"a client that goes away after the end marker does not", text + done, context.Canceled, traces.OK, "", ms(1)},
		{"a time limit is a timeout", text, context.DeadlineExceeded, traces.Timeout, "", ms(5)},
		{"a deadline of the connection is a timeout", text, os.ErrDeadlineExceeded, traces.Timeout, "", ms(5)},
		{"an error object ends it", text + `data: {"error":{"message":"secret","type":"server_error","code":null}}` + "\n\n", io.EOF, traces.Error, "server_error", ms(1)},
		{"an error code beats its type", `data: {"error":{"type":"x","code":"overloaded"}}` + "\n\n" + done, io.EOF, traces.Error, "overloaded", ms(1)},
		{"an error code may be a number", `data: {"error":{"code":503,"message":"m"}}` + "\n\n" + done, io.EOF, traces.Error, "503", ms(1)},
		{"an error that is prose has no word", `data: {"error":{"type":"you sent sk-123 which"}}` + "\n\n", io.EOF, traces.Error, "_OTHER", ms(1)},
		{"an error may be a string", `data: {"error":"it broke"}` + "\n\n", io.EOF, traces.Error, "_OTHER", ms(1)},
		{"a null error is none", `data: {"error":null,"choices":[{"delta":{"content":"a"}}]}` + "\n\n" + done, io.EOF, traces.OK, "", ms(1)},
		{"an error may be flat, as older servers have it", `data: {"object":"error","message":"m","type":"BadRequestError","code":400}` + "\n\n", io.EOF, traces.Error, "_OTHER", ms(1)},
		{"the finish reason error is one", `data: {"choices":[{"delta":{},"finish_reason":"error"}]}` + "\n\n" + done, io.EOF, traces.Error, "_OTHER", ms(1)},
		{"an empty body is truncated", "", io.EOF, traces.Truncated, "", ms(5)},
		{"a page of HTML is truncated", "<html>\n\n</html>\n\n", io.EOF, traces.Truncated, "", ms(5)},
		{"a last event without its blank line counts", text + strings.TrimRight(done, "\n"), io.EOF, traces.OK, "", ms(5)},
		{"a whole document is ok", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, io.EOF, traces.OK, "", ms(5)},
		{"half a document is truncated", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}`, io.EOF, traces.Truncated, "", ms(5)},
		{"a document may be an error", ` {"error":{"type":"rate_limit_exceeded","message":"slow down"}}`, io.EOF, traces.Error, "rate_limit_exceeded", ms(5)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := stream.NewChat(stream.Options{})
			d.Feed(ms(1), []byte(c.body))
			r := d.Close(ms(5), c.end)
			if r.Outcome != c.want || r.ErrorType != c.word || *r.End != c.at {
				t.Errorf("got %s %q at %v, want %s %q at %v", r.Outcome, r.ErrorType, *r.End, c.want, c.word, c.at)
			}
			if again := d.Close(ms(9), context.Canceled); again.Outcome != c.want || *again.End != c.at {
				t.Errorf("closed again: got %s at %v", again.Outcome, *again.End)
			}
		})
	}
}

func TestAWholeDocument(t *testing.T) {
	d := stream.NewChat(stream.Options{Content: true})
	body := `{"id":"c1","object":"chat.completion","model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi.",
		"reasoning_content":"hm","tool_calls":[{"id":"t1","type":"function","function":{"name":"ls","arguments":"{\"p\":1}"}}]},"finish_reason":"tool_calls"}],
		"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`
	for i := range len(body) {
		d.Feed(ms(float64(i)), []byte(body[i:i+1]))
	}
	r := d.Close(ms(1000), io.EOF)
	got := fmt.Sprint(r.Whole, r.ID, r.Model, r.FinishReason, r.Text, r.Reasoning, r.ToolCalls[0].ID, r.ToolCalls[0].Arguments,
		*r.Usage.Input, *r.Usage.Cached, *r.Usage.Output, *r.Usage.Reasoning, r.Visibility, len(r.Chunks.List), r.FirstEvent == nil)
	if want := fmt.Sprint(true, "c1", "m-1", "tool_calls", "Hi.", "hm", "t1", `{"p":1}`, 9, 4, 5, 2, "full", 0, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReasoningVisibility(t *testing.T) {
	usage := `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":9,"total_tokens":10,"completion_tokens_details":{"reasoning_tokens":%d}}}`
	cases := []struct {
		name   string
		events []string
		want   string
	}{
		{"text is full", []string{`"reasoning":"a"`, "[DONE]"}, "full"},
		{"summaries are a summary", []string{`"reasoning_details":[{"type":"reasoning.summary","summary":"a"}]`, "[DONE]"}, "summary"},
		{"billed but not streamed is hidden", []string{`"content":"a"`, fmt.Sprintf(usage, 5), "[DONE]"}, "hidden"},
		{"encrypted is hidden", []string{`"reasoning_details":[{"type":"reasoning.encrypted","data":"AAAA"}]`, "[DONE]"}, "hidden"},
		{"none is none", []string{`"content":"a"`, fmt.Sprintf(usage, 0), "[DONE]"}, "none"},
		{"a cut response does not tell", []string{`"content":"a"`}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := decode(stream.Options{}, c.events...).Visibility; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
