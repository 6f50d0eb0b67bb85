package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

func TestUsage(t *testing.T) {
	cases := []struct {
		name, usage, want string // input cached output reasoning inconsistent; - unknown
	}{
		{"cached tokens are part of the input", `{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":4}}`, "9 4 5 - false"},
		{"DeepSeek's word for cached tokens", `{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_cache_hit_tokens":3,"prompt_cache_miss_tokens":6}`, "9 3 5 - false"},
		{"reasoning inside the output", `{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":2}}`, "9 - 5 2 false"},
		{"reasoning beside the output", `{"prompt_tokens":12,"completion_tokens":2,"total_tokens":354,"completion_tokens_details":{"reasoning_tokens":340}}`, "12 - 342 340 false"},
		{"without a total, more reasoning than output is beside it", `{"prompt_tokens":1,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":3}}`, "1 - 5 3 false"},
		{"a total that fits neither leaves the output unknown", `{"prompt_tokens":10,"completion_tokens":20,"total_tokens":99,"completion_tokens_details":{"reasoning_tokens":5}}`, "10 - - 5 true"},
		{"a wrong total without reasoning is only said", `{"prompt_tokens":10,"completion_tokens":20,"total_tokens":99}`, "10 - 20 - true"},
		{"details may be null", `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"completion_tokens_details":null,"prompt_tokens_details":null}`, "1 - 2 - false"},
		{"null is no usage", `null`, "- - - - false"},
		{"negative counts are unknown", `{"prompt_tokens":1,"completion_tokens":-2}`, "1 - - - false"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := decode(stream.Options{}, `{"choices":[],"usage":`+c.usage+`}`, "[DONE]")
			u := r.Usage
			var parts []string
			for _, n := range []*int64{u.Input, u.Cached, u.Output, u.Reasoning} {
				if n == nil {
					parts = append(parts, "-")
				} else {
					parts = append(parts, fmt.Sprint(*n))
				}
			}
			if got := strings.Join(parts, " ") + fmt.Sprint(" ", r.UsageInconsistent); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	t.Run("null after the counts does not take them back", func(t *testing.T) {
		r := decode(stream.Options{}, `{"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, `{"choices":[],"usage":null}`, "[DONE]")
		if r.Usage.Output == nil || *r.Usage.Output != 2 {
			t.Errorf("got %v", r.Usage)
		}
	})
}

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
