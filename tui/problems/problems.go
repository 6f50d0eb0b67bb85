// Package problems lists what was odd in the data and what was done about it, so that nobody trusts a number more than
// its source.
package problems

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
)

// A ChosenMsg says that the span a problem is about was asked for.
type ChosenMsg struct {
	Run  *measure.Run
	Span *traces.Span // nil if the problem is about the whole run
}

// A Model is a list of problems. Make it with New; the zero value draws nothing.
type Model struct {
	theme         *theme.Theme
	title         string
	rows          []row
	shown         []int
	list          scroll.List
	query         string
	width, height int
}

// A row is a problem; without a run it is about all the data.
type row struct {
	run     *measure.Run
	problem traces.Problem
}

// New returns the list of loose problems, which belong to no run, and of the problems of runs. A problem without a code is a
// note.
func New(t *theme.Theme, title string, loose []traces.Problem, runs []*measure.Run) Model {
	m := Model{theme: t, title: title}
	for _, p := range loose {
		m.rows = append(m.rows, row{problem: p})
	}
	for _, r := range runs {
		for _, p := range r.Problems {
			m.rows = append(m.rows, row{r, p})
		}
	}
	m.Search("")
	return m
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Resize(len(m.shown), height-headLines-messageLines)
}

const (
	headLines    = 2
	messageLines = 3 // the selected problem in full
)

// Actions lists the keys that do something here, most useful first.
func (m Model) Actions() []keys.Action {
	list := []keys.Action{keys.Enter, keys.Find, keys.Copy}
	if m.query != "" {
		list = append([]keys.Action{keys.Next, keys.Previous}, list...)
	}
	return list
}

// ID returns the id of the span that the selected problem is about, "" if there is none.
func (m Model) ID() string {
	if len(m.shown) == 0 {
		return ""
	}
	return m.rows[m.shown[m.list.Cursor]].problem.SpanID
}

// Search leaves only the problems that contain query.
func (m *Model) Search(query string) {
	m.query = query
	m.shown = m.shown[:0:0]
	query = strings.ToLower(query)
	for i, r := range m.rows {
		if strings.Contains(strings.ToLower(string(r.problem.Code)+"\n"+r.problem.Message+"\n"+r.problem.SpanID), query) {
			m.shown = append(m.shown, i)
		}
	}
	m.list.Resize(len(m.shown), m.list.Height)
}

// Query returns what is searched for and how many rows match.
func (m Model) Query() (query string, matches int) { return m.query, len(m.shown) }

// Update does what the user asked for.
func (m Model) Update(msg keys.Msg) (Model, tea.Cmd) {
	switch n := max(1, msg.Count); msg.Action {
	case keys.Enter, keys.Unfold:
		return m, m.open()
	case keys.Next:
		m.list.Move(keys.Down, n)
	case keys.Previous:
		m.list.Move(keys.Up, n)
	default:
		m.list.Move(msg.Action, msg.Count)
	}
	return m, nil
}

// Click selects the row on line y, or opens it if it was selected.
func (m Model) Click(_, y int) (Model, tea.Cmd) {
	at, ok := m.list.At(y - headLines)
	switch {
	case !ok:
		return m, nil
	case at == m.list.Cursor:
		return m, m.open()
	}
	m.list.Select(at)
	return m, nil
}

// Wheel scrolls by n rows.
func (m Model) Wheel(n int) Model {
	m.list.Wheel(n)
	return m
}

func (m Model) open() tea.Cmd {
	if len(m.shown) == 0 {
		return nil
	}
	r := m.rows[m.shown[m.list.Cursor]]
	if r.run == nil {
		return nil
	}
	chosen := ChosenMsg{Run: r.run}
	if r.problem.SpanID != "" {
		for _, s := range r.run.Spans {
			if s.ID == r.problem.SpanID {
				chosen.Span = s
				break
			}
		}
	}
	return func() tea.Msg { return chosen }
}

// View returns as many lines as the size has, each as wide as it.
func (m Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	t := m.theme
	title := cell.NewLine(t, m.width, false)
	title.Space(1).Text(t.Accent, "problems").Space(2).Text(t.Strong, m.title)
	title.Right(t.Muted, fmt.Sprintf(" %d ", len(m.shown)))
	head := cell.NewLine(t, m.width, false)
	head.Space(2).Fit(t.Muted, "kind", m.kindWidth()).Space(2).Text(t.Muted, "what was found, and what was done")
	lines := []string{title.String(), head.String()}
	from, to := m.list.Seen()
	for at := from; at < to; at++ {
		lines = append(lines, m.rowView(at))
	}
	if len(m.shown) == 0 {
		words := "nothing was odd"
		if m.query != "" {
			words = "no problem matches; esc shows all again"
		}
		lines = append(lines, cell.NewLine(t, m.width, false).Space(2).Text(t.Good, words).String())
	}
	empty := strings.Repeat(" ", max(0, m.width))
	for len(lines) < m.height-messageLines {
		lines = append(lines, empty)
	}
	lines = append(lines, m.message()...)
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

func (m Model) kindWidth() int { return min(24, max(10, m.width/4)) }

func (m Model) rowView(at int) string {
	t, r, selected := m.theme, m.rows[m.shown[at]], at == m.list.Cursor
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	l.Column(2).Fit(t.Warn, strings.ReplaceAll(cmp.Or(string(r.problem.Code), "note"), "_", " "), m.kindWidth())
	l.Space(2).Text(t.Text, r.problem.Message)
	return l.String()
}

// message is the selected problem in full, wrapped.
func (m Model) message() []string {
	if len(m.shown) == 0 {
		return nil
	}
	t, p := m.theme, m.rows[m.shown[m.list.Cursor]]
	words := cell.Clean(p.problem.Message)
	if p.problem.SpanID != "" {
		words += " (span " + cell.Clean(p.problem.SpanID) + ")"
	}
	if p.run != nil {
		words += " in run " + cell.Clean(cmp.Or(p.run.Name, p.run.ID))
	}
	var lines []string
	for _, s := range cell.Wrap(words, m.width-4) {
		if len(lines) == messageLines-1 {
			break
		}
		lines = append(lines, cell.NewLine(t, m.width, false).Space(2).Text(t.Muted, s).String())
	}
	rule := cell.NewLine(t, m.width, false)
	for rule.Left() > 0 {
		rule.Rune(t.Faint, t.Glyphs.Rule)
	}
	return append([]string{rule.String()}, lines...)
}
