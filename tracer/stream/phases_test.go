package stream_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// phases draws phases: "wait 0-10 bound".
func phases(list []stream.Phase) []string {
	var out []string
	for _, p := range list {
		s := fmt.Sprintf("%s %d-%d", p.Component, p.From.Milliseconds(), p.To.Milliseconds())
		if p.Quality != traces.Measured {
			s += " " + string(p.Quality)
		}
		out = append(out, s)
	}
	return out
}

func TestServerTimingsSplitTheWait(t *testing.T) {
	cases := []struct {
		name, chunk string
		want        []string
	}{
		{"none", `{"choices":[]}`, []string{"connect 0-10", "wait 10-500", "output 500-600", "tail 600-1000"}},
		{"llama.cpp tells of the prompt only", `{"choices":[],"timings":{"cache_n":0,"prompt_n":10,"prompt_ms":300.0,"predicted_ms":100}}`,
			[]string{"connect 0-10", "wait 10-200", "prefill 200-500 inferred", "output 500-600", "tail 600-1000"}},
		{"vLLM tells of queue and prompt", `{"choices":[],"metrics":{"queue_time_ms":40,"time_to_first_token_ms":4e2}}`,
			[]string{"connect 0-10", "wait 10-60", "queue 60-100 inferred", "prefill 100-500 inferred", "output 500-600", "tail 600-1000"}},
		{"Groq tells in seconds, beside its counts", `{"choices":[],"x_groq":{"id":"r","usage":{"queue_time":0.09,"prompt_tokens":1,"prompt_time":0.4,"completion_tokens":1,"completion_time":0.1,"total_tokens":2}}}`,
			[]string{"connect 0-10", "queue 10-100 inferred", "prefill 100-500 inferred", "output 500-600", "tail 600-1000"}},
		{"Cerebras tells in seconds", `{"choices":[],"time_info":{"queue_time":0.1,"prompt_time":0.2}}`,
			[]string{"connect 0-10", "wait 10-200", "queue 200-300 inferred", "prefill 300-500 inferred", "output 500-600", "tail 600-1000"}},
		{"timings that do not fit are not used", `{"choices":[],"timings":{"prompt_ms":700}}`, []string{"connect 0-10", "wait 10-500", "output 500-600", "tail 600-1000"}},
		{"SambaNova tells in seconds, beside its counts", `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"time_to_first_token":0.3,"total_latency":0.4}}`,
			[]string{"connect 0-10", "wait 10-200", "prefill 200-500 inferred", "output 500-600", "tail 600-1000"}},
		{"hidden reasoning makes the wait a bound", `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":9,"total_tokens":10,"completion_tokens_details":{"reasoning_tokens":5}}}`,
			[]string{"connect 0-10", "wait 10-500 bound", "output 500-600", "tail 600-1000"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := stream.NewChat(stream.Options{})
			for _, at := range []float64{500, 600} {
				d.Feed(ms(at), []byte(`data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\n"))
			}
			d.Feed(ms(990), []byte("data: "+c.chunk+"\n\ndata: [DONE]\n\n"))
			r := d.Close(ms(1000), nil)
			if got := phases(r.Phases(ms(10), ms(1000), time.Second)); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestOllamaTellsInNanoseconds(t *testing.T) {
	d := stream.NewOllama(stream.Options{})
	d.Feed(ms(500), []byte(`{"message":{"content":"a"},"done":false}`+"\n"))
	d.Feed(ms(600), []byte(`{"done":true,"total_duration":560000000,"load_duration":50000000,"prompt_eval_duration":400000000,"eval_duration":100000000}`))
	r := d.Close(ms(600), nil)
	got, want := phases(r.Phases(ms(10), ms(600), time.Second)), []string{"connect 0-10", "wait 10-50", "queue 50-100 inferred", "prefill 100-500 inferred", "tail 500-600"}
	if !slices.Equal(got, want) || r.TimingsInconsistent {
		t.Errorf("got  %q, inconsistent %v\nwant %q", got, r.TimingsInconsistent, want)
	}
}

// A server's timings are believed only as far as they can be true.
func TestServerTimingsAreCheckedAgainstTheWire(t *testing.T) {
	cases := []struct {
		name, timings string
		wrong         bool // first output at 500 ms, end at 1000 ms
	}{
		{"they fit", `"prompt_ms":480,"predicted_ms":500`, false},
		{"they fit but for rounding", `"prompt_ms":504,"predicted_ms":500`, false},
		{"the prompt took longer than the wait", `"prompt_ms":520,"predicted_ms":100`, true},
		{"all took longer than the response", `"prompt_ms":400,"predicted_ms":700`, true},
		{"generating may take longer than the output was seen to, where a gateway held it back", `"prompt_ms":100,"predicted_ms":890`, false},
	}
	for _, c := range cases {
		d := stream.NewChat(stream.Options{})
		for _, at := range []float64{500, 600} {
			d.Feed(ms(at), []byte(`data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\n"))
		}
		d.Feed(ms(1000), []byte(`data: {"choices":[],"timings":{`+c.timings+"}}\n\ndata: [DONE]\n\n"))
		r := d.Close(ms(1001), nil)
		if r.TimingsInconsistent != c.wrong {
			t.Errorf("%s: inconsistent %v, want %v", c.name, r.TimingsInconsistent, c.wrong)
		}
		for _, p := range r.Phases(ms(0), ms(1000), 0) {
			if c.wrong && p.Component == traces.Prefill {
				t.Errorf("%s: used all the same", c.name)
			}
		}
	}
}

func TestWindowsAreReasoning(t *testing.T) {
	arrivals := func(list ...traces.Chunk) traces.Chunks { return traces.Chunks{List: list} }
	chunk := func(at float64, kind traces.Component) traces.Chunk {
		return traces.Chunk{At: ms(at), Kind: kind, Chars: 1}
	}
	window := func(from, to float64) stream.Window { return stream.Window{From: ms(from), To: ms(to)} }
	prefill := 50 * time.Millisecond
	cases := []struct {
		name   string
		result stream.Result
		want   []string // of an attempt sent at 10 ms that ended at 1000 ms
	}{
		{"before the first output", stream.Result{Chunks: arrivals(chunk(700, traces.Output), chunk(800, traces.Output)), Windows: []stream.Window{window(100, 600)}, Visibility: "hidden"},
			[]string{"connect 0-10", "wait 10-100", "reasoning 100-600 inferred", "wait 600-700", "output 700-800", "tail 800-1000"}},
		{"two of them", stream.Result{Chunks: arrivals(chunk(700, traces.Output), chunk(800, traces.Output)), Windows: []stream.Window{window(100, 300), window(400, 600)}},
			[]string{"connect 0-10", "wait 10-100", "reasoning 100-300 inferred", "wait 300-400", "reasoning 400-600 inferred", "wait 600-700", "output 700-800", "tail 800-1000"}},
		{"prefill ends where the window begins", stream.Result{Chunks: arrivals(chunk(700, traces.Output)), Windows: []stream.Window{window(100, 700)}, Server: stream.Timings{Prefill: &prefill}},
			[]string{"connect 0-10", "wait 10-50", "prefill 50-100 inferred", "reasoning 100-700 inferred", "tail 700-1000"}},
		{"between outputs, where no stall is left", stream.Result{Chunks: arrivals(chunk(100, traces.Output), chunk(900, traces.ToolArgs)), Windows: []stream.Window{window(150, 850)}},
			[]string{"connect 0-10", "wait 10-100", "tool_args 100-150", "reasoning 150-850 inferred", "tool_args 850-900", "tail 900-1000"}},
		{"between outputs, where a stall is left", stream.Result{Chunks: arrivals(chunk(100, traces.Output), chunk(990, traces.Output)), Windows: []stream.Window{window(110, 200)}},
			[]string{"connect 0-10", "wait 10-100", "output 100-110", "reasoning 110-200 inferred", "stall 200-990", "tail 990-1000"}},
		{"after the last output, until the cut", stream.Result{Chunks: arrivals(chunk(100, traces.Output)), Windows: []stream.Window{window(300, 1000)}},
			[]string{"connect 0-10", "wait 10-100", "tail 100-300", "reasoning 300-1000 inferred"}},
		{"without any output", stream.Result{Windows: []stream.Window{window(300, 1000)}}, []string{"connect 0-10", "wait 10-300", "reasoning 300-1000 inferred"}},
		{"before the request was sent", stream.Result{Chunks: arrivals(chunk(700, traces.Output)), Windows: []stream.Window{window(5, 300)}},
			[]string{"connect 0-10", "reasoning 10-300 inferred", "wait 300-700", "tail 700-1000"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := phases(c.result.Phases(ms(10), ms(1000), 500*time.Millisecond)); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestVisibilityOfReasoning(t *testing.T) {
	cases := []struct{ name, api, event, want string }{
		{"a summary", "responses", `{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"a"}`, "summary"},
		{"raw reasoning", "responses", `{"type":"response.reasoning_text.delta","output_index":0,"delta":"a"}`, "full"},
		{"thinking", "anthropic", `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}}`, "full"},
		{"redacted thinking", "anthropic", `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}`, "hidden"},
		{"thinking that is only counted", "anthropic", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9,"output_tokens_details":{"thinking_tokens":5}}}`, "hidden"},
		{"thoughts are summaries", "gemini", `{"candidates":[{"content":{"parts":[{"text":"a","thought":true}]}}]}`, "summary"},
		{"thoughts that are only counted", "gemini", `{"usageMetadata":{"promptTokenCount":1,"thoughtsTokenCount":5}}`, "hidden"},
		{"thinking of Ollama", "ollama", `{"message":{"thinking":"a"},"done":false}`, "full"},
	}
	for _, c := range cases {
		if got := play(c.api, nil, c.event).Visibility; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
