package join

import (
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// A joiner holds the spans of both sources as one tree below the run's root.
type joiner struct {
	root  *node
	nodes []*node       // parents before children, siblings by start
	index map[key]*node // by every id under which a span is known
	calls []*call       // of the wire, by start
	tally tally

	// Of the agent's spans:
	responses map[string][]*node // model spans by the id of their response, parents first
	requests  []*node            // HTTP requests outside of model spans, by start; nil: not listed yet
}

// plant makes the tree. wire holds at least one record.
func plant(wire, spans []traces.Record) *joiner {
	j := &joiner{index: map[key]*node{}}
	var nodes, fresh []*node
	add := func(rec traces.Record, wire bool) *node {
		n := &node{rec: rec, wire: wire, role: rec.Role()}
		n.nameTraces()
		nodes = append(nodes, n)
		j.index[key{rec.TraceID, rec.SpanID}] = n
		return n
	}
	for _, rec := range wire {
		add(rec, true)
	}
	j.root = rootOf(nodes)
	j.root.role = traces.RoleAgent
	for _, n := range nodes {
		j.recall(n)
	}
	for _, rec := range sorted(spans) {
		if j.index[key{rec.TraceID, rec.SpanID}] == nil {
			fresh = append(fresh, add(rec, false))
		}
	}
	j.connect(nodes, fresh)
	for _, n := range fresh {
		j.take(n)
		if n.parent == j.root && n.role == traces.RoleAgent {
			j.describe(n)
		}
	}
	j.order(nodes)
	return j
}

// describe gives the root what an agent's outermost span says of the run as a whole, where the wire does not know it.
func (j *joiner) describe(n *node) {
	for _, a := range n.rec.Attrs {
		switch known := j.root.text(a.Key); {
		case a.Key == traces.KeyOutcome && known == string(traces.OutcomeUnknown):
		case known != "" || a.Key != traces.KeyOutcome && a.Key != traces.KeyAnswerCheck && !strings.HasPrefix(a.Key, traces.KeyGroupPrefix):
			continue
		}
		j.root.set(a.Key, a.Value)
	}
}

// recall recognises a span of the agent that was joined before: it has the run's id, as else only the root has.
func (j *joiner) recall(n *node) {
	if n == j.root {
		return
	}
	if id := n.text(traces.KeyRunID); id != "" && id == j.root.text(traces.KeyRunID) {
		n.wire = false
	}
	for _, l := range n.rec.Links {
		if origin, _ := l.Attrs.Bool(traces.KeyOrigin); origin {
			j.index[key{l.TraceID, l.SpanID}] = n
		}
	}
}

// nameTraces completes links that leave out the trace, meaning the span's own.
func (n *node) nameTraces() {
	for i, l := range n.rec.Links {
		if l.TraceID == "" {
			n.rec.Links = slices.Clone(n.rec.Links)
			n.rec.Links[i].TraceID = n.rec.TraceID
		}
	}
}

// rootOf returns the run's root: an agent's span without a parent if there is one, the earliest.
func rootOf(wire []*node) *node {
	return slices.MinFunc(wire, func(a, b *node) int {
		rank := func(n *node) int {
			switch {
			case n.rec.ParentID != "":
				return 2
			case n.role != traces.RoleAgent:
				return 1
			}
			return 0
		}
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		return earlier(a, b)
	})
}

// connect finds the parents. Spans of the agent without one lie below the root, the only span of the wire that agents know.
func (j *joiner) connect(nodes, fresh []*node) {
	slices.SortFunc(nodes, earlier)
	for _, n := range nodes {
		if n != j.root && n.rec.ParentID != "" {
			n.parent = j.index[key{n.rec.TraceID, n.rec.ParentID}]
		}
		if !n.wire && n.parent == nil {
			n.parent = j.root
		}
	}
	for _, n := range fresh {
		if n.parent.wire {
			n.parent = j.root
		}
	}
	for _, n := range nodes {
		if n.parent != nil {
			n.parent.kids = append(n.parent.kids, n)
		}
	}
}

// take brings a span of the agent into the run's trace, with a link to where it came from, and gives it the run's id.
func (j *joiner) take(n *node) {
	if id := j.root.text(traces.KeyRunID); id != "" {
		n.set(traces.KeyRunID, id)
	}
	from, to := key{n.rec.TraceID, n.rec.SpanID}, key{j.root.rec.TraceID, n.rec.SpanID}
	if from.trace == to.trace {
		return
	}
	for j.index[to] != nil { // ids are unique within a trace only
		to.id += "." + from.trace
	}
	if j.tally.traces == nil {
		j.tally.traces = map[string]bool{}
	}
	j.tally.traces[from.trace] = true
	n.rec.TraceID, n.rec.SpanID = to.trace, to.id
	j.index[to] = n
	n.rec.Links = append(slices.Clone(n.rec.Links),
		traces.Link{TraceID: from.trace, SpanID: from.id, Attrs: traces.Attrs{{Key: traces.KeyOrigin, Value: true}}})
}

// order lists the nodes from the root down, and cuts cycles of parents.
func (j *joiner) order(nodes []*node) {
	seen := make(map[*node]bool, len(nodes))
	down := func(top *node) {
		first := len(j.nodes)
		seen[top] = true
		j.nodes = append(j.nodes, top)
		for i := first; i < len(j.nodes); i++ {
			n := j.nodes[i]
			n.model = modelOf(n)
			for _, k := range n.kids {
				if !seen[k] {
					seen[k] = true
					j.nodes = append(j.nodes, k)
				}
			}
		}
	}
	down(j.root)
	for _, n := range nodes { // by start
		if n.parent == nil && !seen[n] {
			down(n)
		}
	}
	for _, n := range nodes {
		if !seen[n] {
			down(j.cut(n))
		}
	}
}

// cut breaks the cycle of parents above n at its earliest member, and returns that.
func (j *joiner) cut(n *node) *node {
	passed := map[*node]bool{}
	for ; !passed[n]; n = n.parent {
		passed[n] = true
	}
	first := n
	for k := n.parent; k != n; k = k.parent {
		if earlier(k, first) < 0 {
			first = k
		}
	}
	first.parent.kids = slices.DeleteFunc(first.parent.kids, func(k *node) bool { return k == first })
	first.parent = nil
	if !first.wire {
		first.parent, first.moved = j.root, true
		j.root.kids = append(j.root.kids, first)
		j.tally.cycles++
	}
	return first
}

// modelOf returns the nearest model span at or above n, unless the world of another one begins between.
func modelOf(n *node) *node {
	switch {
	case n.role == traces.RoleModel:
		return n
	case n.role == traces.RoleAgent || n.role == traces.RoleStep || n.role == traces.RoleTool || n.parent == nil:
		return nil
	}
	return n.parent.model
}

// outer returns the model span around a model span that may show the same call.
func (n *node) outer() *node {
	if n.parent == nil {
		return nil
	}
	return n.parent.model
}

// records returns what is left, by start, with the ids of the new parents.
func (j *joiner) records() []traces.Record {
	var out []traces.Record
	for _, n := range j.nodes {
		if n.gone {
			continue
		}
		if p := n.above(); p != nil && (n.moved || p != n.parent || !n.wire) {
			n.rec.ParentID = p.rec.SpanID
		}
		n.rec.Links = j.links(n)
		out = append(out, n.rec)
	}
	return sorted(out)
}

// links returns the links of a span, pointing to where their targets are now.
func (j *joiner) links(n *node) []traces.Link {
	if len(n.rec.Links) == 0 {
		return nil
	}
	links := slices.Clone(n.rec.Links)
	for i, l := range links {
		to := j.index[key{l.TraceID, l.SpanID}]
		if origin, _ := l.Attrs.Bool(traces.KeyOrigin); origin || to == nil {
			continue
		}
		for to.gone && to.heir != nil {
			to = to.heir
		}
		links[i].TraceID, links[i].SpanID = to.rec.TraceID, to.rec.SpanID
	}
	return links
}

// sorted returns records by start.
func sorted(records []traces.Record) []traces.Record {
	slices.SortFunc(records, func(a, b traces.Record) int { return earlierRecord(&a, &b) })
	return records
}
