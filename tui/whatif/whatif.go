// Package whatif shows what one run, or the median of many, would have taken, had some of it been faster, slower or not there: a slider for
// each thing that can be changed, and the total as they move.
//
// Rows come in the order of what they could bring. Every row says what its own change brings on top of all others, where going on stops
// helping because the runs begin to wait for something else, and what it could bring at most. The answers are those of traces/whatif, which is
// a replay of what was recorded; what they take for granted stands below, and whole behind a key.
//
// The total follows a key at once. What costs many replays (the range, knees, curves) does so too for small runs, else it is worked out
// beside the interface, and what is not known yet is said to be so.
package whatif

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Model is the what-if of some runs. Make it with New.
type Model struct {
	theme  *theme.Theme
	runs   []*measure.Run
	marked bool // the runs are those that were marked
	spans  int  // of all runs

	near, far *pool // answers at once; beside the interface, one question at a time
	rows      []*row
	list      scroll.List
	before    answer
	after     answer // of the sliders as they are, or as they were when it was last known
	desk      desk
	noting    bool // all that is assumed is shown in place of the rows
	noteTop   int

	width, height int
}

// New returns the what-if of runs, which were marked or not.
func New(t *theme.Theme, runs []*measure.Run, marked bool) *Model {
	m := &Model{theme: t, marked: marked}
	m.Replace(runs)
	return m
}

// Replace is about other runs, or the same ones after they have grown. Sliders stay where they are.
func (m *Model) Replace(runs []*measure.Run) {
	kept := map[string]int{}
	for _, r := range m.rows {
		kept[r.name] = r.at - r.home
	}
	selected := ""
	if r := m.row(); r != nil {
		selected = r.name
	}
	m.runs, m.spans = runs, 0
	for _, r := range runs {
		m.spans += len(r.Spans)
	}
	m.near, m.far = newPool(runs), newPool(runs)
	m.rows = rowsOf(runs)
	for _, r := range m.rows {
		r.move(kept[r.name])
	}
	m.list.Resize(len(m.rows), m.fit())
	if i := slices.IndexFunc(m.rows, func(r *row) bool { return r.name == selected }); i >= 0 {
		m.list.Select(i)
	}
	m.desk.clear()
	m.changed(nil)
}

// Runs returns the runs that the answers are about.
func (m *Model) Runs() []*measure.Run { return m.runs }

// ready reports whether there are sliders to be moved.
func (m *Model) ready() bool { return m.desk.started && len(m.rows) > 0 }

// row returns the selected row; nil if there is none.
func (m *Model) row() *row {
	if len(m.rows) == 0 {
		return nil
	}
	return m.rows[m.list.Cursor]
}

// plan returns what the sliders say, if that of r, which may be nil, stood at a notch.
func (m *Model) plan(r *row, at int) whatif.Plan {
	var plan whatif.Plan
	for _, order := range []stage{scales, rates, switches} { // a cached wait is as short as it is, however long it was
		for _, each := range m.rows {
			if each.stage != order {
				continue
			}
			to := each.at
			if each == r {
				to = at
			}
			plan = each.notches[to].onto(plan)
		}
	}
	return plan
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Resize(len(m.rows), m.fit())
}

// ID returns the command line that gives the same answer.
func (m *Model) ID() string { return command(m.plan(nil, 0), m.runs) }

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	if !m.ready() {
		return nil
	}
	list := []keys.Action{keys.Fold, keys.Unfold, keys.ZoomReset, keys.ResetAll, keys.Pane, keys.Copy, keys.Flame}
	if len(m.runs) == 1 {
		list = append(list, keys.Enter)
	}
	return list
}

// Words says what a key does here, where it is not what it does elsewhere.
func (m *Model) Words(a keys.Action) string {
	switch a {
	case keys.Fold:
		return "less"
	case keys.Unfold:
		return "more"
	case keys.ZoomReset:
		return "as it was"
	case keys.Pane:
		if m.noting {
			return "sliders"
		}
		return "assumptions"
	case keys.Copy:
		return "copy as command"
	case keys.Enter:
		return "show in the run"
	}
	return ""
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	if !m.ready() {
		return nil
	}
	r, n := m.row(), max(1, msg.Count)
	switch msg.Action {
	case keys.Pane:
		m.noting, m.noteTop = !m.noting, 0
	case keys.Fold:
		m.slide(r, r.at-n)
	case keys.Unfold:
		m.slide(r, r.at+n)
	case keys.ZoomReset:
		m.slide(r, r.home)
	case keys.ResetAll:
		m.reset()
	case keys.Enter:
		return m.open(r)
	default:
		if m.noting {
			m.scrollNotes(msg.Action, n)
			return nil
		}
		m.list.Move(msg.Action, msg.Count)
		m.asked()
	}
	return nil
}

// Back leaves the assumptions; false: it is at the sliders.
func (m *Model) Back() bool {
	was := m.noting
	m.noting = false
	return was
}

// slide moves a row's slider to a notch.
func (m *Model) slide(r *row, to int) {
	was := r.at
	r.move(to - r.home)
	if r.at != was {
		m.changed(r)
	}
}

func (m *Model) reset() {
	for _, r := range m.rows {
		r.at = r.home
	}
	m.changed(nil)
}

// Click selects the row on line y, moves its slider to where it was hit, and shows its spans on the second click elsewhere.
func (m *Model) Click(x, y int, double bool) tea.Cmd {
	at, ok := m.list.At(y - headLines)
	if !ok || m.noting || !m.ready() {
		return nil
	}
	m.list.Select(at)
	r := m.rows[at]
	switch to, ok := m.notch(r, x); {
	case ok:
		m.slide(r, to)
	case double:
		return m.open(r)
	}
	m.asked()
	return nil
}

// Drag moves a slider along with the mouse.
func (m *Model) Drag(fromX, fromY, toX int, _ bool) {
	at, ok := m.list.At(fromY - headLines)
	if !ok || m.noting || !m.ready() {
		return
	}
	r := m.rows[at]
	if _, ok := m.notch(r, fromX); ok {
		from, cells := m.track()
		to, _ := m.notch(r, max(from, min(toX, from+cells-1)))
		m.slide(r, to)
	}
}

// Wheel scrolls by n rows.
func (m *Model) Wheel(n int) {
	switch {
	case !m.ready():
		return
	case m.noting:
		m.scrollNotes(keys.Down, n)
		return
	}
	m.list.Wheel(n)
	m.asked()
}

// open shows the longest span behind a row in the run, if it is one.
func (m *Model) open(r *row) tea.Cmd {
	if len(m.runs) != 1 {
		return nil
	}
	var span *traces.Span
	longest := time.Duration(-1)
	for _, s := range m.runs[0].Path.Segments {
		if r.is(s.Component, s.Tool) && s.Duration() > longest {
			span, longest = s.Span, s.Duration()
		}
	}
	if span == nil { // beside the path
		for _, c := range m.runs[0].ToolCalls {
			if r.is(traces.Tool, c.Name) && c.Span.Duration() > longest {
				span, longest = c.Span, c.Span.Duration()
			}
		}
	}
	if span == nil {
		return nil
	}
	return chosen.Span(m.runs[0], span)
}

// byGain orders rows by what they could bring, those that cannot be moved last.
func byGain(a, b *row) int {
	return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(b.onPath, a.onPath))
}
