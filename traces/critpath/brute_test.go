package critpath_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// This is the definition of the path, written for reading: the rules in their order, every candidate found by looking at all
// spans at every step, every ancestor by climbing. It shares nothing with the code under test.

// bruteSpan is a span with its clipped times and the scope it joins.
type bruteSpan struct {
	*traces.Span
	from, to time.Duration
	scope    *bruteSpan
	above    *bruteSpan
	group    *bruteSpan // the background work it is part of
	out      bool
}

type brute struct {
	run   *traces.Run
	spans []*bruteSpan
}

func bruteJoin(run *traces.Run) *brute {
	b := &brute{run: run}
	for _, s := range run.Spans {
		x := &bruteSpan{Span: s, from: s.Start, to: s.End}
		b.spans = append(b.spans, x)
		if s.Parent == nil {
			continue
		}
		x.above = b.spans[s.Parent.Index]
		x.group = x.above.group
		if s.Has(traces.FlagBackground) || is(s, traces.KindConsumer) && is(s.Parent, traces.KindProducer) {
			x.group = x
		}
		if x.above.out || x.to <= x.above.from && x.from < x.above.from {
			x.out = true
			continue
		}
		x.from = max(x.from, x.above.from)
		if is(s, traces.KindServer) && is(s.Parent, traces.KindClient) {
			if x.from >= x.above.to {
				x.out = true
				continue
			}
			x.scope = x.above
		} else {
			for a := x.above; a != nil && x.scope == nil; a = a.above {
				if s.End <= a.End+tol(a) {
					x.scope = a
				}
			}
		}
		if x.scope != nil {
			x.to = min(x.to, x.scope.to)
		}
	}
	return b
}

func is(s *traces.Span, kind traces.Kind) bool {
	roles := map[traces.Kind]traces.Role{traces.KindClient: traces.RoleClient, traces.KindServer: traces.RoleServer,
		traces.KindProducer: traces.RoleProducer, traces.KindConsumer: traces.RoleConsumer}
	return s.Kind == kind || s.Role == roles[kind]
}

func tol(s *bruteSpan) time.Duration { return min(time.Millisecond, (s.End-s.Start)/100) }

// attempts returns the attempts of the model call that s is an attempt of, by start as recorded; none if it is none.
func (b *brute) attempts(s *bruteSpan) []*bruteSpan {
	var list []*bruteSpan
	for _, c := range b.run.ModelCalls {
		if !slices.ContainsFunc(c.Attempts, func(a *traces.Attempt) bool { return a.Span == s.Span }) {
			continue
		}
		for _, a := range c.Attempts {
			if x := b.spans[a.Span.Index]; !x.out {
				list = append(list, x)
			}
		}
	}
	slices.SortFunc(list, func(x, y *bruteSpan) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Index, y.Index))
	})
	return list
}

func before(x, y *bruteSpan) int {
	return cmp.Or(cmp.Compare(x.from, y.from), strings.Compare(x.ID, y.ID), strings.Compare(x.Trace, y.Trace))
}

// lost reports whether s was cancelled while another attempt of its operation ran.
func (b *brute) lost(s *bruteSpan) bool {
	if !s.Has(traces.FlagCancelled) {
		return false
	}
	return slices.ContainsFunc(b.attempts(s), func(o *bruteSpan) bool {
		return !o.Has(traces.FlagCancelled) && o.from < s.to && s.from < o.to
	})
}

// classes of candidates, the better first.
const (
	isDeclared = iota
	isFinished
	isOpen
)

type bruteCandidate struct {
	*bruteSpan
	at    time.Duration
	class int
}

// candidates returns what can have held up x at t.
func (b *brute) candidates(x *bruteSpan, t time.Duration, left *bruteSpan, cut bool) []bruteCandidate {
	var list []bruteCandidate
	add := func(s *bruteSpan, class int) { list = append(list, bruteCandidate{s, min(s.to, t), class}) }
	if left != nil {
		for _, dep := range left.Link {
			s := b.spans[dep.Index]
			if s != left && !s.out && s.from < t && s.from < s.to && (s.group != nil || s.scope == x) {
				add(s, isDeclared)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	var inside []*bruteSpan
	for _, s := range b.spans {
		if s.scope == x && s.group == x.group && s != left && s.from < t && s.from < s.to {
			inside = append(inside, s)
		}
	}
	finished := func(s *bruteSpan) bool { return s.to <= t+tol(x) && !b.lost(s) }
	open := func(s *bruteSpan) bool { return s.to > t+tol(x) }
	for _, s := range inside {
		switch {
		case s.Role == traces.RolePhase, finished(s):
			add(s, isFinished)
		case (cut || x.ID == "@trace") && open(s):
			add(s, isOpen)
		case left != nil && b.streams(inside, s, left, t, tol(x)):
			add(s, isOpen)
		}
	}
	return list
}

// streams reports whether left was started by s while s was going on.
func (b *brute) streams(inside []*bruteSpan, s, left *bruteSpan, t, tolerance time.Duration) bool {
	attempts := b.attempts(left)
	if at := slices.Index(attempts, s); at >= 0 && at < slices.Index(attempts, left) {
		return true
	}
	switch left.Role {
	case traces.RoleTool, traces.RoleAgent:
		if s.Role != traces.RoleModel {
			return false
		}
		for _, c := range b.run.ToolCalls {
			if c.Span == left.Span && c.Call != nil && slices.Contains(c.Call.ToolCallIDs, c.CallID) {
				return c.Call.Span == s.Span
			}
		}
		return s.to > t+tolerance && !slices.ContainsFunc(inside, func(o *bruteSpan) bool {
			return o != s && o.Role == traces.RoleModel && o.to <= t+tolerance && min(o.to, s.to)-max(o.from, s.from) > tolerance
		})
	}
	return false
}

// path returns who held up the run, and when.
func (b *brute) path() []stretch {
	var list []stretch
	emit := func(s *bruteSpan, from, to time.Duration) {
		switch n := len(list); {
		case from == to:
		case n > 0 && list[n-1].Span == s.ID:
			list[n-1].From = from
		default:
			list = append(list, stretch{s.ID, from, to})
		}
	}
	x, left, cut := b.spans[0], (*bruteSpan)(nil), false
	t := x.to
	for {
		list := b.candidates(x, t, left, cut)
		if len(list) > 0 {
			c := slices.MinFunc(list, func(a, b bruteCandidate) int {
				return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.class, b.class), before(a.bruteSpan, b.bruteSpan))
			})
			emit(x, c.at, t)
			x, t, left, cut = c.bruteSpan, c.at, nil, c.at < c.to
			continue
		}
		emit(x, x.from, t)
		if x.above == nil {
			break
		}
		left, t, cut = x, x.from, false
		switch {
		case t < x.above.to, t == x.above.to && x.scope == x.above:
			x = x.above
		case x.scope != nil:
			x = x.scope
		default:
			x = b.spans[0]
		}
	}
	slices.Reverse(list)
	return list
}

// component returns what an instant of the own time of x is booked on.
func (b *brute) component(x *bruteSpan, t time.Duration) traces.Component {
	firstModel := time.Duration(1<<63 - 1)
	for _, s := range b.spans {
		if !s.out && (s.Role == traces.RoleModel || s.Role == traces.RoleAttempt) {
			firstModel = min(firstModel, s.from)
		}
	}
	failed := func(s *bruteSpan) bool {
		return s.Has(traces.FlagFailed) && (s.Role == traces.RoleAttempt || s.Role == traces.RoleModel)
	}
	for a := x; a != nil; a = a.above {
		if failed(a) {
			return traces.Retry
		}
	}
	for _, s := range b.spans {
		if !failed(s) {
			continue
		}
		attempts := b.attempts(s)
		if i := slices.Index(attempts, s); i >= 0 && i+1 < len(attempts) && s.to <= t && t < attempts[i+1].from &&
			x == common(s, attempts[i+1]) {
			return traces.Backoff
		}
	}
	owner := x
	for owner != nil && owner.Role != traces.RoleModel && owner.Role != traces.RoleAttempt && owner.Role != traces.RoleTool {
		owner = owner.above
	}
	early := func() traces.Component {
		if t < firstModel && firstModel < 1<<62 {
			return traces.Startup
		}
		return traces.Agent
	}
	switch {
	case x.ID == "@trace":
		return traces.Untraced
	case x.Role == traces.RoleAgent, x.Role == traces.RoleStep:
		return early()
	case x.Role == traces.RolePhase:
		return x.Phase
	case x.Role == traces.RoleWait:
		switch x.Attrs().String(traces.KeyWait) {
		case "approval":
			return traces.Approval
		case "backoff", "rate_limit":
			return traces.Backoff
		}
		if owner != nil && owner.Role == traces.RoleTool {
			return traces.Tool
		}
		return traces.Agent
	case owner == nil:
		return early()
	case owner.Role == traces.RoleTool:
		return traces.Tool
	}
	return traces.Response
}

// common returns the nearest ancestor of both.
func common(x, y *bruteSpan) *bruteSpan {
	for a := x; a != nil; a = a.above {
		for c := y; c != nil; c = c.above {
			if a == c {
				return a
			}
		}
	}
	return nil
}
