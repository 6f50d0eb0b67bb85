package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/keys"
)

// A pointer is what the mouse did last.
type pointer struct {
	x, y    int
	when    time.Time // of the last click
	pressed bool      // and not let go since
	dragged bool      // it moved meanwhile
}

// twice is how soon a second click on the same cell makes the two a double one.
const twice = 400 * time.Millisecond

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// mouse handles what the mouse does: a click selects, a second one opens, the wheel scrolls, and dragging zooms where there is
// time to zoom into.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.small() || m.prompt.open || m.loading != nil || m.failure != nil {
		return nil
	}
	at := msg.Mouse()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(msg.Button)
	case tea.MouseClickMsg:
		if m.pass(keys.None) || msg.Button != tea.MouseLeft || m.sheet != nil {
			return nil
		}
		m.status = ""
		now := time.Now()
		double := at.X == m.pointer.x && at.Y == m.pointer.y && now.Sub(m.pointer.when) < twice
		m.pointer = pointer{x: at.X, y: at.Y, when: now, pressed: true}
		if double {
			m.pointer.when = time.Time{} // a third click is a first one again
		}
		return m.page().Click(at.X, at.Y, double)
	case tea.MouseMotionMsg:
		m.drag(at.X, false)
	case tea.MouseReleaseMsg:
		m.drag(at.X, true)
		m.pointer.pressed = false
	}
	return nil
}

// drag tells the page that the mouse was moved to column x with its button down.
func (m *Model) drag(x int, done bool) {
	p, ok := m.page().(dragged)
	if !ok || !m.pointer.pressed || !m.pointer.dragged && x == m.pointer.x {
		return
	}
	m.pointer.dragged = true
	p.Drag(m.pointer.x, m.pointer.y, x, done)
}

func (m *Model) wheel(button tea.MouseButton) {
	rows, action := wheelRows, keys.Down
	switch button {
	case tea.MouseWheelUp:
		rows, action = -rows, keys.Up
	case tea.MouseWheelDown:
	default:
		return
	}
	if m.sheet != nil {
		m.scroll(action, wheelRows)
		return
	}
	m.page().Wheel(rows)
}
