package waterfall

import (
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
)

// A pane is the part of the screen below the rows that says everything about the selected one. It is closed, or open, or open and the one
// that keys move in.
type pane struct {
	state paneState
	list  scroll.List
}

type paneState int

const (
	closed paneState = iota
	shown
	focused
)

// next goes on to the next state.
func (p *pane) next() {
	p.state = (p.state + 1) % (focused + 1)
	p.list.Top = 0
}

// takes scrolls the pane if keys move in it, and reports whether it has done with msg.
func (p *pane) takes(msg keys.Msg) bool {
	if p.state != focused {
		return false
	}
	n := max(1, msg.Count)
	switch msg.Action {
	case keys.Down:
		p.list.Top += n
	case keys.Up:
		p.list.Top -= n
	case keys.PageDown:
		p.list.Top += n * p.list.Height
	case keys.PageUp:
		p.list.Top -= n * p.list.Height
	case keys.Top:
		p.list.Top = 0
	case keys.Bottom:
		p.list.Top = p.list.Len
	default:
		return false
	}
	p.list.Top = max(0, min(p.list.Top, p.list.Len-p.list.Height))
	return true
}

// paneView draws the pane in as many lines as it has.
func (m *Model) paneView() []string {
	t, lines := m.theme, m.about()
	height := m.below() - 1
	m.pane.list.Len, m.pane.list.Height = len(lines), height
	rule := cell.NewLine(t, m.width, false)
	hint := " tab: scroll here "
	if m.pane.state == focused {
		hint = " j k scroll " + t.Glyphs.Dot + " tab: close "
	}
	for rule.Left() > cell.Width(hint) {
		rule.Rune(t.Faint, t.Glyphs.Rule)
	}
	rule.Text(t.Muted, hint)
	top := max(0, min(m.pane.list.Top, len(lines)-height))
	lines = lines[top:min(top+height, len(lines))]
	for len(lines) < height {
		lines = append(lines, strings.Repeat(" ", m.width))
	}
	return append([]string{rule.String()}, lines...)
}

// about says everything about the selected row, a statement a line.
func (m *Model) about() []string {
	t, i := m.theme, m.selected()
	var lines []string
	add := func(draw func(l *cell.Line)) {
		l := cell.NewLine(t, m.width, false)
		l.Space(2)
		draw(l)
		lines = append(lines, l.String())
	}
	s := m.tree.nodes[i].span
	lines = append(lines, m.factLine(m.facts(i)))
	if c := m.tree.calls[s]; c != nil {
		for _, f := range headline.Instants(c) {
			add(func(l *cell.Line) { l.Fit(t.Muted, f.Name, 22).Text(t.Text, f.Text) })
		}
	}
	for _, p := range m.parts(i) {
		add(func(l *cell.Line) {
			headline.Chip(l, t, p.component)
			l.Space(1).Fit(t.Text, strings.ReplaceAll(string(p.component), "_", " "), 20)
			l.Text(t.Text, report.DurationColumn(p.time)).Space(1).Text(t.Warn, t.Glyphs.Quality(p.quality)).Space(1)
			l.Text(t.Muted, report.Explain(p.component))
		})
	}
	for _, f := range backoffFacts(s) {
		add(func(l *cell.Line) { l.Text(t.Muted, f) })
	}
	if !isCrowd(s) {
		add(func(l *cell.Line) { l.Fit(t.Muted, "span", 22).Text(t.Text, s.ID) })
	}
	for _, p := range slices.Backward(m.run.Problems) {
		if p.SpanID != "" && p.SpanID == s.ID {
			add(func(l *cell.Line) { l.Text(t.Warn, strings.ReplaceAll(string(p.Code), "_", " ")+": "+p.Message) })
		}
	}
	return lines
}
