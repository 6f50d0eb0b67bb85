package critpath

import (
	"cmp"
	"slices"
	"time"
)

// A scope is what joins one span, in lists that are gone through once while time goes back.
type scope struct {
	jobs   queue // all but phases
	phases queue
	model  int32 // the only one of jobs that is a model call, else none
	stream int32 // position in tree.streams, if several are; else none
}

// A queue is a stretch of tree.order: spans by end, the last first. Those before next are passed: the walk is before their end,
// clocks allowed for, or before their start. first is the first to start of the former, none if there is none yet.
type queue struct {
	next, end int32
	first     int32
}

// fillScopes lists, for every span, what joins it.
func (t *tree) fillScopes() {
	scopes := int32(0)
	for i := range t.nodes {
		if !t.walkable(int32(i)) {
			continue
		}
		if at := &t.nodes[t.nodes[i].scope].inside; *at == none {
			*at = scopes
			scopes++
		}
	}
	t.scopes = slices.Repeat([]scope{{jobs: queue{first: none}, phases: queue{first: none}, model: none, stream: none}}, int(scopes))
	for i := range t.nodes { // count, with end as the counter
		if n := &t.nodes[i]; t.walkable(int32(i)) {
			t.scopes[t.nodes[n.scope].inside].queue(n.role).end++
		}
	}
	total := int32(0)
	place := func(q *queue) {
		total += q.end
		q.next, q.end = total, total
	}
	for k := range t.scopes {
		place(&t.scopes[k].jobs)
		place(&t.scopes[k].phases)
	}
	t.order = make([]int32, total)
	for i := range t.nodes { // fill from the back: siblings one after another come out sorted
		n := &t.nodes[i]
		if !t.walkable(int32(i)) {
			continue
		}
		s := &t.scopes[t.nodes[n.scope].inside]
		q := s.queue(n.role)
		q.next--
		t.order[q.next] = int32(i)
		if n.role == model {
			t.addModel(s, int32(i))
		}
	}
	later := t.later
	for k := range t.scopes {
		slices.SortFunc(t.ahead(&t.scopes[k].jobs), later)
		slices.SortFunc(t.ahead(&t.scopes[k].phases), later)
	}
	for k := range t.streams {
		slices.SortFunc(t.streams[k].spans, later)
	}
}

// walkable reports whether the walk can come to i from its scope.
func (t *tree) walkable(i int32) bool { return t.blocks(i) && t.nodes[i].start < t.nodes[i].end }

func (s *scope) queue(r role) *queue {
	if r == phase {
		return &s.phases
	}
	return &s.jobs
}

func (t *tree) addModel(s *scope, i int32) {
	switch {
	case s.stream != none:
		m := &t.streams[s.stream]
		m.spans = append(m.spans, i)
	case s.model == none:
		s.model = i
	default:
		s.stream = int32(len(t.streams))
		t.streams = append(t.streams, stream{spans: []int32{s.model, i}})
		s.model = none
	}
}

// ahead returns the spans of q that are not passed.
func (t *tree) ahead(q *queue) []int32 { return t.order[q.next:q.end] }

// finished returns the last of the jobs that had ended by now; if several had ended about now, the first to start.
func (s *scope) finished(t *tree, now, tolerance time.Duration) int32 {
	s.jobs.pass(t, now, now+tolerance)
	best := none
	for _, i := range t.ahead(&s.jobs) {
		n := &t.nodes[i]
		if n.end < now && best != none {
			break
		}
		if n.lost || n.start >= now {
			continue
		}
		if best == none || t.earlier(i, best) < 0 {
			best = i
		}
		if n.end < now {
			break
		}
	}
	return best
}

// open returns the first to start of the jobs that were open now.
func (s *scope) open(t *tree, now time.Duration) int32 {
	if f := s.jobs.first; f != none && t.nodes[f].start < now {
		return f
	}
	return none
}

// phase returns the phase that was going on now, the first to start of several, else the last before.
func (s *scope) phase(t *tree, now time.Duration) int32 {
	s.phases.pass(t, now, now-1)
	if f := s.phases.first; f != none && t.nodes[f].start < now {
		return f
	}
	if ahead := t.ahead(&s.phases); len(ahead) > 0 {
		return ahead[0]
	}
	return none
}

// pass moves past the spans that end after limit, and past those that have not started yet.
func (q *queue) pass(t *tree, now, limit time.Duration) {
	for ; q.next < q.end; q.next++ {
		i := t.order[q.next]
		switch n := &t.nodes[i]; {
		case n.start >= now: // never again
		case n.end <= limit:
			return
		case q.first == none || t.earlier(i, q.first) < 0:
			q.first = i
		}
	}
}

// A stream is the model calls of a scope that has several, by end, the last first.
type stream struct {
	spans []int32
	next  int           // the first that had ended
	long  int           // the first of those that was long enough to overlap another
	open  []int32       // those before next that had started, the first to start first
	now   time.Duration // of the last question
}

// at returns the model call that was still going on now, the first to start of several, none if there is none or another
// one that ran beside it had just finished: then two loops share the scope, and the tool may belong to the finished one.
// Either is ambiguous. Asked backwards in time, and with the same tolerance, it goes through the calls once.
func (s *stream) at(t *tree, now, tolerance time.Duration) (m int32, ambiguous bool) {
	if now > s.now {
		s.next, s.long, s.open = 0, 0, s.open[:0]
	}
	s.now = now
	for ; s.next < len(s.spans) && t.nodes[s.spans[s.next]].end > now+tolerance; s.next++ {
		at, _ := slices.BinarySearchFunc(s.open, s.spans[s.next], t.earlier)
		s.open = slices.Insert(s.open, at, s.spans[s.next])
	}
	started := func(i int32, at time.Duration) int { return cmp.Compare(t.nodes[i].start, at) }
	still, _ := slices.BinarySearchFunc(s.open, now, started)
	s.open = s.open[:still]
	finished := -never // the last end of those that had finished and were long enough to overlap another
	for s.long = max(s.long, s.next); s.long < len(s.spans); s.long++ {
		if n := &t.nodes[s.spans[s.long]]; n.end-n.start > tolerance {
			finished = n.end - tolerance
			break
		}
	}
	k, _ := slices.BinarySearchFunc(s.open, finished, started)
	if k < len(s.open) {
		return s.open[k], len(s.open) > 1
	}
	return none, len(s.open) > 0
}
