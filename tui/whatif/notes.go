package whatif

import (
	"strings"

	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/keys"
)

// notes are all that is assumed, and what no answer can know.
func (m *Model) notes() []string {
	t := m.theme
	var lines []string
	add := func(heading string, sentences []string, none string) {
		lines = append(lines, m.line().String(), m.line().Space(1).Text(t.Accent, heading).String())
		for _, s := range sentences {
			for i, part := range cell.Wrap(cell.Clean(s), m.width-6) {
				l := m.line().Space(3)
				if i == 0 {
					l.Text(t.Muted, t.Glyphs.Dot)
				}
				lines = append(lines, l.Column(5).Text(t.Text, strings.TrimSpace(part)).String())
			}
		}
		if len(sentences) == 0 {
			lines = append(lines, m.line().Space(5).Text(t.Muted, none).String())
		}
	}
	none := "nothing but what stands below"
	if m.desk.assumed == nil {
		none = t.Glyphs.Ellipsis
	}
	add("assumed", m.desk.assumed, none)
	add("what no answer can know", whatif.Limits, "")
	return lines
}

// noteRows is how many lines of the notes are seen.
func (m *Model) noteRows() int { return max(1, m.height-headLines+1) }

// noteView returns the lines of the notes that are seen.
func (m *Model) noteView() []string {
	lines := m.notes()
	from := max(0, min(m.noteTop, len(lines)-m.noteRows())) // they may have become fewer since
	return lines[from:min(len(lines), from+m.noteRows())]
}

// scrollNotes moves the notes.
func (m *Model) scrollNotes(action keys.Action, n int) {
	switch action {
	case keys.Up:
		m.noteTop -= n
	case keys.Down:
		m.noteTop += n
	case keys.PageUp:
		m.noteTop -= n * m.noteRows()
	case keys.PageDown:
		m.noteTop += n * m.noteRows()
	case keys.Top:
		m.noteTop = 0
	case keys.Bottom:
		m.noteTop = len(m.notes())
	}
	m.noteTop = max(0, min(m.noteTop, len(m.notes())-m.noteRows()))
}
