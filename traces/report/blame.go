package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
)

// blame writes what several runs were waiting for: components and tools by rank, models and steps, whether late steps are slower,
// and how slow runs differ from typical ones.
func (p *page) blame(b *blame.Blame) {
	if b.MeanWall <= 0 {
		return
	}
	p.section("what the runs waited for: means of " + traces.FormatCount(b.Runs, "run"))
	if b.Open > 0 {
		p.aside(fmt.Sprintf("%s not finished when this was read: times are so far", traces.FormatCount(b.Open, "run")))
	}
	var rows []blameRow
	for _, c := range b.Components {
		rows = append(rows, blameRow{name: p.cells(markOf(c.Component), 1) + " " + word(c.Component), Row: c, spread: true, drag: dragOf(b, b.Components, b.ComponentDrag, c.Component)})
		if c.Component != traces.Tool {
			continue
		}
		tools, more := capped(b.Tools, toolsShown)
		for _, t := range tools {
			rows = append(rows, blameRow{name: "    " + toolName(t.Name), Row: t, spread: true, drag: dragOf(b, b.Tools, b.ToolDrag, t.Name)})
		}
		if more > 0 {
			rows = append(rows, blameRow{name: p.draw(fmt.Sprintf("    … and %s more", Count(int64(more))))})
		}
	}
	p.blameTable("", b, append(rows, blameRow{name: "sum", Row: blame.Row{Mean: b.MeanWall, Share: 1}}))
	if len(b.Models) > 1 {
		models, more := capped(b.Models, toolsShown)
		rows = nil
		for _, m := range models {
			rows = append(rows, blameRow{name: toolName(m.Name), Row: m, spread: true})
		}
		p.line()
		p.blameTable("model", b, rows)
		p.more(more)
	}
	p.blameSteps(b)
	p.drifts(b.Drifts)
	p.compositions(b)
}

// toolsShown and stepsShown are how many tools or models, and how many steps, the blame of several runs lists.
const (
	toolsShown = 10
	stepsShown = 12
)

// A blameRow is a row with its name as the page shows it. Without spread it is a sum, or only says that there are more.
type blameRow struct {
	name string
	blame.Row
	spread bool
	drag   *time.Duration
}

// dragOf returns the drag of one of a number of rows, nil where those of all of them would take longer than some 0.4 s.
func dragOf[K any](b *blame.Blame, rows []blame.Row, drag func(K) time.Duration, of K) *time.Duration {
	const most = 500_000 // spans replayed
	if b.Spans*len(rows) > most {
		return nil
	}
	d := drag(of)
	return &d
}

// blameTable writes rows and explains its columns; those that would say nothing are left out.
func (p *page) blameTable(head string, b *blame.Blame, rows []blameRow) {
	const (
		tail   = 5
		hidden = 6
		drag   = 7
	)
	columns := []column{{head: head, flex: true}, {head: "mean", right: true}, {head: "share", right: true}, {head: "runs", right: true, keep: 3},
		{head: "median", right: true, keep: 2}, tail: {head: "p95", right: true, keep: 1, out: true}, hidden: {head: "hidden", right: true, keep: 4, out: true},
		drag: {head: "drag", right: true, keep: 5, out: true}}
	var cells [][]string
	for _, r := range rows {
		row := []string{r.name, "", "", "", "", "", "", ""}
		if r.spread || r.Mean > 0 {
			row[1], row[2] = p.column(r.Mean), Percent(r.Share)
		}
		if r.spread {
			row[3], row[4], row[tail] = runsOf(r.Runs, b.Runs), p.some(r.Time.Median), p.some(r.Time.P95)
		}
		if r.Hidden != nil && *r.Hidden > 0 {
			row[hidden] = p.column(*r.Hidden)
			columns[hidden].out = false
		}
		if r.Time.P95 != nil {
			columns[tail].out = false
		}
		if r.drag != nil {
			row[drag] = p.column(*r.drag)
			columns[drag].out = columns[drag].out && *r.drag >= r.Mean-r.Mean/20
		}
		cells = append(cells, row)
	}
	p.table(columns, cells)
	words := "median: over the runs that waited for it; such figures do not add up"
	if !columns[hidden].out {
		words += "; hidden: went on while the run waited for something else"
	}
	if !columns[drag].out {
		words += "; drag: how much shorter a run would be without it"
	}
	p.aside(words)
}

func runsOf(k, n int) string {
	if k == n {
		return "all"
	}
	return fmt.Sprint(k)
}

// some writes a time that may not be told, in the column of others.
func (p *page) some(d *time.Duration) string {
	if d == nil {
		return "-"
	}
	return p.column(*d)
}

// blameSteps draws the median of each step.
func (p *page) blameSteps(b *blame.Blame) {
	if len(b.Steps) < 2 {
		return
	}
	steps, more := capped(b.Steps, stepsShown)
	var longest time.Duration
	for _, s := range steps {
		if s.Time.Median != nil {
			longest = max(longest, *s.Time.Median)
		}
	}
	var rows [][]string
	for _, s := range steps {
		bar := ""
		if m := s.Time.Median; m != nil {
			bar = strings.Repeat(p.draw("─"), max(1, int(float64(*m)/float64(longest)*30+0.5)))
		}
		rows = append(rows, []string{s.Name, runsOf(s.Runs, b.Runs), p.some(s.Time.Median), p.some(s.Time.P95), bar})
	}
	columns := []column{{head: "step", right: true}, {head: "runs", right: true}, {head: "median", right: true}, {head: "p95", right: true, keep: 2}, {head: "", keep: 1}}
	columns[3].out = steps[0].Time.P95 == nil
	p.line()
	p.table(columns, rows)
	p.more(more)
}

// drifts says for each quantity whether late steps, or those with much input, are slower.
func (p *page) drifts(list []blame.Drift) {
	p.section("do late steps get slower?")
	told := false
	for _, d := range list {
		told = told || d.Told
	}
	if !told {
		p.line("  too few steps to tell")
		return
	}
	for _, d := range list {
		p.wrapped(p.draw(driftLine(d)), asIs)
	}
	p.aside("slopes within runs: the median of all pairs; the intervals hold together with 95 %")
}

// driftLine says what a drift shows, and no more.
func driftLine(d blame.Drift) string {
	from := fmt.Sprintf("%s of %s", traces.FormatCount(d.N, driftPoint(d)), traces.FormatCount(d.Runs, "run"))
	line := string(d.Of) + ": "
	switch {
	case d.N == 0:
		return line + "not known per " + string(d.Over)
	case !d.Told:
		return line + "too few to tell per " + string(d.Over) + ", " + from
	case d.Seen:
		line += signed(d.Slope)
	default:
		line += "no drift seen"
	}
	return fmt.Sprintf("%s per %s (%s to %s), %s", line, d.Over, signed(d.Low), signed(d.High), from)
}

func driftPoint(d blame.Drift) string {
	if d.Of == blame.StepTime {
		return "step"
	}
	return "call"
}

// compositions sets slow runs against typical ones: where theirs is the longer time.
func (p *page) compositions(b *blame.Blame) {
	typical, ok := b.Around(0.5)
	slow, ok2 := b.Around(0.95)
	if !ok || !ok2 {
		return
	}
	p.section("typical runs and slow ones")
	both := []struct {
		name string
		blame.Composition
	}{{"typical", typical}, {"slow", slow}}
	cells := p.width - 2 - 7 - 2 - DurationWidth - 1
	for _, c := range both {
		n := max(1, int(float64(c.MeanWall)/float64(max(slow.MeanWall, typical.MeanWall))*float64(cells)+0.5))
		p.line("  ", pad(c.name, 7, false), "  ", p.stack(meanParts(c.Components), n), strings.Repeat(" ", cells-n+1), p.column(c.MeanWall))
	}
	var rows [][]string
	families := func(c blame.Composition) map[traces.Family]time.Duration {
		sums := map[traces.Family]time.Duration{}
		for _, m := range c.Components {
			sums[m.Component.Family()] += m.Mean
		}
		return sums
	}
	t, s := families(typical), families(slow)
	for _, f := range traces.Families {
		if t[f] > 0 || s[f] > 0 {
			rows = append(rows, []string{p.cells(markOfFamily(f), 1) + " " + string(f), p.column(t[f]), p.column(s[f]), p.signed(s[f] - t[f])})
		}
	}
	rows = append(rows, []string{"sum", p.column(typical.MeanWall), p.column(slow.MeanWall), p.signed(slow.MeanWall - typical.MeanWall)})
	rows = append(rows, []string{"runs", fmt.Sprint(typical.Runs), fmt.Sprint(slow.Runs), ""},
		[]string{"between", p.span(&typical.Low, &typical.High), p.span(&slow.Low, &slow.High), ""})
	p.table([]column{{head: ""}, {head: "typical", right: true}, {head: "slow", right: true}, {head: "difference", right: true}}, rows)
	p.aside("means of the runs around the median, and around the 95th percentile, of the wall time; each adds up exactly")
}
