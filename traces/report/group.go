package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// comparison writes groups side by side: how often right, how soon, where the time went, what that shows, and why they differ.
func (p *page) comparison(c *compare.Comparison) {
	groups := c.Groups
	if len(groups) == 0 {
		p.line("no runs to compare")
		return
	}
	n := 0
	for _, g := range groups {
		n += g.N
	}
	by := ""
	if keys := groups[0].By; len(keys) > 0 {
		by = " by " + strings.Join(keys, " and ")
	}
	p.line(p.bold(GoalOf(groups).Title+by), p.draw(" · "), traces.FormatCount(n, "run"))
	if s := scales(groups); s != "" {
		p.line("  ", s)
	}
	shown, more := capped(groups, groupsShown)
	p.times(shown)
	p.more(more)
	p.distributions(shown)
	p.stacks(shown)
	p.shares(shown)
	p.notes(shown)
	p.section("what it shows")
	for _, sentence := range VerdictOf(c) {
		p.wrapped(p.draw(Clean(sentence)), asIs)
	}
	p.pairs(c)
}

func scales(groups []measure.Group) string {
	for _, g := range groups {
		for _, r := range g.Runs {
			if r.TimeScale != 1 && r.TimeScale != 0 {
				return fmt.Sprintf("recorded at %gx: times are scaled", r.TimeScale)
			}
		}
	}
	return ""
}

// label names a group in a column.
func (p *page) label(g measure.Group) string { return p.draw(Clean(g.Label())) }

// values names a group in a column whose head names the keys.
func (p *page) values(g measure.Group) string { return p.draw(Clean(g.Values())) }

// groupsShown is how many groups a page lists.
const groupsShown = 40

// times writes the table of rates and times.
func (p *page) times(groups []measure.Group) {
	head := ""
	if len(groups[0].By) > 0 {
		head = strings.Join(groups[0].By, p.draw(" · "))
	}
	const cutOff = 4
	goal := GoalOf(groups)
	columns := []column{{head: head, flex: true}, {head: "runs", right: true}, {head: goal.column(), right: true}, {head: "95 %", keep: 3},
		cutOff: {head: "cut off", right: true, keep: 6}, {head: "median", right: true}, {head: "95 %", keep: 4}, {head: "range", keep: 5},
		{head: "calls/run", right: true, keep: 1}, {head: "a call", right: true, keep: 2}}
	var rows [][]string
	anyCut := false
	for _, g := range groups {
		t := g.TimeToCorrect
		right, interval := unknown, ""
		if s := g.Success; s != nil {
			right, interval = Percent(s.Rate), p.draw(fmt.Sprintf("%.0f–%.0f %%", s.Low*100, s.High*100))
		}
		median := p.maybe(t.Median)
		if t.MoreThan {
			median = "> " + median
		}
		calls := unknown
		if g.Calls.PerRun != nil {
			calls = fmt.Sprintf("%.1f", *g.Calls.PerRun)
		}
		anyCut = anyCut || g.Censored > 0
		rows = append(rows, []string{p.values(g), fmt.Sprint(g.N), right, interval, fmt.Sprint(g.Censored), median,
			p.between(t), p.span(t.Min, t.Max), calls, p.maybe(g.Calls.Time)})
	}
	columns[cutOff].out = !anyCut
	p.table(columns, rows)
}

// between writes the interval of the median, "too few" where there is none.
func (p *page) between(t measure.Times) string {
	switch {
	case t.Low == nil:
		return "too few"
	case t.High == nil:
		return "over " + p.duration(*t.Low)
	}
	return p.span(t.Low, t.High)
}

// span writes "10.80–13.60 s": the unit once where both share it.
func (p *page) span(low, high *time.Duration) string {
	if low == nil || high == nil {
		return unknown
	}
	a, b := Duration(*low), Duration(*high)
	if a == b {
		return p.draw(a)
	}
	if x, unit, _ := strings.Cut(a, " "); strings.HasSuffix(b, " "+unit) && !strings.ContainsAny(x, "mhd") {
		a = x
	}
	return p.draw(a + "–" + b)
}

// stacks draws the mean of each group's correct runs, all on one scale.
func (p *page) stacks(groups []measure.Group) {
	labels, longest := 0, time.Duration(0)
	var all []measure.ComponentMean
	for _, g := range groups {
		labels = max(labels, ansi.StringWidth(p.label(g)))
		if g.MeanWall != nil {
			longest = max(longest, *g.MeanWall)
		}
		all = append(all, g.Components...)
	}
	if longest <= 0 {
		return
	}
	labels = min(labels, p.width/3)
	goal := GoalOf(groups)
	p.section("where it went: means of " + goal.Runs + ", each adds up exactly")
	cells := p.width - 2 - labels - 2 - DurationWidth - 1
	for _, g := range groups {
		name := pad(fit(p.label(g), labels, p.draw("…")), labels, false)
		if g.MeanWall == nil {
			p.line("  ", name, "  ", goal.None)
			continue
		}
		n := max(1, int(float64(*g.MeanWall)/float64(longest)*float64(cells)+0.5))
		p.line("  ", name, "  ", p.stack(meanParts(g.Components), n), strings.Repeat(" ", cells-n+1), p.column(*g.MeanWall))
	}
	p.legend(meanParts(all))
}

// shares writes a family a row, a group a column.
func (p *page) shares(groups []measure.Group) {
	columns := []column{{head: "share of the mean"}}
	var sum []string
	used := map[traces.Family]bool{}
	for i, g := range groups {
		columns = append(columns, column{head: fit(p.label(g), 16, p.draw("…")), right: true, keep: len(groups) - i})
		for _, f := range g.Families {
			used[f.Family] = true
		}
		sum = append(sum, p.wall(g))
	}
	if len(used) == 0 {
		return
	}
	var rows [][]string
	for _, f := range traces.Families {
		if !used[f] {
			continue
		}
		row := []string{p.cells(markOfFamily(f), 1) + " " + string(f)}
		for _, g := range groups {
			row = append(row, p.share(g, f))
		}
		rows = append(rows, row)
	}
	rows = append(rows, append([]string{"mean"}, sum...))
	p.line()
	if n := p.table(columns, rows); n > 0 {
		p.aside(fmt.Sprintf("%s more on a wider page; --format json lists all", traces.FormatCount(n, "group")))
	}
}

func (p *page) wall(g measure.Group) string {
	if g.MeanWall == nil {
		return "-"
	}
	return p.duration(*g.MeanWall)
}

func (p *page) share(g measure.Group, f traces.Family) string {
	if g.MeanWall == nil {
		return "-"
	}
	for _, m := range g.Families {
		if m.Family == f {
			return Percent(m.Share)
		}
	}
	return Percent(0)
}

// notes writes what belongs beside the numbers, once where groups share it.
func (p *page) notes(groups []measure.Group) {
	var order []string
	by := map[string][]string{}
	for _, g := range groups {
		for _, note := range g.Notes {
			if by[note] == nil {
				order = append(order, note)
			}
			by[note] = append(by[note], p.label(g))
		}
	}
	if len(order) == 0 {
		return
	}
	p.line()
	for _, note := range order {
		who := strings.Join(by[note], ", ") + ": "
		if len(by[note]) == len(groups) {
			who = ""
		}
		p.wrapped(who+p.draw(note), asIs)
	}
}
