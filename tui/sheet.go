package tui

import (
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/keys"
)

// A sheet is a text that covers the screen until it is closed, and scrolls where it does not fit: the help, the tour.
type sheet struct {
	title string
	lines func(m *Model) []string // each as wide as the terminal
	top   int                     // the first line that is seen

	passing bool // a key that does not scroll it closes it, and does what it does without it
}

// rows is how many lines of a sheet are seen: a title stands above them, the keys below.
func (m *Model) rows() int { return max(1, m.height-2) }

// scroll moves the sheet that is open.
func (m *Model) scroll(action keys.Action, count int) {
	n := max(1, count)
	switch action {
	case keys.Down:
		m.sheet.top += n
	case keys.Up:
		m.sheet.top -= n
	case keys.PageDown:
		m.sheet.top += n * (m.rows() - 1)
	case keys.PageUp:
		m.sheet.top -= n * (m.rows() - 1)
	case keys.Top:
		m.sheet.top = max(count, 1) - 1
	case keys.Bottom:
		m.sheet.top = 1 << 20
	default:
		m.sheet = nil
		return
	}
	m.sheet.top = max(0, min(m.sheet.top, len(m.sheet.lines(m))-m.rows()))
}

// pass closes a sheet that is there in passing, unless action scrolls it.
func (m *Model) pass(action keys.Action) (closed bool) {
	if m.sheet == nil || !m.sheet.passing || moves(action) && len(m.sheet.lines(m)) > m.rows() {
		return false
	}
	m.sheet = nil
	return true
}

// sheetView draws the sheet that is open.
func (m *Model) sheetView() string {
	t := m.theme
	all := m.sheet.lines(m)
	rows := m.rows()
	from := max(0, min(m.sheet.top, len(all)-rows)) // the terminal may have grown since
	title := cell.NewLine(t, m.width, false)
	title.Space(1).Text(t.Accent, "longpole").Space(2).Text(t.Strong, m.sheet.title)
	lines := append([]string{title.String()}, all[from:min(from+rows, len(all))]...)
	for len(lines) < m.height-1 {
		lines = append(lines, strings.Repeat(" ", m.width))
	}
	foot := cell.NewLine(t, m.width, false)
	foot.Space(1)
	if m.sheet.passing {
		foot.Text(t.Accent, "any key").Text(t.Muted, " goes on")
	} else {
		foot.Text(t.Accent, "esc").Text(t.Muted, " closes")
	}
	if len(all) > rows {
		foot.Space(2).Text(t.Accent, "j k").Text(t.Muted, " scroll")
		foot.Right(t.Warn, fmt.Sprintf(" %d%s%d of %d lines ", from+1, t.Glyphs.Dash, min(from+rows, len(all)), len(all)))
	}
	return strings.Join(append(lines, foot.String()), "\n")
}
