package join

import (
	"cmp"
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// merge makes one call of a match.
func (j *joiner) merge(m *match) {
	s := m.span
	j.hideTwins(m)
	for _, c := range m.calls {
		if c.span != nil {
			s.adopt(c)
		}
	}
	m.countFromSent()
	for _, n := range m.models { // the agent's spans of single attempts are part of the call now
		if !n.below(s) && !s.below(n) {
			n.move(s)
		}
		for ; n != s && n.below(s); n = n.above() {
			n.become(traces.RoleInternal)
		}
	}
	requests := m.requests()
	for _, a := range m.attempts {
		if a.role != traces.RoleAttempt {
			continue // a call without any
		}
		if !a.below(s) {
			a.move(a.modelOr(s))
		}
		a.set(traces.KeyOp, s.rec.SpanID)
		if a.request == nil {
			a.request = cmp.Or(pick(requests, a), pick(j.loose(a), a))
		}
		j.replace(a)
	}
	for _, c := range m.calls {
		if c.span != nil {
			c.span.giveWay(s)
			j.tally.calls++
		}
	}
	path := m.fit(requests)
	for n := range path {
		j.details(n, m, path)
	}
	for p := s.above(); p != nil && p != j.root && p.rec.Start > s.rec.Start; p = p.above() {
		p.rec.Start = s.rec.Start // the call may have begun with attempts that the agent did not record
	}
}

// hideTwins takes the agent's spans of the same response elsewhere for the same call, seen by another library.
func (j *joiner) hideTwins(m *match) {
	for _, c := range m.calls {
		for _, n := range j.responses[c.facts().text(traces.KeyResponseID)] {
			if n.role == traces.RoleModel && !n.below(m.span) && !m.span.below(n) && !slices.Contains(m.models, n) {
				n.become(traces.RoleInternal)
				n.setAside()
				j.tally.details++
			}
		}
	}
}

// modelOr returns the agent's span that the attempt lies below, at the least the call's.
func (a *attempt) modelOr(s *node) *node {
	if a.model != nil && a.model.below(s) {
		return a.model
	}
	return s
}

// adopt takes over what the wire knows of the call.
func (n *node) adopt(c *call) {
	attrs := slices.Clone(n.rec.Attrs)
	for _, a := range c.span.rec.Attrs {
		switch a.Key {
		case traces.KeyRole, traces.KeyOperation, traces.KeyOutcome, traces.KeyErrorType, traces.KeyCheckpoint, traces.KeyOpen:
			continue
		case traces.KeyProvider, traces.KeyAgentName, traces.KeyConversation:
			if attrs.Has(a.Key) {
				continue // the agent knows better
			}
		}
		attrs = attrs.With(a.Key, a.Value)
	}
	n.rec.Attrs = attrs
	n.rec.Links = slices.Concat(n.rec.Links, c.span.rec.Links)
}

// countFromSent turns the time to the first chunk, if only the agent knows it, into what it says of ours: the time since the
// request was sent. The agent counts from the start of its span.
func (m *match) countFromSent() {
	s, last := m.span, m.calls[len(m.calls)-1]
	ttft, ok := s.rec.Attrs.Float(traces.KeyTTFT)
	if !ok || slices.ContainsFunc(m.calls, func(c *call) bool { return c.span == nil || c.span.rec.Attrs.Has(traces.KeyTTFT) }) {
		return
	}
	final := last.final()
	sent, _ := final.rec.Attrs.Int(traces.KeySentTime)
	ttft -= float64(final.from()+sent-s.from()) / 1e9
	attrs := slices.DeleteFunc(slices.Clone(s.rec.Attrs), func(a traces.Attr) bool { return a.Key == traces.KeyTTFT })
	if ttft >= 0 {
		attrs = attrs.With(traces.KeyTTFT, ttft)
	}
	s.rec.Attrs = attrs
}

// requests returns the agent's spans of single requests in the call, the innermost ones, by start; also its spans of attempts that the
// wire does not show.
func (m *match) requests() []*node {
	var list []*node
	var walk func(*node) bool
	walk = func(n *node) bool {
		found := false
		for _, k := range n.kids {
			if !k.wire && !k.gone && k.model != nil && k.model.below(m.span) {
				found = walk(k) || found
			}
		}
		if !found && (n.isRequest() || n.role == traces.RoleModel && n != m.span) {
			list = append(list, n)
			found = true
		}
		return found
	}
	walk(m.span)
	for _, n := range m.models {
		walk(n)
	}
	slices.SortFunc(list, earlier)
	return slices.Compact(list)
}

// pick returns the first of the spans that shows the request of an attempt, by its status and by time, and that no other one took.
func pick(requests []*node, a *attempt) *node {
	status, known := a.rec.Attrs.Int(traces.KeyHTTPStatus)
	var near *node
	for _, r := range requests {
		s, ok := r.rec.Attrs.Int(traces.KeyHTTPStatus)
		switch {
		case r.gone || !r.isRequest() || !r.covers(a.from(), a.from()) || ok && known && s != status:
		case r.from() <= a.from() && a.from() < r.to():
			return r
		case near == nil:
			near = r
		}
	}
	return near
}

// replace lets the agent's span of a request give way to the attempt.
func (j *joiner) replace(a *attempt) {
	r := a.request
	if r == nil || r.gone {
		return
	}
	r.giveWay(a.node)
	j.tally.requests++
	for p := r.parent; p != nil && p.role != traces.RoleModel && !p.wire; p = p.parent {
		if p.isRequest() {
			p.become(traces.RoleInternal) // the same request once more
		}
	}
}

// An interval is a stretch of time.
type interval struct{ from, to int64 }

// fit gives the call, and the spans between it and its attempts, the times of these; it returns them.
func (m *match) fit(requests []*node) map[*node]interval {
	path := map[*node]interval{}
	add := func(n *node) {
		if n.gone || n == m.span || !n.below(m.span) {
			return
		}
		for p := n.above(); ; p = p.above() {
			i, ok := path[p]
			if !ok {
				i = interval{n.from(), n.to()}
			}
			path[p] = interval{min(i.from, n.from()), max(i.to, n.to())}
			if p == m.span {
				return
			}
		}
	}
	for _, a := range m.attempts {
		if a.role == traces.RoleAttempt {
			add(a.node)
		}
	}
	for _, r := range requests {
		add(r)
	}
	for n, i := range path {
		if n.wire {
			continue
		}
		n.rec.Start = i.from
		if i.to != open {
			n.rec.End = i.to
		}
	}
	return path
}

// details looks at what else the agent recorded in a span of the call. The wire explains that time: the agent's phases are left out, and
// for other details nothing waits. Tools and other work go beside the call, and so does what its times no longer hold.
func (j *joiner) details(n *node, m *match, path map[*node]interval) {
	call := m.span
	for _, k := range n.kids {
		if _, between := path[k]; between || k.wire {
			continue
		}
		outside := k.to() <= call.from() || k.from() >= call.to()
		switch {
		case k.gone: // a request
			j.details(k, m, path)
		case k.role == traces.RolePhase:
			k.giveWay(n)
			j.tally.phases++
		case k.isRequest() || k.role == traces.RoleModel: // an attempt that the wire does not show
		case k.role == traces.RoleWait && !outside:
		case isWork(k) || outside:
			k.move(call.parent)
		default:
			k.setAside()
			j.tally.details++
			j.details(k, m, path)
		}
	}
}

// isWork reports whether a span is something of its own, not a detail of what is around it.
func isWork(n *node) bool {
	switch n.role {
	case traces.RoleAgent, traces.RoleStep, traces.RoleTool, traces.RoleWait:
		return true
	}
	return false
}
