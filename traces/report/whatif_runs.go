package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
	"github.com/seed46266073/longpole/traces/whatif"
)

// whatIfs writes the same plan's answers for several runs: what they have in common, then each.
func (p *page) whatIfs(answers []whatif.Answer) {
	p.line(p.bold("what if"), "  ", traces.FormatCount(len(answers), "run"))
	p.plan(answers[0].Plan)
	p.line()
	p.savings(answers)
	p.section("where the time would go: means of all runs, which add up exactly")
	p.changes(meanChanges(answers), time.Microsecond) // means are rounded so that they add up
	p.section("runs")
	var rows [][]string
	shown, more := capped(answers, runsShown)
	runs := make([]*measure.Run, len(answers))
	for i, a := range answers {
		runs[i] = a.Run
	}
	ids := shortIDs(runs)
	for i, a := range shown {
		rows = append(rows, []string{Clean(title(a.Run)), Clean(ids[i]), p.column(a.Run.Wall), p.column(a.After.Wall), p.difference(a.After.Wall - a.Run.Wall),
			p.percentOf(a.After.Wall-a.Run.Wall, a.Run.Wall), p.span(&a.Low, &a.High)})
	}
	p.table([]column{{head: "run", flex: true}, {head: "id", keep: 1}, {head: "before", right: true}, {head: "after", right: true},
		{head: "change", right: true}, {head: "", right: true, keep: 3}, {head: "range", keep: 2}}, rows)
	p.more(more)
	p.assumed(assumedOf(answers))
}

// savings sums up how much shorter the runs would be.
func (p *page) savings(answers []whatif.Answer) {
	s := savingsOf(answers)
	if s.low == 0 && s.high == 0 {
		p.wrapped("all runs as long as they were", p.bold)
		return
	}
	p.wrapped(fmt.Sprintf("at the median %s; changes from %s to %s", p.saved(s.median, s.wall),
		strings.TrimSpace(p.difference(-s.high)), strings.TrimSpace(p.difference(-s.low))), p.bold)
	longer, same := 0, 0
	for _, a := range answers {
		switch {
		case a.Saved() < 0:
			longer++
		case a.Saved() == 0:
			same++
		}
	}
	if longer+same > 0 {
		p.line(fmt.Sprintf("  %d shorter, %d as long as before, %d longer", len(answers)-longer-same, same, longer))
	}
}

// savings is what a plan saves over several runs.
type savings struct {
	median, low, high time.Duration
	wall              time.Duration // median of the runs as they were
}

func savingsOf(answers []whatif.Answer) savings {
	saved, walls := make([]float64, len(answers)), make([]float64, len(answers))
	for i, a := range answers {
		saved[i], walls[i] = float64(a.Saved()), float64(a.Run.Wall)
	}
	median, _ := stats.Median(saved)
	wall, _ := stats.Median(walls)
	return savings{time.Duration(median), time.Duration(slices.Min(saved)), time.Duration(slices.Max(saved)), time.Duration(wall)}
}

func (p *page) percentOf(d, of time.Duration) string {
	if of <= 0 || d == 0 {
		return ""
	}
	sign := "+"
	if d < 0 {
		sign, d = p.draw("−"), -d
	}
	return sign + Percent(float64(d)/float64(of))
}

// meanChanges returns the mean time of each component before and after.
func meanChanges(answers []whatif.Answer) []change {
	before, after := make([]*measure.Run, len(answers)), make([]*measure.Run, len(answers))
	for i, a := range answers {
		before[i], after[i] = a.Run, a.After
	}
	_, was := measure.Means(before)
	_, is := measure.Means(after)
	return changesIn(func(yield func(traces.Component, time.Duration, time.Duration)) {
		for _, c := range was {
			yield(c.Component, c.Mean, 0)
		}
		for _, c := range is {
			yield(c.Component, 0, c.Mean)
		}
	})
}

// assumedOf returns what was assumed in any run, once, and in how many if not in all.
func assumedOf(answers []whatif.Answer) []string {
	var order []string
	n := map[string]int{}
	for _, a := range answers {
		for _, s := range a.Assumed {
			if n[s] == 0 {
				order = append(order, s)
			}
			n[s]++
		}
	}
	for i, s := range order {
		if n[s] < len(answers) {
			order[i] = fmt.Sprintf("%s (%d of %d runs)", s, n[s], len(answers))
		}
	}
	return order
}

// outlook writes what would help most.
func (p *page) outlook(o *whatif.Outlook, name string) {
	p.line(p.bold("what would help most"), "  ", name, p.draw(" · "), p.bold(p.duration(o.Wall)), onAverage(o.Runs))
	if len(o.Chances) == 0 {
		p.line()
		p.line("  no time passed")
		return
	}
	p.section("if one thing took less time, the run would be shorter by")
	columns := []column{{head: "", flex: true}, {head: "now", right: true}, {head: "if halved", right: true}, {head: "if gone", right: true}, {head: "runs", right: true, keep: 2}, {head: "", keep: 1}}
	columns[4].out = o.Runs < 2
	shown, more := capped(o.Chances, chancesShown)
	longest := time.Duration(1)
	for _, c := range shown {
		longest = max(longest, c.Removed)
	}
	var rows [][]string
	cells := min(max(p.width-62, 8), 50)
	for _, c := range shown {
		n := func(d time.Duration) int { return int(float64(d)/float64(longest)*float64(cells) + 0.5) }
		half := n(c.Halved)
		bar := p.cells(markOf(traces.Component(c.Target.Name)), half) + p.dim(strings.Repeat("_", max(0, n(c.Removed)-half)))
		rows = append(rows, []string{p.target(c.Target), p.column(c.OnPath), p.column(c.Halved), p.column(c.Removed), fmt.Sprint(c.Runs), bar})
	}
	p.table(columns, rows)
	p.more(more)
	p.aside("now: how long the run waits for it; bars: what is saved if it is halved, and _ if it is gone")
	p.remedies(o)
	var lines []whatif.Line
	var knees []whatif.Knee
	for _, c := range shown[:min(curvesShown, len(shown))] {
		if c.Curve != nil {
			lines = append(lines, whatif.Line{Target: c.Target, Points: c.Curve})
		}
		knees = append(knees, c.Knees...)
	}
	p.curves(lines)
	p.knees(knees)
	p.line()
	p.aside("try it: longpole whatif --set '" + Clean(shown[0].Target.String()) + "*0.5'")
}

const (
	chancesShown = 10
	curvesShown  = 4
)

func onAverage(runs int) string {
	if runs < 2 {
		return ""
	}
	return " on average"
}

// remedies writes what else could be had.
func (p *page) remedies(o *whatif.Outlook) {
	if len(o.Remedies) == 0 {
		return
	}
	p.section("or each of these alone")
	columns := []column{{head: "", flex: true}, {head: "the run", right: true}, {head: "runs", right: true}, {head: "", keep: 1}}
	columns[2].out = o.Runs < 2
	var rows [][]string
	for _, r := range o.Remedies {
		label := r.Plan.Labels()[0]
		if len(r.Plan.Edits) > 0 {
			label = "--set " + label
		}
		rows = append(rows, []string{label, p.difference(-r.Saved), fmt.Sprint(r.Runs), remedyMeans[r.Plan.Labels()[0]]})
	}
	p.table(columns, rows)
}

// remedyMeans says in words what the plans of an outlook are.
var remedyMeans = map[string]string{
	"retry=off":        "no attempt fails",
	"wait=cached":      "all input cached",
	"approval=off":     "nobody is asked",
	"--parallel tools": "tools of one message at once",
	"--parallel early": "tools while the message is written",
	"--steps -1":       "one step less",
}
