package critpath

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Attribution books each stretch of the path on one component, a function of the span that is blamed and its ancestors. Where
// two rules apply the first of these wins: time inside an attempt that failed is retry, whatever happened in it; time between
// a failed attempt and the next is backoff; a phase is its own component; else the role decides. Spans without a role of
// their own (HTTP clients, servers, internals) are booked like the model, attempt or tool they are part of, else like the
// agent. The agent's own time before the first model request is startup.

// A step is one stretch of the path while it is being found: it lasts until the step before it in the list begins.
type step struct {
	from time.Duration
	span int32
	kind kind
}

// A kind says what a span's own time was.
type kind uint8

const (
	usual      kind = iota // what its role says
	startup                // the agent's, before the first model request
	backingOff             // between attempts
)

// book appends the steps of the time that span i itself took, the latest first, split where its component changes.
func (t *tree) book(list []step, i int32, from, to time.Duration) []step {
	if from >= to {
		return list
	}
	c, early := t.component(i)
	if t.nodes[i].hasGaps && c != traces.Retry && c != traces.Backoff {
		for _, g := range slices.Backward(t.calls.until(i, to)) {
			if g.span != i || g.to <= from {
				break
			}
			list = t.split(list, i, g.to, to, early)
			to = max(g.from, from)
			list = append(list, step{to, i, backingOff})
		}
	}
	return t.split(list, i, from, to, early)
}

// split appends a stretch; if it is early time, then as startup until the first model request.
func (t *tree) split(list []step, i int32, from, to time.Duration, early bool) []step {
	switch {
	case from >= to:
		return list
	case !early || t.firstModel == never || from >= t.firstModel:
		return append(list, step{from, i, usual})
	case t.firstModel < to:
		list = append(list, step{t.firstModel, i, usual})
	}
	return append(list, step{from, i, startup})
}

// segments makes the path of the steps that led back through it.
func segments(t *tree, steps []step) []Segment {
	list := make([]Segment, len(steps))
	for k, s := range slices.Backward(steps) {
		to := t.nodes[0].end
		if k > 0 {
			to = steps[k-1].from
		}
		span := t.run.Spans[s.span]
		seg := &list[len(steps)-1-k]
		*seg = Segment{Span: span, From: s.from, To: to, Quality: span.Quality()}
		seg.Component, seg.Tool = t.booking(s)
	}
	return list
}

// booking returns what a step is booked on.
func (t *tree) booking(s step) (c traces.Component, tool string) {
	switch s.kind {
	case startup:
		return traces.Startup, ""
	case backingOff:
		return traces.Backoff, ""
	}
	if c, _ = t.component(s.span); c == traces.Tool {
		tool = t.toolName(s.span)
	}
	return c, tool
}

// component returns what the own time of span i is booked on, backoff between attempts aside; early says that it is
// the agent's own time, which is startup as long as no model was asked.
func (t *tree) component(i int32) (c traces.Component, early bool) {
	n := &t.nodes[i]
	switch {
	case n.failed:
		return traces.Retry, false
	case t.isTrace(i):
		return traces.Untraced, false
	}
	switch n.role {
	case agent, turn:
		return traces.Agent, true
	case phase:
		return t.run.Spans[i].Phase, false
	case wait:
		switch waitReason(t.run.Spans[i]) {
		case "approval", "permission":
			return traces.Approval, false
		case "backoff", "rate_limit", "rate limit":
			return traces.Backoff, false
		}
		if n.owner != none && t.nodes[n.owner].role == tool {
			return traces.Tool, false
		}
		return traces.Agent, false
	}
	switch {
	case n.owner == none:
		return traces.Agent, true
	case t.nodes[n.owner].role == tool:
		return traces.Tool, false
	}
	return traces.Response, false
}

// waitReason returns why a wait span waited: what its attribute says, else its name.
func waitReason(s *traces.Span) string {
	return strings.ToLower(cmp.Or(s.Attrs().String(traces.KeyWait), s.Name))
}

// toolName returns the name of the tool that span i is part of.
func (t *tree) toolName(i int32) string {
	owner := t.nodes[i].owner
	if k := t.nodes[owner].toolCall; k != none && t.run.ToolCalls[k].Name != "" {
		return t.run.ToolCalls[k].Name
	}
	return t.run.Spans[owner].Name
}
