// Package stream shows one model call, arrival by arrival: its phases, when each piece of output came and of which kind it was, how fast
// they came, and the gaps between them.
//
// A measured run goes in; the calls of it are gone through one by one. All times on the screen count from the beginning of the call. Where
// the arrivals were not recorded the screen says so and shows the phases. No rate is called tokens per second without saying which: the
// output rate leaves out the wait for the first token, the end-to-end rate does not.
package stream

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/window"
)

// A Model is the stream of one call of a run. Make it with New.
type Model struct {
	theme *theme.Theme
	run   *measure.Run
	list  scroll.List // over the run's calls
	view  window.Window
	band  window.Band
	gaps  gaps

	width, height int
}

// New returns the stream of the first model call of run.
func New(t *theme.Theme, run *measure.Run) *Model {
	m := &Model{theme: t, run: run}
	m.list.Resize(len(run.Calls), 1)
	m.choose()
	return m
}

// Select shows a call of the run.
func (m *Model) Select(call *measure.Call) {
	for i := range m.run.Calls {
		if m.run.Calls[i].Span == call.Span {
			m.list.Select(i)
		}
	}
	m.choose()
}

// Replace shows the run as it is now: the same call, and the same part of it if it was zoomed to.
func (m *Model) Replace(run *measure.Run) {
	id := m.ID()
	m.run = run
	m.list.Resize(len(run.Calls), 1)
	for i := range run.Calls {
		if run.Calls[i].Span.ID == id {
			m.list.Select(i)
		}
	}
	before := m.view
	m.choose()
	if m.ID() == id && m.view.Whole() >= before.Whole() {
		whole := m.view.Whole()
		m.view = before
		m.view.Grow(whole)
	}
}

// choose lays out the selected call.
func (m *Model) choose() {
	c := m.Call()
	if c == nil {
		m.view, m.gaps = window.New(0), gaps{}
		return
	}
	m.view = window.New(c.ModelCall.End() - c.Start)
	m.gaps = gapsOf(c)
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) { m.width, m.height = width, height }

// Run returns the run that the call is of.
func (m *Model) Run() *measure.Run { return m.run }

// Call returns the call that is shown; nil if the run has none.
func (m *Model) Call() *measure.Call {
	if len(m.run.Calls) == 0 {
		return nil
	}
	return &m.run.Calls[m.list.Cursor]
}

// ID returns the id of the call's span, "" if there is none.
func (m *Model) ID() string {
	if c := m.Call(); c != nil {
		return c.Span.ID
	}
	return ""
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	return []keys.Action{keys.Down, keys.Up, keys.ZoomIn, keys.ZoomOut, keys.ZoomReset, keys.ZoomUndo, keys.PanLeft, keys.PanRight,
		keys.Breakdown, keys.Problems, keys.Mark, keys.Compare, keys.Copy}
}

// Update does what the user asked for: what moves between rows elsewhere moves between calls.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	if m.list.Move(msg.Action, msg.Count) {
		m.choose()
		return nil
	}
	m.view.Move(msg.Action, msg.Count, m.view.From, m.view.To)
	return nil
}

// Jump shows an instant of the call.
func (m *Model) Jump(at time.Duration) { m.view.Centre(at) }

// Click does nothing: there is nothing to select.
func (m *Model) Click(_, _ int, _ bool) tea.Cmd { return nil }

// Drag marks the time between two columns, and zooms to it when the button is let go.
func (m *Model) Drag(fromX, _, toX int, done bool) {
	a := m.axis()
	if m.band.Drag(fromX-labelWidth, toX-labelWidth, a.Cells, done) {
		m.view.Show(a.Time(m.band.From*bar.Dots), a.Time(m.band.To*bar.Dots))
	}
}

// Wheel pans.
func (m *Model) Wheel(n int) {
	action := keys.PanRight
	if n < 0 {
		action = keys.PanLeft
	}
	m.view.Move(action, 1, 0, 0)
}

// axis is the time in view, since the call began, on the cells right of the labels.
func (m *Model) axis() bar.Axis {
	return bar.Axis{From: m.view.From, To: m.view.To, Cells: max(0, m.width-labelWidth-1)}
}

// arrivals calls f with each piece of output of all attempts, in time since the call began.
func arrivals(c *measure.Call, f func(at time.Duration, chunk traces.Chunk)) {
	for _, a := range c.Attempts {
		if a.Chunks == nil {
			continue
		}
		for _, k := range a.Chunks.List {
			f(a.Span.Start+k.At-c.Start, k)
		}
	}
}
