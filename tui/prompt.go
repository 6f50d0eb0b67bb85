package tui

import (
	"fmt"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/cell"
)

// A prompt is the line in which something is typed: what to look for, which the screen follows at each key, or a command.
type prompt struct {
	open    bool
	command bool
	text    string
	before  string // what was looked for when it was opened
	row     int    // of the commands that match, the selected one
}

// ask opens the prompt with an empty search.
func (m *Model) ask() {
	before, _ := m.query()
	m.prompt = prompt{open: true, before: before}
}

// command opens the prompt for a command.
func (m *Model) command() { m.prompt = prompt{open: true, command: true} }

// typed handles a key while the prompt is open.
func (m *Model) typed(msg tea.KeyPressMsg) tea.Cmd {
	text := m.prompt.text
	switch msg.String() {
	case "enter":
		m.prompt.open = false
		switch {
		case m.prompt.command:
			return m.obey(text)
		case text == "":
			m.search("")
		}
		return nil
	case "esc":
		m.prompt.open = false
		if !m.prompt.command {
			m.search(m.prompt.before)
		}
		return nil
	case "backspace":
		if text == "" && m.prompt.command {
			m.prompt.open = false
		}
		_, n := utf8.DecodeLastRuneInString(text)
		m.write(text[:len(text)-n])
	case "ctrl+u", "ctrl+w":
		m.write("")
	case "tab":
		m.complete()
	case "down", "ctrl+n":
		m.prompt.row++
	case "up", "ctrl+p":
		m.prompt.row = max(0, m.prompt.row-1)
	default:
		m.write(text + msg.Text)
	}
	return nil
}

// write makes text what is typed.
func (m *Model) write(text string) {
	if text == m.prompt.text {
		return
	}
	m.prompt.text, m.prompt.row = text, 0
	if !m.prompt.command {
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
	sign, words, style := " /", "", t.Muted
	switch n := 0; {
	case m.prompt.command:
		sign, words = " :", "tab completes "
	case m.prompt.text != "":
		if _, n = m.query(); n == 0 {
			style = t.Bad
		}
		words = fmt.Sprintf("%d matches ", n)
		if n == 1 {
			words = "1 match "
		}
	}
	l.Text(t.Accent, sign)
	text := cell.Clean(m.prompt.text)
	for cell.Width(text) > max(0, m.width-20) {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	l.Text(t.Strong, text).Text(t.Accent, t.Glyphs.Cursor)
	if words != "" {
		l.Right(style, " "+words)
	}
	return l.String()
}
