package critpath

import (
	"cmp"
	"slices"
	"time"
)

// Slack is how much longer a span could have lasted for free. It is defined by effect: replay the run forwards, each span
// starting when those that had finished before it are done, after the same delay as then, and each ending when its children
// are done, after the same rest as then; slack is the largest d by which a span's end can be put off such that the
// root ends when it did. The tests keep that replay. In closed form, with L the latest end that changes nothing:
//
//	L(root) = end(root)
//	L(c)    = min( L(x) - tail(x), min over successors b of L(b) - duration(b) - lag(b) ),   slack(c) = L(c) - end(c)
//
// where x is the scope that c joins, tail(x) = end(x) - latest end in x, the successors of c are the spans of x that started once
// c had finished, and lag(b) = start(b) - latest end of those that b is a successor of. A declared dependency makes
// successors too, and takes the place of the others; so does a model that a tool was streamed from, whose lag is then negative.
//
// "Once c had finished" is monotone: c can have released whatever starts at release(c) or later. So with the spans of x by start,
// the successors of c are a tail of the list, and the minimum over them is kept from the back: O(n log n) in all, where
// looking at each pair would be quadratic. CRISP's slack is another thing: room at the start, under sets learned over traces.

// slack returns the slack of every span, unknown where it cannot be told.
func slack(t *tree) []time.Duration {
	s := slacker{
		tree:   t,
		result: slices.Repeat([]time.Duration{unknown}, len(t.nodes)),
		bound:  slices.Repeat([]time.Duration{never}, len(t.nodes)),
		joined: make([][]int32, len(t.nodes)),
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; t.blocks(int32(i)) && !n.lost && n.start <= n.end {
			s.joined[n.scope] = append(s.joined[n.scope], int32(i))
		}
	}
	s.doubt()
	s.result[0] = 0
	for i := range t.nodes {
		if t.nodes[i].group == none {
			s.scope(int32(i))
		}
	}
	for i := range t.nodes { // background work that blocking work waited for; the latter is known by now
		switch n := &t.nodes[i]; {
		case n.group == none:
			continue
		case n.group == int32(i) && s.bound[i] != never:
			s.result[i] = s.bound[i]
		}
		s.scope(int32(i))
	}
	return s.result
}

type slacker struct {
	*tree
	result []time.Duration // by span
	bound  []time.Duration // slack that dependents outside the order of times leave to a span
	joined [][]int32       // what blocks each span
}

// doubt leaves no slack to what background work waited for, if that is itself waited for: between groups of spans that wait
// for each other there may be no order in which to tell it, and 0 is never too much.
func (s *slacker) doubt() {
	waited := map[int32]bool{} // groups
	for _, cross := range s.crossings() {
		waited[s.nodes[cross.to].group] = true
	}
	for _, cross := range s.crossings() {
		if g := s.nodes[cross.from].group; g != none && waited[g] {
			s.bound[cross.to] = 0
		}
	}
}

// crossings returns the declared dependencies between different groups, from the one that waited.
func (s *slacker) crossings() (list []struct{ from, to int32 }) {
	for i, span := range s.run.Spans {
		for _, dep := range span.Link {
			if s.nodes[i].group != s.nodes[dep.Index].group && !s.nodes[i].out {
				list = append(list, struct{ from, to int32 }{int32(i), dep.Index})
			}
		}
	}
	return list
}

// scope tells the slack of everything that joins x, from that of x.
func (s *slacker) scope(x int32) {
	kids := s.joined[x]
	if len(kids) == 0 || s.result[x] == unknown {
		return
	}
	slices.SortFunc(kids, s.earlier)
	var (
		tolerance = s.nodes[x].tolerance
		release   = func(i int32) time.Duration { return max(s.nodes[i].start+1, s.nodes[i].end-tolerance) }
		before    = s.before(kids, release)
		last      = s.nodes[kids[0]].end
		room      = make([]time.Duration, len(kids)+1) // the latest end that the k-th of kids and all after it leave to those before
	)
	for _, i := range kids {
		last = max(last, s.nodes[i].end)
	}
	room[len(kids)] = never
	for k, i := range slices.Backward(kids) {
		n := &s.nodes[i]
		next, _ := slices.BinarySearchFunc(kids, release(i), func(b int32, at time.Duration) int {
			return cmp.Compare(s.nodes[b].start, at)
		})
		free := min(last+s.result[x], room[next]) - n.end
		s.result[i] = min(free, s.bound[i])
		room[k] = room[k+1]
		if !s.dependsOtherwise(i) && before[k] != never {
			room[k] = min(room[k], before[k]+s.result[i])
		}
	}
}

// before returns for each of kids, which are by start, the latest end of those that could have released it, never if there are
// none.
func (s *slacker) before(kids []int32, release func(int32) time.Duration) []time.Duration {
	byRelease := slices.SortedFunc(slices.Values(kids), func(a, b int32) int {
		return cmp.Compare(release(a), release(b))
	})
	var (
		before = make([]time.Duration, len(kids))
		latest = never
		next   int
	)
	for k, i := range kids {
		for ; next < len(byRelease) && release(byRelease[next]) <= s.nodes[i].start; next++ {
			if end := s.nodes[byRelease[next]].end; latest == never || end > latest {
				latest = end
			}
		}
		before[k] = latest
	}
	return before
}

// dependsOtherwise hands the slack of i on to those that it waited for by declaration, and to the model or attempt that was
// going on when it started because of it. It reports whether they take the place of those that finished before.
func (s *slacker) dependsOtherwise(i int32) bool {
	at := s.spawner(i)
	declared := false
	for _, dep := range s.run.Spans[i].Link {
		if s.canWait(at, i, dep.Index) {
			declared = true
			s.bound[dep.Index] = min(s.bound[dep.Index], s.result[i])
		}
	}
	if declared {
		return true
	}
	if source, _ := s.source(at, i); source != none {
		s.bound[source] = min(s.bound[source], s.result[i])
	}
	return false
}
