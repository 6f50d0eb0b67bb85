package traces

import (
	"slices"
	"time"
)

// Retime returns a copy of the run in which the span at index i lasts from start[i] to end[i]. Steps, calls, attempts, phases
// and tool calls follow their spans; an instant inside a span, such as when a request had been sent, keeps its place within the
// phase that it falls into. Chunk series are left out, since nobody saw those chunks. The copy's spans are listed anew by
// (Start, ID), so an index may mean another span there. Both slices are as long as run.Spans and stay the caller's; an end
// before its start counts as the start. Records, texts and problems are shared with run.
func (run *Run) Retime(start, end []time.Duration) *Run {
	r := &retimer{
		spans: make([]Span, len(run.Spans)),
		steps: make(map[*Step]*Step, len(run.Steps)),
		calls: make(map[*ModelCall]*ModelCall, len(run.ModelCalls)),
	}
	again := *run
	again.Spans = make([]*Span, len(run.Spans))
	for i, s := range run.Spans {
		r.spans[i] = *s
		again.Spans[i] = &r.spans[i]
	}
	for i := range r.spans {
		s := &r.spans[i]
		s.Start, s.End = start[i], max(start[i], end[i])
		s.Parent = r.span(s.Parent)
		s.Kids = r.list(s.Kids)
		s.Link = r.list(s.Link)
	}
	again.Root = r.span(run.Root)
	if again.Root != nil {
		again.Wall = again.Root.Duration()
	}
	again.ToolCalls, again.ModelCalls, again.Steps = nil, nil, nil
	for _, s := range run.Steps {
		again.Steps = append(again.Steps, r.step(s))
	}
	for _, c := range run.ModelCalls {
		again.ModelCalls = append(again.ModelCalls, r.call(c))
	}
	for _, t := range run.ToolCalls {
		again.ToolCalls = append(again.ToolCalls, r.tool(t))
	}
	if again.Root != nil {
		again.renumber()
	}
	again.sort()
	return &again
}

// A retimer copies what lies over the spans of a run, once these have their new times.
type retimer struct {
	spans []Span // by index in the old run
	steps map[*Step]*Step
	calls map[*ModelCall]*ModelCall
}

func (r *retimer) span(old *Span) *Span {
	if old == nil {
		return nil
	}
	return &r.spans[old.Index]
}

func (r *retimer) list(old []*Span) []*Span {
	if old == nil {
		return nil
	}
	list := make([]*Span, len(old))
	for i, s := range old {
		list[i] = r.span(s)
	}
	return list
}

// step copies a step without its calls; one that no span marks begins anew with the first of them.
func (r *retimer) step(old *Step) *Step {
	s := &Step{Span: r.span(old.Span), Index: old.Index}
	if s.Span != nil {
		s.Start, s.End = s.Span.Start, s.Span.End
	} else {
		s.Start = 1<<63 - 1
	}
	r.steps[old] = s
	return s
}

func (r *retimer) call(old *ModelCall) *ModelCall {
	c := *old
	c.Span, c.Step = r.span(old.Span), r.steps[old.Step]
	c.Attempts = make([]*Attempt, len(old.Attempts))
	for i, a := range old.Attempts {
		c.Attempts[i] = r.attempt(a)
	}
	if final := old.Final(); old.TTFT != nil {
		ttft := r.moved(final, final.Sent+*old.TTFT) - c.Final().Sent
		c.TTFT = &ttft
	}
	if c.Step != nil {
		first := c.Attempts[0].Span
		if c.Step.Span == nil {
			c.Step.Start = min(c.Step.Start, first.Start)
		}
		c.Step.ModelCalls = append(c.Step.ModelCalls, &c)
		c.Step.cover(first)
		c.Step.cover(c.Span)
	}
	r.calls[old] = &c
	return &c
}

func (r *retimer) attempt(old *Attempt) *Attempt {
	a := *old
	a.Span, a.Chunks, a.Phases = r.span(old.Span), nil, nil
	a.Sent = r.moved(old, old.Sent)
	for _, p := range old.Phases {
		s := r.span(p.Span)
		a.Phases = append(a.Phases, Phase{p.Component, s.Start, s.End, p.Quality, s})
	}
	return &a
}

// moved returns where an instant of an attempt has gone.
func (r *retimer) moved(a *Attempt, t time.Duration) time.Duration {
	from, to := a.Span.Start, a.Span.End
	s := r.span(a.Span)
	newFrom, newTo := s.Start, s.End
	for _, p := range a.Phases { // by start
		now := r.span(p.Span)
		if p.End <= t {
			from, newFrom = p.End, now.End
			continue
		}
		if p.Start <= t {
			from, newFrom = p.Start, now.Start
			to, newTo = p.End, now.End
		} else {
			to, newTo = p.Start, now.Start
		}
		break
	}
	switch {
	case t >= to:
		return newTo + (t - to)
	case t <= from || newTo-newFrom == to-from:
		return newFrom + (t - from)
	}
	return newFrom + time.Duration(float64(t-from)/float64(to-from)*float64(newTo-newFrom))
}

func (r *retimer) tool(old *ToolCall) *ToolCall {
	t := *old
	t.Span, t.Step, t.Call = r.span(old.Span), r.steps[old.Step], r.calls[old.Call]
	if d := old.Span.Duration(); d > 0 && d != t.Span.Duration() {
		part := float64(t.Span.Duration()) / float64(d)
		scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * part) }
		t.Approval = scaled(old.Approval)
		if old.Run != nil {
			run := t.Span.Duration() - scaled(old.Span.Duration()-*old.Run)
			t.Run = &run
		}
	}
	if t.Step != nil {
		t.Step.ToolCalls = append(t.Step.ToolCalls, &t)
		t.Step.cover(t.Span)
	}
	return &t
}

// sort puts the lists over the spans in order again.
func (run *Run) sort() {
	byStart := func(a, b *ToolCall) int { return bySpan(a.Span, b.Span) }
	sortCalls(run.ModelCalls)
	slices.SortFunc(run.ToolCalls, byStart)
	sortSteps(run.Steps)
	for i, s := range run.Steps {
		s.Index = i + 1
		sortCalls(s.ModelCalls)
		slices.SortFunc(s.ToolCalls, byStart)
	}
}
