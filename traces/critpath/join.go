package critpath

import (
	"cmp"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Joining decides, from the root down, who waits for whom. A span joins a scope: the span that could not end before it did.
// Mostly that is its parent. A child that outlives its parent is promoted: it joins the nearest ancestor that outlives it, and
// its end counts there. CRISP and Jaeger cut such a child off at its parent's end and so charge the parent's
// ancestors with work that the child did; here only what outlives the whole run is left out, as detached. Ends are compared
// as recorded, so that a clock's small error clips a whole nest together, and with a tolerance: 1 % of the ancestor, at most 1 ms.
// The absolute cap is what CRISP lacks: 1 % of an hour would hide half a minute.
//
// A client waits for its server until it gives up, so a server's span is clipped and never promoted. What happens before the
// parent starts is clipped, or left out with everything below it. Background work blocks nothing, but is kept in order within
// itself: a span that declares that it waited for it puts it on the path (walk.go).

// A tree is a run prepared for the walk: times clipped, scopes known. Spans are named by their Index, and the big tables hold no
// pointers, which the garbage collector would have to follow.
type tree struct {
	run        *traces.Run
	nodes      []node
	scopes     []scope
	order      []int32  // what the queues of scopes are stretches of
	streams    []stream // of the scopes that several model calls join
	calls      calls
	firstModel time.Duration // when the first model request began; never, if there was none
	detached   []Detached
	background []Detached
	problems   problems
}

// A node is a span as the walk sees it.
type node struct {
	start, end time.Duration // clipped; a node with end <= start is never on the path
	tolerance  time.Duration // how far clocks may disagree about what is inside it
	parent     int32         // none for the root
	scope      int32         // the span it joins; none for the root and what is detached
	inside     int32         // position in tree.scopes of what joins it; none if nothing does
	group      int32         // the nearest span at or above it that is in the background; none if there is none
	owner      int32         // the nearest model, attempt or tool span at or above it; none if there is none
	race       int32         // of an attempt: position in calls.races, else none
	toolCall   int32         // of a tool call: position in run.ToolCalls, else none
	role       role
	out        bool // excluded: not part of the run's time
	lost       bool // cancelled in a race with another attempt: never the reason why anything went on
	failed     bool // part of an attempt that failed
	hasGaps    bool // attempts inside it had failed before the next began: calls.gaps
}

const (
	none    = int32(-1)
	never   = time.Duration(1<<63 - 1)
	unknown = time.Duration(-1 << 63)
)

// join prepares a run.
func join(run *traces.Run) *tree {
	t := &tree{run: run, nodes: make([]node, len(run.Spans)), firstModel: never}
	up := newAncestors(t.nodes)
	for i, s := range run.Spans {
		t.place(int32(i), s, up)
		up.add(int32(i), s)
		if n := &t.nodes[i]; !n.out && (n.role == model || n.role == attempt) {
			t.firstModel = min(t.firstModel, n.start)
		}
	}
	for k, c := range run.ToolCalls {
		t.nodes[c.Span.Index].toolCall = int32(k)
	}
	t.findCalls()
	t.fillScopes()
	t.checkLinks()
	return t
}

// place decides where the i-th span, s, joins; its ancestors have been placed.
func (t *tree) place(i int32, s *traces.Span, up *ancestors) {
	n := &t.nodes[i]
	*n = node{start: s.Start, end: s.End, tolerance: tolerance(s), parent: none, scope: none, inside: none, group: none, owner: none,
		race: none, toolCall: none, role: roleOf(s)}
	if n.role.owns() {
		n.owner = i
	}
	n.failed = failed(s)
	if s.Parent == nil {
		return
	}
	p := s.Parent.Index
	n.parent = p
	parent := &t.nodes[p]
	if parent.out {
		n.out = true
		return
	}
	n.failed = n.failed || parent.failed
	if n.owner == none {
		n.owner = parent.owner
	}
	n.group = parent.group
	if nonBlocking(s) {
		n.group = i
	}
	if n.start < parent.start {
		if n.end <= parent.start {
			t.exclude(n, traces.ExcludedBefore, s, "ended %s before %q started; left out with all below it", parent.start-n.end, s.Parent.Name)
			return
		}
		if !s.Has(traces.FlagVirtual) {
			t.problems.add(traces.StartClipped, s, "started %s before %q; clipped", parent.start-n.start, s.Parent.Name)
		}
		n.start = parent.start
	}
	switch {
	case isKind(s.Parent, traces.KindClient) && isKind(s, traces.KindServer):
		if n.start >= parent.end {
			t.exclude(n, traces.ExcludedAfter, s, "started after its client %q had given up; left out with all below it", s.Parent.Name)
			return
		}
		n.scope = p
	default:
		n.scope = up.outliving(p, s.End)
	}
	switch {
	case n.group == i && parent.group == none:
		t.background = append(t.background, t.offPath(s))
	case n.scope == none && n.group == none:
		d := t.offPath(s)
		t.detached = append(t.detached, d)
		t.problems.add(traces.Detached, s, "outlived the run, which did not wait for it: %s, of which %s after its end", d.Total, d.Trailing)
	case n.scope != p && n.group == none:
		t.problems.add(traces.Promoted, s, "outlived its parent %q by %s, which did not wait for it; %q did",
			s.Parent.Name, s.End-s.Parent.End, t.run.Spans[n.scope].Name)
	}
	if n.scope == none {
		return
	}
	if end := t.nodes[n.scope].end; end < n.end {
		if !s.Has(traces.FlagVirtual) {
			t.problems.add(traces.EndClipped, s, "ended %s after %q; clipped", n.end-end, t.run.Spans[n.scope].Name)
		}
		n.end = end
	}
}

func (t *tree) exclude(n *node, code traces.ProblemCode, s *traces.Span, format string, args ...any) {
	n.out = true
	t.problems.add(code, s, format, args...)
}

func (t *tree) offPath(s *traces.Span) Detached {
	wall := t.run.Root.End
	return Detached{
		Span:     s,
		Total:    s.Duration(),
		Within:   max(0, min(s.End, wall)-max(s.Start, 0)),
		Trailing: max(0, s.End-max(s.Start, wall)),
	}
}

// blocks reports whether the scope that i joins waits for it.
func (t *tree) blocks(i int32) bool {
	n := &t.nodes[i]
	return n.scope != none && n.group == t.nodes[n.scope].group
}

// nonBlocking reports whether s is declared to be work that nothing waits for, or is the receiving end of a queue.
func nonBlocking(s *traces.Span) bool {
	return s.Has(traces.FlagBackground) || isKind(s, traces.KindConsumer) && isKind(s.Parent, traces.KindProducer)
}

// tolerance is how far clocks may disagree about the inside of s.
func tolerance(s *traces.Span) time.Duration { return min(time.Millisecond, s.Duration()/100) }

// earlier orders spans by start, then id; input order never counts.
func (t *tree) earlier(a, b int32) int {
	if c := cmp.Compare(t.nodes[a].start, t.nodes[b].start); c != 0 {
		return c
	}
	x, y := t.run.Spans[a], t.run.Spans[b]
	return cmp.Or(strings.Compare(x.ID, y.ID), strings.Compare(x.Trace, y.Trace), cmp.Compare(a, b))
}

// later orders spans by end, the last first, then as earlier does.
func (t *tree) later(a, b int32) int {
	if c := cmp.Compare(t.nodes[b].end, t.nodes[a].end); c != 0 {
		return c
	}
	return t.earlier(a, b)
}
