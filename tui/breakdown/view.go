package breakdown

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

const (
	nameAt     = 6 // the cursor, the sign and the letter, each with a space after it
	shareWidth = 8
)

// rowView draws a row: a name, a bar, and the figures in columns on the right.
func (m *Model) rowView(at int) string {
	t, r, selected := m.theme, m.rows[at], at == m.list.Cursor && m.rows[at].selectable()
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	if r.selectable() && r.part == nil {
		sign := t.Glyphs.Closed
		if m.open[r.key] {
			sign = t.Glyphs.Open
		}
		l.Column(2).Text(t.Muted, sign)
	}
	switch {
	case r.heading != "":
		m.heading(l, r)
	case r.component != nil:
		m.component(l, r)
	case r.tool != nil:
		m.toolRow(l, r)
	case r.step != nil:
		m.stepRow(l, r)
	case r.part != nil:
		m.partRow(l, r)
	}
	return l.String()
}

// The widths of the bar and of what follows it: a time, a share or second time, what would be saved and words where there is room.
func (m *Model) widths() (bar, saves, words int) {
	switch {
	case m.width >= 100:
		saves, words = report.DurationWidth+2, 24
	case m.width >= 76:
		words = 10
	default:
		words = 2 // a mark
	}
	bar = m.width - nameAt - m.names - 1 - 1 - report.DurationWidth - 1 - shareWidth - saves - 2 - words
	return max(0, bar), saves, words
}

func (m *Model) heading(l *cell.Line, r row) {
	t := m.theme
	cells, saves, words := m.widths()
	by, rising := m.column(r.table)
	head := func(name string) string {
		switch {
		case name != by:
			return name
		case rising:
			return name + t.Glyphs.Up
		}
		return name + t.Glyphs.Down
	}
	first, second, third, fourth := "on path", "share", "saves", "known"
	switch r.table {
	case tools:
		second, fourth = "run", "calls"
	case steps:
		first, third, fourth = "time", "", ""
	}
	l.Column(1).Text(t.Accent, head(r.heading)).Column(nameAt + m.names + 1)
	l.Fit(t.Muted, m.scaleOf(r.table, cells), cells)
	l.Space(1).FitRight(t.Muted, head(first), report.DurationWidth).Space(1).FitRight(t.Muted, head(second), shareWidth-1)
	l.FitRight(t.Muted, third, saves)
	if words >= cell.Width(head(fourth)) {
		l.Space(3).Text(t.Muted, head(fourth))
	}
}

// scaleOf says what the width of a table's bars stands for, in at most so many cells.
func (m *Model) scaleOf(which table, cells int) string {
	whole := map[table]time.Duration{components: m.run.Wall, tools: m.tool, steps: m.longest}[which]
	for _, words := range []string{"full width = ", "width = "} {
		if s := words + report.Duration(whole); whole > 0 && cell.Width(s) <= cells {
			return s
		}
	}
	return ""
}

// saving writes what would be saved without what a row is about.
func (m *Model) saving(l *cell.Line, r row) {
	_, width, _ := m.widths()
	text := ""
	if d, ok := m.saves(r); ok {
		text = report.DurationColumn(d)
	}
	l.FitRight(m.theme.Slack, text, width)
}

func (m *Model) component(l *cell.Line, r row) {
	t, c := m.theme, r.component
	cells, _, words := m.widths()
	l.Column(4)
	headline.Chip(l, t, c.Component)
	l.Column(nameAt).Fit(t.Text, componentName(c.Component), m.names).Space(1)
	bar.Draw(l, t, bar.Stack(cells, m.run.Wall, []bar.Part{{Ink: bar.Of(c.Component, true), Value: c.Time}}))
	l.Space(1).Text(t.Strong, report.DurationColumn(c.Time)).Space(1).FitRight(t.Text, report.Percent(c.Share), shareWidth-1)
	m.saving(l, r)
	style, known := t.Muted, string(c.Quality)
	if words < 10 {
		known = ""
	}
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
	cells, _, words := m.widths()
	l.Column(4)
	headline.Chip(l, t, traces.Tool)
	l.Column(nameAt).Fit(t.Text, c.Name, m.names).Space(1)
	parts := []bar.Part{{Ink: bar.Of(traces.Tool, true), Value: c.Critical}}
	ran := "?"
	if c.Run != nil {
		ran = report.DurationColumn(*c.Run)
		parts = append(parts, bar.Part{Ink: bar.Of(traces.Tool, false), Value: max(0, *c.Run-c.Critical)})
	}
	bar.Draw(l, t, bar.Stack(cells, m.tool, parts))
	l.Space(1).Text(t.Strong, report.DurationColumn(c.Critical)).FitRight(t.Text, ran, shareWidth)
	m.saving(l, r)
	calls := strconv.Itoa(c.Calls)
	if c.Measured < c.Calls && words > 20 {
		calls += fmt.Sprintf(", %d not measured", c.Calls-c.Measured)
	}
	l.Space(3).Fit(t.Muted, calls, words)
}

func (m *Model) stepRow(l *cell.Line, r row) {
	t, s := m.theme, r.step
	cells, saves, words := m.widths()
	l.Column(nameAt).Fit(t.Text, stepName(r), m.names).Space(1)
	var parts []bar.Part
	for _, c := range s.Components {
		parts = append(parts, bar.Part{Ink: bar.Of(c.Component, true), Value: c.Time})
	}
	bar.Draw(l, t, bar.Stack(cells, m.longest, parts))
	l.Space(1).Text(t.Strong, report.DurationColumn(s.Time())).Space(1).FitRight(t.Text, m.share(s.Time()), shareWidth-1)
	if words > 20 {
		l.Space(saves+3).Fit(t.Muted, stepFacts(r), words)
	}
}

// partRow draws a part on the scale of the rows that it is a part of.
func (m *Model) partRow(l *cell.Line, r row) {
	t, p := m.theme, r.part
	cells, saves, words := m.widths()
	scale, second := m.run.Wall, m.share(p.time)
	parts := []bar.Part{{Ink: bar.Of(p.component, true), Value: p.time}}
	switch r.table {
	case tools:
		scale, second = m.tool, "?"
		if p.ran != nil {
			second = report.DurationColumn(*p.ran)
			parts = append(parts, bar.Part{Ink: bar.Of(p.component, false), Value: max(0, *p.ran-p.time)})
		}
		l.Column(nameAt)
	case steps:
		scale = m.longest
		l.Column(nameAt)
		headline.Chip(l, t, p.component)
	}
	l.Column(nameAt+2).Fit(t.Muted, m.place(p), m.names-2).Space(1)
	bar.Draw(l, t, bar.Stack(cells, scale, parts))
	l.Space(1).Text(t.Text, report.DurationColumn(p.time))
	if r.table == tools {
		l.FitRight(t.Muted, second, shareWidth)
	} else {
		l.Space(1).FitRight(t.Muted, second, shareWidth-1)
	}
	l.Space(saves + 3)
	end := l.Used() + words
	if words >= 10 {
		l.Text(t.Muted, cell.Cut(t, "at "+report.Duration(p.at), words))
	}
	if o := p.outcome; o != "" && o != traces.OK && o != traces.OutcomeUnknown && words > 20 {
		l.Space(1).Text(t.Outcome(o), cell.Cut(t, t.Glyphs.Outcome(o)+" "+strings.ReplaceAll(string(o), "_", " "), end-l.Used()))
	}
}

func (m *Model) share(d time.Duration) string {
	if m.run.Wall <= 0 {
		return ""
	}
	return report.Percent(float64(d) / float64(m.run.Wall))
}

// fitNames finds out how wide the column of names is: as the longest if there is room. Of very many names the first ones count.
func (m *Model) fitNames() {
	w := 10
	for i := range m.run.Tools {
		w = max(w, cell.Width(cell.Clean(m.run.Tools[i].Name)))
	}
	seen := 0
	for _, r := range m.rows {
		if r.part != nil && seen < 100 {
			w = max(w, 2+cell.Width(cell.Clean(m.place(r.part))))
			seen++
		}
	}
	m.names = min(w, max(14, m.width/4))
}

func stepName(r row) string {
	if s := r.step.Span; s != nil && cmp.Or(s.Name, "step") != "step" {
		return s.Name
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
