package critpath

import (
	"cmp"
	"slices"
	"time"
)

// Wiring turns what the walk reads backwards, who was waited for, into a network to be played forwards. A span starts once
// whoever released it is done, after the same own time of the span that spawned it; it ends once all that joins it is done,
// after the same rest. Who releases is what the walk would go on with after leaving the span at its start:
//
//	declared   what it says it waited for, if that can be: all of it
//	finished   else all that had finished in the scope by then, clocks allowed for, losers of a race apart
//	going on   unless one of these had finished right then, what was going on and made it start: a phase, the model that
//	           streams, the slower attempt
//	none       else the start of the span that spawned it
//
// What was going on releases from a position inside it: the instant in whatever was going on inside it, down to a span without
// anything in it. The own time of such a span is cut there, so that the position moves with the span's own length.
//
// "Had finished by then" is monotone: b can have released whatever starts at max(start(b) + 1, end(b) - tolerance) or later. So
// for each scope there is one chain of instants, the k-th of which comes when the first k by release are done, and each span
// hangs on one of them: the network is linear in the spans, where looking at each pair would be quadratic.
type wiring struct {
	*tree
	asking
	edges  Edges
	source []int32 // of each span: what was going on when it started and made it start; none mostly

	instants   []instant
	recorded   []time.Duration // of each instant
	start, end []int32         // instants of each span
	parts      []Part
	cuts       []cut
	jobs       lists // what joins each span, phases apart, by start
	phases     lists // the phases that join each span, by start
	done       lists // all that joins each span but losers of a race, by release
	releases   lists // those of them that release what starts after them, mostly all
	booked     []step
}

// A cut is an instant inside a span that nothing joins.
type cut struct {
	span, at, next int32
	time           time.Duration
}

// nesting bounds how deep inside a span a position is looked for, so that a very deep tree takes no quadratic time.
const nesting = 64

// wire makes the network of a run.
func wire(t *tree, edges Edges, source []int32) (*network, []Part) {
	n := len(t.nodes)
	w := &wiring{tree: t, edges: edges, source: source, start: slices.Repeat([]int32{none}, n), end: slices.Repeat([]int32{none}, n),
		instants: make([]instant, 1, 4*n), recorded: make([]time.Duration, 1, 4*n), parts: make([]Part, 0, 2*n)}
	w.ask()
	w.list()
	for i := range t.nodes {
		if !t.nodes[i].out {
			w.start[i] = w.add(instant{}, t.nodes[i].start)
			w.end[i] = w.add(instant{}, w.ended(int32(i)))
		}
	}
	w.link(&w.done)
	if w.releases = w.done; edges.Structural {
		w.releases = w.finishing(func(i int32) bool { return !w.side[i] })
		w.link(&w.releases)
	}
	for i := range t.nodes {
		if t.nodes[i].out {
			continue
		}
		w.begin(int32(i))
		if lo, hi := w.done.of(int32(i)); lo < hi {
			w.after(w.end[i], w.done.chain+hi-1, int32(i), none, w.done.latest[hi-1])
		}
	}
	w.cut()
	net := &network{w.instants, w.start, w.end}
	net.sort(w.recorded)
	return net, w.parts
}

// link makes the chain of instants of each list.
func (w *wiring) link(l *lists) {
	l.chain = int32(len(w.instants))
	for k, i := range l.spans {
		a := w.end[i]
		if k > int(l.first[w.nodes[i].scope]) {
			a = l.chain + int32(k) - 1
		}
		w.add(instant{a: a, b: w.end[i]}, l.latest[k])
	}
}

// ended is when i ended, which is not before it started.
func (t *tree) ended(i int32) time.Duration { return max(t.nodes[i].start, t.nodes[i].end) }

func (w *wiring) add(i instant, recorded time.Duration) int32 {
	w.instants = append(w.instants, i)
	w.recorded = append(w.recorded, recorded)
	return int32(len(w.instants) - 1)
}

// after lets instant k come after another one, which came at from, and the own time of x between them.
func (w *wiring) after(k, other, x, next int32, from time.Duration) {
	i := &w.instants[k]
	*i = instant{a: other, b: other}
	to := w.recorded[k]
	if to > w.ended(x) { // x was over
		i.fixed = to - from
		return
	}
	i.part = int32(len(w.parts))
	w.own(x, next, from, to)
	i.parts = int32(len(w.parts)) - i.part
}

// begin lets c start after what released it.
func (w *wiring) begin(c int32) {
	k, t := w.start[c], w.nodes[c].start
	if c == 0 {
		w.instants[k] = instant{fixed: t}
		return
	}
	x := w.spawner(c)
	other, from := w.declared(x, c)
	atOnce := w.edges.ToolsAtOnce || w.edges.ToolsEarly
	if other == none && w.edges.Structural && !atOnce {
		other, from = w.asked(x, c)
	}
	if other == none {
		other, from, x = w.before(x, t, c, false)
		if atOnce {
			if soon := w.sooner(c); soon != none {
				other = soon
			}
		}
	}
	w.after(k, other, x, c, from)
}

// declared returns the instant at which all was done that c, spawned by x, declares to have waited for, and when that was.
func (w *wiring) declared(x, c int32) (k int32, at time.Duration) {
	k = none
	for _, s := range w.run.Spans[c].Link {
		if !w.canWait(x, c, s.Index) {
			continue
		}
		other, t := w.end[s.Index], w.ended(s.Index)
		if start := w.nodes[c].start; t > start+w.nodes[x].tolerance {
			other, t = w.position(s.Index, start, c), start
		}
		if k == none {
			k, at = other, t
			continue
		}
		at = max(at, t)
		k = w.add(instant{a: k, b: other}, at)
	}
	return k, at
}

// position returns the instant at which x, which was going on, had come to t, when next started.
func (w *wiring) position(x int32, t time.Duration, next int32) int32 {
	other, at, x := w.before(x, t, next, true)
	if at == t {
		return other
	}
	k := w.add(instant{}, t)
	w.after(k, other, x, next, at)
	return k
}

// before returns the instant after which x had only its own to do until t, when c started, and when that was; or it returns
// this for a span inside x that was going on then, which is in. If inside, x is looked at as it was at t, else as what spawned c.
func (w *wiring) before(x int32, t time.Duration, c int32, inside bool) (k int32, at time.Duration, in int32) {
	for range nesting {
		k, at = w.released(x, t)
		if k != none && at >= t {
			return k, at, x
		}
		open := w.goingOn(x, t, c, inside)
		if open == none || k != none && w.ended(open) <= at {
			break
		}
		if end := w.ended(open); end <= t { // the loser of a race
			return w.end[open], end, x
		}
		x, inside = open, true
	}
	if k, at = w.released(x, t); k != none {
		return k, at, x
	}
	k, at = w.start[x], w.nodes[x].start
	if lo, hi := w.done.of(x); lo == hi && at < t && t <= w.ended(x) {
		k = w.add(instant{}, t)
		w.cuts = append(w.cuts, cut{x, k, c, t})
		at = t
	}
	return k, at, x
}

// released returns the instant at which all was done that had finished in x by t, and when that was; none if nothing had.
func (w *wiring) released(x int32, t time.Duration) (k int32, at time.Duration) {
	l, tolerance := &w.releases, w.nodes[x].tolerance
	lo, hi := l.of(x)
	n, _ := slices.BinarySearchFunc(l.spans[lo:hi], t+1, func(b int32, t time.Duration) int {
		return cmp.Compare(w.release(b, tolerance), t)
	})
	if n == 0 {
		return none, 0
	}
	return l.chain + lo + int32(n) - 1, l.latest[int(lo)+n-1]
}

// release is the first instant at which a span may start because b was done.
func (t *tree) release(b int32, tolerance time.Duration) time.Duration {
	return max(t.nodes[b].start+1, t.nodes[b].end-tolerance)
}

// goingOn returns the span in x that was going on at t and held up what started then: c, or, if inside, x itself.
func (w *wiring) goingOn(x int32, t time.Duration, c int32, inside bool) int32 {
	if phase := w.phases.open(w.tree, x, t, t); phase != none {
		return phase
	}
	open := none
	if inside || w.isTrace(x) {
		open = w.jobs.open(w.tree, x, t, t+w.nodes[x].tolerance)
	}
	if !inside {
		open = w.better(open, w.source[c], t)
	}
	return open
}

// cut lets the own time of spans that nothing joins go from their start to their end by way of the positions inside them.
func (w *wiring) cut() {
	slices.SortFunc(w.cuts, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.span, b.span), cmp.Compare(a.time, b.time), cmp.Compare(a.at, b.at))
	})
	cuts := w.cuts
	for x := range w.nodes {
		if lo, hi := w.done.of(int32(x)); lo < hi || w.nodes[x].out {
			continue
		}
		k, at := w.start[x], w.nodes[x].start
		for ; len(cuts) > 0 && cuts[0].span == int32(x); cuts = cuts[1:] {
			w.after(cuts[0].at, k, int32(x), cuts[0].next, at)
			k, at = cuts[0].at, cuts[0].time
		}
		w.after(w.end[x], k, int32(x), none, at)
	}
}

// joins reports whether the end of i, or something in it, can have held up its scope.
func (w *wiring) joins(i int32) bool { return w.blocks(i) && w.nodes[i].start <= w.nodes[i].end }

// list finds what joins each span.
func (w *wiring) list() {
	w.jobs = w.sorted(func(i int32) bool { return w.joins(i) && w.nodes[i].role != phase }, w.earlier)
	w.phases = w.sorted(func(i int32) bool { return w.joins(i) && w.nodes[i].role == phase }, w.earlier)
	w.done = w.finishing(func(int32) bool { return true })
}

// finishing lists the spans that keep is true of and whose end others wait for, by release.
func (w *wiring) finishing(keep func(int32) bool) lists {
	return w.sorted(func(i int32) bool { return w.joins(i) && !w.nodes[i].lost && keep(i) }, func(a, b int32) int {
		tolerance := w.nodes[w.nodes[a].scope].tolerance
		return cmp.Or(cmp.Compare(w.release(a, tolerance), w.release(b, tolerance)), cmp.Compare(a, b))
	})
}

// Lists are of spans that join each span.
type lists struct {
	first  []int32 // of each span by Index: where in spans its list begins; it ends where the next begins
	spans  []int32
	latest []time.Duration // the latest end in the list so far
	chain  int32           // the instant at which the first of spans was done; those of the others follow
}

// sorted lists the spans that keep is true of, each list in order.
func (w *wiring) sorted(keep func(int32) bool, order func(a, b int32) int) lists {
	n := int32(len(w.nodes))
	l := lists{first: make([]int32, n+1)}
	for i := range n {
		if keep(i) {
			l.first[w.nodes[i].scope+1]++
		}
	}
	for i := range n {
		l.first[i+1] += l.first[i]
	}
	l.spans, l.latest = make([]int32, l.first[n]), make([]time.Duration, l.first[n])
	next := slices.Clone(l.first)
	for i := range n {
		if keep(i) {
			at := &next[w.nodes[i].scope]
			l.spans[*at] = i
			*at++
		}
	}
	for x := range n {
		lo, hi := l.of(x)
		slices.SortFunc(l.spans[lo:hi], order)
		latest := -never
		for k := lo; k < hi; k++ {
			latest = max(latest, w.ended(l.spans[k]))
			l.latest[k] = latest
		}
	}
	return l
}

func (l *lists) of(x int32) (lo, hi int32) { return l.first[x], l.first[x+1] }

// open returns the first to start of the spans in a list by start that had started before t and end after limit.
func (l *lists) open(t *tree, x int32, now, limit time.Duration) int32 {
	lo, hi := l.of(x)
	n, _ := slices.BinarySearch(l.latest[lo:hi], limit+1)
	if k := lo + int32(n); k < hi && t.nodes[l.spans[k]].start < now {
		return l.spans[k]
	}
	return none
}
