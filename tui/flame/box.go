package flame

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
)

// A box is a kind of work on the path.
type box struct {
	*blame.Node
	parent *box
	rank   int             // among the kids of parent
	kids   []*box          // that have time on the path, the longest first
	upTo   []time.Duration // sum of the kids before each, and of all
	beside []*blame.Node   // kids that were never on the path, the longest first
	match  bool
}

// boxes returns the tree of boxes of a node and all that is below it.
func boxes(n *blame.Node) *box {
	b := &box{Node: n, upTo: []time.Duration{0}}
	for _, kid := range n.Kids {
		if kid.Total <= 0 {
			b.beside = append(b.beside, kid)
			continue
		}
		below := boxes(kid)
		below.parent = b
		b.kids = append(b.kids, below)
	}
	slices.SortStableFunc(b.kids, func(x, y *box) int { return cmp.Compare(y.Total, x.Total) })
	slices.SortStableFunc(b.beside, func(x, y *blame.Node) int { return cmp.Compare(y.Span, x.Span) })
	var sum time.Duration
	for i, kid := range b.kids {
		kid.rank = i
		sum += kid.Total
		b.upTo = append(b.upTo, sum)
	}
	return b
}

// all visits a box and those below it, parents first.
func (b *box) all(visit func(*box)) {
	visit(b)
	for _, kid := range b.kids {
		kid.all(visit)
	}
}

// label is a box's name without the word for what it is, which its letter says.
func (b *box) label() string { return label(b.Node) }

func label(n *blame.Node) string {
	for _, kind := range []string{"tool:", "model:", "agent:"} {
		if name, ok := strings.CutPrefix(n.Name, kind); ok {
			return name
		}
	}
	if n.Name == string(n.Component) {
		return strings.ReplaceAll(n.Name, "_", " ")
	}
	return n.Name
}

// A pick is a block: a box, or some of its kids together.
type pick struct {
	of   *box
	from int // itself, or the first of the kids that are meant, to the last
}

// itself is the from of a pick that is a box.
const itself = -1

// kids returns what is in a block.
func (p pick) kids() []*box {
	if p.from == itself {
		return p.of.kids
	}
	return p.of.kids[p.from:]
}

// total returns a block's time on the path.
func (p pick) total() time.Duration {
	if p.from == itself {
		return p.of.Total
	}
	return p.of.upTo[len(p.of.kids)] - p.of.upTo[p.from]
}

// up returns the block that p is a part of.
func (p pick) up() pick {
	if p.from == itself {
		return pick{p.of.parent, itself}
	}
	return pick{p.of, itself}
}

// in returns the block of the same names in another tree.
func (p pick) in(root *box) (pick, bool) {
	var way []*box
	for b := p.of; b != nil && b.parent != nil; b = b.parent {
		way = append(way, b)
	}
	at := root
	for _, b := range slices.Backward(way) {
		i := slices.IndexFunc(at.kids, func(k *box) bool { return k.Name == b.Name && k.Component == b.Component })
		if i < 0 {
			return pick{}, false
		}
		at = at.kids[i]
	}
	return pick{at, p.from}, p.of != nil && p.from < len(at.kids)
}

// A cause is what runs could be without: a tool, or a component.
type cause struct {
	tool      string
	component traces.Component
}

// cause returns what a block is the time of, wherever that happens; ok is false if it is more than one thing.
func (p pick) cause(runs []*measure.Run) (c cause, ok bool) {
	if p.from != itself {
		return c, false
	}
	if name, ok := strings.CutPrefix(p.of.Name, "tool:"); ok {
		return cause{tool: name}, slices.ContainsFunc(runs, func(r *measure.Run) bool { // unless it was called otherwise before it was put on one line
			return slices.ContainsFunc(r.Tools, func(t measure.ToolTime) bool { return t.Name == name })
		})
	}
	return cause{component: p.of.Component}, p.of.Component != "" && p.of.Name == string(p.of.Component) && len(p.of.kids) == 0
}

// drag returns how much shorter the runs would be without it, on average.
func (c cause) drag(runs []*measure.Run) time.Duration {
	var sum, rest time.Duration // apart, so that the sum of long runs fits
	n := time.Duration(max(1, len(runs)))
	for _, r := range runs {
		var d time.Duration
		if c.tool != "" {
			d = r.Path.ToolDrag(c.tool)
		} else {
			d = r.Path.ComponentDrag(c.component)
		}
		sum += d / n
		rest += d % n
	}
	return sum + rest/n
}
