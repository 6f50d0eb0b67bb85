package blame

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A sum is what rows are made of.
type sum struct {
	onPath         stats.Mean // over all runs
	times          []float64  // of the runs in which it is above 0
	lasted, hidden stats.Mean // of spans, over all runs
	spans          int
}

// tally collects sums over runs.
type tally struct {
	runs       int64
	components map[traces.Component]*sum
	tools      map[string]*sum
	models     map[string]*sum
	steps      []*sum // by index - 1
}

func newTally(runs int) *tally {
	return &tally{int64(runs), map[traces.Component]*sum{}, map[string]*sum{}, map[string]*sum{}, nil}
}

// at returns the sum of a key, a new one where there is none.
func at[K comparable](t *tally, sums map[K]*sum, key K) *sum {
	if sums[key] == nil {
		sums[key] = t.sum()
	}
	return sums[key]
}

func (t *tally) sum() *sum {
	zero := stats.Mean{N: t.runs}
	return &sum{onPath: zero, lasted: zero, hidden: zero}
}

// run counts what one run waited for it.
func (s *sum) run(d time.Duration) {
	if d > 0 {
		s.onPath = s.onPath.Plus(int64(d))
		s.times = append(s.times, float64(d))
	}
}

// span counts a span, of which the part hidden was not waited for.
func (s *sum) span(lasted, hidden time.Duration) {
	s.spans++
	s.lasted, s.hidden = s.lasted.Plus(int64(lasted)), s.hidden.Plus(int64(hidden))
}

func (t *tally) add(r *measure.Run) {
	components := map[traces.Component]time.Duration{}
	for _, c := range r.Components { // one for each quality
		components[c.Component] += c.Time
	}
	for c, d := range components {
		at(t, t.components, c).run(d)
	}
	for _, tool := range r.Tools {
		at(t, t.tools, tool.Name).run(tool.Critical)
	}
	for i, step := range r.Steps {
		if len(t.steps) == i {
			t.steps = append(t.steps, t.sum())
		}
		var d time.Duration
		for _, c := range step.Components {
			d += c.Time
		}
		t.steps[i].run(d)
	}
	t.spans(r)
	t.calls(r)
}

// spans counts the spans of components and tools. A tool within a tool is hidden or not with the outer one, as far as the component is
// concerned; so is a phase within a phase and all that is within an attempt that failed.
func (t *tally) spans(r *measure.Run) {
	names := make(map[*traces.Span]string, len(r.ToolCalls))
	for _, c := range r.ToolCalls {
		names[c.Span] = c.Name
	}
	type around struct{ tool, failed, phase bool }
	above := make([]around, len(r.Spans))
	for i, s := range r.Spans { // parents come before children
		var up around
		if s.Parent != nil {
			up = above[s.Parent.Index]
		}
		above[i] = up
		var kind traces.Component
		switch {
		case s.Role == traces.RoleTool:
			above[i].tool = true
			kind = traces.Tool
			lasted, hidden := beside(r, s)
			at(t, t.tools, names[s]).span(lasted, hidden)
			if up.tool || up.failed {
				continue
			}
		case up.failed:
			continue
		case s.Has(traces.FlagFailed) && (s.Role == traces.RoleAttempt || s.Role == traces.RoleModel):
			above[i].failed = true
			kind = traces.Retry
		case s.Role == traces.RolePhase && !up.phase:
			above[i].phase = true
			kind = s.Phase
		default:
			continue
		}
		lasted, hidden := beside(r, s)
		at(t, t.components, kind).span(lasted, hidden)
	}
}

// calls counts the model calls. A tool or an agent below a call has a life of its own.
func (t *tally) calls(r *measure.Run) {
	if len(r.ModelCalls) == 0 {
		return
	}
	const none = -1
	index := make(map[*traces.Span]int, 2*len(r.ModelCalls))
	for i, c := range r.ModelCalls {
		for _, a := range c.Attempts {
			index[a.Span] = i
		}
		index[c.Span] = i
	}
	calls := make([]int, len(r.Spans)) // the call that a span is part of
	for i, s := range r.Spans {
		calls[i] = none
		if s.Parent != nil && s.Role != traces.RoleTool && s.Role != traces.RoleAgent {
			calls[i] = calls[s.Parent.Index]
		}
		if call, ok := index[s]; ok {
			calls[i] = call
		}
	}
	onPath := make([]time.Duration, len(r.ModelCalls))
	for _, s := range r.Path.Segments {
		if i := calls[s.Span.Index]; i != none {
			onPath[i] += s.Duration()
		}
	}
	models := map[string]time.Duration{}
	for i, c := range r.ModelCalls {
		models[c.Model] += onPath[i]
		var lasted time.Duration
		for _, s := range spansOf(c) {
			d, _ := beside(r, s)
			lasted = plus(lasted, d)
		}
		at(t, t.models, c.Model).span(lasted, max(0, lasted-onPath[i]))
	}
	for name, d := range models {
		at(t, t.models, name).run(d)
	}
}

// spansOf returns the span of a call, or those of its attempts where no span holds them all.
func spansOf(c *traces.ModelCall) []*traces.Span {
	if c.Span.Role != traces.RoleAttempt {
		return []*traces.Span{c.Span}
	}
	spans := make([]*traces.Span, len(c.Attempts))
	for i, a := range c.Attempts {
		spans[i] = a.Span
	}
	return spans
}
