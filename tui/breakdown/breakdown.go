// Package breakdown shows what one run's time adds up to: by component, by tool and by step.
//
// The components' bars are on the scale of the run, so that they read as shares; the tools' and the steps' each on that of the largest of
// them. Times that were not measured carry a mark. Beside the time on the critical path stands what would be saved if none of it were
// needed, which is less where something else would have been waited for then. A component unfolds into the calls that it was spent in, a
// tool into its calls, a step into its components; these lead to the spans behind them.
package breakdown

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Model is the breakdown of one run. Make it with New.
type Model struct {
	theme         *theme.Theme
	run           *measure.Run
	rows          []row
	list          scroll.List
	open          map[string]bool         // rows that are unfolded, by key
	parts         map[string][]stretch    // what they unfold into, as far as that was found out
	missing       []missing               // what of it is to be found out
	atOnce        bool                    // nothing is missing: it is found out at once
	asking        bool                    // that is under way
	tools         map[*traces.Span]string // by call; nil until a component was unfolded
	orders        [3]order                // of the tables
	saved         saved
	longest       time.Duration // of the steps
	tool          time.Duration // the largest time of a tool
	names         int           // the width of their column
	width, height int
}

// New returns the breakdown of run.
func New(t *theme.Theme, run *measure.Run) *Model {
	m := &Model{theme: t, run: run, open: map[string]bool{}, parts: map[string][]stretch{}, atOnce: len(run.Spans) <= few}
	for i := range run.Tools {
		m.tool = max(m.tool, run.Tools[i].Critical)
		if r := run.Tools[i].Run; r != nil {
			m.tool = max(m.tool, *r)
		}
	}
	for _, s := range run.Steps {
		m.longest = max(m.longest, s.Time())
	}
	m.arrange()
	m.list.Select(1)
	return m
}

// arrange makes the rows anew, and keeps the selected one selected.
func (m *Model) arrange() {
	selected := m.selected()
	m.missing = nil
	m.rows = m.tables()
	m.list.Resize(len(m.rows), m.list.Height)
	if i := m.index(selected.of, selected.key); i >= 0 {
		m.list.Select(i)
	}
	m.skip(true)
	m.fitNames()
}

// index returns the place of a row; -1: there is none like it.
func (m *Model) index(of, key string) int {
	return slices.IndexFunc(m.rows, func(r row) bool { return r.key == key && r.of == of && key != "" })
}

// Replace shows the run as it is now, and keeps the selected row selected and all others as they were.
func (m *Model) Replace(run *measure.Run) {
	next := New(m.theme, run)
	next.open, next.orders, next.rows, next.list = m.open, m.orders, m.rows, m.list
	next.atOnce = true // else what is unfolded would be gone for a moment
	next.arrange()
	next.atOnce = m.atOnce
	next.list.Top = next.list.Cursor - (m.list.Cursor - m.list.Top)
	next.SetSize(m.width, m.height)
	*m = *next
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Resize(len(m.rows), height-headLines-1)
	m.skip(true)
	m.fitNames()
}

const headLines = headline.Lines + 1

// Run returns the run that is shown.
func (m *Model) Run() *measure.Run { return m.run }

// ID returns the id of the span that is selected, else that of the run.
func (m *Model) ID() string {
	if s := m.selected().part; s != nil && s.span != nil {
		return s.span.ID
	}
	return m.run.ID
}

func (m *Model) selected() row {
	if len(m.rows) == 0 {
		return row{}
	}
	return m.rows[m.list.Cursor]
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	return []keys.Action{keys.Enter, keys.Fold, keys.Unfold, keys.Flame, keys.WhatIf, keys.Sort, keys.Reverse, keys.Problems, keys.Mark,
		keys.Compare, keys.Copy, keys.FoldAll, keys.UnfoldAll}
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	r := m.selected()
	switch msg.Action {
	case keys.Enter:
		return m.enter()
	case keys.Unfold:
		switch {
		case r.part != nil:
			return m.enter()
		case m.open[r.key]:
			m.list.Move(keys.Down, 1)
		default:
			m.fold(r.key, true)
		}
	case keys.Fold:
		if r.part != nil {
			m.list.Select(m.index("", r.of))
		} else {
			m.fold(r.key, false)
		}
	case keys.FoldAll:
		if r.part != nil {
			m.list.Select(m.index("", r.of))
		}
		clear(m.open)
		m.arrange()
	case keys.UnfoldAll:
		for _, r := range m.rows {
			m.open[r.key] = r.part == nil && r.heading == ""
		}
		m.arrange()
	case keys.Sort:
		m.orders[r.table].next(r.table)
		m.arrange()
	case keys.Reverse:
		m.orders[r.table].reverse = !m.orders[r.table].reverse
		m.arrange()
	default:
		before := m.list.Cursor
		m.list.Move(msg.Action, msg.Count)
		m.skip(m.list.Cursor >= before)
	}
	return nil
}

// fold unfolds a row, into view, or folds it.
func (m *Model) fold(key string, open bool) {
	m.open[key] = open
	m.arrange()
	if open {
		m.reveal(key)
	}
}

// reveal brings into view what a row unfolds into, as far as there is room.
func (m *Model) reveal(key string) {
	m.list.Select(m.index("", key) + min(len(m.parts[key]), max(0, m.list.Height-1)))
	m.list.Select(m.index("", key))
	m.skip(true)
}

// enter unfolds or folds the selected row; what cannot be unfolded, and a step, leads to its span.
func (m *Model) enter() tea.Cmd {
	r := m.selected()
	switch {
	case r.part != nil:
		return chosen.Span(m.run, r.part.span)
	case r.step != nil:
		span := r.step.Span
		if span == nil && len(r.step.ModelCalls) > 0 {
			span = r.step.ModelCalls[0].Span
		}
		return chosen.Span(m.run, span)
	case r.heading == "":
		m.fold(r.key, !m.open[r.key])
	}
	return nil
}

// Click selects the row on line y, and opens it on the second click; a click on its sign unfolds it.
func (m *Model) Click(x, y int, double bool) tea.Cmd {
	at, ok := m.list.At(y - headLines)
	if !ok || !m.rows[at].selectable() {
		return nil
	}
	m.list.Select(at)
	switch r := m.rows[at]; {
	case x < nameAt && r.part == nil:
		m.fold(r.key, !m.open[r.key])
	case double:
		return m.enter()
	}
	return nil
}

// Wheel scrolls by n rows.
func (m *Model) Wheel(n int) {
	m.list.Wheel(n)
	m.skip(n > 0)
}

// skip moves on from a heading, and back where there is nothing further on.
func (m *Model) skip(down bool) {
	for _, step := range []int{1, -1} {
		if !down {
			step = -step
		}
		for at := m.list.Cursor; at >= 0 && at < len(m.rows); at += step {
			if m.rows[at].selectable() {
				m.list.Select(at)
				if at == 1 {
					m.list.Top = 0 // show the first heading too
				}
				return
			}
		}
	}
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	empty := strings.Repeat(" ", max(0, m.width))
	lines := append(headline.View(m.theme, m.run, m.width), empty)
	from, to := m.list.Seen()
	for at := from; at < to; at++ {
		lines = append(lines, m.rowView(at))
	}
	for len(lines) < m.height-1 {
		lines = append(lines, empty)
	}
	lines = append(lines, m.note())
	return strings.Join(lines[:m.height], "\n")
}

// note explains the selected row: what its component is, what would be saved, what an unknown time means.
func (m *Model) note() string {
	t, r := m.theme, m.selected()
	l := cell.NewLine(t, m.width, false)
	var words []string
	switch {
	case r.component != nil:
		if s := report.Explain(r.component.Component); s != "" {
			words = append(words, componentName(r.component.Component)+": "+s)
		}
	case r.tool != nil && r.tool.Run == nil:
		words = append(words, "?: the trace does not say")
	case r.tool != nil && r.tool.Critical > *r.tool.Run:
		words = append(words, "run: execution alone; on path: what the run waited for, the call's whole round trip")
	}
	if d, ok := m.saves(r); ok {
		words = append(words, "without any of it the run would be "+report.Duration(d)+" shorter")
	}
	l.Space(1).Text(t.Muted, strings.Join(words, " "+t.Glyphs.Dot+" "))
	return l.String()
}
