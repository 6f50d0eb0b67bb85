// Package flame shows what one run or many were waiting for, added up by kind of work: an icicle with everything on top, below it what that
// is made of, and each as wide as its time on the critical path.
//
// What is left blank below a block is its own time. Neighbours that would be thinner than two cells are one block that can be zoomed into,
// so nothing is lost on a small screen. Only work on the path has a width; what went on beside it is told in words about the selected block,
// and so is how much shorter the runs would be without it, which is less than its width where other work would take its place.
package flame

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/later"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Model is the flame graph of some runs. Make it with New.
type Model struct {
	theme  *theme.Theme
	runs   []*measure.Run
	marked bool // the runs are those that were marked

	spans   int // of all runs
	graph   *blame.Graph
	stale   bool   // the runs are others than those of the graph
	root    *box   // nil: the paths are still to be added up
	zoom    []pick // blocks that were zoomed into, the innermost last; none: all is shown
	chosen  pick
	query   string
	found   int           // blocks that match, wherever they are
	sum     time.Duration // of them, one inside another counted once
	drags   map[cause]time.Duration
	working bool // something is being worked out
	era     int  // counts what the runs have been replaced

	width, height int
	rows          [][]slot // by level, from what is zoomed into
	top           int      // the first level that is seen
}

// small is up to how many spans are added up at once, which takes some milliseconds.
const small = 5_000

// New returns the flame graph of runs, which were marked or not.
func New(t *theme.Theme, runs []*measure.Run, marked bool) *Model {
	m := &Model{theme: t, marked: marked}
	m.Replace(runs)
	return m
}

// Replace shows other runs, or the same ones after they have grown. What was selected and zoomed into stays, as far as it is there.
func (m *Model) Replace(runs []*measure.Run) {
	m.runs, m.spans = runs, 0
	for _, r := range runs {
		m.spans += len(r.Spans)
	}
	m.era++
	m.working = false
	if m.stale = true; m.spans <= small {
		m.add(blame.Flame(runs).PerRun())
	}
	m.settle()
}

// Runs returns the runs that are shown.
func (m *Model) Runs() []*measure.Run { return m.runs }

// add takes the paths that were added up.
func (m *Model) add(g *blame.Graph) {
	chosen, zoom := m.chosen, m.zoom
	m.stale = false
	m.graph, m.root, m.drags = g, boxes(g.Root), map[cause]time.Duration{}
	m.chosen, m.zoom = pick{m.root, itself}, nil
	for _, z := range zoom {
		if now, ok := z.in(m.root); ok {
			m.zoom = append(m.zoom, now)
		}
	}
	if now, ok := chosen.in(m.root); ok {
		m.chosen = now
	}
	m.Search(m.query)
}

// Work adds up the paths, or finds out what the runs would be without what is selected, where either takes long.
func (m *Model) Work() tea.Cmd {
	era, runs := m.era, m.runs
	finish := func(take func()) later.Done {
		return func() {
			if era == m.era {
				m.working = false
				take()
			}
		}
	}
	switch c, ok := m.cause(); {
	case m.working:
		return nil
	case m.stale:
		m.working = true
		return later.Do(func() later.Done {
			g := blame.Flame(runs).PerRun()
			return finish(func() { m.add(g) })
		})
	case ok:
		m.working = true
		return later.Do(func() later.Done {
			d := c.drag(runs)
			return finish(func() { m.drags[c] = d })
		})
	}
	return nil
}

// cause returns what it is still to be found out of what the runs would be without it.
func (m *Model) cause() (c cause, ok bool) {
	if m.root == nil {
		return c, false
	}
	c, ok = m.chosen.cause(m.runs)
	_, known := m.drags[c]
	return c, ok && !known
}

// settle lays the blocks out anew, shows the selected one, and finds out about it if that is quick.
func (m *Model) settle() {
	if m.root == nil {
		return
	}
	if c, ok := m.cause(); ok && m.spans <= small {
		m.drags[c] = c.drag(m.runs)
	}
	m.rows = layout(m.whole(), max(0, m.width))
	level, _ := m.at()
	seen := m.levels()
	m.top = max(0, min(m.top, level, len(m.rows)-seen))
	m.top = max(m.top, level-seen+1)
}

// whole returns the block that fills the width.
func (m *Model) whole() pick {
	if n := len(m.zoom); n > 0 {
		return m.zoom[n-1]
	}
	return pick{m.root, itself}
}

// at returns where the selected block is. One that is not drawn gives way to the block of several that it is in, else to one above it; so
// something always is selected.
func (m *Model) at() (level, index int) {
	for p := m.chosen; p.of != nil; p = p.up() {
		for _, is := range []func(slot) bool{func(s slot) bool { return s.pick == p }, func(s slot) bool { return s.holds(p) }} {
			for level, row := range m.rows {
				if i := slices.IndexFunc(row, is); i >= 0 {
					m.chosen = row[i].pick
					return level, i
				}
			}
		}
	}
	m.chosen = m.whole()
	return 0, 0
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.settle()
}

// ID returns the path to the selected block as folded stacks write it.
func (m *Model) ID() string {
	if m.root == nil || m.chosen.from != itself {
		return ""
	}
	var names []string
	for b := m.chosen.of; b != nil && b.parent != nil; b = b.parent {
		names = append(names, b.Name)
	}
	slices.Reverse(names)
	return strings.Join(names, ";")
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	if m.root == nil || m.root.Total <= 0 {
		return nil
	}
	list := []keys.Action{keys.Enter, keys.Find, keys.WhatIf, keys.ZoomReset, keys.Copy, keys.Fold, keys.Unfold,
		keys.ZoomSpan, keys.ZoomUndo, keys.ZoomIn, keys.ZoomOut}
	if m.query != "" {
		list = append([]keys.Action{keys.Next, keys.Previous}, list...)
	}
	return list
}

// Words says what a key does here, where it is not what it does elsewhere.
func (m *Model) Words(a keys.Action) string {
	switch a {
	case keys.Enter:
		return "zoom in"
	case keys.ZoomSpan:
		return "zoom to block"
	case keys.ZoomReset:
		return "show all"
	case keys.Fold:
		return "left"
	case keys.Unfold:
		return "right"
	case keys.Down:
		return "into it"
	case keys.Up:
		return "out of it"
	case keys.Copy:
		return "copy path"
	}
	return ""
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	if m.root == nil {
		return nil
	}
	n := max(1, msg.Count)
	switch msg.Action {
	case keys.Enter, keys.ZoomSpan, keys.ZoomIn:
		m.enter()
	case keys.ZoomUndo, keys.ZoomOut:
		for range min(n, len(m.zoom)) {
			m.Back()
		}
	case keys.ZoomReset:
		m.zoom = nil
	case keys.Next:
		m.next(n)
	case keys.Previous:
		m.next(-n)
	default:
		m.move(msg.Action, n)
	}
	m.settle()
	return nil
}

// enter zooms into the selected block, if there is anything in it.
func (m *Model) enter() {
	if p := m.chosen; p != m.whole() && len(p.kids()) > 0 {
		m.zoom = append(m.zoom, p)
		if p.from != itself {
			m.chosen = pick{p.kids()[0], itself} // what several blocks are is no block of its own
		}
	}
}

// Back zooms out again; false: all is shown.
func (m *Model) Back() bool {
	n := len(m.zoom)
	if n == 0 {
		return false
	}
	m.chosen, m.zoom = m.zoom[n-1], m.zoom[:n-1]
	m.settle()
	return true
}

// move moves the selection n times: down to the largest part of the block, up to what it is a part of, or to its neighbours on the same level.
func (m *Model) move(action keys.Action, n int) {
	level, i := m.at()
	switch action {
	case keys.Down, keys.PageDown:
		for range min(n, len(m.rows)) {
			m.down()
		}
	case keys.Up, keys.PageUp:
		for range min(n, level) {
			m.chosen = m.chosen.up()
			m.at()
		}
	case keys.Fold:
		m.chosen = m.rows[level][max(0, i-n)].pick
	case keys.Unfold:
		m.chosen = m.rows[level][min(len(m.rows[level])-1, i+n)].pick
	case keys.Top:
		m.chosen = m.whole()
	case keys.Bottom:
		for range m.rows {
			m.down()
		}
	}
}

func (m *Model) down() {
	level, i := m.at()
	s := m.rows[level][i]
	if level+1 == len(m.rows) {
		return
	}
	for _, below := range m.rows[level+1] {
		if below.x >= s.x && below.x < s.x+s.width {
			m.chosen = below.pick
			return
		}
	}
}

// Click selects the block at a cell, and zooms into it on the second click.
func (m *Model) Click(x, y int, double bool) tea.Cmd {
	if m.root == nil || y < headLines || y >= headLines+m.levels()*m.lines() {
		return nil
	}
	level := m.top + (y-headLines)/m.lines()
	if level >= len(m.rows) {
		return nil
	}
	for _, s := range m.rows[level] {
		if x >= s.x && x < s.x+s.width {
			m.chosen = s.pick
			if double {
				m.enter()
			}
			m.settle()
		}
	}
	return nil
}

// Wheel goes n levels down.
func (m *Model) Wheel(n int) {
	action := keys.Down
	if n < 0 {
		action = keys.Up
	}
	m.Update(keys.Msg{Action: action, Count: 1})
}
