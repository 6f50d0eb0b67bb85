package critpath

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// ancestors answers which is the nearest ancestor of a span that outlives a given instant, in O(log n) whatever the tree's
// shape. From each span it keeps only the way up to ever longer-lived ancestors, since any other is in the shadow
// of one below it, and beside the next one on that way a jump far ahead. The jumps are those of E. Myers, "An applicative
// random-access stack" (Information Processing Letters 17, 1983): each covers as far as the two before it together, or one step.
type ancestors struct {
	nodes []node
	hops  []hop
}

type hop struct {
	limit    time.Duration // until when a child may last and still have been waited for
	up, jump int32         // ancestors with a higher limit; none above the topmost
	depth    int32         // how many ups there are
}

func newAncestors(nodes []node) *ancestors {
	return &ancestors{nodes, make([]hop, len(nodes))}
}

// add enters the i-th span, s; its ancestors have been entered.
func (a *ancestors) add(i int32, s *traces.Span) {
	if len(s.Kids) == 0 {
		return
	}
	h := &a.hops[i]
	h.limit = s.End + a.nodes[i].tolerance
	h.up, h.jump = none, none
	if s.Parent == nil {
		return
	}
	if h.up = a.outliving(a.nodes[i].parent, h.limit+1); h.up == none {
		return
	}
	up := &a.hops[h.up]
	h.depth = up.depth + 1
	h.jump = h.up
	if up.jump != none {
		if far := &a.hops[up.jump]; far.jump != none && up.depth-far.depth == far.depth-a.hops[far.jump].depth {
			h.jump = far.jump
		}
	}
}

// outliving returns the nearest of i and its ancestors whose limit is not before at, none if there is none.
func (a *ancestors) outliving(i int32, at time.Duration) int32 {
	for i != none && a.hops[i].limit < at {
		if j := a.hops[i].jump; j != none && a.hops[j].limit < at {
			i = j
		} else {
			i = a.hops[i].up
		}
	}
	return i
}
