package waterfall

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui/bar"
)

// paint fills r with what row i shows of its time.
func (t *tree) paint(r bar.Raster, a bar.Axis, strip []pathDot, i int32) {
	n := &t.nodes[i]
	s := n.span
	switch {
	case i == 0 || s.Role == traces.RoleStep || s.Role == traces.RoleAgent:
		if t.folded[i] || i == 0 {
			t.paintPath(r, a, strip, i)
		}
		return
	case t.calls[s] != nil:
		t.paintCall(r, a, t.calls[s].ModelCall)
	case t.tries[s] != nil:
		t.paintAttempt(r, a, t.tries[s], false)
	case s.Role == traces.RolePhase:
		a.Stretch(r, s.Start, s.End, bar.Of(phaseOf(s), false))
	case s.Role == traces.RoleWait:
		a.Stretch(r, s.Start, s.End, bar.Of(waitOf(s), false))
	default:
		a.Stretch(r, s.Start, s.End, bar.Of(n.own, false))
		if n.own == traces.Tool {
			for _, k := range s.Kids {
				if k.Role == traces.RoleWait {
					a.Stretch(r, k.Start, k.End, bar.Of(waitOf(k), false))
				}
			}
		}
	}
	t.paintPath(r, a, strip, i)
}

func (t *tree) paintCall(r bar.Raster, a bar.Axis, c *traces.ModelCall) {
	whole := traces.Response
	if len(c.Attempts) > 1 {
		whole = traces.Backoff
	}
	a.Stretch(r, c.Span.Start, c.Span.End, bar.Of(whole, false))
	for _, k := range c.Attempts {
		t.paintAttempt(r, a, k, k.Span == c.Span)
	}
}

func (t *tree) paintAttempt(r bar.Raster, a bar.Axis, k *traces.Attempt, whole bool) {
	s := k.Span
	if k.Outcome.Failed() || s.Has(traces.FlagFailed) {
		a.Stretch(r, s.Start, s.End, bar.Of(traces.Retry, false))
		return
	}
	if !whole || len(k.Phases) == 0 {
		a.Stretch(r, s.Start, s.End, bar.Of(traces.Response, false))
	}
	for _, p := range k.Phases {
		if p.End > a.From && p.Start < a.To {
			a.Stretch(r, p.Start, p.End, bar.Of(p.Component, false))
		}
	}
}

// A pathDot is which segment of the critical path fills most of a dot of the axis: -1 for none.
type pathDot int32

// strip reduces the path to the dots of a, so that painting a row costs its width whatever the run's size.
func (t *tree) strip(a bar.Axis) []pathDot {
	out := make([]pathDot, a.Cells*bar.Dots)
	best := make([]time.Duration, len(out))
	for i := range out {
		out[i] = -1
	}
	for k, s := range t.path.Segments {
		if s.To <= a.From || s.From >= a.To {
			continue
		}
		from, to := max(0, a.Dot(s.From)), min(a.Dot(s.To), len(out)-1)
		for d := from; d <= to; d++ {
			covered := min(s.To, a.Time(d+1)) - max(s.From, a.Time(d))
			if covered > best[d] {
				out[d], best[d] = pathDot(k), covered
			}
		}
	}
	return out
}

// paintPath fills in the part of the critical path that lies in row i and its children.
func (t *tree) paintPath(r bar.Raster, a bar.Axis, strip []pathDot, i int32) {
	n := &t.nodes[i]
	from, to := max(0, a.Dot(n.span.Start)), min(len(strip), a.Dot(n.span.End)+1)
	seen := false
	for d := from; d < to; d++ {
		if strip[d] < 0 {
			continue
		}
		s := &t.path.Segments[strip[d]]
		k, ok := t.find(s.Span)
		if ok && k >= i && k < n.end {
			r[d] = bar.Of(s.Component, true)
			seen = true
		}
	}
	if !seen && n.subpath > 0 && from < to && r[from] != 0 {
		// Shorter than a dot, so others fill the dot: the row is on the path all the same.
		r[from] = bar.Of(r[from].Component(), true)
	}
}

func phaseOf(s *traces.Span) traces.Component {
	if s.Phase == "" {
		return traces.Response
	}
	return s.Phase
}

func waitOf(s *traces.Span) traces.Component {
	switch s.Attrs().String(traces.KeyWait) {
	case "approval":
		return traces.Approval
	case "backoff", "rate_limit":
		return traces.Backoff
	}
	if s.Parent != nil && s.Parent.Role == traces.RoleTool {
		return traces.Tool
	}
	return traces.Agent
}
