package dialect

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// No convention names the events of a response while it streams. These are the names that emitters give them nonetheless: agents with tracing
// of their own, OpenInference, Traceloop (one event a chunk), and whoever notes the events of the Messages and Responses APIs or the
// parts of the AI SDK's streams under the names they have there. All are written here as plainName writes them.
var (
	firstChunks = []string{"first_token", "first_token_received", "first_token_stream_event", "first_chunk", "first_chunk_received"}
	sendings    = []string{"request_sent"}
	endings     = []string{"message_stop", "response_completed"}

	// Starts of blocks of output, by what they are blocks of; "" is told by an attribute.
	blocks = map[string]traces.Component{
		"content_block_start": "", "response_output_item_added": "",
		"thinking_start": traces.Reasoning, "reasoning_start": traces.Reasoning, "text_start": traces.Output,
		"tool_input_start": traces.ToolArgs, "tool_call_start": traces.ToolArgs, "tool_use_start": traces.ToolArgs,
	}
	blockTypes = map[string]traces.Component{
		"thinking": traces.Reasoning, "redacted_thinking": traces.Reasoning, "reasoning": traces.Reasoning,
		"text": traces.Output, "message": traces.Output, "output_text": traces.Output,
		"tool_use": traces.ToolArgs, "server_tool_use": traces.ToolArgs, "tool_call": traces.ToolArgs, "function_call": traces.ToolArgs,
	}

	// Attributes of a first chunk's event that say when it came, which the event's own time need not: some are written when all is over.
	// The value is how many of their unit are a second.
	chunkTimes = map[string]float64{"ai.response.msToFirstChunk": 1e3, "ttft_ms": 1e3, "time_to_first_token_ms": 1e3,
		"gen_ai.response.time_to_first_token_ms": 1e3, "llm.ttft_ms": 1e3, "ttft_seconds": 1}
)

// plainName writes an event's name in lower case with underscores, without the namespaces that are put in front of it.
func plainName(name string) string {
	name = strings.ToLower(underscores.Replace(name))
	for _, space := range []string{"gen_ai_", "llm_", "ai_", "stream_"} {
		name = strings.TrimPrefix(name, space)
	}
	return name
}

var underscores = strings.NewReplacer(".", "_", "-", "_", " ", "_", "firstChunk", "first_chunk")

// firstChunk reads the time to the first chunk from events, if no attribute says it. An event series that was cut has lost its
// first events, since exporters keep the last ones.
func (s *span) firstChunk() {
	if s.has(traces.KeyTTFT) || s.Dropped.Events > 0 {
		return
	}
	for _, e := range s.Events {
		name := plainName(e.Name)
		if !slices.Contains(firstChunks, name) && !strings.HasPrefix(name, "content_completion_chunk") { // a chunk may have its number behind
			continue
		}
		for _, a := range e.Attrs {
			if unit := chunkTimes[a.Key]; unit > 0 {
				if f, ok := e.Attrs.Float(a.Key); ok {
					s.set(traces.KeyTTFT, f/unit)
					return
				}
			}
		}
		if e.Time >= s.Start {
			s.set(traces.KeyTTFT, float64(e.Time-s.Start)/1e9)
			return
		}
	}
}

// blockPhases makes phases of the starts of blocks of output. The wait lasts until the first chunk where that is known: the block that was
// open then begins with it. Blocks that were over before went unseen, so that they are inferred.
func (s *span) blockPhases() {
	if s.Dropped.Events > 0 {
		return
	}
	var phases, others []traces.Event
	for _, e := range s.Events {
		switch name := plainName(e.Name); {
		case slices.Contains(sendings, name):
			others = append(others, phaseEvent(traces.Wait, e.Time))
		case slices.Contains(endings, name):
			others = append(others, phaseEvent(traces.Tail, e.Time))
		default:
			if kind, ok := blocks[name]; ok {
				phases = append(phases, phaseEvent(blockKind(kind, e.Attrs), e.Time))
			}
		}
	}
	if len(phases) == 0 {
		return
	}
	slices.SortStableFunc(phases, func(x, y traces.Event) int { return cmp.Compare(x.Time, y.Time) })
	seconds, ok := s.float(traces.KeyTTFT)
	if first := s.Start + int64(math.Round(seconds*1e9)); ok && seconds >= 0 && (first <= s.End || s.End == 0) {
		before := 0
		for before < len(phases) && phases[before].Time <= first {
			before++
		}
		if before == 0 {
			phases = slices.Insert(phases, 0, phaseEvent(traces.Response, first))
		} else {
			phases[before-1].Time = first
		}
		for i := range max(0, before-1) {
			phases[i].Attrs = append(phases[i].Attrs, traces.Attr{Key: traces.KeyQuality, Value: string(traces.Inferred)})
		}
	}
	s.Events = slices.Concat(s.Events, others, phases)
}

func phaseEvent(kind traces.Component, at int64) traces.Event {
	return traces.Event{Name: traces.EventPhase, Time: at, Attrs: traces.Attrs{{Key: traces.KeyPhase, Value: string(kind)}}}
}

// blockKind returns what a block is made of; Response if that is not known.
func blockKind(kind traces.Component, attrs traces.Attrs) traces.Component {
	for _, a := range attrs {
		if v, ok := a.Value.(string); ok && kind == "" && strings.HasSuffix(a.Key, "type") {
			kind = blockTypes[v]
		}
	}
	return cmp.Or(kind, traces.Response)
}
