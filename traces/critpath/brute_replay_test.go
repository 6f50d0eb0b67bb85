package critpath_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// bruteReplay is the definition of the replay, written for reading: every span looks at all others for those that released it, and at
// all in its scope for its end. It shares nothing with the code under test.
type bruteReplay struct {
	*brute
	delay  map[*bruteSpan]time.Duration // by how much the end of a span is put off
	free   *traces.Span                 // takes no time, nor does anything below it
	starts map[*bruteSpan]time.Duration
	ends   map[*bruteSpan]time.Duration
	busy   map[*bruteSpan]bool // being looked at
	circle bool                // spans wait for each other
}

func (b *brute) replay(delayed *bruteSpan, d time.Duration, free *traces.Span) *bruteReplay {
	return &bruteReplay{brute: b, delay: map[*bruteSpan]time.Duration{delayed: d}, free: free,
		starts: map[*bruteSpan]time.Duration{}, ends: map[*bruteSpan]time.Duration{}, busy: map[*bruteSpan]bool{}}
}

// within reports whether s is below x or is x.
func within(s, x *traces.Span) bool {
	for ; s != nil; s = s.Parent {
		if s == x {
			return true
		}
	}
	return false
}

// own returns how long x takes for what took it d.
func (r *bruteReplay) own(x *bruteSpan, d time.Duration) time.Duration {
	if r.free != nil && within(x.Span, r.free) {
		return 0
	}
	return d
}

// last is the latest of some ends, as recorded and as replayed.
type last struct {
	there   bool
	was, is time.Duration
}

func (l *last) add(was, is time.Duration) {
	if !l.there {
		*l = last{true, was, is}
	}
	l.was, l.is = max(l.was, was), max(l.is, is)
}

func (x *bruteSpan) end() time.Duration { return max(x.from, x.to) }

// inside returns what the end of x waits for.
func (r *bruteReplay) inside(x *bruteSpan) (list []*bruteSpan) {
	for _, s := range r.spans {
		if s.scope == x && s.group == x.group && !s.out && s.from <= s.to {
			list = append(list, s)
		}
	}
	return list
}

func (r *bruteReplay) spawner(c *bruteSpan) *bruteSpan {
	switch {
	case c.from < c.above.end() && c.from < c.above.to, c.from == c.above.to && c.scope == c.above:
		return c.above
	case c.scope != nil:
		return c.scope
	}
	return r.spans[0]
}

// after returns when x, having come from l, is at t.
func (r *bruteReplay) after(l last, x *bruteSpan, t time.Duration) time.Duration {
	if t > x.end() {
		return l.is + t - l.was
	}
	return l.is + r.own(x, t-l.was)
}

func (r *bruteReplay) finished(x *bruteSpan, t time.Duration) (l last) {
	for _, s := range r.inside(x) {
		if !r.lost(s) && s.from < t && s.to <= t+tol(x) {
			l.add(s.to, r.end(s))
		}
	}
	return l
}

// goingOn returns the first to start in x of those that go on at t.
func (r *bruteReplay) goingOn(x *bruteSpan, t time.Duration, is func(*bruteSpan) bool) *bruteSpan {
	var first *bruteSpan
	for _, s := range r.inside(x) {
		if s.from < t && s.to > t && is(s) && (first == nil || before(s, first) < 0) {
			first = s
		}
	}
	return first
}

func isPhase(s *bruteSpan) bool { return s.Role == traces.RolePhase }

// at returns when x is where it was at t.
func (r *bruteReplay) at(x *bruteSpan, t time.Duration) time.Duration {
	l := r.finished(x, t)
	if !l.there || l.was < t {
		open := r.goingOn(x, t, isPhase)
		if open == nil {
			open = r.goingOn(x, t, func(s *bruteSpan) bool { return !isPhase(s) && s.to > t+tol(x) })
		}
		if open != nil {
			return r.at(open, t)
		}
	}
	if !l.there {
		l = last{true, x.from, r.start(x)}
	}
	return r.after(l, x, t)
}

func (r *bruteReplay) start(c *bruteSpan) time.Duration {
	if c.above == nil {
		return 0
	}
	if at, ok := r.starts[c]; ok {
		return at
	}
	x, t := r.spawner(c), c.from
	var l last
	for _, dep := range c.Link {
		s := r.spans[dep.Index]
		switch {
		case s == c || s.out || s.from >= t || s.from >= s.to || s.group == nil && s.scope != x: // cannot be
		case s.to <= t+tol(x):
			l.add(s.to, r.end(s))
		default:
			l.add(t, r.at(s, t))
		}
	}
	if !l.there {
		l = r.finished(x, t)
		if !l.there || l.was < t {
			if s := r.source(x, c); s != nil && (!l.there || s.to > l.was) {
				if l = (last{}); s.to > t {
					l.add(t, r.at(s, t))
				} else {
					l.add(s.to, r.end(s))
				}
			}
		}
	}
	if !l.there {
		l = last{true, x.from, r.start(x)}
	}
	r.starts[c] = r.after(l, x, t)
	return r.starts[c]
}

// source returns what made c start while it was going on itself.
func (r *bruteReplay) source(x, c *bruteSpan) *bruteSpan {
	t := c.from
	if phase := r.goingOn(x, t, isPhase); phase != nil {
		return phase
	}
	var inside []*bruteSpan
	for _, s := range r.inside(x) {
		if s != c && s.from < t && s.from < s.to {
			inside = append(inside, s)
		}
	}
	var best *bruteSpan
	for _, s := range inside {
		open := x.ID == "@trace" && s.to > t+tol(x)
		if !isPhase(s) && (open || s.to > t || r.lost(s)) && (open || r.streams(inside, s, c, t, tol(x))) &&
			(best == nil || min(s.to, t) > min(best.to, t) || min(s.to, t) == min(best.to, t) && before(s, best) < 0) {
			best = s
		}
	}
	return best
}

func (r *bruteReplay) end(x *bruteSpan) time.Duration {
	if at, ok := r.ends[x]; ok {
		return at
	}
	if r.busy[x] {
		r.circle = true
		return x.end()
	}
	r.busy[x] = true
	var l last
	for _, s := range r.inside(x) {
		if !r.lost(s) {
			l.add(s.to, r.end(s))
		}
	}
	if !l.there {
		l = last{true, x.from, r.start(x)}
	}
	r.ends[x] = r.after(l, x, x.end()) + r.delay[x]
	return r.ends[x]
}

// wall returns how long the run takes; ok is false if spans wait for each other in a circle.
func (r *bruteReplay) wall() (wall time.Duration, ok bool) { return r.end(r.spans[0]), !r.circle }

func TestSlackAndDragAgreeWithTheDefinition(t *testing.T) {
	n := uint64(1_000)
	if testing.Short() {
		n = 300
	}
	circles, free, dragged := 0, 0, 0
	for seed := range n {
		run := build(t, wild(rand.New(rand.NewPCG(seed, 8))))
		p := critpath.Find(run)
		b := bruteJoin(run)
		if wall, ok := b.replay(nil, 0, nil).wall(); !ok {
			circles++
			continue
		} else if wall != run.Wall {
			t.Fatalf("seed %d: replayed unchanged, the run takes %d, want %d\n%s", seed, wall, run.Wall, tracetest.String(run))
		}
		for i, s := range b.spans {
			if s.out {
				continue
			}
			if wall, _ := b.replay(nil, 0, s.Span).wall(); true {
				if drag, _ := p.Drag(s.Span); drag != run.Wall-wall {
					t.Fatalf("seed %d: drag of %s is %d, without it the run takes %d instead of %d\n%s", seed, s.ID, drag, wall, run.Wall, tracetest.String(run))
				} else if drag > 0 {
					dragged++
				}
			}
			slack, ok := p.Slack(s.Span)
			if !ok {
				if wall, _ := b.replay(s, 1<<50, nil).wall(); wall != run.Wall {
					t.Fatalf("seed %d: slack of %s is unknown, but the run waits for it\n%s", seed, s.ID, tracetest.String(run))
				}
				continue
			}
			for d := range time.Duration(2) {
				if wall, _ := b.replay(b.spans[i], slack+d, nil).wall(); wall != run.Wall+d {
					t.Fatalf("seed %d: %s, whose slack is %d, makes the run take %d instead of %d if it takes %d longer\n%s",
						seed, s.ID, slack, wall, run.Wall, slack+d, tracetest.String(run))
				}
			}
			if slack > 0 {
				free++
			}
		}
	}
	if circles > int(n)/100 || free < int(n)/10 || dragged < int(n)/10 {
		t.Errorf("%d runs went in circles, %d spans had slack, %d a drag", circles, free, dragged)
	}
}
