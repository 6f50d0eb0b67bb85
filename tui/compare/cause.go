package compare

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/chosen"
)

// A row of the chart is a group's mean, a cause, or all causes that are not rows of their own.
type row struct {
	group    *measure.Group // whose mean it is
	cause    *compare.Cause
	others   int // how many causes are summed up in it
	from, to time.Duration
}

// fewest is how many causes are always rows of their own, however little room there is; at most is how many are, if not all are asked for.
const fewest, atMost = 3, 10

// chart returns the rows of the selected pair for so many lines: from the mean of A by its causes, the largest first, to the mean of B.
func (m *Model) chart(lines int) []row {
	p := m.why
	if p == nil || p.MeanDifference == nil {
		return nil
	}
	from, _ := p.A.MeanTime()
	rows := []row{{group: p.A, to: from}}
	shown := len(p.Causes)
	if most := max(fewest, min(atMost, lines-3)); !m.whole && shown > most+1 { // one other cause takes no less room than all of them
		shown = most
	}
	at := from
	for i := range p.Causes[:shown] {
		c := &p.Causes[i]
		rows = append(rows, row{cause: c, from: at, to: at + c.Time})
		at += c.Time
	}
	to := from + *p.MeanDifference
	if n := len(p.Causes) - shown; n > 0 {
		rows = append(rows, row{others: n, from: at, to: to})
	}
	return append(rows, row{group: p.B, to: to})
}

// unfold makes all causes rows of their own, or only the largest, and keeps the selected row in view.
func (m *Model) unfold(whole bool) {
	m.whole = whole
	m.settle()
}

// show leads to where a cause shows most: in the group that it made slower, the correct run that spent most on it, and there the longest
// stretch of that. Steps and calls are of a run as a whole.
func (m *Model) show(c *compare.Cause) tea.Cmd {
	g := m.why.A
	if c.Time > 0 {
		g = m.why.B
	}
	var most *measure.Run
	for _, r := range g.Runs {
		if r.Correct() && (most == nil || spent(r, c) > spent(most, c)) {
			most = r
		}
	}
	if most == nil {
		return nil
	}
	return chosen.Span(most, longest(most, c))
}

// spent returns how much of what a cause is about a run has: time, or steps and calls.
func spent(r *measure.Run, c *compare.Cause) time.Duration {
	switch {
	case c.Tool != nil:
		return r.Path.Tool(*c.Tool)
	case c.Family == "":
		return time.Duration(r.Counts.Steps + r.Counts.ModelCalls)
	}
	for _, f := range r.Families {
		if f.Family == c.Family {
			return f.Time
		}
	}
	return 0
}

// longest returns the span with the longest stretch of the path that a cause is about; nil if it is about the run as a whole.
func longest(r *measure.Run, c *compare.Cause) *traces.Span {
	if c.Tool != nil {
		var calls []measure.ToolCall
		for _, call := range r.ToolCalls {
			if call.Name == *c.Tool {
				calls = append(calls, call)
			}
		}
		if len(calls) == 0 {
			return nil
		}
		return slices.MaxFunc(calls, func(a, b measure.ToolCall) int { return int(a.Critical - b.Critical) }).Span
	}
	var span *traces.Span
	var length time.Duration
	for _, s := range r.Path.Segments {
		if d := s.To - s.From; s.Component.Family() == c.Family && d > length {
			span, length = s.Span, d
		}
	}
	return span
}
