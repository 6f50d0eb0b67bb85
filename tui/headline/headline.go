// Package headline draws the three lines above a run: what it was, which share of its time went where, and the same as
// one bar whose parts add up to the run's wall time exactly.
package headline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// Lines is how many lines View returns.
const Lines = 3

// View returns the headline of run, each line width cells.
func View(t *theme.Theme, run *measure.Run, width int) []string {
	return []string{title(t, run, width), shares(t, run, width), stack(t, run, width)}
}

func title(t *theme.Theme, run *measure.Run, width int) string {
	l := cell.NewLine(t, width, false)
	wall := report.Duration(run.Wall)
	if run.Open {
		wall += " so far"
	}
	facts := counts(run)
	name := cmp.Or(run.Name, run.ID)
	l.Space(1)
	// The total must be seen; the name gets what is left, the tags and counts only what it does not need.
	need := cell.Width(wall) + 2
	l.Fit(t.Strong, name, min(cell.Width(cell.Clean(name)), l.Left()-need-4))
	sign, outcome := t.Glyphs.Outcome(run.Outcome), strings.ReplaceAll(string(run.Outcome), "_", " ")
	if run.Open && run.Outcome == traces.OutcomeUnknown {
		sign, outcome = t.Glyphs.Ellipsis, "open"
	}
	if l.Left() > need+cell.Width(outcome)+5 {
		l.Text(t.Muted, "  ").Text(t.Outcome(run.Outcome), sign+" "+outcome)
	} else {
		l.Space(1).Text(t.Outcome(run.Outcome), sign)
	}
	for i, tag := range tags(run) {
		if i == 2 { // model and effort matter more than the counts, other tags less
			need += cell.Width(strings.Join(facts, " - ")) + 5
		}
		if l.Left() < need+cell.Width(tag)+4 {
			break
		}
		l.Text(t.Faint, " "+t.Glyphs.Dot+" ").Text(t.Muted, tag)
	}
	need = cell.Width(wall) + 2
	for len(facts) > 0 && l.Left() < need+2+cell.Width(strings.Join(facts, " - "))+2 {
		facts = facts[:len(facts)-1]
	}
	tail := ""
	if len(facts) > 0 {
		tail = "   " + strings.Join(facts, " "+t.Glyphs.Dot+" ")
	}
	l.Space(l.Left() - cell.Width(wall) - cell.Width(tail) - 1)
	l.Text(t.Strong, wall).Text(t.Muted, tail)
	return l.String()
}

func counts(run *measure.Run) []string {
	var facts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			facts = append(facts, "1 "+one)
		case n > 1:
			facts = append(facts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(run.Counts.Steps, "step", "steps")
	add(run.Counts.ToolCalls, "tool", "tools")
	add(run.Counts.Retries(), "retry", "retries")
	add(len(run.Problems), "problem", "problems")
	return facts
}

// tags returns model and effort first, then the other tags by name.
func tags(run *measure.Run) []string {
	var tags []string
	if m := run.Group["model"]; m != "" {
		tags = append(tags, cell.Clean(m))
	}
	if e := run.Group["effort"]; e != "" {
		tags = append(tags, "effort "+cell.Clean(e))
	}
	var others []string
	for k, v := range run.Group {
		if k != "model" && k != "effort" && v != "" && v != run.Name {
			others = append(others, cell.Clean(k+" "+v))
		}
	}
	slices.Sort(others)
	if run.TimeScale != 0 && run.TimeScale != 1 {
		others = append(others, fmt.Sprintf("recorded at %gx", run.TimeScale))
	}
	return append(tags, others...)
}

// Families returns the run's families, the largest first.
func Families(run *measure.Run) []measure.FamilyTime {
	list := slices.Clone(run.Families)
	slices.SortStableFunc(list, func(a, b measure.FamilyTime) int { return cmp.Compare(b.Time, a.Time) })
	return list
}

// shares names the families: with times where there is room, else with shares only, else as many as fit.
func shares(t *theme.Theme, run *measure.Run, width int) string {
	families := Families(run)
	for _, style := range []func(measure.FamilyTime) string{
		func(f measure.FamilyTime) string {
			return fmt.Sprintf("%s %s", report.Duration(f.Time), report.Percent(f.Share))
		},
		func(f measure.FamilyTime) string { return report.Percent(f.Share) },
	} {
		need := 1
		for _, f := range families {
			need += 2 + len(string(f.Family)) + 1 + cell.Width(style(f)) + 2
		}
		if need <= width+2 {
			return shareLine(t, families, style, width)
		}
	}
	return shareLine(t, families, func(f measure.FamilyTime) string { return report.Percent(f.Share) }, width)
}

func shareLine(t *theme.Theme, families []measure.FamilyTime, words func(measure.FamilyTime) string, width int) string {
	l := cell.NewLine(t, width, false)
	l.Space(1)
	for i, f := range families {
		w := words(f)
		name := string(f.Family)
		more := 0
		if i < len(families)-1 {
			more = 4
		}
		if l.Left() < 2+len(name)+1+cell.Width(w)+more {
			l.Text(t.Muted, fmt.Sprintf("+%d", len(families)-i))
			break
		}
		Chip(l, t, theme.Family(f.Family))
		l.Space(1).Text(t.Text, name).Space(1).Text(t.Muted, w).Space(2)
	}
	return l.String()
}

// Chip writes the one cell that ties a name to its colour: its letter on its colour.
func Chip(l *cell.Line, t *theme.Theme, c traces.Component) {
	l.Rune(t.Label(c, true), t.Glyphs.Letter(c))
}

// wide is from how many cells on there is room to say in full that the bar holds shares: the ruler below is not its own.
const wide = 100

func stack(t *theme.Theme, run *measure.Run, width int) string {
	l := cell.NewLine(t, width, false)
	total := " = " + report.Duration(run.Wall)
	if width >= wide {
		total = " shares, not in order" + total
	} else {
		total = " shares" + total
	}
	cells := width - 2 - cell.Width(total)
	l.Space(1)
	if cells < 10 {
		cells, total = width-2, ""
	}
	var parts []bar.Part
	for _, f := range Families(run) {
		parts = append(parts, bar.Part{Ink: bar.Of(theme.Family(f.Family), true), Value: f.Time,
			Label: string(f.Family) + " " + report.Percent(f.Share)})
	}
	bar.DrawLabels(l, t, bar.Stack(cells, 0, parts), parts)
	l.Text(t.Muted, total)
	return l.String()
}
