package critpath

import "time"

// An instant is when something started, ended or was released: at the later of two others, or after them by so much of some
// span's own time. Instants and what lies between form a graph without circles, with two edges an instant whatever the run's
// shape, and the run's end is the longest way through it: critical path scheduling as in Kelley and Walker, "Critical-path
// planning and scheduling" (1959).
type instant struct {
	a, b        int32         // those it comes after, the same one twice if there is one only
	part, parts int32         // the stretches between them and it: parts of them from part on
	fixed       time.Duration // and this, which nobody can change
}

// A network is the instants of a run, each after those that it depends on. The first is the start of the run.
type network struct {
	instants   []instant
	start, end []int32 // of each span by Index; none for a span that is left out
}

// play returns when each instant comes if the parts take so long.
func (n *network) play(lengths []time.Duration) []time.Duration {
	at := make([]time.Duration, len(n.instants))
	for k := range n.instants {
		i := &n.instants[k]
		t := max(at[i.a], at[i.b]) + i.fixed
		for _, d := range lengths[i.part : i.part+i.parts] {
			t += d
		}
		at[k] = t
	}
	return at
}

// beyond returns by how much the run goes on after each instant at least: the longest way from it to the run's end; unknown for
// those that the end does not wait for.
func (n *network) beyond(lengths []time.Duration) []time.Duration {
	rest := make([]time.Duration, len(n.instants))
	for k := range rest {
		rest[k] = unknown
	}
	rest[n.end[0]] = 0
	for k := n.end[0]; k > 0; k-- {
		if rest[k] == unknown {
			continue
		}
		i := &n.instants[k]
		d := rest[k] + i.fixed
		for _, l := range lengths[i.part : i.part+i.parts] {
			d += l
		}
		rest[i.a] = max(rest[i.a], d)
		rest[i.b] = max(rest[i.b], d)
	}
	return rest
}

// sort puts every instant after those it depends on. recorded is when each came; where they go in a circle, which takes clocks
// that disagree, one of them is taken to come when it did whatever happens.
func (n *network) sort(recorded []time.Duration) {
	const (
		unseen = iota
		begun  // what it depends on is being placed
		placed
	)
	var (
		state  = make([]uint8, len(n.instants))
		place  = make([]int32, len(n.instants))
		sorted = make([]instant, 0, len(n.instants)+1)
		stack  []int32
	)
	visit := func(k int32) {
		stack = append(stack, k)
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			i := &n.instants[k]
			if state[k] == placed {
				stack = stack[:len(stack)-1]
				continue
			}
			state[k] = begun
			if next := i.a; k > 0 && state[next] == unseen {
				stack = append(stack, next)
				continue
			}
			if next := i.b; k > 0 && state[next] == unseen {
				stack = append(stack, next)
				continue
			}
			at := *i
			at.a, at.b = n.placed(&sorted, state[i.a] == placed || k == 0, place[i.a], recorded[i.a]),
				n.placed(&sorted, state[i.b] == placed || k == 0, place[i.b], recorded[i.b])
			place[k] = int32(len(sorted))
			sorted = append(sorted, at)
			state[k] = placed
			stack = stack[:len(stack)-1]
		}
	}
	visit(0)
	for k := range n.end {
		if n.end[k] != none {
			visit(n.end[k])
			visit(n.start[k])
			n.start[k], n.end[k] = place[n.start[k]], place[n.end[k]]
		}
	}
	n.instants = sorted
}

// placed returns the new place of an instant, or, if it has none yet, that of one that stands for it at the recorded time.
func (n *network) placed(sorted *[]instant, ok bool, place int32, recorded time.Duration) int32 {
	if ok {
		return place
	}
	*sorted = append(*sorted, instant{fixed: recorded})
	return int32(len(*sorted) - 1)
}
