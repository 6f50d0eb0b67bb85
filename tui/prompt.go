package tui

import (
	"fmt"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/cell"
)

// A prompt is the line in which a search is typed. The screen follows each key.
type prompt struct {
	open   bool
	text   string
	before string // what was searched for when it was opened
}

// ask opens the prompt with an empty search.
func (m *Model) ask() {
	before, _ := m.query()
	m.prompt = prompt{open: true, before: before}
}

// typed handles a key while the prompt is open.
func (m *Model) typed(msg tea.KeyPressMsg) {
	text := m.prompt.text
	switch msg.String() {
	case "enter":
		if text == "" {
			m.search("")
		}
		m.prompt.open = false
		return
	case "esc":
		m.prompt.open = false
		m.search(m.prompt.before)
		return
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	case "ctrl+u", "ctrl+w":
		text = ""
	default:
		text += msg.Text
	}
	if text != m.prompt.text {
		m.prompt.text = text
		m.search(text)
	}
}

func (m *Model) search(query string) {
	if p, ok := m.page().(finder); ok {
		p.Search(query)
	}
}

// query returns what the current screen searches for, and how many rows match.
func (m *Model) query() (query string, matches int) {
	if p, ok := m.page().(finder); ok {
		return p.Query()
	}
	return "", 0
}

func (m *Model) promptView() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Text(t.Accent, " /")
	text := cell.Clean(m.prompt.text)
	for cell.Width(text) > max(0, m.width-20) {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	l.Text(t.Strong, text).Text(t.Accent, t.Glyphs.Cursor)
	if m.prompt.text != "" {
		_, n := m.query()
		words := fmt.Sprintf("%d matches ", n)
		if n == 1 {
			words = "1 match "
		}
		style := t.Muted
		if n == 0 {
			style = t.Bad
		}
		l.Right(style, " "+words)
	}
	return l.String()
}
