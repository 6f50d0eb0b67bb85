package join

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// Join returns one run made of the records of the wire and of the agent's spans, by start, each span once, and what was put together, left
// out or found on one side only. The order of the arguments' records carries no meaning, and they are not changed. Records that
// repeat a span count once; records without a span id are left out.
//
// Spans of the agent get the run's id and trace, with a link to the trace they came from, and lie below the run's root where they have
// no parent. Without records of the wire the spans are returned as they are.
func Join(wire, spans []traces.Record) ([]traces.Record, []traces.Problem) {
	nameless := 0
	for _, rec := range slices.Concat(wire, spans) {
		if rec.SpanID == "" {
			nameless++
		}
	}
	var problems []traces.Problem
	if nameless > 0 {
		problems = append(problems, traces.Problem{Code: traces.UnknownSpan, Message: fmt.Sprintf("%d records have no span id and were left out", nameless)})
	}
	wire, spans = traces.Latest(wire), traces.Latest(spans)
	if len(wire) == 0 {
		return sorted(spans), problems
	}
	j := plant(wire, spans)
	j.findCalls()
	j.match()
	matched := j.matches()
	for _, m := range matched {
		j.merge(m)
	}
	j.matchTools()
	j.place(matched)
	return j.records(), append(problems, j.problems(matched)...)
}

// A tally counts what was left out or changed.
type tally struct {
	calls, steps, agents, tools, waits int             // of the wire, left out
	requests, phases                   int             // of the agent, left out
	details                            int             // of the agent, set aside
	cycles                             int             // of parents, cut
	traces                             map[string]bool // the agent's own
}

// problems says what was done.
func (j *joiner) problems(matched []*match) []traces.Problem {
	var problems []traces.Problem
	add := func(code traces.ProblemCode, format string, args ...any) {
		problems = append(problems, traces.Problem{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	t := &j.tally
	left := list(t.calls, "model calls", t.steps, "steps", t.agents, "sub-agents", t.tools, "tool round trips", t.waits, "waits")
	shown := list(t.requests, "requests", t.phases, "phases")
	switch {
	case left != "" && shown != "":
		add(traces.Joined, "left out what the agent's spans and the wire both show: of the wire %s; of the agent %s", left, shown)
	case left != "":
		add(traces.Joined, "left out what the agent's spans and the wire both show: of the wire %s", left)
	case shown != "":
		add(traces.Joined, "left out what the agent's spans and the wire both show: of the agent %s", shown)
	}
	if t.details > 0 {
		add(traces.Joined, "%d spans of the agent are details of its model calls, whose time the wire explains; marked as nothing that is waited for", t.details)
	}
	if n := len(t.traces); n > 0 {
		add(traces.Joined, "the agent's spans came in %d traces of their own; put into the run's, below its root", n)
	}
	if t.cycles > 0 {
		add(traces.ParentCycle, "%d times spans of the agent were each other's parents; cut, and put below the run's root", t.cycles)
	}
	if left := j.unmatched(matched); left != "" {
		add(traces.Unmatched, "only one side shows %s; they stay", left)
	}
	return problems
}

// unmatched lists the calls that one side alone shows, if there are spans of the agent at all.
func (j *joiner) unmatched(matched []*match) string {
	seen := map[*node]bool{}
	calls := len(j.calls)
	for _, m := range matched {
		seen[m.span] = true
		calls -= len(m.calls)
	}
	spans := 0
	for _, n := range j.innermost() {
		if !seen[n] {
			spans++
		}
	}
	if !slices.ContainsFunc(j.nodes, func(n *node) bool { return !n.wire }) {
		return ""
	}
	return list(calls, "model calls of the wire", spans, "model calls of the agent")
}

// list writes down what there is any of, in pairs of a number and a name.
func list(pairs ...any) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		if n := pairs[i].(int); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, pairs[i+1]))
		}
	}
	return strings.Join(parts, ", ")
}
