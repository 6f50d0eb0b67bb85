package join

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// A call is a model call as the wire shows it.
type call struct {
	span     *node      // nil where only its attempts are there, or where it has given way before
	attempts []*attempt // by start; a call without any counts as its own only one
	near     *node      // the span of the agent that it was made in, where that is known but is no model span
}

// An attempt is one request of a call.
type attempt struct {
	*node
	model   *node // the agent's model span that it is part of; nil: not known
	request *node // the agent's span of the same request; nil: not known
}

// findCalls lists the calls of the wire.
func (j *joiner) findCalls() {
	byModel := map[*node]*call{}
	add := func(span *node) *call {
		c := &call{span: span}
		j.calls = append(j.calls, c)
		return c
	}
	for _, n := range j.nodes { // parents first
		switch {
		case !n.wire:
		case n.role == traces.RoleModel:
			byModel[n] = add(n)
		case n.role == traces.RoleAttempt:
			a, c := &attempt{node: n}, byModel[n.model]
			if c == nil {
				c = add(nil)
			}
			if n.model != nil && !n.model.wire { // joined before
				byModel[n.model], a.model = c, n.model
			}
			c.attempts = append(c.attempts, a)
		}
	}
	for _, c := range j.calls {
		if len(c.attempts) == 0 {
			c.attempts = []*attempt{{node: c.span}}
		}
		slices.SortFunc(c.attempts, func(a, b *attempt) int { return earlier(a.node, b.node) })
	}
	slices.SortFunc(j.calls, func(a, b *call) int { return earlier(a.attempts[0].node, b.attempts[0].node) })
}

// final returns the attempt whose answer counts: the last that succeeded, else the last.
func (c *call) final() *attempt {
	for _, a := range slices.Backward(c.attempts) {
		if !a.failed() {
			return a
		}
	}
	return c.attempts[len(c.attempts)-1]
}

// facts returns the span that says what was asked for and answered.
func (c *call) facts() *node { return cmp.Or(c.span, c.final().node) }

// A claims is which call each model span of the agent belongs to.
type claims map[*node]*call

// match finds the agent's model span of each attempt.
func (j *joiner) match() {
	claimed := claims{}
	j.matchParents(claimed)
	j.matchResponses(claimed)
	j.matchTimes(claimed)
}

// matchParents follows the traceparent of requests.
func (j *joiner) matchParents(claimed claims) {
	answered := map[*node]int{} // how many calls that went well name a model span
	for _, c := range j.calls {
		for _, a := range c.attempts {
			named := j.named(a)
			for n := named; n != nil && !n.wire && n.role != traces.RoleModel && a.request == nil; n = n.parent {
				if n.isRequest() {
					a.request = n
				}
			}
			switch {
			case named == nil || a.model != nil:
				continue
			case named.model == nil:
				c.near = named
				continue
			}
			a.model = named.model
			if claimed[a.model] != c && !c.final().failed() {
				answered[a.model]++
			}
			claimed[a.model] = c
		}
	}
	for _, c := range j.calls {
		for _, a := range c.attempts {
			if answered[a.model] > 1 { // it holds several calls, so it is none
				a.model.become(traces.RoleInternal)
				delete(claimed, a.model)
				c.near, a.model = a.model, nil
			}
		}
	}
}

// named returns the span of the agent that the request of an attempt names as its parent, nil if it is not there.
func (j *joiner) named(a *attempt) *node {
	fields := strings.Split(a.text(traces.KeyTraceparent), "-")
	if len(fields) < 4 {
		return nil
	}
	for i, digits := range []int{2, 32, 16} { // W3C Trace Context, section 3.2.2
		if _, err := hex.DecodeString(fields[i]); err != nil || len(fields[i]) != digits {
			return nil
		}
	}
	n := j.index[key{strings.ToLower(fields[1]), strings.ToLower(fields[2])}]
	if n == nil || n.wire {
		return nil
	}
	return n
}

// matchResponses compares the ids of responses. Of spans within each other the innermost is taken.
func (j *joiner) matchResponses(claimed claims) {
	j.responses = map[string][]*node{}
	for _, n := range j.nodes { // parents first
		if id := n.text(traces.KeyResponseID); id != "" && !n.wire && n.role == traces.RoleModel {
			j.responses[id] = append(j.responses[id], n)
		}
	}
	for _, c := range j.calls {
		var inner *node
		for _, n := range j.responses[c.facts().text(traces.KeyResponseID)] {
			if inner == nil || n.below(inner) {
				inner = n
			}
		}
		if a := c.final(); inner != nil && a.model == nil && (claimed[inner] == nil || claimed[inner] == c) {
			a.model = inner
			claimed[inner] = c
		}
	}
}

// matchTimes gives each attempt that is left the model span in whose time it began.
func (j *joiner) matchTimes(claimed claims) {
	spans := j.innermost()
	last := map[*node]*attempt{} // the last attempt in each span
	type pair struct {
		*attempt
		call *call
	}
	var attempts []pair
	for _, c := range j.calls {
		for _, a := range c.attempts {
			attempts = append(attempts, pair{a, c})
		}
	}
	slices.SortFunc(attempts, func(a, b pair) int { return earlier(a.node, b.node) })
	var about []*node // spans that attempts may be in by now
	for _, a := range attempts {
		for len(spans) > 0 && spans[0].from()-tolerance <= a.from() {
			about = append(about, spans[0])
			spans = spans[1:]
		}
		about = slices.DeleteFunc(about, func(n *node) bool { return n.to() < a.from()-tolerance })
		if a.model == nil {
			a.model = best(about, a.attempt, a.call, claimed, last)
		}
		if a.model != nil {
			last[a.model] = a.attempt
			if claimed[a.model] == nil {
				claimed[a.model] = a.call
			}
		}
	}
}

// innermost returns the agent's model spans with no other one of the same call inside, by start.
func (j *joiner) innermost() []*node {
	holds := map[*node]bool{}
	var spans []*node
	for _, n := range j.nodes {
		if n.role == traces.RoleModel && !n.wire && n.text(traces.KeyOperation) != "embeddings" {
			spans = append(spans, n)
			holds[n.outer()] = true
		}
	}
	spans = slices.DeleteFunc(spans, func(n *node) bool { return holds[n] })
	slices.SortFunc(spans, earlier)
	return spans
}

// best returns the span that an attempt is part of. One that surely holds it comes before one that does by the tolerance only, and one
// that holds an earlier attempt of the same call before one that no call has; of several the first. Last comes a span whose call
// failed before, which this attempt then repeats.
func best(spans []*node, a *attempt, c *call, claimed claims, last map[*node]*attempt) *node {
	var free, beside, own, late, retried *node
	for _, n := range spans {
		if !n.covers(a.from(), a.from()) || !sameModel(n, c.facts()) {
			continue
		}
		surely := n.from() <= a.from() && a.from()+tolerance <= n.to()
		switch owner, before := claimed[n], last[n]; {
		case owner == c && surely:
			return n
		case owner == c:
			own = cmp.Or(own, n)
		case owner == nil && surely:
			free = cmp.Or(free, n)
		case owner == nil && n.from() >= a.from()-tolerance: // they begin together
			beside = cmp.Or(beside, n)
		case owner == nil:
			late = cmp.Or(late, n)
		case before != nil && before.failed() && before.to() <= a.from():
			retried = cmp.Or(retried, n)
		}
	}
	return cmp.Or(free, beside, own, late, retried)
}
