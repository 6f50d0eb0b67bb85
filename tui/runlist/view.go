package runlist

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// headLines is how many lines stand above the rows: the title and the column heads.
const headLines = 2

// A column is what a column shows, and what can be sorted by.
type column int

const (
	colStart column = iota
	colName
	colModel
	colEffort
	colOutcome
	colWall
	colSteps
	colBar
)

var heads = map[column]string{colStart: "start", colName: "run", colModel: "model", colEffort: "effort",
	colOutcome: "outcome", colWall: "wall", colSteps: "steps", colBar: "where the time went"}

// A placed column has its cells.
type placed struct {
	column    column
	at, width int
}

const markWidth = 3 // the cursor, the mark of a run and a space

// layout chooses the columns that fit: the bar always, then what tells runs apart.
func layout(width int, runs []*measure.Run) []placed {
	widest := func(of func(*measure.Run) string, least, most int) int {
		w := least
		for _, r := range runs[:min(len(runs), 1000)] {
			w = max(w, cell.Width(cell.Clean(of(r))))
		}
		return min(w, most)
	}
	name := widest(func(r *measure.Run) string { return cmp.Or(r.Name, r.ID) }, 8, max(14, width/5))
	model := widest(func(r *measure.Run) string { return r.Group["model"] }, 5, max(12, width/8))
	effort := widest(func(r *measure.Run) string { return r.Group["effort"] }, 6, 8)
	var cols []placed
	at := markWidth
	add := func(c column, w int) {
		cols = append(cols, placed{c, at, w})
		at += w + 2
	}
	if width >= 100 {
		add(colStart, 8)
	}
	add(colName, name)
	if width >= 76 {
		add(colModel, model)
	}
	add(colEffort, effort)
	if width >= 90 {
		add(colOutcome, 14)
	} else {
		add(colOutcome, 1)
	}
	add(colWall, report.DurationWidth)
	if width >= 100 {
		add(colSteps, 5)
	}
	if rest := width - at - 1; rest >= 4 {
		add(colBar, rest)
	}
	return cols
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	lines := []string{m.titleView(), m.headView()}
	from, to := m.list.Seen()
	for row := from; row < to; row++ {
		lines = append(lines, m.rowView(row))
	}
	if len(m.order) == 0 {
		lines = append(lines, m.emptyView()...)
	}
	for len(lines) < m.height {
		lines = append(lines, strings.Repeat(" ", max(0, m.width)))
	}
	return strings.Join(lines[:m.height], "\n")
}

// emptyView says what to do where there is nothing to see.
func (m *Model) emptyView() []string {
	t := m.theme
	say := func(draw func(l *cell.Line)) string {
		l := cell.NewLine(t, m.width, false).Space(markWidth)
		draw(l)
		return l.String()
	}
	if len(m.runs) > 0 {
		return []string{say(func(l *cell.Line) {
			l.Text(t.Muted, "no run matches; ").Text(t.Accent, "esc").Text(t.Muted, " shows all again")
		})}
	}
	lines := []string{say(func(*cell.Line) {}), say(func(l *cell.Line) { l.Text(t.Strong, "no runs here yet") }), say(func(*cell.Line) {})}
	for _, c := range []struct{ command, does string }{
		{"longpole record -- CMD", "run any agent and record where its time goes"},
		{"longpole bench", "let an agent do tasks at three efforts"},
		{"longpole view FILE", "look at traces that you have"},
		{"longpole view --demo", "look at a built-in recording"},
	} {
		lines = append(lines, say(func(l *cell.Line) { l.Fit(t.Accent, c.command, 24).Text(t.Text, c.does) }))
	}
	return lines
}

func (m *Model) titleView() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1).Text(t.Accent, "longpole").Space(2).Text(t.Strong, cmp.Or(m.title, "runs"))
	words := traces.FormatCount(len(m.order), "run")
	if len(m.order) < len(m.runs) {
		words = fmt.Sprintf("%d of %s", len(m.order), traces.FormatCount(len(m.runs), "run"))
	}
	if n := len(m.marks); n > 0 {
		words += fmt.Sprintf(" %s %d marked", t.Glyphs.Dot, n)
	}
	l.Right(t.Muted, " "+words+" ")
	return l.String()
}

func (m *Model) headView() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	for _, c := range m.columns {
		l.Column(c.at)
		style, head := t.Muted, heads[c.column]
		if c.column == m.sort {
			style = t.Accent
			arrow := t.Glyphs.Up
			if m.descending {
				arrow = t.Glyphs.Down
			}
			if c.width == 1 {
				head = arrow
			} else if cell.Width(head) < c.width || c.column == colBar {
				head += arrow
			} else {
				head = cell.Cut(t, head, c.width-1) + arrow
			}
		} else if c.width == 1 {
			head = ""
		}
		if c.column == colWall || c.column == colSteps {
			l.FitRight(style, head, c.width)
		} else {
			l.Fit(style, head, c.width)
		}
	}
	return l.String()
}

func (m *Model) rowView(at int) string {
	t, selected := m.theme, at == m.list.Cursor
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	} else {
		l.Space(1)
	}
	if g := m.rows[at].head; g != nil {
		m.headRow(l, g)
		return l.String()
	}
	r := m.runs[m.rows[at].run]
	if m.marks[r] {
		l.Rune(t.Warn, t.Glyphs.Marked)
	}
	for _, c := range m.columns {
		l.Column(c.at)
		m.drawCell(l, r, c, selected)
	}
	return l.String()
}

func (m *Model) drawCell(l *cell.Line, r *measure.Run, c placed, selected bool) {
	t := m.theme
	switch c.column {
	case colStart:
		l.Fit(t.Muted, r.Start.Format("15:04:05"), c.width)
	case colName:
		style := t.Text
		if selected {
			style = t.Strong
		}
		l.Fit(style, cmp.Or(r.Name, r.ID), c.width)
	case colModel:
		l.Fit(t.Text, r.Group["model"], c.width)
	case colEffort:
		l.Fit(t.Text, r.Group["effort"], c.width)
	case colOutcome:
		words, outcome := t.Glyphs.Outcome(r.Outcome), strings.ReplaceAll(string(r.Outcome), "_", " ")
		if r.Open {
			words = t.Glyphs.Ellipsis
			if r.Outcome == traces.OutcomeUnknown {
				outcome = "open"
			}
		}
		if c.width > 1 {
			words += " " + outcome
		}
		l.Fit(t.Outcome(r.Outcome), words, c.width)
	case colWall:
		l.FitRight(t.Text, report.DurationColumn(r.Wall), c.width)
	case colSteps:
		l.FitRight(t.Muted, strconv.Itoa(r.Counts.Steps), c.width)
	case colBar:
		var parts []bar.Part
		for _, f := range r.Families {
			parts = append(parts, bar.Part{Ink: bar.Of(theme.Family(f.Family), true), Value: f.Time})
		}
		bar.Draw(l, t, bar.Stack(min(c.width, l.Left()), m.longest, parts))
	}
}
