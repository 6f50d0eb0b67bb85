package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// An exportedMsg says where the text of a screen was written to.
type exportedMsg struct {
	path string
	err  error
}

// plain returns the current screen as text, without the key bar.
func (m *Model) plain() string {
	var b strings.Builder
	for line := range strings.SplitSeq(ansi.Strip(m.page().View()), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// copyID puts the id of the selected row on the clipboard, by the terminal (OSC 52), so that it works over a connection too.
func (m *Model) copyID() tea.Cmd {
	id := ""
	if p, ok := m.page().(named); ok {
		id = p.ID()
	}
	if id == "" {
		m.status = "no id to copy"
		return nil
	}
	m.status = "copied " + id
	return tea.SetClipboard(id)
}

func (m *Model) copyView() tea.Cmd {
	m.status = "copied the view as text"
	return tea.SetClipboard(m.plain())
}

// export has the current screen written to a file.
func (m *Model) export() tea.Cmd {
	write, name, text := m.options.Export, kinds[m.screen()].name, m.plain()
	if write == nil {
		m.status = "nowhere to export to"
		return nil
	}
	return func() tea.Msg {
		path, err := write(name, text)
		return exportedMsg{path, err}
	}
}

// exported says where to.
func (m *Model) exported(msg exportedMsg) {
	if msg.err != nil {
		m.status = "not written: " + msg.err.Error()
		return
	}
	m.status = "written to " + msg.path
}
