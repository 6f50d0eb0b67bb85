package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/tracer/stream"
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
		{"more cached than read is beside it where the total says so", `{"prompt_tokens":9,"completion_tokens":5,"total_tokens":114,"prompt_tokens_details":{"cached_tokens":100}}`, "109 100 5 - false"},
		{"else the input is unknown", `{"prompt_tokens":9,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":100}}`, "- 100 5 - true"},
		{"more reasoning than output that is part of it is wrong", `{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":8}}`, "9 - - 8 true"},
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
	t.Run("an output of 0 beside a text is a placeholder", func(t *testing.T) {
		r := decode(stream.Options{}, `"content":"a"`, `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}}`)
		if r.Usage.Output != nil || !r.UsageInconsistent {
			t.Errorf("got %v", r.Usage)
		}
	})
	t.Run("llama.cpp counts beside its timings", func(t *testing.T) {
		r := decode(stream.Options{}, `"content":"a"`, `{"choices":[],"timings":{"cache_n":30,"prompt_n":10,"prompt_ms":1,"predicted_n":7}}`)
		if got, want := drawn(r), "1o1; counts 40/30/7/; truncated"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("null after the counts does not take them back", func(t *testing.T) {
		r := decode(stream.Options{}, `{"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, `{"choices":[],"usage":null}`, "[DONE]")
		if r.Usage.Output == nil || *r.Usage.Output != 2 {
			t.Errorf("got %v", r.Usage)
		}
	})
}
