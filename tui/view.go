package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/keys"
)

// The least size that a screen can be drawn on.
const (
	leastWidth  = 60
	leastHeight = 15
)

func (m *Model) small() bool { return m.width < leastWidth || m.height < leastHeight }

// View returns the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "longpole"
	return v
}

func (m *Model) content() string {
	switch {
	case m.width <= 0 || m.height <= 0:
		return ""
	case m.small():
		return m.tooSmall()
	case m.sheet != nil:
		return m.sheetView()
	case m.loading != nil:
		return m.loadingView()
	case m.failure != nil:
		return m.failureView()
	}
	body := m.page().View()
	if m.prompt.open && m.prompt.command {
		lines := strings.Split(body, "\n")
		palette := m.paletteView(min(8, len(lines)/2))
		body = strings.Join(append(lines[:len(lines)-len(palette)], palette...), "\n")
	}
	return body + "\n" + m.bottom()
}

// tooSmall asks for more room, in whatever room there is.
func (m *Model) tooSmall() string {
	words := fmt.Sprintf("longpole needs %d%s%d cells to draw; this terminal has %d%s%d. q quits",
		leastWidth, m.theme.Glyphs.Times, leastHeight, m.width, m.theme.Glyphs.Times, m.height)
	var lines []string
	for _, s := range cell.Wrap(words, m.width) {
		if len(lines) < m.height {
			lines = append(lines, cell.NewLine(m.theme, m.width, false).Text(m.theme.Text, strings.TrimSpace(s)).String())
		}
	}
	return strings.Join(lines, "\n")
}

// bottom is the last line: what is being typed, else the keys that work here and what was just done.
func (m *Model) bottom() string {
	if m.prompt.open {
		return m.promptView()
	}
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	right := m.status
	if m.count > 0 {
		right = strconv.Itoa(m.count)
	}
	if query, n := m.query(); right == "" && query != "" {
		right = fmt.Sprintf("/%s %s %d", query, t.Glyphs.Dot, n)
	}
	right = cell.Cut(t, cell.Clean(right), m.width/2)
	fixed := []keys.Action{keys.Help, keys.Quit}
	room := m.width - 1
	if right != "" {
		room -= cell.Width(right) + 3
	}
	for _, a := range fixed {
		room -= m.keyWidth(a)
	}
	l.Space(1)
	for _, a := range append(m.shownKeys(room), fixed...) {
		b, _ := keys.Default.Of(a)
		l.Text(t.Accent, b.Help().Key).Space(1).Text(t.Muted, m.does(b)).Space(2)
	}
	if right != "" {
		l.Right(t.Warn, right+" ")
	}
	return l.String()
}

// shownKeys returns the first keys of the current screen that fit into room cells.
func (m *Model) shownKeys(room int) []keys.Action {
	var shown []keys.Action
	for _, a := range m.actions() {
		if room -= m.keyWidth(a); room < 0 {
			break
		}
		shown = append(shown, a)
	}
	return shown
}

func (m *Model) keyWidth(a keys.Action) int {
	b, _ := keys.Default.Of(a)
	return cell.Width(b.Help().Key) + 1 + cell.Width(m.does(b)) + 2
}

// does returns what a key does on the current screen, in words.
func (m *Model) does(b keys.Binding) string {
	if query, _ := m.query(); query != "" && b.Action == keys.Back {
		return "clears /"
	}
	if p, ok := m.page().(worded); ok {
		if words := p.Words(b.Action); words != "" {
			return words
		}
	}
	return b.Help().Desc
}
