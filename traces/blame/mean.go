package blame

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces/stats"
)

// PerRun returns the graph with the means of its times. They are rounded together: they add up to the mean wall time.
func (g *Graph) PerRun() *Graph {
	if g.perRun {
		return g
	}
	n := int64(max(1, g.Runs))
	mean := func(d time.Duration) stats.Mean { return stats.Mean{Whole: int64(d) / n, Rest: int64(d) % n, N: n} }
	var parts []stats.Mean
	g.Root.All(func(_ []string, node *Node) { parts = append(parts, mean(node.Own)) })
	own := stats.Apportion(parts, mean(g.Root.Total).Round())
	copied := func(n *Node) *Node {
		kid := *n
		kid.Span, kid.Hidden = time.Duration(mean(n.Span).Round()), time.Duration(mean(n.Hidden).Round())
		kid.Own, own = time.Duration(own[0]), own[1:]
		return &kid
	}
	root := *g.Root
	root.replaceKids(copied)
	root.finish()
	return &Graph{Root: &root, Runs: g.Runs, LeftOut: g.LeftOut, perRun: true}
}

// replaceKids puts copies in the place of all nodes below n, parents before children.
func (n *Node) replaceKids(copied func(*Node) *Node) {
	n.Kids = slices.Clone(n.Kids)
	for i, kid := range n.Kids {
		n.Kids[i] = copied(kid)
		n.Kids[i].parent = n
		n.Kids[i].replaceKids(copied)
	}
}

// Difference returns the mean times of b less those of a, node by node; times may be below 0. It adds up to the difference of the mean wall
// times, and the difference of a and b is that of b and a with the signs changed.
func Difference(a, b *Graph) *Graph {
	root := difference(a.PerRun().Root, b.PerRun().Root)
	return &Graph{Root: root, perRun: true}
}

// difference returns b - a; either may be nil, which is nothing.
func difference(a, b *Node) *Node {
	var none Node
	a, b = cmp.Or(a, &none), cmp.Or(b, &none)
	d := &Node{Name: cmp.Or(b.Name, a.Name), Component: cmp.Or(b.Component, a.Component), Own: b.Own - a.Own, Total: b.Total - a.Total,
		Spans: b.Spans - a.Spans, Span: b.Span - a.Span, Hidden: b.Hidden - a.Hidden}
	for i, k := 0, 0; i < len(a.Kids) || k < len(b.Kids); {
		var old, new *Node
		side := 0
		switch {
		case i == len(a.Kids):
			side = 1
		case k == len(b.Kids):
			side = -1
		default:
			side = order(a.Kids[i], b.Kids[k])
		}
		if side <= 0 {
			old = a.Kids[i]
			i++
		}
		if side >= 0 {
			new = b.Kids[k]
			k++
		}
		kid := difference(old, new)
		kid.parent = d
		d.Kids = append(d.Kids, kid)
	}
	return d
}
