package flame

import (
	"slices"
	"strings"

	"github.com/seed46266073/longpole/tui/cell"
)

// Search marks the blocks whose names hold query, and selects the longest one unless a match is selected.
func (m *Model) Search(query string) {
	m.query, m.found, m.sum = query, 0, 0
	if m.root == nil {
		return
	}
	want := strings.ToLower(query)
	var mark func(b *box, inside bool)
	mark = func(b *box, inside bool) {
		b.match = want != "" && b.parent != nil && strings.Contains(strings.ToLower(cell.Clean(b.label())), want)
		if b.match {
			m.found++
			if !inside {
				m.sum += b.Total
			}
		}
		for _, kid := range b.kids {
			mark(kid, inside || b.match)
		}
	}
	mark(m.root, false)
	if m.found > 0 && (m.chosen.from != itself || !m.chosen.of.match) {
		m.next(1)
	}
	m.settle()
}

// Query returns what is searched for, and how many blocks match.
func (m *Model) Query() (query string, matches int) { return m.query, m.found }

// next selects the nth match after the selected block, before it if n is below 0, and goes round at the end. Where it is outside of what is
// zoomed into, or too thin to be drawn, the zoom changes.
func (m *Model) next(n int) {
	var matches []*box
	before, on := 0, false // matches before the selected block, and whether it is one
	passed := false
	m.root.all(func(b *box) {
		if b == m.chosen.of {
			passed, on = true, b.match && m.chosen.from == itself
		}
		if b.match {
			matches = append(matches, b)
			if !passed {
				before++
			}
		}
	})
	if len(matches) == 0 {
		return
	}
	at := before + n
	if n > 0 && !on {
		at--
	}
	at %= len(matches)
	if at < 0 {
		at += len(matches)
	}
	m.reveal(matches[at])
}

// reveal selects a box, and zooms to what it is a part of where it is not drawn.
func (m *Model) reveal(b *box) {
	m.chosen = pick{b, itself}
	if m.drawn() || b.parent == nil {
		return
	}
	if m.zoom = nil; b.parent != m.root {
		m.zoom = []pick{{b.parent, itself}}
	}
	if !m.drawn() { // too thin among its neighbours: it is shown with those that are thinner
		m.zoom = append(m.zoom, pick{b.parent, b.rank})
	}
}

// drawn reports whether the selected block is on the screen itself.
func (m *Model) drawn() bool {
	for _, row := range layout(m.whole(), m.width) {
		if slices.ContainsFunc(row, func(s slot) bool { return s.pick == m.chosen }) {
			return true
		}
	}
	return false
}
