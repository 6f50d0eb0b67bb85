package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
)

// TestPhasesOfBlocks reads a model's span from second 1 to 10 whose events were named by others.
func TestPhasesOfBlocks(t *testing.T) {
	kind := func(v string) traces.Attr { return traces.Attr{Key: "content_block.type", Value: v} }
	for _, c := range []struct {
		name   string
		events []traces.Event
		ttft   any // attribute, seconds
		cut    uint32
		want   string
	}{
		{"the Messages API's own", []traces.Event{event("content_block_start", 3, kind("thinking")), event("content_block_start", 5, kind("text")),
			event("content_block_start", 6, kind("tool_use")), event("content_block_start", 7, kind("tool_use")), event("message_stop", 9.5)}, nil, 0,
			"wait 0s-2s, reasoning 2s-4s, output 4s-5s, tool_args 5s-6s, tool_args 6s-8.5s, tail 8.5s-9s"},
		{"the Responses API's", []traces.Event{event("response.output_item.added", 3, traces.Attr{Key: "item.type", Value: "reasoning"}),
			event("response.output_item.added", 5, traces.Attr{Key: "item.type", Value: "message"}), event("response.completed", 10)}, nil, 0,
			"wait 0s-2s, reasoning 2s-4s, output 4s-9s"},
		{"the AI SDK's parts of a stream", []traces.Event{event("ai.stream.reasoning-start", 3), event("ai.stream.text-start", 4), event("ai.stream.tool-input-start", 6)}, nil, 0,
			"wait 0s-2s, reasoning 2s-3s, output 3s-5s, tool_args 5s-9s"},
		{"in any order", []traces.Event{event("text_start", 5), event("thinking_start", 3), event("request_sent", 1.5)}, nil, 0,
			"connect 0s-500ms, wait 500ms-2s, reasoning 2s-4s, output 4s-9s"},
		{"a block of a kind that nobody knows", []traces.Event{event("content_block_start", 3, kind("image")), event("content_block_start", 5)}, nil, 0,
			"wait 0s-2s, response 2s-4s, response 4s-9s"},
		{"one that is announced before it has any output", []traces.Event{event("content_block_start", 3, kind("thinking")), event("gen_ai.first_token", 3.25)}, nil, 0,
			"wait 0s-2.25s, reasoning 2.25s-9s"},
		{"reasoning that is over before any output was hidden", []traces.Event{event("thinking_start", 3), event("text_start", 5), event("first_token", 5.5)}, nil, 0,
			"wait 0s-2s, reasoning 2s-4.5s inferred, output 4.5s-9s"},
		{"output before any block is known is a response", []traces.Event{event("llm.first_token", 3), event("text_start", 4)}, nil, 0,
			"wait 0s-2s, response 2s-3s, output 3s-9s"},
		{"the first chunk as an attribute", []traces.Event{event("text_start", 4)}, 3.5, 0, "wait 0s-3.5s, output 3.5s-9s"},
		{"a first chunk after the end is not believed", []traces.Event{event("text_start", 4)}, 35.0, 0, "wait 0s-3s, output 3s-9s"},
		{"no block, but a first chunk that was noted at the end", []traces.Event{event("gen_ai.first_token", 10, traces.Attr{Key: "ttft_ms", Value: int64(1310)})}, nil, 0,
			"wait 0s-1.31s, response 1.31s-9s"},
		{"events of other meaning", []traces.Event{event("exception", 3), event("gen_ai.choice", 10)}, nil, 0, ""},
		{"events of which some were cut off", []traces.Event{event("text_start", 4)}, nil, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rec("1", "", "x", "c", attrs{"openinference.span.kind": "LLM"})
			if c.ttft != nil {
				r.Attrs = append(r.Attrs, traces.Attr{Key: traces.KeyTTFT, Value: c.ttft})
			}
			r.Events, r.Dropped.Events = c.events, c.cut
			given := len(r.Events)
			out, _ := Normalise([]traces.Record{r})
			runs, _ := traces.Build(out)
			var got []string
			for _, p := range runs[0].ModelCalls[0].Attempts[0].Phases {
				line := fmt.Sprintf("%s %v-%v", p.Component, p.Start, p.End)
				if p.Quality != traces.Measured {
					line += " " + string(p.Quality)
				}
				got = append(got, line)
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(r.Events) != given {
				t.Error("the argument was changed")
			}
		})
	}
}
