package join

import (
	"cmp"
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// A match is one model call that both sources show. Mostly it is one call of the wire and one span of the agent; the agent may have a
// span for each attempt, and the wire may not know that two calls are attempts of one.
type match struct {
	span     *node   // the agent's span that stands for the call
	models   []*node // the agent's spans that attempts are part of
	calls    []*call // by start
	attempts []*attempt
}

// matches puts together what was matched.
func (j *joiner) matches() []*match {
	of := map[*node]*match{}
	var list []*match
	for _, c := range j.calls {
		var m *match
		for _, a := range c.attempts {
			if a.model == nil {
				continue
			}
			other := of[a.model]
			switch {
			case m == nil && other == nil:
				m = &match{}
				list = append(list, m)
			case m == nil:
				m = other
			case other != nil && other != m:
				for _, n := range other.models {
					of[n] = m
				}
				m.models, m.calls, m.attempts = append(m.models, other.models...), append(m.calls, other.calls...), append(m.attempts, other.attempts...)
				*other = match{}
			}
			if of[a.model] == nil {
				of[a.model] = m
				m.models = append(m.models, a.model)
			}
		}
		if m != nil {
			m.calls, m.attempts = append(m.calls, c), append(m.attempts, c.attempts...)
		}
	}
	list = slices.DeleteFunc(list, func(m *match) bool { return len(m.calls) == 0 })
	single := j.single(of)
	for _, m := range list {
		slices.SortFunc(m.calls, func(a, b *call) int { return earlier(a.attempts[0].node, b.attempts[0].node) })
		slices.SortFunc(m.attempts, func(a, b *attempt) int { return earlier(a.node, b.node) })
		for _, a := range m.attempts {
			m.span = cmp.Or(a.model, m.span)
		}
		for out := m.span.outer(); out != nil && single[out] == m && sameModel(m.span, out); out = out.outer() {
			m.span = out
		}
	}
	return list
}

// single returns, for the agent's model spans that hold others, the match that all calls in them belong to; none where they hold
// several calls, and so are none themselves.
func (j *joiner) single(of map[*node]*match) map[*node]*match {
	several := &match{}
	single := map[*node]*match{}
	note := func(n *node, m *match) {
		if before := single[n]; before == nil {
			single[n] = m
		} else if before != m {
			single[n] = several
		}
	}
	for _, n := range slices.Backward(j.nodes) { // what is inside first
		if n.role != traces.RoleModel || n.wire || n.text(traces.KeyOperation) == "embeddings" {
			continue
		}
		if m := of[n]; m != nil {
			note(n, m)
		} else if single[n] == nil && !n.failed() {
			note(n, several) // an answered call that the wire does not show
		}
		if m, out := single[n], n.outer(); m != nil && out != nil {
			note(out, m)
		}
	}
	return single
}
