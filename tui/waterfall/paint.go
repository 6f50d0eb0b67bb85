package waterfall

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/tui/bar"
)

// paint fills r with what row i shows of its time.
func (t *tree) paint(r bar.Raster, a bar.Axis, strip []pathCell, i int32) {
	n := &t.nodes[i]
	s := n.span
	switch {
	case i == 0 || s.Role == traces.RoleStep || s.Role == traces.RoleAgent:
		if t.folded[i] || i == 0 {
			t.paintPath(r, a, strip, i)
		}
		return
	case t.calls[s] != nil:
		a.Call(r, t.calls[s].ModelCall)
	case t.tries[s] != nil:
		a.Attempt(r, t.tries[s])
	case s.Role == traces.RolePhase:
		a.Stretch(r, s.Start, s.End, bar.Of(phaseOf(s), false))
	case s.Role == traces.RoleWait:
		a.Stretch(r, s.Start, s.End, bar.Of(waitOf(s), false))
	case isCrowd(s):
		for _, k := range s.Kids {
			a.Stretch(r, k.Start, k.End, bar.Of(n.own, false))
		}
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

// inks is how many inks there are, blank included.
var inks = bar.Ink(len(traces.Components) + 1)

// A pathCell is the segment of the critical path that stands for a cell of the axis: -1 for none.
type pathCell int32

// strip reduces the path to the cells of a, so that painting a row costs its width whatever the run's size. A cell may hold
// thousands of segments: each component is due what it lasted, and the one that is due most gets the cell, so that along the
// bar the components keep their shares.
func (t *tree) strip(a bar.Axis) []pathCell {
	strip := make([]pathCell, a.Cells)
	due := make([]time.Duration, inks)
	length, here := make([]time.Duration, inks), make([]pathCell, inks)
	k := t.segmentAt(a.From)
	for x := range strip {
		from, to := a.Time(x*bar.Dots), a.Time((x+1)*bar.Dots)
		best, longest := bar.Ink(0), time.Duration(0)
		clear(length)
		for ; k < len(t.path.Segments) && t.path.Segments[k].From < to; k++ {
			s := &t.path.Segments[k]
			if d := min(s.To, to) - max(s.From, from); d > 0 {
				ink := t.inks[k]
				due[ink] += d
				if d > length[ink] {
					length[ink], here[ink] = d, pathCell(k)
				}
			}
		}
		k = max(0, k-1) // it may go on in the next cell
		strip[x] = -1
		for ink := range inks {
			if length[ink] > 0 && (best == 0 || due[ink] > longest) {
				best, longest, strip[x] = ink, due[ink], here[ink]
			}
		}
		due[best] -= to - from
	}
	return strip
}

// segmentAt returns the index of the segment of the path that holds at, or of the first one after it.
func (t *tree) segmentAt(at time.Duration) int {
	k, _ := slices.BinarySearchFunc(t.path.Segments, at, func(s critpath.Segment, at time.Duration) int {
		return cmp.Compare(s.To, at+1) // the first segment that ends after at
	})
	return k
}

// paintPath fills in the part of the critical path that lies in row i and its children: segment by segment if there are few,
// else cell by cell.
func (t *tree) paintPath(r bar.Raster, a bar.Axis, strip []pathCell, i int32) {
	n := &t.nodes[i]
	if n.subpath == 0 {
		return
	}
	start, end := max(n.span.Start, a.From), min(n.span.End, a.To)
	first := t.segmentAt(start)
	last := min(first+len(r), len(t.path.Segments))
	if last < len(t.path.Segments) && t.path.Segments[last].From < end {
		t.paintCells(r, a, strip, i)
		return
	}
	for _, s := range t.path.Segments[first:last] {
		if s.From >= end {
			break
		}
		if k, ok := t.find(s.Span); ok && k >= i && k < n.end {
			a.Stretch(r, s.From, s.To, bar.Of(s.Component, true))
		}
	}
}

func (t *tree) paintCells(r bar.Raster, a bar.Axis, strip []pathCell, i int32) {
	n := &t.nodes[i]
	from, to := max(0, a.Dot(n.span.Start)), min(len(r), a.Dot(n.span.End)+1)
	for d := from; d < to; d++ {
		if strip[d/bar.Dots] < 0 {
			continue
		}
		s := &t.path.Segments[strip[d/bar.Dots]]
		if k, ok := t.find(s.Span); ok && k >= i && k < n.end {
			r[d] = bar.Of(s.Component, true)
		}
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
