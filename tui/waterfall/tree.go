package waterfall

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/bar"
)

// A tree is a run's spans in the order of rows, with what folding, filtering and drawing need to know of each. It is built
// once a run, in linear time; after that only rows changes.
type tree struct {
	run   *measure.Run
	path  *critpath.Path
	nodes []node
	place []int32   // span index → node
	inks  []bar.Ink // of the segments of the path
	aside []bool    // span index → whether it has no part in the loop, nor has any below it
	calls map[*traces.Span]*measure.Call
	tries map[*traces.Span]*traces.Attempt
	tools map[*traces.Span]*measure.ToolCall

	words []string // what a search looks through, in lower case; collected by the first one, if not before

	needs needs     // of names and notes
	idle  []bar.Gap // what can be cut out of the axis

	folded   []bool
	rows     []int32 // nodes that are shown, in order
	pathOnly bool
}

// A node is one span. Its subtree is nodes[i:end].
type node struct {
	span    *traces.Span
	parent  int32
	end     int32
	depth   int32
	own     traces.Component // what time without a more special rule is: the nearest tool's or model's above, else the agent's
	subpath time.Duration    // on the critical path, children included
}

func newTree(run *measure.Run) *tree {
	t := &tree{
		run: run, path: run.Path,
		nodes: make([]node, 0, len(run.Spans)), place: make([]int32, len(run.Spans)),
		calls: make(map[*traces.Span]*measure.Call, len(run.Calls)),
		tries: map[*traces.Span]*traces.Attempt{},
		tools: make(map[*traces.Span]*measure.ToolCall, len(run.ToolCalls)),
	}
	for i := range run.Calls {
		c := &run.Calls[i]
		t.calls[c.Span] = c
		for _, a := range c.Attempts {
			if a.Span != c.Span {
				t.tries[a.Span] = a
			}
		}
	}
	for i := range run.ToolCalls {
		t.tools[run.ToolCalls[i].Span] = &run.ToolCalls[i]
	}
	t.aside = asides(run.Run)
	t.grow()
	t.measure()
	t.idle, t.needs = idle(run), t.need()
	t.folded = make([]bool, len(t.nodes))
	for i := range t.nodes {
		t.folded[i] = t.leafy(int32(i))
	}
	t.list()
	return t
}

// grow lays the tree out in preorder without recursion: chains may be very deep.
func (t *tree) grow() {
	type visit struct {
		span   *traces.Span
		parent int32
	}
	if t.run.Root == nil {
		return
	}
	stack := []visit{{t.run.Root, -1}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		i := int32(len(t.nodes))
		n := node{span: v.span, parent: v.parent, end: i + 1, own: traces.Agent}
		if v.parent >= 0 {
			n.depth = t.nodes[v.parent].depth + 1
			n.own = t.nodes[v.parent].own
		}
		switch v.span.Role {
		case traces.RoleAgent, traces.RoleStep:
			n.own = traces.Agent
		case traces.RoleTool:
			n.own = traces.Tool
		case traces.RoleModel, traces.RoleAttempt:
			n.own = traces.Response
		}
		t.nodes = append(t.nodes, n)
		if k := int(v.span.Index); k >= 0 && k < len(t.place) {
			t.place[k] = i
		}
		for _, kid := range slices.Backward(t.crowd(v.span)) {
			stack = append(stack, visit{kid, i})
		}
	}
	for i := len(t.nodes) - 1; i > 0; i-- {
		p := &t.nodes[t.nodes[i].parent]
		p.end = max(p.end, t.nodes[i].end)
	}
}

func (t *tree) measure() {
	t.inks = make([]bar.Ink, len(t.path.Segments))
	for k := range t.path.Segments {
		s := &t.path.Segments[k]
		t.inks[k] = bar.Of(s.Component, true)
		if i, ok := t.find(s.Span); ok {
			t.nodes[i].subpath += s.To - s.From
		}
	}
	for i := len(t.nodes) - 1; i > 0; i-- {
		t.nodes[t.nodes[i].parent].subpath += t.nodes[i].subpath
	}
}

// find returns the node of a span of this run.
func (t *tree) find(s *traces.Span) (int32, bool) {
	if s == nil || s.Index < 0 || int(s.Index) >= len(t.place) {
		return 0, false
	}
	i := t.place[s.Index]
	return i, int(i) < len(t.nodes) && t.nodes[i].span == s
}

// leafy reports whether a node starts folded: what it is made of can be read off its own bar, or there is none of the loop's
// spans in it, of which a foreign trace may have thousands.
func (t *tree) leafy(i int32) bool {
	if t.bare(i) {
		return false
	}
	switch t.nodes[i].span.Role {
	case traces.RoleModel, traces.RoleAttempt, traces.RoleTool, traces.RoleWait, traces.RolePhase:
		return true
	}
	s := t.nodes[i].span
	return i > 0 && (isCrowd(s) || t.aside[s.Index])
}

// bare reports whether a node has no children.
func (t *tree) bare(i int32) bool { return t.nodes[i].end == i+1 }

// list makes the rows anew after a fold or a filter changed; its cost is that of what is shown.
func (t *tree) list() {
	t.rows = t.rows[:0]
	for i := int32(0); int(i) < len(t.nodes); {
		n := &t.nodes[i]
		if t.pathOnly && n.subpath == 0 && i > 0 {
			i = n.end
			continue
		}
		t.rows = append(t.rows, i)
		if t.folded[i] {
			i = n.end
		} else {
			i++
		}
	}
}

// reveal unfolds all that hides node i.
func (t *tree) reveal(i int32) {
	for p := t.nodes[i].parent; p >= 0; p = t.nodes[p].parent {
		t.folded[p] = false
	}
	if t.pathOnly && t.nodes[i].subpath == 0 {
		t.pathOnly = false
	}
	t.list()
}

// row returns the row of node i, or of the nearest ancestor that is shown.
func (t *tree) row(i int32) int {
	for ; i >= 0; i = t.nodes[i].parent {
		low, high := 0, len(t.rows)
		for low < high {
			if mid := (low + high) / 2; t.rows[mid] < i {
				low = mid + 1
			} else {
				high = mid
			}
		}
		if low < len(t.rows) && t.rows[low] == i {
			return low
		}
	}
	return 0
}

// onPath reports whether row i carries the mark of the critical path: for its own time, or for what it hides.
func (t *tree) onPath(i int32) bool {
	n := &t.nodes[i]
	if t.folded[i] || t.bare(i) {
		return n.subpath > 0
	}
	if c := t.calls[n.span]; c != nil {
		return n.subpath > 0
	}
	own := n.subpath
	for k := i + 1; k < n.end && own > 0; k = t.nodes[k].end {
		own -= t.nodes[k].subpath
	}
	return own > 0 && n.span.Role != traces.RoleAgent && n.span.Role != traces.RoleStep
}
