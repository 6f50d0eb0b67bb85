package traces

import (
	"cmp"
	"slices"
	"time"
)

// findTools makes the tool calls, and finds for each the model call that asked for it.
func (b *builder) findTools() {
	b.tools = make([]*ToolCall, len(b.run.Spans))
	spans := b.run.withRole(RoleTool)
	tools := make([]ToolCall, len(spans))
	b.run.ToolCalls = make([]*ToolCall, len(spans))
	for i, s := range spans {
		a := s.Attrs()
		tools[i] = ToolCall{Span: s, Name: cmp.Or(a.String(KeyToolName), s.Name), CallID: a.String(KeyToolCallID), Outcome: outcomeOf(s)}
		b.tools[s.Index] = &tools[i]
		b.run.ToolCalls[i] = &tools[i]
	}
	waits := map[*Span][]*Span{}
	for _, s := range b.run.withRole(RoleWait) {
		if t := b.places[s.Index].tool; t != nil && s.Attrs().String(KeyWait) == "approval" {
			waits[t] = append(waits[t], s)
		}
	}
	for _, t := range b.run.ToolCalls {
		t.Approval = covered(t.Span, waits[t.Span])
		t.measure(&b.problems)
	}
	slices.SortFunc(b.run.ToolCalls, func(a, b *ToolCall) int { return bySpan(a.Span, b.Span) })
	b.findAskers()
}

// covered returns how much of s the spans cover together.
func covered(s *Span, spans []*Span) time.Duration {
	slices.SortFunc(spans, bySpan)
	var sum time.Duration
	at := s.Start
	for _, w := range spans {
		if to := min(w.End, s.End); to > max(at, w.Start) {
			sum += to - max(at, w.Start)
			at = to
		}
	}
	return sum
}

// measure sets the execution time: what the source measured, else the span without its approvals, unless that is known to
// hold more.
func (t *ToolCall) measure(problems *problemList) {
	s := t.Span
	if ns, ok := s.Attrs().Int(KeyRunTime); ok {
		if run := durationOf(ns); run >= 0 {
			t.Run = &run
			return
		}
		problems.add(BadAttribute, s.ID, "%s of %q is %d; taken as unknown", KeyRunTime, s.Name, ns)
	}
	if s.Has(FlagBound) || s.Has(FlagOpen) {
		return
	}
	run := s.Duration() - t.Approval
	t.Run = &run
}

// findAskers finds the model call behind each tool call: the one that announced its id, else the last one that began before
// it in the same agent, or in the agent around that.
func (b *builder) findAskers() {
	byID := map[string]*ModelCall{}
	byAgent := map[*Span][]*ModelCall{}
	for _, c := range b.run.ModelCalls {
		for _, id := range c.ToolCallIDs {
			byID[id] = c
		}
		if !c.Side {
			agent := b.places[c.Span.Index].agent
			byAgent[agent] = append(byAgent[agent], c)
		}
	}
	for _, t := range b.run.ToolCalls {
		if c := byID[t.CallID]; c != nil && t.CallID != "" {
			t.Call = c
			continue
		}
		agent := b.places[t.Span.Index].agent
		for range nesting {
			t.Call = lastBefore(byAgent[agent], t.Span)
			if t.Call != nil || agent == nil {
				break
			}
			agent = b.places[agent.Index].agent
		}
		if c := t.Call; c != nil && t.CallID != "" && len(c.ToolCallIDs) > 0 {
			t.Call = nil // it announced others, not this one
		}
	}
}

// nesting bounds how many agents around a tool are asked for a call, so that a very deep tree takes no quadratic time.
const nesting = 64

// lastBefore returns the last call that began before the tool; a call inside the tool did not ask for it, and it does not
// begin before it.
func lastBefore(calls []*ModelCall, tool *Span) *ModelCall {
	at, _ := slices.BinarySearchFunc(calls, tool, func(c *ModelCall, tool *Span) int {
		return bySpan(c.Attempts[0].Span, tool)
	})
	if at == 0 {
		return nil
	}
	return calls[at-1]
}
