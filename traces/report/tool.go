package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// tools lists the tools: how long they ran, and how much of that the run waited for.
func (p *page) tools(r *measure.Run) {
	if len(r.Tools) == 0 {
		return
	}
	p.section("tools")
	failed := map[string]int{}
	for _, c := range r.ToolCalls {
		if c.Outcome.Failed() {
			failed[c.Name]++
		}
	}
	var rows [][]string
	shown, more := capped(r.Tools, rowsShown)
	for _, t := range shown {
		bad := "-"
		if n := failed[t.Name]; n > 0 {
			bad = p.sgr("31", fmt.Sprint(n))
		}
		rows = append(rows, []string{toolName(t.Name), fmt.Sprint(t.Calls), bad, p.ran(t), p.column(t.Critical),
			Percent(float64(t.Critical) / float64(max(r.Wall, 1)))})
	}
	p.table([]column{{head: "tool", flex: true}, {head: "calls", right: true}, {head: "failed", right: true, keep: 1}, {head: "ran", right: true},
		{head: "waited for", right: true}, {head: "of the run", right: true, keep: 3}}, rows)
	p.more(more)
	if slices.ContainsFunc(shown, func(t measure.ToolTime) bool { return t.Run != nil && t.Measured == t.Calls && t.Critical > *t.Run }) {
		p.aside("ran: execution alone; waited for: the calls with all that the trace shows around it")
	}
	p.mayWait(r)
}

// mayWait warns of round trips so long that a person may have been asked in them.
func (p *page) mayWait(r *measure.Run) {
	calls, names := 0, map[string]bool{}
	for _, c := range r.ToolCalls {
		if wait, _ := c.Span.Attrs().Bool(traces.KeyMayWait); wait {
			calls++
			names[toolName(c.Name)] = true
		}
	}
	if calls > 0 {
		p.aside(fmt.Sprintf("%s of %s took so long that a person's time may be in it", traces.FormatCount(calls, "call"),
			and(slices.SortedFunc(maps.Keys(names), stats.Natural))))
	}
}

// ran is how long the measured calls executed, said to be incomplete where it is.
func (p *page) ran(t measure.ToolTime) string {
	switch {
	case t.Run == nil:
		return unknown
	case t.Measured < t.Calls:
		return "over " + p.duration(*t.Run)
	}
	return p.duration(*t.Run)
}

// free lists the tool calls that could have lasted longest beyond what they did without lengthening the run: no gain lies in
// making these faster.
func (p *page) free(r *measure.Run) {
	var calls []measure.ToolCall
	for _, c := range r.ToolCalls {
		if slack := c.Slack(); slack != nil && *slack > 0 {
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		return
	}
	slices.SortStableFunc(calls, func(a, b measure.ToolCall) int { return cmp.Compare(*b.Slack(), *a.Slack()) })
	p.section("could take longer for free")
	var rows [][]string
	shown, more := capped(calls, 8)
	for _, c := range shown {
		rows = append(rows, []string{p.column(c.Span.Start), p.maybe(c.Run), p.column(*c.Slack()), toolName(c.Name), cmp.Or(stepNumber(c.Step), unknown)})
	}
	p.table([]column{{head: "at", right: true}, {head: "ran", right: true}, {head: "longer by", right: true}, {head: "tool", flex: true},
		{head: "step", right: true}}, rows)
	p.more(more)
}

func toolName(name string) string { return cmp.Or(Clean(name), "(no name)") }
