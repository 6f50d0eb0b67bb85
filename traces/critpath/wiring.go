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

	network
	recorded  []time.Duration // when each instant came
	parts     []Part
	cuts      []cut
	positions []int32 // instants inside spans that something joins
	jobs      lists   // what joins each span, phases apart, by start
	phases    lists   // the phases that join each span, by start
	done      lists   // all that joins each span but losers of a race, by release
	releases  lists   // those of them that release what starts after them, mostly all
	booked    []step
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
	w := &wiring{tree: t, edges: edges, source: source, recorded: make([]time.Duration, 0, 4*n), parts: make([]Part, 0, 2*n),
		network: network{instants: make([]instant, 0, 4*n), owner: make([]int32, 0, 4*n),
			start: slices.Repeat([]int32{none}, n), end: slices.Repeat([]int32{none}, n)}}
	w.add(none, 0)
	w.ask()
	w.list()
	for i := range int32(n) {
		if !t.nodes[i].out {
			w.start[i], w.end[i] = w.add(none, t.nodes[i].start), w.add(i, w.ended(i))
		}
	}
	w.link(&w.done)
	if w.releases = w.done; edges.Structural {
		w.releases = w.finishing(func(i int32) bool { return !w.side[i] })
		w.link(&w.releases)
	}
	for i := range int32(n) {
		if t.nodes[i].out {
			continue
		}
		w.begin(i)
		if lo, hi := w.done.of(i); lo < hi {
			w.after(w.end[i], w.done.chain+hi-1, i, none, w.done.latest[hi-1])
		}
	}
	w.cut()
	w.sort()
	return &w.network, w.parts
}

// link makes the chain of instants of each list.
func (w *wiring) link(l *lists) {
	l.chain = int32(len(w.instants))
	for k, i := range l.spans {
		a := w.end[i]
		if k > int(l.first[w.nodes[i].scope]) {
			a = l.chain + int32(k) - 1
		}
		at := w.add(w.nodes[i].scope, l.latest[k])
		w.instants[at].a, w.instants[at].b = a, w.end[i]
	}
}

// ended is when i ended, which is not before it started.
func (t *tree) ended(i int32) time.Duration { return max(t.nodes[i].start, t.nodes[i].end) }

// add adds an instant in x.
func (w *wiring) add(x int32, recorded time.Duration) int32 {
	w.instants = append(w.instants, instant{})
	w.owner = append(w.owner, x)
	w.recorded = append(w.recorded, recorded)
	return int32(len(w.instants) - 1)
}

// after lets instant k come after another one, which came at from, and the own time of x between them.
func (w *wiring) after(k, other, x, next int32, from time.Duration) {
	i, to := &w.instants[k], w.recorded[k]
	i.a, i.b = other, other
	w.owner[k] = x
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
	if c == 0 {
		w.instants[w.start[c]].fixed = w.nodes[c].start
		return
	}
	x := w.spawner(c)
	k, at := w.declared(x, c)
	atOnce := w.edges.ToolsAtOnce || w.edges.ToolsEarly
	if k == none && w.edges.Structural && !atOnce {
		k, at = w.asked(x, c)
	}
	if k == none {
		k, at = w.suggested(x, c)
		if atOnce {
			if soon := w.sooner(c); soon != none && w.recorded[soon] <= at {
				k = soon
			}
		}
	}
	w.after(w.start[c], k, x, c, at)
}

// suggested returns the instant after which x had only its own to do until c started, by the order of times, and when that was.
func (w *wiring) suggested(x, c int32) (k int32, at time.Duration) {
	t := w.nodes[c].start
	k, at = w.released(x, t)
	if k != none && at >= t {
		return k, at
	}
	open := w.phases.open(w.tree, x, t, t)
	if open == none {
		if w.isTrace(x) {
			open = w.jobs.open(w.tree, x, t, t+w.nodes[x].tolerance)
		}
		open = w.better(open, w.source[c], t)
	}
	if open == none || k != none && w.ended(open) <= at {
		return w.since(x, t, c)
	}
	if end := w.ended(open); end <= t { // the loser of a race
		return w.end[open], end
	}
	return w.position(open, t, c), t
}

// since returns the instant after which x had only its own to do until t, when next started, if nothing was going on in it, and when
// that was.
func (w *wiring) since(x int32, t time.Duration, next int32) (k int32, at time.Duration) {
	if k, at = w.released(x, t); k != none {
		return k, at
	}
	k, at = w.start[x], w.nodes[x].start
	if lo, hi := w.done.of(x); lo == hi && at < t && t <= w.ended(x) {
		k, at = w.add(x, t), t
		w.cuts = append(w.cuts, cut{x, k, next, t})
	}
	return k, at
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
		both := w.add(x, at)
		w.instants[both].a, w.instants[both].b = k, other
		k = both
	}
	return k, at
}

// position returns the instant at which x, which was going on at t, had come as far as it had then, when next started.
func (w *wiring) position(x int32, t time.Duration, next int32) int32 {
	for range nesting {
		if k, at := w.released(x, t); k != none && at >= t {
			break
		}
		open := w.phases.open(w.tree, x, t, t)
		if open == none {
			open = w.jobs.open(w.tree, x, t, t+w.nodes[x].tolerance)
		}
		if open == none {
			break
		}
		x = open
	}
	other, at := w.since(x, t, next)
	if at == t {
		return other
	}
	k := w.add(x, t)
	w.after(k, other, x, next, at)
	w.positions = append(w.positions, k)
	return k
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

// list finds what joins each span.
func (w *wiring) list() {
	w.jobs = w.joining(func(i int32) bool { return w.nodes[i].role != phase }, w.earlier)
	w.phases = w.joining(func(i int32) bool { return w.nodes[i].role == phase }, w.earlier)
	w.done = w.finishing(func(int32) bool { return true })
}

// finishing lists the spans that keep is true of and whose end others wait for, by release.
func (w *wiring) finishing(keep func(int32) bool) lists {
	return w.joining(func(i int32) bool { return !w.nodes[i].lost && keep(i) }, func(a, b int32) int {
		tolerance := w.nodes[w.nodes[a].scope].tolerance
		return cmp.Or(cmp.Compare(w.release(a, tolerance), w.release(b, tolerance)), cmp.Compare(a, b))
	})
}

// joining lists the spans that keep is true of by the scope that waits for them, or for something in them.
func (w *wiring) joining(keep func(int32) bool, order func(a, b int32) int) lists {
	return w.sorted(func(i int32) int32 {
		if n := &w.nodes[i]; w.blocks(i) && n.start <= n.end && keep(i) {
			return n.scope
		}
		return none
	}, order)
}

// sort puts the network in order: every span's instants after its start and before its end, and the spans that one spawned by start.
// So all that is inside a span lies together, but where something in it waited for something outside.
func (w *wiring) sort() {
	var (
		sorter  = newSorter(&w.network, w.recorded)
		spawned = w.sorted(func(i int32) int32 {
			if i == 0 || w.nodes[i].out {
				return none
			}
			return w.spawner(i)
		}, w.earlier)
		next  = slices.Clone(spawned.first)
		stack = []int32{0}
	)
	slices.SortStableFunc(w.positions, func(a, b int32) int { return cmp.Compare(w.owner[a], w.owner[b]) })
	sorter.visit(w.start[0])
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, hi := spawned.of(x); next[x] < hi {
			c := spawned.spans[next[x]]
			next[x]++
			sorter.visit(w.start[c])
			stack = append(stack, c)
			continue
		}
		at, _ := slices.BinarySearchFunc(w.positions, x, func(k, x int32) int { return cmp.Compare(w.owner[k], x) })
		for ; at < len(w.positions) && w.owner[w.positions[at]] == x; at++ {
			sorter.visit(w.positions[at])
		}
		sorter.visit(w.end[x])
		stack = stack[:len(stack)-1]
	}
	sorter.done()
}
