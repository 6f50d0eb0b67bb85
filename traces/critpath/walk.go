package critpath

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// The walk goes backwards in time from the end of the root. At each step it stands in a span at an instant and asks which of
// the spans that join there held it up: the one that ended last, counting only what had ended by then. What lies between is
// the span's own. Having come to a span's start it returns to where that was spawned. The rules for who counts:
//
//	declared   spans the one just left declares to have waited for; if there are any, nothing else counts
//	finished   spans that ended by now, clocks allowed for, except losers of a race
//	phases     always: they say what their span was doing, not what it waited for
//	open       in a span entered before its end, and between several roots: whatever was open then
//	streaming  if a tool or agent was just left: a model still open then, which must have asked for it; if an attempt was
//	           just left: earlier attempts of the same call, since it started because they were slow
//
// CRISP and Jaeger know the second only. Of those that count from the same instant the declared come first, the open and
// streaming last; then the first to start, then the smallest id, as input order means nothing. Every candidate starts before
// now, so each step down is followed by one back in time: the walk ends. Since time only goes back, every list of a scope
// is gone through once: beside the sorting the walk is linear.

// walk returns who held up the run, backwards in time.
func walk(t *tree) []step {
	w := walker{tree: t, steps: make([]step, 0, 2*len(t.nodes))}
	var (
		at   = int32(0)
		now  = t.nodes[0].end
		left = none
		cut  = false // at was entered before its end
	)
	for {
		if c := w.choose(at, now, left, cut); c != none {
			end := min(t.nodes[c].end, now)
			w.steps = t.book(w.steps, at, end, now)
			at, now, left, cut = c, end, none, end < t.nodes[c].end
			continue
		}
		start := t.nodes[at].start
		w.steps = t.book(w.steps, at, start, now)
		if at == 0 {
			return w.steps
		}
		at, now, left, cut = t.spawner(at), start, at, false
	}
}

type walker struct {
	*tree
	steps []step
}

// spawner returns the span that was going on when i started because of it.
func (t *tree) spawner(i int32) int32 {
	n := &t.nodes[i]
	p := n.parent
	switch parent := &t.nodes[p]; {
	case n.start < parent.end, n.start == parent.end && n.scope == p:
		return p
	case n.scope == none:
		return 0
	}
	return n.scope
}

// choose returns the span that held up the one at which the walk stands, none if it held itself up.
func (w *walker) choose(at int32, now time.Duration, left int32, cut bool) int32 {
	if left != none {
		if c := w.declared(at, now, left); c != none {
			return c
		}
	}
	n := &w.nodes[at]
	if n.inside == none {
		return none
	}
	s := &w.scopes[n.inside]
	best := w.better(s.finished(w.tree, now, n.tolerance), s.phase(w.tree, now), now)
	if best != none && w.nodes[best].end >= now {
		return best // nothing open counts from a later instant
	}
	open := none
	if cut || w.isTrace(at) {
		open = s.open(w.tree, now)
	}
	if left != none {
		source, ambiguous := w.source(at, left)
		if ambiguous {
			w.problems.add(traces.AmbiguousStream, w.run.Spans[left],
				"started while several model calls were going on, and none is known to have asked for it")
		}
		open = w.better(open, source, now)
	}
	if best == none || open != none && w.nodes[open].end > w.nodes[best].end {
		return open
	}
	return best
}

// better returns the candidate that counts from the later instant, else the earlier one.
func (t *tree) better(a, b int32, now time.Duration) int32 {
	switch {
	case a == none:
		return b
	case b == none:
		return a
	}
	x, y := min(t.nodes[a].end, now), min(t.nodes[b].end, now)
	if x > y || x == y && t.earlier(a, b) < 0 {
		return a
	}
	return b
}

// declared returns the last to end of the spans that left waited for by its own word.
func (w *walker) declared(at int32, now time.Duration, left int32) int32 {
	best := none
	for _, s := range w.run.Spans[left].Link {
		if w.canWait(at, left, s.Index) {
			best = w.better(best, s.Index, now)
		}
	}
	return best
}

// canWait reports whether left, spawned by at, can have waited for i.
func (t *tree) canWait(at, left, i int32) bool {
	n := &t.nodes[i]
	return i != left && !n.out && n.start < t.nodes[left].start && n.start < n.end &&
		(n.group != none || n.scope == at)
}

// source returns the span that was still going on when left started, in the scope of at, and made it start; none if there
// was none or it cannot be told, for which ambiguous may be the reason.
func (t *tree) source(at, left int32) (source int32, ambiguous bool) {
	n := &t.nodes[left]
	switch {
	case t.nodes[at].inside == none:
		return none, false
	case n.race != none:
		return t.slower(at, left), false
	case n.role != tool && n.role != agent:
		return none, false
	}
	var (
		s         = &t.scopes[t.nodes[at].inside]
		tolerance = t.nodes[at].tolerance
	)
	if s.model == none && s.stream == none {
		return none, false
	}
	if m := t.askedBy(left); m != none {
		if t.joined(at, m, n.start) && t.nodes[m].end > n.start {
			return m, false
		}
		return none, false
	}
	if s.stream != none {
		return t.streams[s.stream].at(t, n.start, tolerance)
	}
	if m := &t.nodes[s.model]; m.start < n.start && m.end > n.start+tolerance {
		return s.model, false
	}
	return none, false
}

// sources returns the source of every span.
func sources(t *tree) []int32 {
	list := make([]int32, len(t.nodes))
	for i := len(list) - 1; i >= 0; i-- { // mostly backwards in time
		list[i] = none
		if i > 0 && !t.nodes[i].out {
			list[i], _ = t.source(t.spawner(int32(i)), int32(i))
		}
	}
	return list
}

// slower returns the attempt on which left, another of the same call, was not prepared to wait any longer.
func (t *tree) slower(at, left int32) int32 {
	best := none
	for _, i := range t.calls.races[t.nodes[left].race] {
		if t.recordedEarlier(i, left) >= 0 {
			break
		}
		if t.joined(at, i, t.nodes[left].start) {
			best = t.better(best, i, t.nodes[left].start)
		}
	}
	return best
}

// joined reports whether i joins at, which waits for it, and had started by now.
func (t *tree) joined(at, i int32, now time.Duration) bool {
	return t.nodes[i].scope == at && t.walkable(i) && t.nodes[i].start < now
}

// askedBy returns the model call that announced the tool call i by its id, none if that is not known.
func (t *tree) askedBy(i int32) int32 {
	k := t.nodes[i].toolCall
	if k == none {
		return none
	}
	c := t.run.ToolCalls[k]
	if c.Call == nil || c.Call.Span == nil || !slices.Contains(c.Call.ToolCallIDs, c.CallID) {
		return none
	}
	return c.Call.Span.Index
}

// isTrace reports whether i is the synthetic root above several roots.
func (t *tree) isTrace(i int32) bool {
	return i == 0 && t.run.Root.Record == nil && t.run.Root.ID == "@trace"
}

// checkLinks lists the declared dependencies that cannot have been any.
func (t *tree) checkLinks() {
	for i, s := range t.run.Spans {
		if len(s.Link) == 0 || t.nodes[i].out || s.Parent == nil {
			continue
		}
		at := t.spawner(int32(i))
		for _, dep := range s.Link {
			n := &t.nodes[dep.Index]
			passed := !n.out && n.end <= t.nodes[i].start+t.nodes[at].tolerance // true whether it is looked at or not
			if !passed && !t.canWait(at, int32(i), dep.Index) {
				t.problems.add(traces.UnusableLink, s, "declares that it waited for %q, which does not fit their times", dep.Name)
			}
		}
	}
}
