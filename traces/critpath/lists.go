package critpath

import (
	"slices"
	"time"
)

// Lists are one list of spans for every span.
type lists struct {
	first  []int32 // of each span by Index: where in spans its list begins; it ends where the next begins
	spans  []int32
	latest []time.Duration // the latest end in the list so far
	chain  int32           // the instant at which the first of spans was done; those of the others follow
}

// sorted puts every span into the list of another one, or of none, each list in order.
func (t *tree) sorted(list func(int32) int32, order func(a, b int32) int) lists {
	n := int32(len(t.nodes))
	l := lists{first: make([]int32, n+1)}
	in := make([]int32, n)
	for i := range n {
		if in[i] = list(i); in[i] != none {
			l.first[in[i]+1]++
		}
	}
	for i := range n {
		l.first[i+1] += l.first[i]
	}
	l.spans, l.latest = make([]int32, l.first[n]), make([]time.Duration, l.first[n])
	next := slices.Clone(l.first)
	for i, x := range in {
		if x != none {
			l.spans[next[x]] = int32(i)
			next[x]++
		}
	}
	for x := range n {
		lo, hi := l.of(x)
		slices.SortFunc(l.spans[lo:hi], order)
		latest := -never
		for k := lo; k < hi; k++ {
			latest = max(latest, t.ended(l.spans[k]))
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
