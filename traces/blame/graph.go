package blame

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Graph is the critical paths of some runs added up by kind of work. It is read-only.
type Graph struct {
	Root    *Node // all of it; its name is ""
	Runs    int   // that were added up
	LeftOut int   // runs that were not, because the sum would pass 292 years, which is what fits: their times must be wrong

	perRun bool // times are means
}

// A Node is one kind of work where it happened: below the same kinds of work. Its name, with those above it, is its key.
// Step numbers, attempt numbers and ids are no part of it; a name directly below itself is one node.
type Node struct {
	// Name is "agent" or "agent:NAME", "step", "model:NAME", "tool:NAME", the name of a component, or that of a span without a
	// role of its own; on one line, without control characters.
	Name      string
	Component traces.Component // what Own is booked on; "" where it is always 0
	Own       time.Duration    // time on the path of this work itself
	Total     time.Duration    // Own, and that of all below
	Runs      int              // runs in which Total is above 0; 0 in a difference
	Spans     int              // spans that are this work; 0: it is a rest, such as the agent's own time
	Span      time.Duration    // how long these lasted within their runs, added up
	Hidden    time.Duration    // the part of Span in which the run waited for something else
	Kids      []*Node          // by name, then component

	parent *Node
	depth  int
	last   int // the last run that it was seen on the path of
}

// Flame adds up the critical paths of runs. It takes O(n) time for n spans and segments, the finding of the path aside.
func Flame(runs []*measure.Run) *Graph {
	b := builder{Graph: &Graph{Root: &Node{}}, nodes: map[key]*Node{}}
	runs = slices.SortedStableFunc(slices.Values(runs), func(a, b *measure.Run) int { return cmp.Compare(a.Wall, b.Wall) })
	for i, r := range runs {
		if r.Wall > math.MaxInt64-b.Root.Total {
			b.LeftOut = len(runs) - i
			break
		}
		b.add(r)
	}
	b.Root.finish()
	return b.Graph
}

type key struct {
	parent *Node
	frame  frame
}

type builder struct {
	*Graph
	nodes map[key]*Node // by their names, and by the names as recorded that became these
}

// add adds the path of a run.
func (b *builder) add(run *measure.Run) {
	b.Runs++
	b.Root.Total += run.Wall // so that the next run is known to fit; finish counts it again
	nodes := make([]*Node, len(run.Spans))
	above := make([]around, len(run.Spans)) // the children of a span
	f := framerOf(run)
	for i, s := range run.Spans { // parents come before children
		node, up := b.Root, around{component: traces.Agent}
		if s.Parent != nil {
			node, up = nodes[s.Parent.Index], above[s.Parent.Index]
		}
		var frames []frame
		frames, above[i] = f.of(s, up)
		for _, frame := range frames {
			if node.depth == deepest {
				break
			}
			if next := b.below(node, frame); next != node {
				node = next
				node.measure(run, s)
			}
		}
		nodes[i] = node
	}
	for _, seg := range run.Path.Segments {
		node := nodes[seg.Span.Index]
		if node == b.Root || node.Component != seg.Component {
			node = b.below(node, frame{string(seg.Component), seg.Component})
		}
		node.Own += seg.Duration()
		for n := node; n != nil && n.last != b.Runs; n = n.parent {
			n.last = b.Runs
			n.Runs++
		}
	}
}

// below returns the node of a frame below n, which is n itself where it is the same.
func (b *builder) below(n *Node, f frame) *Node {
	raw := key{n, f}
	if known := b.nodes[raw]; known != nil {
		return known
	}
	f.name = oneLine(f.name)
	node := b.nodes[key{n, f}]
	switch {
	case node != nil:
	case n != b.Root && n.Name == f.name && n.Component == f.component:
		node = n
	default:
		node = &Node{Name: f.name, Component: f.component, parent: n, depth: n.depth + 1}
		n.Kids = append(n.Kids, node)
		b.nodes[key{n, f}] = node
	}
	b.nodes[raw] = node
	return node
}

// measure counts a span of the node's kind.
func (n *Node) measure(run *measure.Run, s *traces.Span) {
	lasted, hidden := beside(run, s)
	n.Spans++
	n.Span = plus(n.Span, lasted)
	n.Hidden = plus(n.Hidden, hidden)
}

// beside returns how long a span lasted within its run, and how much of that the run waited for neither it nor anything below it.
func beside(run *measure.Run, s *traces.Span) (lasted, hidden time.Duration) {
	lasted = max(0, min(s.End, run.Wall)-max(s.Start, 0))
	return lasted, max(0, lasted-run.Path.Below(s))
}

// plus adds times of spans that may lie side by side, and so can pass what fits: then it stays at that.
func plus(a, b time.Duration) time.Duration { return a + min(b, math.MaxInt64-a) }

// finish sorts the kids and totals of everything below n.
func (n *Node) finish() {
	n.Total = n.Own
	for _, kid := range n.Kids {
		kid.finish()
		n.Total += kid.Total
	}
	slices.SortFunc(n.Kids, order)
}

func order(a, b *Node) int {
	return cmp.Or(stats.Natural(a.Name, b.Name), cmp.Compare(a.Component, b.Component))
}

// All visits every node below n, parents before children, with the names that lead to it from there. The names are only
// valid during the call.
func (n *Node) All(visit func(path []string, node *Node)) {
	var walk func(path []string, n *Node)
	walk = func(path []string, n *Node) {
		for _, kid := range n.Kids {
			below := append(path, kid.Name)
			visit(below, kid)
			walk(below, kid)
		}
	}
	walk(nil, n)
}
