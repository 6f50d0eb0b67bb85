// Package waterfall draws one run as rows of bars under a ruler and says what the run was waiting for.
//
// The first row is the run itself: its bar is the critical path in order of time, so it has no gap. Below it come steps,
// model calls with their phases, attempts and tools. What the run waited for is drawn in full colour and marked; what
// ran beside it is paler. Spans that have no part in the agent's loop start folded, many neighbours of them in one row. Only
// the rows that are seen are drawn, and a row is drawn anew only if something in it changed.
package waterfall

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/window"
)

// A Model is the waterfall of one run. Make it with New.
type Model struct {
	run   *measure.Run
	theme *theme.Theme
	tree  *tree
	list  scroll.List
	view  window.Window // the time that is shown
	cut   bool          // idle gaps are cut out of it
	at    time.Duration // an instant that was gone to, below 0 if none was
	band  window.Band   // the time that the mouse is being dragged over
	pane  pane

	width, height int
	columns       columns

	query   string
	matches []int32

	strip []pathCell // the path on the cells of the axis
	shown bar.Axis   // that strip is of
	whole []pathCell // the path on the cells of the map
	cache map[int32]string
	slack slack
}

// none is no instant.
const none = time.Duration(-1)

// New returns the waterfall of run, wholly in view. Its cost is linear in the number of spans.
func New(t *theme.Theme, run *measure.Run) *Model {
	m := &Model{run: run, theme: t, tree: newTree(run), view: window.New(run.Wall), at: none}
	m.refresh()
	return m
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) {
	m.theme = t
	m.refresh()
}

// SetSize sets how many cells there are; lines that do not fit are left out, last the rows.
func (m *Model) SetSize(width, height int) {
	if width == m.width && height == m.height {
		return
	}
	m.width, m.height = width, height
	m.refresh()
}

// Run returns the run that is shown.
func (m *Model) Run() *measure.Run { return m.run }

// Span returns the selected span, the first of them where a row stands for several; nil if the run has none.
func (m *Model) Span() *traces.Span {
	if len(m.tree.rows) == 0 {
		return nil
	}
	s := m.tree.nodes[m.selected()].span
	if isCrowd(s) {
		return s.Kids[0]
	}
	return s
}

// ID returns the id of the selected span, "" if the run has none.
func (m *Model) ID() string {
	if s := m.Span(); s != nil {
		return s.ID
	}
	return ""
}

// PathOnly reports whether rows off the critical path are hidden.
func (m *Model) PathOnly() bool { return m.tree.pathOnly }

// Zoomed reports whether only a part of the run's time is in view.
func (m *Model) Zoomed() bool { return m.view.Zoomed() }

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	list := []keys.Action{keys.Enter, keys.Critical, keys.Breakdown, keys.Flame, keys.WhatIf, keys.ZoomIn, keys.ZoomOut, keys.ZoomReset,
		keys.Find, keys.FoldAll, keys.UnfoldAll, keys.Pane, keys.Problems, keys.Mark, keys.Compare, keys.Copy,
		keys.ZoomSpan, keys.ZoomUndo, keys.PanLeft, keys.PanRight, keys.Fold, keys.Unfold}
	if m.Call() != nil {
		list = slices.Insert(list, 3, keys.Stream)
	}
	if len(m.tree.idle) > 0 {
		list = slices.Insert(list, 3, keys.Gaps)
	}
	if m.query != "" {
		list = append([]keys.Action{keys.Next, keys.Previous}, list...)
	}
	return list
}

// Call returns the model call that the selected row is or belongs to; nil if there is none.
func (m *Model) Call() *measure.Call {
	if len(m.tree.rows) == 0 {
		return nil
	}
	for i := m.selected(); i >= 0; i = m.tree.nodes[i].parent {
		if c := m.tree.calls[m.tree.nodes[i].span]; c != nil {
			return c
		}
	}
	return nil
}

// Reveal selects span, unfolding what hides it. A span that is not of this run is ignored.
func (m *Model) Reveal(span *traces.Span) {
	if i, ok := m.tree.find(span); ok {
		m.goTo(i)
	}
}

// Jump shows and marks an instant of the run, and selects what the run was waiting for then.
func (m *Model) Jump(at time.Duration) {
	at = max(0, min(at, m.view.Whole()))
	if at < m.view.From || at >= m.view.To {
		m.view.Centre(at)
	}
	m.at = at
	if k := m.tree.segmentAt(at); k < len(m.tree.path.Segments) {
		m.Reveal(m.tree.path.Segments[k].Span)
	}
	m.refresh()
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	if len(m.tree.rows) == 0 || m.pane.takes(msg) {
		return nil
	}
	m.at = none
	if m.list.Move(msg.Action, msg.Count) {
		return nil
	}
	i, n := m.selected(), max(1, msg.Count)
	switch msg.Action {
	case keys.Enter:
		return m.enter(i)
	case keys.Stream:
		if c := m.Call(); c != nil {
			return chosen.Call(m.run, c)
		}
	case keys.Fold:
		m.fold(i)
	case keys.Unfold:
		m.unfold(i)
	case keys.FoldAll:
		m.foldAll(true)
	case keys.UnfoldAll:
		m.foldAll(false)
	case keys.Critical:
		m.tree.pathOnly = !m.tree.pathOnly
		m.tree.list()
		m.keep(i)
	case keys.Gaps:
		m.cut = !m.cut && len(m.tree.idle) > 0
		m.refresh()
	case keys.Pane:
		m.pane.next()
		m.refresh()
	case keys.Next, keys.Previous:
		m.next(msg.Action, n)
	default:
		if s := m.tree.nodes[i].span; m.view.Move(msg.Action, n, s.Start, s.End) {
			m.refresh()
		}
	}
	return nil
}

// enter goes into a row: a model call's stream, else it is folded or unfolded.
func (m *Model) enter(i int32) tea.Cmd {
	if c := m.tree.calls[m.tree.nodes[i].span]; c != nil {
		return chosen.Call(m.run, c)
	}
	m.toggle(i)
	return nil
}

// Click selects the row on line y, folds it if its marker is hit and goes into it on the second click. On the map it pans.
func (m *Model) Click(x, y int, double bool) tea.Cmd {
	if y == mapAt && m.Zoomed() {
		if a := m.mapAxis(); x >= 1 && x <= a.Cells {
			m.view.Centre(a.Time((x - 1) * bar.Dots))
			m.refresh()
		}
		return nil
	}
	row, ok := m.list.At(y - m.rowsAt())
	if !ok {
		return nil
	}
	i := m.tree.rows[row]
	marker := m.columns.indent(m.tree.nodes[i].depth)
	m.list.Select(row)
	switch {
	case x >= marker && x <= marker+1:
		m.toggle(i)
	case double:
		return m.enter(i)
	}
	return nil
}

// Drag marks the time between two columns of the bars, and zooms to it when the button is let go.
func (m *Model) Drag(fromX, fromY, toX int, done bool) {
	if fromY < m.rowsAt()-1 {
		return
	}
	a, at := m.axis(), m.columns.barAt()
	if m.band.Drag(fromX-at, toX-at, a.Cells, done) {
		m.view.Show(a.Time(m.band.From*bar.Dots), a.Time(m.band.To*bar.Dots))
		m.refresh()
	}
}

// Wheel scrolls by n rows.
func (m *Model) Wheel(n int) {
	m.list.Wheel(n)
}

func (m *Model) selected() int32 { return m.tree.rows[m.list.Cursor] }

// goTo shows and selects node i.
func (m *Model) goTo(i int32) {
	m.tree.reveal(i)
	m.keep(i)
}

// keep selects node i, or what hides it, after the rows changed.
func (m *Model) keep(i int32) {
	m.list.Resize(len(m.tree.rows), m.list.Height)
	m.list.Select(m.tree.row(i))
	m.cache = map[int32]string{}
}

func (m *Model) toggle(i int32) {
	if m.tree.folded[i] {
		m.unfold(i)
	} else if !m.tree.bare(i) {
		m.fold(i)
	}
}

// fold hides the children of i, or goes to its parent if there are none to hide.
func (m *Model) fold(i int32) {
	if m.tree.folded[i] || m.tree.bare(i) {
		if p := m.tree.nodes[i].parent; p >= 0 {
			m.list.Select(m.tree.row(p))
		}
		return
	}
	m.tree.folded[i] = true
	m.tree.list()
	m.keep(i)
}

// unfold shows the children of i, or goes to the first one if they are shown.
func (m *Model) unfold(i int32) {
	switch {
	case m.tree.bare(i):
	case !m.tree.folded[i]:
		m.list.Select(m.list.Cursor + 1)
	default:
		m.tree.folded[i] = false
		m.tree.list()
		m.keep(i)
	}
}

// foldAll folds every step, or unfolds everything.
func (m *Model) foldAll(fold bool) {
	i := m.selected()
	for k := range m.tree.folded {
		m.tree.folded[k] = fold && k > 0 && !m.tree.bare(int32(k))
	}
	m.tree.list()
	m.keep(i)
}

// refresh lays everything out anew after the size, the look or the time in view changed.
func (m *Model) refresh() {
	m.columns = layout(m.width, m.tree.needs)
	m.list.Resize(len(m.tree.rows), m.height-m.rowsAt()-m.below())
	if a := m.axis(); !m.shown.Equal(a) {
		m.strip, m.shown = m.tree.strip(a), a
	}
	if cells := m.mapAxis().Cells; m.Zoomed() && len(m.whole) != cells {
		m.whole = m.tree.strip(m.mapAxis())
	}
	m.cache = map[int32]string{}
}

// axis is the time in view on the cells of the bars.
func (m *Model) axis() bar.Axis {
	a := bar.Axis{From: m.view.From, To: m.view.To, Cells: m.columns.bar}
	if m.cut {
		return a.Cut(m.tree.idle)
	}
	return a
}
