package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// common translates what several families write the same way.
func (b *batch) common(s *span) {
	if s.Attrs.String(traces.KeyToolCallID) == "<not specified>" { // ADK
		s.set(traces.KeyToolCallID, "")
	}
	if ok, said := s.Attrs.Bool("success"); said && !ok && s.Status == traces.StatusUnset && !s.has(traces.KeyErrorType) {
		s.set(traces.KeyErrorType, "_OTHER")
	}
	if !s.isModel() {
		return
	}
	s.firstChunk()
	s.blockPhases()
	s.toolCallIDs()
	if s.Status != traces.StatusError || s.has(traces.KeyErrorType) {
		return
	}
	for _, e := range s.Events {
		if kind := e.Attrs.String("exception.type"); e.Name == "exception" && kind != "" {
			s.set(traces.KeyErrorType, kind)
			return
		}
	}
}

// messageKeys are attributes that hold the model's answer, of which only the ids of tool calls are read.
var messageKeys = []string{"ai.response.toolCalls", "gen_ai.output.messages"}

// toolCallIDs collects the ids of the tool calls that the model asked for.
func (s *span) toolCallIDs() {
	if s.has(traces.KeyToolCallIDs) {
		return
	}
	var ids []any
	add := func(id string) {
		if id != "" && !slices.Contains(ids, any(id)) {
			ids = append(ids, id)
		}
	}
	for _, a := range s.Attrs {
		switch v := a.Value.(type) {
		case string:
			if slices.Contains(messageKeys, a.Key) && strings.Contains(v, "tool") {
				var doc any
				if json.Unmarshal([]byte(v), &doc) == nil {
					callIDs(doc, maxLevels, add)
				}
			}
			// OpenInference and older Traceloop flatten the answer: llm.output_messages.0.message.tool_calls.0.tool_call.id,
			// gen_ai.completion.0.tool_calls.0.id.
			if strings.HasSuffix(a.Key, ".tool_call.id") && strings.HasPrefix(a.Key, "llm.output_messages.") ||
				strings.HasSuffix(a.Key, ".id") && strings.HasPrefix(a.Key, "gen_ai.completion.") && strings.Contains(a.Key, ".tool_calls.") {
				add(v)
			}
		default:
			if slices.Contains(messageKeys, a.Key) {
				callIDs(plain(v, maxLevels), maxLevels, add)
			}
		}
	}
	if len(ids) > 0 {
		s.set(traces.KeyToolCallIDs, ids)
	}
}

// callIDs finds the ids of tool calls in a message, whatever its form.
func callIDs(v any, levels int, add func(string)) {
	if levels == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			callIDs(e, levels-1, add)
		}
	case map[string]any:
		if id, ok := v["toolCallId"].(string); ok {
			add(id)
			return
		}
		switch kind, _ := v["type"].(string); kind {
		case "tool_call", "tool-call", "tool_use", "function":
			id, _ := v["id"].(string)
			add(id)
			return
		}
		for _, key := range []string{"parts", "content", "tool_calls", "message"} {
			callIDs(v[key], levels-1, add)
		}
	}
}

// plain turns an attribute's value into what JSON would have held.
func plain(v any, levels int) any {
	if levels == 0 {
		return nil
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i], levels-1)
		}
		return out
	case traces.Attrs:
		out := map[string]any{}
		for _, a := range v {
			out[a.Key] = plain(a.Value, levels-1)
		}
		return out
	}
	return v
}

// endBeforeTools ends a model's span where its first tool starts, for emitters whose span stays open while the tools run, and
// puts tools beside the model that they had put below it.
func (b *batch) endBeforeTools(s *span) {
	if !s.isModel() || s.End == 0 {
		return
	}
	first := s.End
	for _, t := range s.kids {
		if t.is(traces.RoleTool) && !ranElsewhere(t) {
			first = min(first, max(s.Start, t.Start))
			t.ParentID = s.ParentID
		}
	}
	for _, id := range s.extra.Strings(traces.KeyToolCallIDs) {
		if t := b.tools[callID{s.TraceID, id}]; t != nil && t.Start > s.Start && t.End != 0 && t.End <= s.End {
			first = min(first, t.Start)
		}
	}
	if first < s.End {
		s.End = first
		b.missing(s, "do not say when the response ended, for they stay open while the tools run: taken to end where the first tool starts")
	}
}

// ranElsewhere reports whether a tool's span below a model's was written after the fact, with no length to speak of: the provider
// ran the tool as part of its response.
func ranElsewhere(t *span) bool {
	return t.is(traces.RoleTool) && t.parent != nil && t.parent.isModel() && t.End >= t.Start && t.End-t.Start < int64(time.Millisecond)
}

// audit counts what the model's spans leave open.
func (b *batch) audit(s *span) {
	if !s.isModel() || s.Attrs.String(traces.KeyOperation) == "embeddings" {
		return
	}
	if s.parent != nil && s.parent.isModel() {
		return // a layer of the call around it
	}
	stream, said := s.Attrs.Bool(traces.KeyRequestStream)
	if _, ok := s.Attrs.Float(traces.KeyTTFT); !ok && s.Status != traces.StatusError && (stream || !said) {
		b.missing(s, "carry no time to the first chunk: their time is not split into waiting and decoding")
	}
	if _, ok := s.Attrs.Int(traces.KeyOutputTokens); !ok && s.Status != traces.StatusError {
		b.missing(s, "carry no output tokens")
	}
	if n, ok := s.Attrs.Int(traces.KeyResendCount); ok && n > 0 {
		b.missing(s, "hold failed attempts and the waits between them, which are not recorded one by one")
	}
}

// report makes problems of what is missing, in a stable order.
func (b *batch) report() []traces.Problem {
	for g, n := range b.gaps {
		b.problems = append(b.problems, traces.Problem{Code: traces.MissingData, Message: fmt.Sprintf("%s: %d model calls %s", g.family, n, g.what)})
	}
	slices.SortFunc(b.problems, func(x, y traces.Problem) int { return strings.Compare(x.Message, y.Message) })
	return b.problems
}
