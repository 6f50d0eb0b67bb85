package flame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
)

// foot says about the selected block where it is, how long, and what it costs.
func (m *Model) foot() []string {
	t, p := m.theme, m.chosen
	line := func() *cell.Line { return cell.NewLine(t, m.width, false) }
	rule, way, times, more, beside := line(), line(), line(), line(), line()
	for rule.Left() > 0 {
		rule.Rune(t.Faint, t.Glyphs.Rule)
	}
	m.way(way.Space(1))
	times.Space(1).Text(t.Strong, report.Duration(p.total())).Text(t.Text, " on the path")
	times.Text(t.Muted, ", ").Text(t.Text, report.Percent(share(p.total(), m.root.Total))).Text(t.Muted, " of all")
	if up := p.up(); up.of != nil && up.of.parent != nil {
		times.Text(t.Muted, ", ").Text(t.Text, report.Percent(share(p.total(), up.total()))).Text(t.Muted, " of "+m.blockName(up))
	}
	if p.from != itself {
		return []string{rule.String(), way.String(), times.String(), m.say(t.Muted, "enter shows them one by one"), beside.String()}
	}
	if p.of.Own > 0 && len(p.of.kids) > 0 {
		times.Text(t.Muted, ", own ").Text(t.Text, report.Duration(p.of.Own))
	}
	if len(m.runs) > 1 {
		times.Right(t.Muted, fmt.Sprintf(" in %s of %s ", report.Count(int64(p.of.Runs)), traces.FormatCount(m.graph.Runs, "run")))
	}
	m.cost(more.Space(1))
	m.beside(beside.Space(1))
	return []string{rule.String(), way.String(), times.String(), more.String(), beside.String()}
}

// way writes the names down to the selected block.
func (m *Model) way(l *cell.Line) {
	t := m.theme
	names := []string{m.blockName(m.chosen)}
	for p := m.chosen.up(); p.of != nil; p = p.up() {
		names = append(names, m.blockName(p))
	}
	slices.Reverse(names)
	between := " " + t.Glyphs.Closed + " "
	last := names[len(names)-1]
	before := strings.Join(names[:len(names)-1], between)
	if room := l.Left() - cell.Width(last) - cell.Width(between) - 1; cell.Width(before) > room { // the end says most
		for len(names) > 2 && cell.Width(before) > room-2 {
			names = names[1:]
			before = t.Glyphs.Ellipsis + between + strings.Join(names[:len(names)-1], between)
		}
	}
	if before != "" {
		l.Text(t.Muted, before+between)
	}
	l.Text(t.Strong, last)
}

// cost writes how much shorter the runs would be without the selected block, and how long its spans lasted.
func (m *Model) cost(l *cell.Line) {
	t, b := m.theme, m.chosen.of
	c, ok := m.chosen.cause(m.runs)
	if d, known := m.drags[c]; ok {
		words := t.Glyphs.Ellipsis
		if known {
			words = report.Duration(max(0, d)) + " shorter"
		}
		l.Text(t.Muted, "without any "+b.label()+": ").Text(t.Strong, words)
	}
	if b.Spans == 0 {
		return
	}
	lasted := traces.FormatCount(b.Spans, "span") + " lasted " + report.Duration(b.Span)
	if len(m.runs) > 1 {
		lasted += " a run"
	}
	if b.Hidden > 0 {
		lasted += ", " + report.Duration(b.Hidden) + " of it beside the path"
	}
	if ok {
		lasted = " " + t.Glyphs.Dot + " " + lasted
	}
	if l.Left() > cell.Width(lasted) {
		l.Text(t.Muted, lasted)
	}
}

// beside writes what happened in the selected block that nothing waited for, else what its time is.
func (m *Model) beside(l *cell.Line) {
	t, b := m.theme, m.chosen.of
	if len(b.beside) == 0 {
		if words := report.Explain(b.Component); m.leaf(b) && words != "" {
			l.Text(t.Muted, b.label()+": "+words)
		}
		return
	}
	l.Text(t.Muted, "never waited for here:")
	for i, n := range b.beside {
		words := fmt.Sprintf(" %s %s", cell.Clean(label(n)), report.Duration(n.Span))
		if i > 0 {
			words = "," + words
		}
		if l.Left() < cell.Width(words)+8 {
			l.Text(t.Muted, fmt.Sprintf(", +%d", len(b.beside)-i))
			return
		}
		l.Text(t.Text, words)
	}
}
