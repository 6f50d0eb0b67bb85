package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/breakdown"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/stream"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/waterfall"
)

// Screen is one of the views.
type Screen int

// The screens. Auto is the run itself if there is only one, else the list.
const (
	Auto Screen = iota
	Runs
	Waterfall
	Breakdown
	Compare
	Problems
	Stream // one model call, arrival by arrival
	Live   // what each agent is doing now; only with Options.Updates
	Flame  // what one run or many waited for, added up by kind of work
	WhatIf // how long one run or many would take, if some of it were otherwise
)

// A page is what a screen draws above the key bar.
type page interface {
	SetTheme(*theme.Theme)
	SetSize(width, height int)
	View() string            // as many lines as the size has, each as wide as it
	Actions() []keys.Action  // what does something here, most useful first
	Update(keys.Msg) tea.Cmd // does what the user asked for
	Click(x, y int, double bool) tea.Cmd
	Wheel(rows int)
}

// What only some pages can do.
type (
	finder interface { // looks for text while it is typed
		Search(query string)
		Query() (query string, matches int)
	}
	shower  interface{ Run() *measure.Run }        // has a run under the cursor; nil: none
	named   interface{ ID() string }               // has an id to copy; "": none
	growing interface{ Replace(*measure.Run) }     // goes on with its run as it is now
	timed   interface{ Jump(at time.Duration) }    // can go to an instant of its run
	nested  interface{ Back() bool }               // can go back a step within itself; false: there is none
	worker  interface{ Work() tea.Cmd }            // has something worked out; nil: nothing, or that is under way
	worded  interface{ Words(keys.Action) string } // has other words for what a key does; "": the usual ones
	summing interface {                            // is about any number of runs
		Runs() []*measure.Run
		Replace([]*measure.Run) // goes on with them as they are now
	}
	dragged interface { // can be dragged over; done: the button was let go
		Drag(fromX, fromY, toX int, done bool)
	}
)

// A kind is how a screen comes about.
type kind struct {
	name  string              // of a file that it is exported to
	key   keys.Action         // leads to it; None: only what is chosen on another one does
	ofRun bool                // it shows m.run: it is kept until another one is opened, and grows with it
	make  func(m *Model) page // nil: it is there from the beginning, or never
}

// kinds has one line a screen.
var kinds = [...]kind{
	Runs:      {name: "runs"},
	Waterfall: {name: "run", ofRun: true, make: func(m *Model) page { return waterfall.New(m.theme, m.run) }},
	Breakdown: {name: "breakdown", key: keys.Breakdown, ofRun: true, make: func(m *Model) page { return breakdown.New(m.theme, m.run) }},
	Stream:    {name: "stream", ofRun: true, make: func(m *Model) page { return stream.New(m.theme, m.run) }},
	Compare:   {name: "compare", key: keys.Compare, make: (*Model).comparison},
	Problems:  {name: "problems", key: keys.Problems, make: (*Model).oddities},
	Live:      {name: "live", key: keys.Live},
	Flame:     {name: "flame", key: keys.Flame, make: (*Model).flame},
	WhatIf:    {name: "what-if", key: keys.WhatIf, make: (*Model).whatIf},
}

// screen returns which screen is shown.
func (m *Model) screen() Screen { return m.stack[len(m.stack)-1] }

// page returns what it shows.
func (m *Model) page() page { return m.pages[m.screen()] }

// show puts a screen on top of the current one; a screen that is already open is gone back to.
func (m *Model) show(s Screen) {
	k := kinds[s]
	if k.make != nil && (m.pages[s] == nil || !k.ofRun) {
		m.pages[s] = k.make(m)
	}
	if m.pages[s] == nil {
		return
	}
	if i := slices.Index(m.stack, s); i >= 0 {
		m.stack = m.stack[:i]
	}
	m.stack = append(m.stack, s)
	m.resize()
}

// open shows a screen of run, if there is one.
func (m *Model) open(s Screen, run *measure.Run) {
	if run == nil {
		return
	}
	if m.run != run {
		m.close()
		m.run = run
	}
	m.show(s)
}

// close forgets the run that is open, with what shows it.
func (m *Model) close() {
	m.run = nil
	for s, k := range kinds {
		if k.ofRun {
			delete(m.pages, Screen(s))
			m.stack = slices.DeleteFunc(m.stack, func(open Screen) bool { return open == Screen(s) })
		}
	}
}

// under returns the run that a key on the current screen is about.
func (m *Model) under() *measure.Run {
	if p, ok := m.page().(shower); ok {
		return p.Run()
	}
	return m.list.Run()
}

// lead opens the screen that action leads to, if it does to any.
func (m *Model) lead(action keys.Action) bool {
	for s, k := range kinds {
		if k.key != action || action == keys.None {
			continue
		}
		if k.ofRun {
			m.open(Screen(s), m.under())
		} else {
			m.show(Screen(s))
		}
		return true
	}
	return false
}

// resize gives every page the size that the key bar leaves.
func (m *Model) resize() {
	for _, p := range m.pages {
		p.SetSize(m.width, max(0, m.height-1))
	}
}

// actions lists the keys that do something on the current screen, most useful first.
func (m *Model) actions() []keys.Action {
	list := m.page().Actions()
	if m.feed != nil && m.screen() != Live {
		list = slices.Insert(list, min(2, len(list)), keys.Live)
	}
	query, _ := m.query()
	switch {
	case query != "":
		list = slices.Insert(list, 0, keys.Back)
	case len(m.stack) > 1:
		list = slices.Insert(list, min(3, len(list)), keys.Back) // known to everyone, so others come first
	}
	return list
}
