package compare

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// whyWords heads the explanation, and says in words what the pair shows, in at most room lines.
func (m *Model) whyWords(room int) []string {
	if room < 1 {
		return nil
	}
	t, p := m.theme, m.why
	if p == nil {
		if len(m.shown.Groups) < 2 {
			return nil
		}
		words := "the others are compared with " + m.label(m.selected()) + ": select one to see why it differs"
		return []string{m.rule(m.line().Space(1).Text(t.Muted, words).Space(1))}
	}
	l := m.line()
	a, b := m.label(p.A), m.label(p.B)
	label := max(8, (m.width-40)/2)
	l.Space(1).Text(t.Accent, "why").Space(1)
	l.Text(t.Strong, cell.Cut(t, cell.Clean(b), label)+" − "+cell.Cut(t, cell.Clean(a), label))
	said := ""
	if d := p.MeanDifference; d != nil {
		l.Text(t.Muted, " = ").Text(m.sign(*d), strings.TrimSpace(report.DifferenceColumn(*d)))
		if !m.byRun() {
			l.Text(t.Muted, " between the means of "+m.goal.Runs)
		}
	} else {
		var without []string
		for _, g := range []*measure.Group{p.A, p.B} {
			if g.MeanWall == nil {
				without = append(without, m.goal.None+" of "+m.label(g))
			}
		}
		said = "cannot be told: " + strings.Join(without, ", ")
	}
	if !m.byRun() {
		said = strings.TrimSpace(p.Text + " " + said)
	}
	lines := []string{m.rule(l.Space(1))}
	if said != "" {
		lines = append(lines, m.wrap(t.Text, said, room-1)...)
	}
	return lines
}

// rule fills the rest of a line.
func (m *Model) rule(l *cell.Line) string {
	for l.Left() > 0 {
		l.Rune(m.theme.Faint, m.theme.Glyphs.Rule)
	}
	return l.String()
}

// chartView draws the rows of the chart that are in view.
func (m *Model) chartView() []string {
	if len(m.rows) == 0 {
		return nil
	}
	names, factors := 8, 0
	for _, r := range m.rows {
		names = max(names, cell.Width(cell.Clean(m.name(r))))
	}
	names = min(names, max(20, m.width/3))
	if m.width >= 96 {
		factors = 24
	}
	axis := m.span(m.width - 2 - names - 1 - (report.DurationWidth + 1) - 2 - factors - 1)
	from, to := m.causes.Seen()
	var lines []string
	for at := from; at < to; at++ {
		lines = append(lines, m.rowView(at, axis, names, factors))
	}
	return lines
}

// span is the axis of the chart: from 0, unless the differences would be too small to see.
func (m *Model) span(cells int) bar.Axis {
	low, high := m.rows[0].to, m.rows[0].to
	for _, r := range m.rows {
		low, high = min(low, r.to), max(high, r.to)
	}
	margin := max(1, (high-low)/20)
	a := bar.Axis{To: high + margin, Cells: max(0, cells)}
	if low > (high-low)*2 {
		a.From = max(0, low-4*margin)
	}
	return a
}

// name says what a row is about.
func (m *Model) name(r row) string {
	switch {
	case r.group != nil:
		return m.label(r.group)
	case r.cause != nil:
		return r.cause.Name
	}
	return fmt.Sprintf("%d other causes", r.others)
}

func (m *Model) rowView(at int, a bar.Axis, names, factors int) string {
	t, r, selected := m.theme, m.rows[at], m.focused && at == m.causes.Cursor
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	style := t.Text
	switch {
	case r.group != nil:
		style = t.Strong
	case r.cause == nil:
		style = t.Muted
	}
	l.Column(2).Fit(style, m.name(r), names).Space(1)
	if r.group != nil {
		l.FitRight(t.Strong, report.DurationColumn(r.to), report.DurationWidth+1)
	} else {
		l.FitRight(m.sign(r.to-r.from), report.DifferenceColumn(r.to-r.from), report.DurationWidth+1)
	}
	l.Space(2)
	m.drawRow(l, r, a)
	if r.cause != nil && factors > 0 {
		l.Space(2).Fit(t.Muted, report.Factors(*r.cause), factors-2)
	}
	return l.String()
}

// drawRow draws a mean as a bar from the beginning of the axis, and a cause as one from where the row before it ended. A line marks where
// all began: what is left of it in the end was gained.
func (m *Model) drawRow(l *cell.Line, r row, a bar.Axis) {
	t, raster := m.theme, bar.New(a.Cells)
	low, high := min(r.from, r.to), max(r.from, r.to)
	var layers []bar.Layer
	switch {
	case r.group != nil:
		if a.From > 0 {
			layers = append(layers, bar.Layer{To: 1, Glyph: t.Glyphs.Break, Style: t.Warn})
		}
		layers = append(layers, bar.Layer{To: end(a, r.to), Glyph: m.block(), Style: t.Muted})
	case r.cause != nil && r.cause.Family != "":
		a.Stretch(raster, low, high, bar.Of(theme.Family(r.cause.Family), true))
	default:
		glyph, style := m.block(), t.Text
		if r.cause == nil {
			glyph, style = t.Glyphs.Shade, t.Muted
		}
		from := min(a.Dot(low)/bar.Dots, a.Cells-1)
		layers = append(layers, bar.Layer{From: from, To: max(from+1, end(a, high)), Glyph: glyph, Style: style})
	}
	began := a.Dot(m.rows[0].to) / bar.Dots
	layers = append(layers, bar.Layer{From: began, To: began + 1, Glyph: t.Glyphs.Grid, Style: t.Faint})
	bar.Draw(l, t, raster, layers...)
}

// end returns the cell after the one that at lies in.
func end(a bar.Axis, at time.Duration) int {
	return min(a.Cells, max(1, (a.Dot(at)+bar.Dots/2)/bar.Dots))
}

// block fills a cell that is no component's: in a colour, or with a sign of its own.
func (m *Model) block() string {
	if m.theme.Coloured() && !m.theme.Glyphs.ASCII {
		return m.theme.Glyphs.Blocks[bar.Dots]
	}
	return "="
}
