package critpath

import (
	"slices"
	"time"
)

// A scope is what joins one span, in lists that are gone through once while time goes back.
type scope struct {
	jobs   queue // all but phases
	phases queue
	models stream // those of jobs that are model calls
}

// A queue is spans by end, the last first. next is the first that is not passed yet, first the one that started first of
// those passed while they may still be open.
type queue struct {
	spans []int32
	next  int
	first int32
}

// finished returns the last of the jobs that had ended by now; if several had ended about now, the first to start.
func (s *scope) finished(t *tree, now, tolerance time.Duration) int32 {
	q := &s.jobs
	q.pass(t, now, now+tolerance)
	best := none
	for _, i := range q.spans[q.next:] {
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
	q := &s.phases
	q.pass(t, now, now-1)
	if f := q.first; f != none && t.nodes[f].start < now {
		return f
	}
	if q.next < len(q.spans) {
		return q.spans[q.next]
	}
	return none
}

// pass moves past the spans that end after limit, and past those that have not started yet.
func (q *queue) pass(t *tree, now, limit time.Duration) {
	for ; q.next < len(q.spans); q.next++ {
		i := q.spans[q.next]
		switch n := &t.nodes[i]; {
		case n.start >= now: // never again
		case n.end <= limit:
			return
		case q.first == none || t.earlier(i, q.first) < 0:
			q.first = i
		}
	}
}

// A stream is the model calls of a scope, by end, the last first.
type stream struct {
	spans []int32
	next  int           // the first that had ended
	open  []int32       // those before it that had started
	now   time.Duration // of the last question
}

// at returns the model call that was still going on now, the first to start of several, none if there is none or another
// one that ran beside it had just finished: then two loops share the scope, and the tool may belong to the finished one.
// Either is ambiguous. Asked backwards in time it goes through the calls once.
func (s *stream) at(t *tree, now, tolerance time.Duration) (m int32, ambiguous bool) {
	if now > s.now {
		s.next, s.open = 0, s.open[:0]
	}
	s.now = now
	for ; s.next < len(s.spans) && t.nodes[s.spans[s.next]].end > now+tolerance; s.next++ {
		s.open = append(s.open, s.spans[s.next])
	}
	s.open = slices.DeleteFunc(s.open, func(i int32) bool { return t.nodes[i].start >= now })
	finished := -never // the last end of those that had finished and were long enough to overlap another
	for _, i := range s.spans[s.next:] {
		if n := &t.nodes[i]; n.end-n.start > tolerance {
			finished = n.end
			break
		}
	}
	m = none
	for _, i := range s.open {
		if finished <= t.nodes[i].start+tolerance && (m == none || t.earlier(i, m) < 0) {
			m = i
		}
	}
	return m, len(s.open) > 1 || len(s.open) == 1 && m == none
}
