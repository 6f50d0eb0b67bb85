package join

import (
	"slices"
	"sort"

	"github.com/seed46266073/longpole/traces"
)

// place puts what only the wire shows where it happened among the agent's spans, and removes what the wire inferred and the agent knows:
// steps around its calls, and whatever is empty then.
func (j *joiner) place(matched []*match) {
	for _, m := range matched {
		for _, c := range m.calls {
			if c.span != nil {
				j.dissolve(c.span.parent)
			}
		}
	}
	for _, c := range j.calls {
		if top := c.facts(); !top.gone && !slices.ContainsFunc(c.attempts, func(a *attempt) bool { return a.model != nil }) {
			j.alone(c, top)
		}
	}
	for _, n := range j.nodes {
		if p := n.parent; n.wire && !n.gone && p != nil && (p == j.root || p.gone && p.heir == nil) {
			n.move(j.host(n))
		}
	}
	j.sweep()
}

// dissolve takes a step of the wire away.
func (j *joiner) dissolve(step *node) {
	if step != nil && step.wire && step.role == traces.RoleStep && !step.gone {
		step.giveWay(nil)
		j.tally.steps++
	}
}

// alone places a call that the agent has no span of. Its step goes if it lies in one of the agent's.
func (j *joiner) alone(c *call, top *node) {
	for _, a := range c.attempts {
		if a.request == nil && a.role == traces.RoleAttempt {
			a.request = pick(j.loose(a), a)
		}
		if r := a.request; r != nil && !r.gone {
			c.near = r.parent
			j.replace(a)
		}
	}
	where := c.near
	if where == nil {
		where = j.host(top)
	}
	step := top.parent
	inStep := false
	for p := where; p != nil; p = p.parent {
		inStep = inStep || p.role == traces.RoleStep && !p.wire
	}
	if c.near != nil || inStep {
		j.dissolve(step)
		top.move(where)
	}
}

// loose returns the agent's spans of requests outside of any model call that began when the attempt did.
func (j *joiner) loose(a *attempt) []*node {
	if j.requests == nil {
		j.requests = []*node{}
		for _, n := range j.nodes {
			if n.isRequest() && n.model == nil {
				j.requests = append(j.requests, n)
			}
		}
		slices.SortFunc(j.requests, earlier)
	}
	from := sort.Search(len(j.requests), func(i int) bool { return j.requests[i].from() >= a.from()-tolerance })
	to := sort.Search(len(j.requests), func(i int) bool { return j.requests[i].from() > a.from()+tolerance })
	return j.requests[from:to]
}

// host returns the innermost span of the agent in which a span of the wire can have happened, the root if there is none. Where several
// overlap it follows the one that ends last, as the critical path does.
func (j *joiner) host(n *node) *node {
	side, _ := n.rec.Attrs.Bool(traces.KeySide)
	top := j.root
	for {
		var best *node
		for _, k := range top.kids {
			holds := k.model == nil && (side && k.role == traces.RoleTool || holds(k.role))
			if !k.wire && !k.gone && holds && k.covers(n.from(), n.to()) && (best == nil || k.to() > best.to()) {
				best = k
			}
		}
		if best == nil {
			return top
		}
		top = best
	}
}

// holds reports whether calls are made in spans of a role.
func holds(role traces.Role) bool {
	switch role {
	case traces.RoleModel, traces.RoleAttempt, traces.RolePhase, traces.RoleWait, traces.RoleTool:
		return false
	}
	return true
}

// sweep removes steps and sub-agents of the wire that hold nothing any more.
func (j *joiner) sweep() {
	used := map[*node]bool{}
	for _, n := range slices.Backward(j.nodes) { // what is inside first
		if n.gone {
			continue
		}
		if n.wire && n != j.root && len(n.kids) > 0 && !used[n] && (n.role == traces.RoleStep || n.role == traces.RoleAgent) {
			n.giveWay(nil)
			if n.role == traces.RoleStep {
				j.tally.steps++
			} else {
				j.tally.agents++
			}
			continue
		}
		used[n.parent] = true
	}
}
