package report

import (
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
)

// tools lists the tools: how long they ran, how much of that the run waited for, and the least time that one of their calls
// could have taken longer for free.
func (p *page) tools(r *measure.Run) {
	if len(r.Tools) == 0 {
		return
	}
	p.section("tools")
	failed, slack := map[string]int{}, map[string]*time.Duration{}
	for _, c := range r.ToolCalls {
		if c.Outcome.Failed() {
			failed[c.Name]++
		}
		if least := slack[c.Name]; c.Slack != nil && (least == nil || *c.Slack < *least) {
			slack[c.Name] = c.Slack
		}
	}
	var rows [][]string
	shown, more := capped(r.Tools, rowsShown)
	for _, t := range shown {
		name := Clean(t.Name)
		if name == "" {
			name = "(no name)"
		}
		bad := "-"
		if n := failed[t.Name]; n > 0 {
			bad = p.sgr("31", fmt.Sprint(n))
		}
		rows = append(rows, []string{name, fmt.Sprint(t.Calls), bad, p.ran(t), p.column(t.Critical),
			Percent(float64(t.Critical) / float64(max(r.Wall, 1))), p.maybe(slack[t.Name])})
	}
	p.table([]column{{head: "tool", flex: true}, {head: "calls", right: true}, {head: "failed", right: true, keep: 1}, {head: "ran", right: true},
		{head: "waited for", right: true}, {head: "of the run", right: true, keep: 3}, {head: "slack", right: true, keep: 2}}, rows)
	p.more(more)
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
