// Package breakdown shows what one run's time adds up to: by component, by tool and by step.
//
// The components' bars are on the scale of the run, so that they read as shares; the steps' on that of the longest step.
// Times that were not measured carry a mark. Opening a row leads to the spans behind it.
package breakdown

import (
	"cmp"
	"slices"
	"strconv"
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
	longest       time.Duration // of the steps
	tool          time.Duration // the largest time of a tool
	width, height int
}

// A row is a heading, a blank, or one of a component, a tool and a step.
type row struct {
	heading   string
	component *measure.ComponentTime
	tool      *measure.ToolTime
	step      *measure.StepTime
}

func (r row) selectable() bool { return r.component != nil || r.tool != nil || r.step != nil }

// New returns the breakdown of run.
func New(t *theme.Theme, run *measure.Run) *Model {
	m := &Model{theme: t, run: run}
	add := func(r row) { m.rows = append(m.rows, r) }
	add(row{heading: "components"})
	for i := range run.Components {
		add(row{component: &run.Components[i]})
	}
	if len(run.Tools) > 0 {
		add(row{})
		add(row{heading: "tools"})
	}
	tools := slices.Clone(run.Tools)
	slices.SortStableFunc(tools, func(a, b measure.ToolTime) int { return cmp.Compare(b.Critical, a.Critical) })
	for i := range tools {
		tool := &tools[i]
		m.tool = max(m.tool, tool.Critical)
		if tool.Run != nil {
			m.tool = max(m.tool, *tool.Run)
		}
		add(row{tool: tool})
	}
	if len(run.Steps) > 0 {
		add(row{})
		add(row{heading: "steps"})
	}
	for i := range run.Steps {
		m.longest = max(m.longest, run.Steps[i].Time())
		add(row{step: &run.Steps[i]})
	}
	m.list.Resize(len(m.rows), 0)
	m.list.Select(1)
	return m
}

// Replace shows the run as it is now, and keeps the selected row selected.
func (m *Model) Replace(run *measure.Run) {
	selected := ""
	if len(m.rows) > 0 {
		selected = m.rows[m.list.Cursor].key()
	}
	top := m.list.Cursor - m.list.Top
	next := New(m.theme, run)
	next.SetSize(m.width, m.height)
	if i := slices.IndexFunc(next.rows, func(r row) bool { return r.key() == selected }); i >= 0 {
		next.list.Top = i - top
		next.list.Select(i)
	}
	*m = *next
}

// key tells a row from the others however the run grows.
func (r row) key() string {
	switch {
	case r.component != nil:
		return "component " + string(r.component.Component) + " " + string(r.component.Quality)
	case r.tool != nil:
		return "tool " + r.tool.Name
	case r.step != nil:
		return "step " + strconv.Itoa(r.step.Index)
	}
	return r.heading
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Resize(len(m.rows), height-headLines-1)
	m.skip(true)
}

const headLines = headline.Lines + 1

// Run returns the run that is shown.
func (m *Model) Run() *measure.Run { return m.run }

// ID returns the id of the run.
func (m *Model) ID() string { return m.run.ID }

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	return []keys.Action{keys.Enter, keys.Flame, keys.WhatIf, keys.Problems, keys.Mark, keys.Compare, keys.Copy}
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	if msg.Action == keys.Enter || msg.Action == keys.Unfold {
		return m.open()
	}
	before := m.list.Cursor
	m.list.Move(msg.Action, msg.Count)
	m.skip(m.list.Cursor >= before)
	return nil
}

// Click selects the row on line y, and opens it on the second click.
func (m *Model) Click(_, y int, double bool) tea.Cmd {
	at, ok := m.list.At(y - headLines)
	switch {
	case !ok || !m.rows[at].selectable():
		return nil
	case double:
		return m.open()
	}
	m.list.Select(at)
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

// open finds the span behind the selected row: the step's, the longest call's of the tool on the path, the longest stretch of the
// component.
func (m *Model) open() tea.Cmd {
	if len(m.rows) == 0 {
		return nil
	}
	var span *traces.Span
	switch r := m.rows[m.list.Cursor]; {
	case r.component != nil:
		var longest time.Duration
		for _, s := range m.run.Path.Segments {
			if d := s.To - s.From; s.Component == r.component.Component && s.Quality == r.component.Quality && d > longest {
				span, longest = s.Span, d
			}
		}
	case r.tool != nil:
		longest := time.Duration(-1)
		for _, c := range m.run.ToolCalls {
			if c.Name == r.tool.Name && max(c.Critical, c.Span.Duration()/1000) > longest {
				span, longest = c.Span, max(c.Critical, c.Span.Duration()/1000)
			}
		}
	case r.step != nil:
		span = r.step.Span
		if span == nil && len(r.step.ModelCalls) > 0 {
			span = r.step.ModelCalls[0].Span
		}
	default:
		return nil
	}
	return chosen.Span(m.run, span)
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

// note explains the selected row: what its component is, what an unknown time means.
func (m *Model) note() string {
	l := cell.NewLine(m.theme, m.width, false)
	if len(m.rows) == 0 {
		return l.String()
	}
	switch r := m.rows[m.list.Cursor]; {
	case r.component != nil:
		if words := report.Explain(r.component.Component); words != "" {
			l.Space(1).Text(m.theme.Muted, strings.ReplaceAll(string(r.component.Component), "_", " ")+": "+words)
		}
	case r.tool != nil && r.tool.Run == nil:
		l.Space(1).Text(m.theme.Muted, "?: the trace does not say")
	case r.tool != nil && r.tool.Critical > *r.tool.Run:
		l.Space(1).Text(m.theme.Muted, "run: execution alone; on path: what the run waited for, the call's whole round trip")
	}
	return l.String()
}

// nameWidth is the width of the column of names, wide enough for the longest if there is room.
func (m *Model) nameWidth() int {
	w := 10
	for _, r := range m.rows {
		if r.tool != nil {
			w = max(w, cell.Width(cell.Clean(r.tool.Name)))
		}
	}
	return min(w, max(14, m.width/4))
}

func stepName(s *measure.StepTime) string {
	if s.Span != nil {
		return cmp.Or(s.Span.Name, "step")
	}
	return "step"
}
