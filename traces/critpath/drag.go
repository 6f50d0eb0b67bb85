package critpath

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Drag is what a span costs: by how much the run would be shorter if the span took no time, everything else waiting as it did. The
// word is S. Devaux's, "The Drag Efficient: The Missing Quantification of Time on the Critical Path" (Defense AT&L, 2012). A span that
// is not on the path has none; one that is may have less than its time on the path, because something else beside it takes its place.
//
// To know it for every span without a replay for each: what is inside a span lies together in the network's order, from one instant to
// another, and the run without it is the longest of the ways that leave that stretch out. Each of these has one edge that jumps over the stretch, and
// is as long as the longest way to where it jumps off, which lies before the stretch, the edge, and the longest way from where it lands. So one sweep
// over the edges, those that land furthest back first, with the best so far kept by where they jump off, gives all drags in O(n log n). To that come the
// ways through the stretch, which take no time there: from where it is entered to the farthest exit. Where a stretch is entered at several
// places, or holds what is not inside the span, as happens with hand-offs and declared dependencies, the stretch is played anew.

// Drag returns how much shorter the run would be if s and all below it had taken no time, everything else waiting as it did. It is
// false for what is not part of the run's time. The first call costs a few replays, whatever the number of spans. Where very many
// spans hold work that was handed on, the longest of these are not told.
func (p *Path) Drag(s *traces.Span) (time.Duration, bool) {
	if !p.has(s) || p.base().net.end[s.Index] == none {
		return 0, false
	}
	d := p.drags().spans[s.Index]
	return d, d != unknown
}

// OwnDrag returns how much shorter the run would be if only the own time of s were 0, that of what is below it unchanged. It costs a
// replay.
func (p *Path) OwnDrag(s *traces.Span) (time.Duration, bool) {
	if !p.has(s) || p.base().net.end[s.Index] == none {
		return 0, false
	}
	return p.without(func(part *Part) bool { return part.Span == s }), true
}

// ToolDrag returns how much shorter the run would be if the tool called name took no time, nested calls of other tools and models left
// as they are. It costs a replay.
func (p *Path) ToolDrag(name string) time.Duration {
	return p.without(func(part *Part) bool { return part.Component == traces.Tool && part.Tool == name })
}

// ComponentDrag returns how much shorter the run would be without all the time that is booked on the component, or would be if it were
// on the path. It costs a replay.
func (p *Path) ComponentDrag(c traces.Component) time.Duration {
	return p.without(func(part *Part) bool { return part.Component == c })
}

// without returns how much shorter the run would be if the parts took no time.
func (p *Path) without(parts func(*Part) bool) time.Duration {
	if p.tree == nil {
		return 0
	}
	b := p.base()
	lengths := slices.Clone(b.lengths)
	for i := range b.Parts {
		if lengths[i] > 0 && parts(&b.Parts[i]) {
			lengths[i] = 0
		}
	}
	return b.end() - b.net.play(lengths)[b.net.end[0]]
}

// drags are of spans, each with all below it.
type drags struct {
	spans []time.Duration // by Index; unknown where that was too dear
}

// A hull is where the instants inside a span, which are those in its own time or in that of spans below it, lie in the network.
type hull struct {
	from, to int32         // the first and the last, inclusive; from > to if there are none
	count    int32         // how many they are
	left     int32         // the span furthest to the left by Index with an instant that one of them comes after
	right    int32         // the one furthest to the right
	below    int32         // the last span below it, by Index
	avoiding time.Duration // the longest way that has none of the instants from from to to; unknown if there is none
	exit     time.Duration // the longest way from an edge that leaves them to the run's end; unknown if there is none
}

// whole reports whether what lies between a hull's ends is all inside span s and is entered from the start of s alone.
func (h *hull) whole(s int32) bool {
	return h.to-h.from+1 == h.count && h.left >= s && h.right <= h.below
}

// budget is how many instants are played anew at most for the spans whose hull is not whole: about half a second of work.
const budget = 50_000_000

func newDrags(b *base) *drags {
	d := &drags{spans: make([]time.Duration, len(b.Run.Spans))}
	hulls := b.hulls()
	b.sweep(hulls)
	var torn []int32
	for i := range hulls {
		h := &hulls[i]
		switch {
		case i == 0:
			d.spans[i] = b.end()
		case h.from > h.to: // left out
		case h.whole(int32(i)):
			after := h.avoiding
			if h.exit != unknown {
				after = max(after, b.at[b.net.start[i]]+h.exit)
			}
			d.spans[i] = b.end() - after
		default:
			torn = append(torn, int32(i))
		}
	}
	slices.SortStableFunc(torn, func(x, y int32) int {
		return cmp.Compare(hulls[x].to-hulls[x].from, hulls[y].to-hulls[y].from)
	})
	b.playTorn(torn, hulls, d.spans)
	return d
}

// hulls returns the hull of each span.
func (b *base) hulls() []hull {
	hulls := make([]hull, len(b.Run.Spans))
	for i := range hulls {
		hulls[i] = hull{from: int32(len(b.net.instants)), to: none, left: int32(i), right: int32(i), below: int32(i), avoiding: unknown, exit: unknown}
	}
	starts := slices.Repeat([]int32{none}, len(b.net.instants)) // whose start an instant is
	for i, k := range b.net.start {
		if k == none {
			continue
		}
		starts[k] = int32(i)
		if p := b.tree.nodes[i].parent; p != none && b.rest[k] != unknown {
			hulls[p].enter(b.tree.spawner(int32(i)))
		}
	}
	for k, o := range b.net.owner {
		if o == none {
			continue
		}
		h, i := &hulls[o], &b.net.instants[k]
		h.from, h.to = min(h.from, int32(k)), max(h.to, int32(k))
		h.count++
		if b.rest[k] == unknown {
			continue
		}
		if i.fixed != 0 {
			h.enter(none)
		}
		for _, u := range [...]int32{i.a, i.b} {
			if starts[u] != none {
				h.enter(starts[u])
			} else {
				h.enter(b.net.owner[u])
			}
		}
	}
	for i := len(hulls) - 1; i > 0; i-- { // parents come before children
		h, p := &hulls[i], &hulls[b.tree.nodes[i].parent]
		p.from, p.to, p.count = min(p.from, h.from), max(p.to, h.to), p.count+h.count
		p.left, p.right, p.below = min(p.left, h.left), max(p.right, h.right), max(p.below, h.below)
	}
	return hulls
}

// enter notes that an instant in the hull comes after one of span i.
func (h *hull) enter(i int32) { h.left, h.right = min(h.left, i), max(h.right, i) }

// sweep finds the longest ways that avoid each hull and that leave it.
func (b *base) sweep(hulls []hull) {
	order := make([]int32, len(hulls))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(hulls[y].to, hulls[x].to) })
	var (
		n    = len(b.net.instants)
		ways = newLongest(n) // by where they jump off: from the run's start over this edge to its end
		outs = newLongest(n) // only from where they jump off
		v    = n - 1
	)
	for _, i := range order {
		h := &hulls[i]
		if h.from > h.to {
			return // all that follow are empty too
		}
		for ; v > int(h.to); v-- {
			if b.rest[v] == unknown {
				continue
			}
			at := &b.net.instants[v]
			out := b.net.after(int32(v), b.lengths) + b.rest[v]
			for _, u := range [...]int32{at.a, at.b} {
				ways.raise(int(u), b.at[u]+out)
				outs.raise(int(u), out)
			}
		}
		h.avoiding = ways.among(0, int(h.from))
		h.exit = outs.among(int(h.from), int(h.to)+1)
	}
}

// playTorn finds the drag of spans whose hull holds other things too, or is entered at several places: it plays what lies between its ends.
func (b *base) playTorn(torn []int32, hulls []hull, drag []time.Duration) {
	if len(torn) == 0 {
		return
	}
	var (
		next = b.net.followers()
		at   = slices.Clone(b.at)
		cost = 0
	)
	for _, s := range torn { // the shortest first
		h := &hulls[s]
		if cost += int(h.to - h.from); cost > budget {
			drag[s] = unknown
			continue
		}
		after := h.avoiding
		for k := h.from; k <= h.to; k++ {
			i := &b.net.instants[k]
			at[k] = max(at[i.a], at[i.b]) + i.fixed
			if o := b.net.owner[k]; o < s || o > h.below {
				at[k] = max(at[i.a], at[i.b]) + b.net.after(k, b.lengths)
			}
			if k == b.net.end[0] {
				after = max(after, at[k])
			}
			for _, v := range next.of(k) {
				if v > h.to && b.rest[v] != unknown {
					after = max(after, at[k]+b.net.after(v, b.lengths)+b.rest[v])
				}
			}
		}
		copy(at[h.from:h.to+1], b.at[h.from:h.to+1])
		drag[s] = b.end() - after
	}
}

// longest keeps a way for each of n instants, and tells the longest among those in a row: a segment tree.
type longest struct {
	tree []time.Duration // the root at 1, the children of i at 2i and 2i+1, the leaves from n on
}

func newLongest(n int) longest { return longest{slices.Repeat([]time.Duration{unknown}, 2*n)} }

// raise makes the way of instant k at least d.
func (l longest) raise(k int, d time.Duration) {
	for k += len(l.tree) / 2; k > 0 && l.tree[k] < d; k /= 2 {
		l.tree[k] = d
	}
}

// among returns the longest way of the instants from up to but without to; unknown if there is none.
func (l longest) among(from, to int) time.Duration {
	best := unknown
	n := len(l.tree) / 2
	for from, to = from+n, to+n; from < to; from, to = from/2, to/2 {
		if from%2 == 1 {
			best = max(best, l.tree[from])
			from++
		}
		if to%2 == 1 {
			to--
			best = max(best, l.tree[to])
		}
	}
	return best
}
