package critpath

import (
	"slices"
	"time"
)

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
	owner      []int32 // of each instant: the span whose own time comes before it; none if there is none
	start, end []int32 // the instants of each span by Index; none for a span that is left out
}

// after returns how long after the others instant k comes.
func (n *network) after(k int32, lengths []time.Duration) time.Duration {
	i := &n.instants[k]
	d := i.fixed
	for _, l := range lengths[i.part : i.part+i.parts] {
		d += l
	}
	return d
}

// play returns when each instant comes if the parts take so long.
func (n *network) play(lengths []time.Duration) []time.Duration {
	at := make([]time.Duration, len(n.instants))
	for k := range n.instants {
		i := &n.instants[k]
		at[k] = max(at[i.a], at[i.b]) + n.after(int32(k), lengths)
	}
	return at
}

// rest returns by how much the run goes on after each instant at least: the longest way from it to the run's end; unknown for
// those that the end does not wait for.
func (n *network) rest(lengths []time.Duration) []time.Duration {
	rest := make([]time.Duration, len(n.instants))
	for k := range rest {
		rest[k] = unknown
	}
	rest[n.end[0]] = 0
	for k := n.end[0]; k > 0; k-- {
		if rest[k] == unknown {
			continue
		}
		i, d := &n.instants[k], rest[k]+n.after(k, lengths)
		rest[i.a] = max(rest[i.a], d)
		rest[i.b] = max(rest[i.b], d)
	}
	return rest
}

// followers are the instants that come after each instant.
type followers struct{ first, list []int32 }

func (n *network) followers() followers {
	f := followers{first: make([]int32, len(n.instants)+1)}
	for _, i := range n.instants {
		f.first[i.a+1]++
		if i.b != i.a {
			f.first[i.b+1]++
		}
	}
	for k := range n.instants {
		f.first[k+1] += f.first[k]
	}
	f.list = make([]int32, f.first[len(n.instants)])
	next := slices.Clone(f.first)
	for k, i := range n.instants {
		f.list[next[i.a]] = int32(k)
		next[i.a]++
		if i.b != i.a {
			f.list[next[i.b]] = int32(k)
			next[i.b]++
		}
	}
	return f
}

func (f *followers) of(k int32) []int32 { return f.list[f.first[k]:f.first[k+1]] }

// sorter puts every instant after those it depends on, and otherwise in the order in which they are visited.
type sorter struct {
	*network
	recorded []time.Duration // when each instant came
	state    []uint8
	place    []int32
	sorted   []instant
	owners   []int32
	stack    []int32
}

const (
	unseen = iota
	begun  // what it depends on is being placed
	placed
)

func newSorter(n *network, recorded []time.Duration) *sorter {
	s := &sorter{network: n, recorded: recorded, state: make([]uint8, len(n.instants)), place: make([]int32, len(n.instants)),
		sorted: make([]instant, 1, len(n.instants)+1), owners: make([]int32, 1, len(n.instants)+1)}
	s.state[0], s.owners[0] = placed, none
	return s
}

// visit places instant k, if that has not been done, after all it depends on.
func (s *sorter) visit(k int32) {
	for s.stack = append(s.stack, k); len(s.stack) > 0; {
		k := s.stack[len(s.stack)-1]
		i := s.instants[k]
		switch {
		case s.state[k] == placed:
		case s.state[i.a] == unseen:
			s.state[k] = begun
			s.stack = append(s.stack, i.a)
			continue
		case s.state[i.b] == unseen:
			s.state[k] = begun
			s.stack = append(s.stack, i.b)
			continue
		default:
			i.a, i.b = s.placed(i.a), s.placed(i.b)
			s.place[k] = int32(len(s.sorted))
			s.sorted, s.owners = append(s.sorted, i), append(s.owners, s.owner[k])
			s.state[k] = placed
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// placed returns the place of instant k. Where instants depend on each other in a circle, which takes clocks that disagree, k has none
// yet: then one stands for it that comes when k did whatever happens.
func (s *sorter) placed(k int32) int32 {
	if s.state[k] == placed {
		return s.place[k]
	}
	s.sorted, s.owners = append(s.sorted, instant{fixed: s.recorded[k]}), append(s.owners, none)
	return int32(len(s.sorted) - 1)
}

// done hands the order over to the network.
func (s *sorter) done() {
	for i := range s.end {
		if s.end[i] != none {
			s.start[i], s.end[i] = s.place[s.start[i]], s.place[s.end[i]]
		}
	}
	s.instants, s.owner = s.sorted, s.owners
}
