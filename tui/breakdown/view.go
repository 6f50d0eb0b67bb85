package breakdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

const (
	nameAt     = 4 // the cursor, the letter and a space around it
	shareWidth = 8
)

// rowView draws a row: a name, a bar, and the figures in columns on the right.
func (m *Model) rowView(at int) string {
	t, r, selected := m.theme, m.rows[at], at == m.list.Cursor && m.rows[at].selectable()
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	switch {
	case r.heading != "":
		m.heading(l, r.heading)
	case r.component != nil:
		m.component(l, r)
	case r.tool != nil:
		m.toolRow(l, r)
	case r.step != nil:
		m.stepRow(l, r)
	}
	return l.String()
}

// The widths of the bar and of what follows it: a time, a share or second time, and words where there is room.
func (m *Model) widths() (bar, words int) {
	words = 10
	if m.width >= 100 {
		words = 24
	}
	bar = m.width - nameAt - m.nameWidth() - 1 - 1 - report.DurationWidth - 1 - shareWidth - 2 - words
	return max(0, bar), words
}

func (m *Model) heading(l *cell.Line, name string) {
	t := m.theme
	cells, words := m.widths()
	first, second, third := "on path", "share", "known"
	switch name {
	case "tools":
		second, third = "run", "calls"
	case "steps":
		first, third = "time", ""
	}
	l.Column(1).Fit(t.Accent, name, nameAt-1+m.nameWidth()+1+cells)
	l.Space(1).FitRight(t.Muted, first, report.DurationWidth-1).Space(2).FitRight(t.Muted, second, shareWidth-1)
	l.Space(3).Fit(t.Muted, third, words)
}

func (m *Model) component(l *cell.Line, r row) {
	t, c := m.theme, r.component
	cells, words := m.widths()
	l.Column(2)
	headline.Chip(l, t, c.Component)
	l.Column(nameAt).Fit(t.Text, strings.ReplaceAll(string(c.Component), "_", " "), m.nameWidth()).Space(1)
	bar.Draw(l, t, bar.Stack(cells, m.run.Wall, []bar.Part{{Ink: bar.Of(c.Component, true), Value: c.Time}}))
	l.Space(1).Text(t.Strong, report.DurationColumn(c.Time)).Space(1).FitRight(t.Text, report.Percent(c.Share), shareWidth-1)
	style, known := t.Muted, string(c.Quality)
	if mark := t.Glyphs.Quality(c.Quality); mark != "" {
		style, known = t.Warn, mark+" "+known
	}
	if c.Quality == traces.Bound && words > 20 {
		known = t.Glyphs.Bound + " at most this much"
	}
	l.Space(3).Fit(style, known, words)
}

func (m *Model) toolRow(l *cell.Line, r row) {
	t, c := m.theme, r.tool
	cells, words := m.widths()
	l.Column(2)
	headline.Chip(l, t, traces.Tool)
	l.Column(nameAt).Fit(t.Text, c.Name, m.nameWidth()).Space(1)
	parts := []bar.Part{{Ink: bar.Of(traces.Tool, true), Value: c.Critical}}
	ran := "?"
	if c.Run != nil {
		ran = report.DurationColumn(*c.Run)
		parts = append(parts, bar.Part{Ink: bar.Of(traces.Tool, false), Value: max(0, *c.Run-c.Critical)})
	}
	bar.Draw(l, t, bar.Stack(cells, m.tool, parts))
	l.Space(1).Text(t.Strong, report.DurationColumn(c.Critical)).FitRight(t.Text, ran, shareWidth)
	calls := strconv.Itoa(c.Calls)
	if c.Measured < c.Calls && words > 20 {
		calls += fmt.Sprintf(", %d not measured", c.Calls-c.Measured)
	}
	l.Space(3).Fit(t.Muted, calls, words)
}

func (m *Model) stepRow(l *cell.Line, r row) {
	t, s := m.theme, r.step
	cells, words := m.widths()
	l.Column(nameAt).Fit(t.Text, stepLabel(r), m.nameWidth()).Space(1)
	var parts []bar.Part
	for _, c := range s.Components {
		parts = append(parts, bar.Part{Ink: bar.Of(c.Component, true), Value: c.Time})
	}
	bar.Draw(l, t, bar.Stack(cells, m.longest, parts))
	share := ""
	if m.run.Wall > 0 {
		share = report.Percent(float64(s.Time()) / float64(m.run.Wall))
	}
	l.Space(1).Text(t.Strong, report.DurationColumn(s.Time())).Space(1).FitRight(t.Text, share, shareWidth-1)
	if words > 20 {
		l.Space(3).Fit(t.Muted, stepFacts(r), words)
	}
}

func stepLabel(r row) string {
	if name := stepName(r.step); name != "step" {
		return name
	}
	return "step " + strconv.Itoa(r.step.Index)
}

func stepFacts(r row) string {
	var facts []string
	if n := len(r.step.ModelCalls); n > 1 {
		facts = append(facts, fmt.Sprintf("%d model calls", n))
	}
	switch n := len(r.step.ToolCalls); {
	case n == 1:
		facts = append(facts, "1 tool")
	case n > 1:
		facts = append(facts, fmt.Sprintf("%d tools", n))
	}
	return strings.Join(facts, ", ")
}
