// Package problems lists what was odd in the data and what was done about it, so that nobody trusts a number more than
// its source.
//
// Problems of one kind stand together. Where there are many, a single line counts them until it is unfolded.
package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Model is a list of problems. Make it with New.
type Model struct {
	theme         *theme.Theme
	title         string
	rows          []row // those of one kind together
	lines         []line
	matches       int // rows that match the query
	open          map[traces.ProblemCode]bool
	list          scroll.List
	query         string
	width, height int
}

// A row is a problem; without a run it is about all the data.
type row struct {
	run     *measure.Run
	problem traces.Problem
}

// A line is a row, or the head of a kind.
type line struct {
	row  int
	kind *kind // nil for a row of a kind that needs no head
	head bool
}

// A kind is what its head says of the problems of one code.
type kind struct {
	code  traces.ProblemCode
	first int // its first row
	count int
}

// folds is from how many problems on a kind has a head to fold them under.
const folds = 4

// New returns the list of loose problems, which belong to no run, and of the problems of runs. A problem without a code is a
// note.
func New(t *theme.Theme, title string, loose []traces.Problem, runs []*measure.Run) *Model {
	m := &Model{theme: t, title: title, open: map[traces.ProblemCode]bool{}}
	for _, p := range loose {
		m.rows = append(m.rows, row{problem: p})
	}
	for _, r := range runs {
		for _, p := range r.Problems {
			m.rows = append(m.rows, row{r, p})
		}
	}
	first := map[traces.ProblemCode]int{}
	for i, r := range m.rows {
		if _, ok := first[r.problem.Code]; !ok {
			first[r.problem.Code] = i
		}
	}
	slices.SortStableFunc(m.rows, func(a, b row) int { return cmp.Compare(first[a.problem.Code], first[b.problem.Code]) })
	m.Search("")
	return m
}

// Replace lists the problems of now, and leaves the cursor and the search as they were.
func (m *Model) Replace(loose []traces.Problem, runs []*measure.Run) {
	next := New(m.theme, m.title, loose, runs)
	next.list, next.open = m.list, m.open
	next.width, next.height = m.width, m.height
	next.Search(m.query)
	*m = *next
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Resize(len(m.lines), height-headLines-messageLines)
}

const (
	headLines    = 2
	messageLines = 3 // the selected problem in full
)

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	list := []keys.Action{keys.Enter, keys.Find, keys.Copy}
	if slices.ContainsFunc(m.lines, func(l line) bool { return l.head }) {
		list = append(list, keys.Fold, keys.Unfold)
	}
	if m.query != "" {
		list = append([]keys.Action{keys.Next, keys.Previous}, list...)
	}
	return list
}

// ID returns the id of the span that the selected problem is about, "" if there is none.
func (m *Model) ID() string {
	l, ok := m.selected()
	if !ok || l.head {
		return ""
	}
	return m.rows[l.row].problem.SpanID
}

func (m *Model) selected() (l line, ok bool) {
	if len(m.lines) == 0 {
		return line{}, false
	}
	return m.lines[m.list.Cursor], true
}

// Search leaves only the problems that contain query, all of them unfolded.
func (m *Model) Search(query string) {
	m.query = query
	m.arrange()
}

// arrange makes the lines anew.
func (m *Model) arrange() {
	m.lines, m.matches = nil, 0
	query := strings.ToLower(m.query)
	for from := 0; from < len(m.rows); {
		code, to := m.rows[from].problem.Code, from
		k := &kind{code: code, first: from}
		for ; to < len(m.rows) && m.rows[to].problem.Code == code; to++ {
			k.count += max(1, m.rows[to].problem.More)
		}
		if query == "" && code != "" && k.count >= folds {
			m.lines = append(m.lines, line{row: from, kind: k, head: true})
		} else {
			k = nil
		}
		for i := from; i < to; i++ {
			p := m.rows[i].problem
			if !strings.Contains(strings.ToLower(string(p.Code)+"\n"+p.Message+"\n"+p.SpanID), query) {
				continue
			}
			m.matches += max(1, p.More)
			if k == nil || m.open[code] {
				m.lines = append(m.lines, line{row: i, kind: k})
			}
		}
		from = to
	}
	m.list.Resize(len(m.lines), m.list.Height)
}

// fold hides or shows the problems of the selected line's kind, and selects its head.
func (m *Model) fold(open bool) {
	l, ok := m.selected()
	if !ok || l.kind == nil {
		return
	}
	m.open[l.kind.code] = open
	m.arrange()
	for i, other := range m.lines {
		if other.head && other.kind.code == l.kind.code {
			m.list.Select(i)
		}
	}
}

// Query returns what is searched for and how many rows match.
func (m *Model) Query() (query string, matches int) { return m.query, m.matches }

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	switch n := max(1, msg.Count); msg.Action {
	case keys.Enter, keys.Unfold:
		return m.enter()
	case keys.Fold:
		m.fold(false)
	case keys.Next:
		m.list.Move(keys.Down, n)
	case keys.Previous:
		m.list.Move(keys.Up, n)
	default:
		m.list.Move(msg.Action, msg.Count)
	}
	return nil
}

// Click selects the row on line y, and opens it on the second click.
func (m *Model) Click(_, y int, double bool) tea.Cmd {
	at, ok := m.list.At(y - headLines)
	switch {
	case !ok:
		return nil
	case double:
		return m.enter()
	}
	m.list.Select(at)
	return nil
}

// Wheel scrolls by n rows.
func (m *Model) Wheel(n int) {
	m.list.Wheel(n)
}

// enter unfolds or folds a kind, or asks for the span that a problem is about.
func (m *Model) enter() tea.Cmd {
	l, ok := m.selected()
	if ok && l.head {
		m.fold(!m.open[l.kind.code])
		return nil
	}
	if !ok || m.rows[l.row].run == nil {
		return nil
	}
	r := m.rows[l.row]
	if r.problem.SpanID != "" {
		for _, s := range r.run.Spans {
			if s.ID == r.problem.SpanID {
				return chosen.Span(r.run, s)
			}
		}
	}
	return chosen.Run(r.run)
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	t := m.theme
	title := cell.NewLine(t, m.width, false)
	title.Space(1).Text(t.Accent, "problems").Space(2).Text(t.Strong, m.title)
	title.Right(t.Muted, fmt.Sprintf(" %d ", m.matches))
	head := cell.NewLine(t, m.width, false)
	head.Space(2).Fit(t.Muted, "kind", m.kindWidth()).Space(2).Text(t.Muted, "what was found, and what was done")
	lines := []string{title.String(), head.String()}
	from, to := m.list.Seen()
	for at := from; at < to; at++ {
		lines = append(lines, m.rowView(at))
	}
	if len(m.lines) == 0 {
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

func (m *Model) kindWidth() int { return min(28, max(10, m.width/3)) }

func (m *Model) rowView(at int) string {
	t, line, selected := m.theme, m.lines[at], at == m.list.Cursor
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	p := m.rows[line.row].problem
	name := strings.ReplaceAll(cmp.Or(string(p.Code), "note"), "_", " ")
	switch {
	case line.head:
		sign := t.Glyphs.Closed
		if m.open[p.Code] {
			sign = t.Glyphs.Open
		}
		l.Column(2).Fit(t.Warn, fmt.Sprintf("%s %d %s %s", sign, line.kind.count, t.Glyphs.Times, name), m.kindWidth())
		if m.open[p.Code] {
			break
		}
		l.Space(2).Text(t.Text, p.Message)
	case line.kind != nil:
		l.Column(2+m.kindWidth()+2).Text(t.Text, p.Message)
	default:
		l.Column(2).Fit(t.Warn, name, m.kindWidth()).Space(2).Text(t.Text, p.Message)
	}
	return l.String()
}

// message is the selected problem in full, wrapped; of a kind, its first.
func (m *Model) message() []string {
	selected, ok := m.selected()
	if !ok {
		return nil
	}
	t, p := m.theme, m.rows[selected.row]
	words := cell.Clean(p.problem.Message)
	if p.problem.SpanID != "" {
		words += " (span " + cell.Clean(p.problem.SpanID) + ")"
	}
	if p.run != nil {
		words += " in run " + cell.Clean(cmp.Or(p.run.Name, p.run.ID))
	}
	if selected.head {
		words = fmt.Sprintf("the first of %d: ", selected.kind.count) + words
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
