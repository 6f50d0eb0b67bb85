// Package runlist shows runs as a table that can be sorted, filtered and marked.
//
// A row is a run: when it started, what it was, how it ended, how long it took, and its families of components as a bar on
// the scale of the longest run, so that lengths compare between rows.
package runlist

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Model is a list of runs. Make it with New.
type Model struct {
	theme  *theme.Theme
	title  string
	runs   []*measure.Run
	order  []int // runs that are shown, in order
	rows   []row
	by     string          // the tag they are grouped by; "": none
	folded map[string]bool // by value of that tag
	marks  map[*measure.Run]bool
	list   scroll.List

	width, height int
	columns       []placed
	sort          column
	descending    bool
	query         string
	longest       time.Duration // of the runs that are shown
}

// New returns a list of runs under a title, in the order given. The slice is not changed.
func New(t *theme.Theme, title string, runs []*measure.Run) *Model {
	m := &Model{theme: t, title: title, runs: runs, marks: map[*measure.Run]bool{}, sort: colStart, folded: map[string]bool{}}
	m.arrange()
	return m
}

// Replace shows runs that have grown, and others: renew says what has become of the runs there were, nil for one that is gone; what it
// does not name is as it was. Marks and the selected row stay with their runs.
func (m *Model) Replace(runs []*measure.Run, renew map[*measure.Run]*measure.Run) {
	selected, marks := m.Run(), map[*measure.Run]bool{}
	if next, ok := renew[selected]; ok {
		selected = next
	}
	for run := range m.marks {
		next, ok := renew[run]
		if !ok {
			next = run
		}
		if next != nil {
			marks[next] = true
		}
	}
	m.runs, m.marks = runs, marks
	m.order, m.rows = nil, nil
	m.arrange()
	m.columns = layout(m.width, m.runs)
	m.choose(selected)
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.columns = layout(width, m.runs)
	m.list.Resize(len(m.rows), height-headLines)
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	if len(m.runs) == 0 {
		return nil
	}
	list := []keys.Action{keys.Enter, keys.Breakdown, keys.Mark, keys.Compare, keys.Find, keys.Flame, keys.WhatIf, keys.Sort, keys.Reverse, keys.Regroup,
		keys.Problems, keys.Copy}
	if m.by != "" {
		list = append(list, keys.Fold, keys.Unfold, keys.FoldAll, keys.UnfoldAll)
	}
	if m.query != "" {
		list = append([]keys.Action{keys.Next, keys.Previous}, list...)
	}
	return list
}

// Run returns the selected run; nil if none is.
func (m *Model) Run() *measure.Run {
	if len(m.rows) == 0 || m.rows[m.list.Cursor].head != nil {
		return nil
	}
	return m.runs[m.rows[m.list.Cursor].run]
}

// ID returns the id of the selected run, "" if none is shown.
func (m *Model) ID() string {
	if r := m.Run(); r != nil {
		return r.ID
	}
	return ""
}

// Shown returns the runs that the filter leaves, in the order of the screen.
func (m *Model) Shown() []*measure.Run {
	shown := make([]*measure.Run, len(m.order))
	for i, k := range m.order {
		shown[i] = m.runs[k]
	}
	return shown
}

// Marked returns the marked runs in the order given to New.
func (m *Model) Marked() []*measure.Run {
	var marked []*measure.Run
	for _, r := range m.runs {
		if m.marks[r] {
			marked = append(marked, r)
		}
	}
	return marked
}

// Toggle marks run, or unmarks it.
func (m *Model) Toggle(run *measure.Run) {
	if m.marks[run] {
		delete(m.marks, run)
	} else {
		m.marks[run] = true
	}
}

// Search leaves only the runs that contain each word of query in their name, id, outcome or tags.
func (m *Model) Search(query string) {
	m.query = query
	m.arrange()
}

// Query returns what is searched for and how many rows match.
func (m *Model) Query() (query string, matches int) { return m.query, len(m.order) }

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	n := max(1, msg.Count)
	switch msg.Action {
	case keys.Enter:
		return m.open()
	case keys.Unfold:
		if m.Run() != nil {
			return m.open()
		}
		m.fold(false)
	case keys.Fold:
		m.fold(true)
	case keys.FoldAll, keys.UnfoldAll:
		m.foldAll(msg.Action == keys.FoldAll)
	case keys.Regroup:
		m.regroup(n)
	case keys.Next:
		m.list.Move(keys.Down, n)
	case keys.Previous:
		m.list.Move(keys.Up, n)
	case keys.Mark:
		for range min(n, len(m.rows)) {
			m.mark()
			m.list.Move(keys.Down, 1)
		}
	case keys.Sort:
		m.sortNext(n)
	case keys.Reverse:
		m.descending = !m.descending
		m.arrange()
	default:
		m.list.Move(msg.Action, msg.Count)
	}
	return nil
}

// Click selects the row on line y, opens it on the second click, or sorts by the column head that was hit.
func (m *Model) Click(x, y int, double bool) tea.Cmd {
	if y == headLines-1 {
		for _, c := range m.columns {
			if x >= c.at && x < c.at+c.width {
				m.sortBy(c.column)
			}
		}
		return nil
	}
	row, ok := m.list.At(y - headLines)
	if !ok {
		return nil
	}
	m.list.Select(row)
	if double {
		return m.open()
	}
	return nil
}

// Wheel scrolls by n rows.
func (m *Model) Wheel(n int) {
	m.list.Wheel(n)
}

// open opens the selected run, or folds or unfolds the selected group.
func (m *Model) open() tea.Cmd {
	if run := m.Run(); run != nil {
		return chosen.Run(run)
	}
	if g := m.head(); g != nil {
		m.fold(!m.folded[g.value])
	}
	return nil
}

// mark marks the selected run, or unmarks it; of a group all runs, unless all are marked.
func (m *Model) mark() {
	if run := m.Run(); run != nil {
		m.Toggle(run)
		return
	}
	g := m.rows[m.list.Cursor].head
	all := !slices.ContainsFunc(g.order, func(i int) bool { return !m.marks[m.runs[i]] })
	for _, i := range g.order {
		if m.marks[m.runs[i]] == all {
			m.Toggle(m.runs[i])
		}
	}
}

// sortNext sorts by the nth next column that is on the screen.
func (m *Model) sortNext(n int) {
	if len(m.columns) == 0 {
		return
	}
	at := slices.IndexFunc(m.columns, func(c placed) bool { return c.column == m.sort })
	m.sortBy(m.columns[(at+n)%len(m.columns)].column)
}

// sortBy sorts by c, numbers from the largest on; by the same column again, the other way round.
func (m *Model) sortBy(c column) {
	if c == m.sort {
		m.descending = !m.descending
	} else {
		m.sort, m.descending = c, c == colWall || c == colSteps || c == colBar
	}
	m.arrange()
}

// arrange filters and sorts anew, and keeps the selected run selected if it is still there.
func (m *Model) arrange() {
	selected := m.Run()
	m.order = m.order[:0:0]
	words := strings.Fields(strings.ToLower(m.query))
	m.longest = 0
	for i, r := range m.runs {
		if matches(r, words) {
			m.order = append(m.order, i)
			m.longest = max(m.longest, r.Wall)
		}
	}
	slices.SortStableFunc(m.order, func(a, b int) int {
		c := compare(m.sort, m.runs[a], m.runs[b])
		if m.descending {
			return -c
		}
		return c
	})
	m.lay()
	m.choose(selected)
}

// choose selects the row of run, if it has one.
func (m *Model) choose(run *measure.Run) {
	for i, r := range m.rows {
		if r.head == nil && m.runs[r.run] == run {
			m.list.Select(i)
		}
	}
}

func matches(r *measure.Run, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := []string{r.Name, r.ID, string(r.Outcome)}
	for k, v := range r.Group {
		text = append(text, v, k+"="+v)
	}
	all := strings.ToLower(strings.Join(text, "\n"))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

func effort(r *measure.Run) string { return strings.ToLower(r.Group["effort"]) }

func compare(c column, a, b *measure.Run) int {
	switch c {
	case colName:
		return stats.Natural(a.Name, b.Name)
	case colModel:
		return stats.Natural(a.Group["model"], b.Group["model"])
	case colEffort:
		return cmp.Or(cmp.Compare(rank(effort(a)), rank(effort(b))), stats.Natural(a.Group["effort"], b.Group["effort"]))
	case colOutcome:
		return cmp.Compare(a.Outcome, b.Outcome)
	case colWall, colBar:
		return cmp.Compare(a.Wall, b.Wall)
	case colSteps:
		return cmp.Compare(a.Counts.Steps, b.Counts.Steps)
	}
	return a.Start.Compare(b.Start)
}
