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
	idle := idleOf(answers)
	p.idle(idle)
	p.section("where the time would go: means of all runs, which add up exactly")
	p.changes(meanChanges(answers), time.Microsecond) // means are rounded so that they add up
	if targets, bends := bendsOf(answers); len(targets) > 0 {
		p.line()
		for i, t := range targets {
			p.bend(t, bends[i], len(answers))
		}
	}
	p.section("runs")
	var rows [][]string
	shown, more := capped(answers, runsShown)
	runs := make([]*measure.Run, len(answers))
	for i, a := range answers {
		runs[i] = a.Run
	}
	ids := shortIDs(runs)
	ranges := false
	for i, a := range shown {
		between := ""
		if p.duration(a.Low) != p.duration(a.High) {
			between, ranges = p.span(&a.Low, &a.High), true
		}
		rows = append(rows, []string{Clean(title(a.Run)), Clean(ids[i]), p.column(a.Run.Wall), p.column(a.After.Wall), p.difference(a.After.Wall - a.Run.Wall),
			p.percentOf(a.After.Wall-a.Run.Wall, a.Run.Wall), between})
	}
	p.table([]column{{head: "run", flex: true}, {head: "id", keep: 1}, {head: "before", right: true}, {head: "after", right: true},
		{head: "change", right: true}, {head: "", right: true, keep: 3}, {head: "range", keep: 2, out: !ranges}}, rows)
	p.more(more)
	p.assumed(without(assumedOf(answers), idle))
}

// savings sums up how much shorter the runs would be.
func (p *page) savings(answers []whatif.Answer) {
	s := savingsOf(answers)
	if s.low == 0 && s.high == 0 {
		p.wrapped("all runs as long as they were", p.bold)
		return
	}
	p.line("  ", p.bold(p.duration(s.before)+p.draw(" → ")+p.duration(s.after)), " on average   ", p.saved(s.before-s.after, s.before))
	p.wrapped(fmt.Sprintf("at the median %s; changes from %s to %s", p.saved(s.median, s.wall),
		strings.TrimSpace(p.difference(-s.high)), strings.TrimSpace(p.difference(-s.low))), asIs)
	p.wrapped(p.bounds(s.least, s.most, answers[0].Plan), asIs)
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
	before, after     time.Duration // means
	least, most       time.Duration // means of the ends of the ranges
}

func savingsOf(answers []whatif.Answer) savings {
	saved, walls, lows, highs := make([]float64, len(answers)), make([]float64, len(answers)), 0.0, 0.0
	for i, a := range answers {
		saved[i], walls[i] = float64(a.Saved()), float64(a.Run.Wall)
		lows, highs = lows+float64(a.Low), highs+float64(a.High)
	}
	median, _ := stats.Median(saved)
	wall, _ := stats.Median(walls)
	before, after := asWere(answers)
	was, _ := measure.Means(before)
	is, _ := measure.Means(after)
	n := float64(len(answers))
	return savings{
		median: time.Duration(median), low: time.Duration(slices.Min(saved)), high: time.Duration(slices.Max(saved)), wall: time.Duration(wall),
		before: was, after: is, least: time.Duration(lows / n), most: time.Duration(highs / n),
	}
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
	before, after := asWere(answers)
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

// asWere returns the runs of answers, and as they would be.
func asWere(answers []whatif.Answer) (before, after []*measure.Run) {
	for _, a := range answers {
		before, after = append(before, a.Run), append(after, a.After)
	}
	return before, after
}

// idleOf returns what edits change nothing in any run.
func idleOf(answers []whatif.Answer) []string {
	list := answers[0].Idle
	for _, a := range answers[1:] {
		list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !slices.Contains(a.Idle, s) })
	}
	return list
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
	p.moreChances(more, o.Untried)
	p.aside("now: how long the run waits for it; bars: what is saved if it is halved, and _ if it is gone")
	p.remedies(o)
	var lines []whatif.Line
	var knees []whatif.Knee
	for i, c := range shown {
		if i < curvesShown && c.Curve != nil {
			lines = append(lines, whatif.Line{Target: c.Target, Points: c.Curve})
		}
		knees = append(knees, c.Knees...)
	}
	p.curves(lines, false)
	if o.Runs < 2 {
		p.knees(knees)
	} else if slices.ContainsFunc(shown, func(c whatif.Chance) bool { return c.Bend.Runs > 0 }) {
		p.line()
		for _, c := range shown {
			p.bend(c.Target, c.Bend, o.Runs)
		}
	}
	p.line()
	p.aside("try it: longpole whatif --set '" + Clean(shown[0].Target.String()) + "*0.5'")
}

// moreChances says what the page does not hold, and what nobody looked at.
func (p *page) moreChances(more, untried int) {
	if untried == 0 {
		p.more(more)
		return
	}
	p.line("  ", p.dim(p.draw(fmt.Sprintf("… and %s more that were looked at; --format json lists them", Count(int64(more))))))
	p.wrapped(fmt.Sprintf("not looked at: %s that the run waits for less", Count(int64(untried))), p.dim)
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
