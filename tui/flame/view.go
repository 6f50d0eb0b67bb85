package flame

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

const (
	headLines = 2 // title, and what is found or zoomed into
	footLines = 5 // a rule, and the selected block in words
)

// lines is how many lines a level takes: up to four where there is room.
func (m *Model) lines() int {
	return max(1, min(4, (m.height-headLines-footLines)/max(1, len(m.rows))))
}

// levels is how many levels are seen at once.
func (m *Model) levels() int {
	return max(1, (m.height-headLines-footLines)/m.lines())
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	empty := strings.Repeat(" ", max(0, m.width))
	lines := []string{m.title()}
	switch {
	case m.root == nil:
		lines = append(lines, empty, m.say(m.theme.Text, fmt.Sprintf("adding up what %s waited for, in %s spans %s",
			traces.FormatCount(len(m.runs), "run"), report.Count(int64(m.spans)), m.theme.Glyphs.Ellipsis)))
	case len(m.runs) == 0:
		lines = append(lines, empty, m.say(m.theme.Text, "no runs: nothing was waited for"))
	case m.root.Total <= 0:
		lines = append(lines, empty, m.say(m.theme.Text, "no time passed: nothing was waited for"))
	default:
		lines = append(lines, m.above())
		for level := m.top; level < min(m.top+m.levels(), len(m.rows)); level++ {
			for line := range m.lines() {
				lines = append(lines, m.level(level, line))
			}
		}
		for len(lines) < m.height-footLines {
			lines = append(lines, empty)
		}
		lines = append(lines[:max(0, m.height-footLines)], m.foot()...)
	}
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

func (m *Model) say(style theme.Style, words string) string {
	return cell.NewLine(m.theme, m.width, false).Space(2).Text(style, words).String()
}

// title says whose paths these are, and how they were added up.
func (m *Model) title() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1).Text(t.Accent, "flame").Space(2)
	switch {
	case len(m.runs) == 1:
		l.Fit(t.Strong, m.name(), min(cell.Width(m.name()), l.Left()-12))
	case m.marked:
		l.Text(t.Strong, traces.FormatCount(len(m.runs), "marked run"))
	default:
		l.Text(t.Strong, traces.FormatCount(len(m.runs), "run"))
	}
	if m.root == nil {
		return l.String()
	}
	total := report.Duration(m.root.Total)
	if len(m.runs) > 1 {
		total = "mean " + total
	}
	if words := "   critical path by kind of work, the longest first"; l.Left() > cell.Width(words)+cell.Width(total)+2 {
		l.Text(t.Muted, words)
	}
	if m.graph.LeftOut > 0 {
		l.Text(t.Warn, fmt.Sprintf("  %d left out", m.graph.LeftOut))
	}
	l.Right(t.Strong, " "+total+" ")
	return l.String()
}

func (m *Model) name() string { return cell.Clean(cmp.Or(m.runs[0].Name, m.runs[0].ID)) }

// all is what everything together is called.
func (m *Model) all() string {
	if len(m.runs) == 1 {
		return m.name()
	}
	return "all " + traces.FormatCount(len(m.runs), "run")
}

// above says what was zoomed into, what was found, or what the widths are.
func (m *Model) above() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false).Space(1)
	switch top := m.whole(); {
	case m.query != "":
		words := fmt.Sprintf("%s called %s", traces.FormatCount(m.found, "block"), m.query)
		if m.found > 0 {
			words += fmt.Sprintf(": %s, %s of all", report.Duration(m.sum), report.Percent(share(m.sum, m.root.Total)))
		}
		l.Text(t.Warn, words)
	case len(m.zoom) > 0:
		l.Text(t.Warn, "zoomed into "+m.blockName(top))
		l.Text(t.Muted, fmt.Sprintf(": %s, %s of all", report.Duration(top.total()), report.Percent(share(top.total(), m.root.Total))))
		l.Right(t.Muted, " esc: back out ")
	default:
		words := "as wide as its time on the path; blank below a block: its own time"
		if m.width < 100 {
			words = "width: time on the path; blank below: own time"
		}
		l.Text(t.Muted, words)
	}
	return l.String()
}

// blockName returns what a block is called.
func (m *Model) blockName(p pick) string {
	switch {
	case p.from != itself && p.from == 0:
		return traces.FormatCount(len(p.kids()), "block")
	case p.from != itself:
		return fmt.Sprintf("%d more", len(p.kids()))
	case p.of.parent == nil:
		return m.all()
	}
	return cmp.Or(cell.Clean(p.of.label()), "?")
}

// level draws one line of a level's blocks.
func (m *Model) level(level, line int) string {
	l := cell.NewLine(m.theme, m.width, false)
	for _, s := range m.rows[level] {
		l.Column(s.x)
		m.block(l, s, line)
	}
	return l.String()
}

// block draws a line of a block: its name on the first, its time on the second, its colour on all.
func (m *Model) block(l *cell.Line, s slot, line int) {
	t, text, selected := m.theme, m.style(s), s.pick == m.chosen
	letter, last := m.letter(s.pick), line > 1 && line == m.lines()-1
	switch {
	case s.width == 1 && line == 0:
		l.Rune(text, letter)
	case s.width == 1, last:
	case selected && text.BG != nil:
		l.Rune(theme.Style{FG: t.Accent.FG, BG: text.BG}, t.Glyphs.Cursor)
	case selected:
		l.Rune(text, t.Glyphs.Cursor)
	case s.x == 0:
		l.Rune(text, " ")
	case text.BG != nil && !t.Glyphs.ASCII:
		l.Ground(theme.Style{FG: text.BG}, t.Glyphs.Blocks[1]) // a thin line in the colour of the ground
	default:
		l.Rune(text, t.Glyphs.Blocks[1])
	}
	if s.width > 1 && line < 2 {
		l.Text(text, m.words(s.pick, letter, line, s.width-1))
		if l.Used() > s.x+1 && l.Used() < s.x+s.width {
			l.Rune(text, " ")
		}
	}
	for l.Used() < s.x+s.width {
		switch {
		case text.BG != nil && !t.Glyphs.ASCII && last: // apart from the next level
			l.Ground(theme.Style{FG: text.BG}, t.Glyphs.Sparks[1])
		case text.BG != nil && !t.Glyphs.ASCII:
			l.Rune(theme.Style{FG: text.BG}, t.Glyphs.Blocks[bar.Dots]) // unlike a blank it is kept where a screen is copied
		case text.BG == nil && !selected && s.from == itself && m.leaf(s.of):
			l.Rune(text, letter)
		default:
			l.Rune(text, " ")
		}
	}
}

// leaf reports whether a box is time that is booked on one component.
func (m *Model) leaf(b *box) bool { return b.parent != nil && b.Component != "" && len(b.kids) == 0 }

// words returns what is written on a line of a block, in at most room cells.
func (m *Model) words(p pick, letter string, line, room int) string {
	t := m.theme
	name, time, part := m.blockName(p), report.Duration(p.total()), report.Percent(share(p.total(), m.root.Total))
	if letter != "" && p.of.parent != nil || p.from != itself {
		name = letter + " " + name
	}
	var candidates []string
	switch {
	case m.lines() == 1:
		candidates = []string{name + "  " + time + "  " + part, name + " " + time, name}
	case line == 0:
		candidates = []string{name}
	default:
		candidates = []string{"  " + time + "  " + part, time, part}
	}
	for _, c := range candidates {
		if cell.Width(c) < room {
			return c
		}
	}
	switch {
	case line > 0:
		return ""
	case room < 4:
		return letter
	}
	return cell.Cut(t, name, room)
}

// letter returns the one cell that says what a block is.
func (m *Model) letter(p pick) string {
	g := m.theme.Glyphs
	switch {
	case p.from != itself:
		return "+"
	case p.of.parent == nil:
		return " "
	case p.of.Component == "":
		return g.Letter(traces.Response)
	}
	return g.Letter(p.of.Component)
}

// style returns how a block is written on, and filled.
func (m *Model) style(s slot) theme.Style {
	t := m.theme
	searching := m.query != "" && m.found > 0
	switch {
	case s.pick == m.chosen && t.Shaded():
		return theme.Style{FG: t.Match.FG, BG: t.Strong.FG, Bold: true}
	case s.pick == m.chosen:
		return theme.Style{Reverse: true, Bold: true}
	case s.from == itself && s.of.match:
		return t.Match
	case s.from != itself || s.of.parent == nil:
		return t.Select(t.Text)
	}
	style := t.Label(cmp.Or(s.of.Component, traces.Response), len(s.of.kids) == 0 && !searching)
	if len(s.of.kids) > 0 && t.Shaded() {
		style.FG = t.Text.FG
	}
	return style
}
