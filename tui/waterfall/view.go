package waterfall

import (
	"strings"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/theme"
)

// rowsAt is the line of the first row.
func (m *Model) rowsAt() int { return headline.Lines + 1 }

// below is how many lines follow the rows.
func (m *Model) below() int {
	switch {
	case m.pane.state != closed:
		return max(4, m.height*2/5)
	case m.height >= 20:
		return 3
	}
	return 1
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	lines := headline.View(m.theme, m.run, m.width)
	if m.Zoomed() {
		lines[mapAt] = m.mapView()
	}
	lines = append(lines, m.ruler())
	from, to := m.list.Seen()
	grid := bar.Grid(m.theme, m.axis())
	for row := from; row < to; row++ {
		lines = append(lines, m.rowView(row, grid))
	}
	empty := strings.Repeat(" ", max(0, m.width))
	for len(lines) < m.height-m.below() {
		lines = append(lines, empty)
	}
	lines = append(lines, m.detail()...)
	if len(lines) > m.height {
		lines = lines[:m.height]
	}
	return strings.Join(lines, "\n")
}

// rowView draws a row, or returns it as it was drawn before. The selected row is always drawn.
func (m *Model) rowView(row int, grid []bar.Layer) string {
	i := m.tree.rows[row]
	if row == m.list.Cursor {
		return m.draw(i, true, grid)
	}
	if s, ok := m.cache[i]; ok {
		return s
	}
	s := m.draw(i, false, grid)
	if len(m.cache) > 4096 {
		clear(m.cache)
	}
	m.cache[i] = s
	return s
}

func (m *Model) draw(i int32, selected bool, grid []bar.Layer) string {
	t, n := m.theme, &m.tree.nodes[i]
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	} else {
		l.Space(gutter)
	}
	onPath := m.tree.onPath(i)
	m.drawName(l, i, onPath)
	l.Column(m.columns.barAt())

	a := m.axis()
	r := bar.New(a.Cells)
	m.tree.paint(r, a, m.strip, i)
	layers := grid
	if extent := m.extent(i, a); extent.To > extent.From {
		layers = append([]bar.Layer{extent}, layers...)
	}
	if first, ok := m.first(i, r, a); ok {
		layers = append([]bar.Layer{first}, layers...)
	}
	if slack := m.slackLayer(i, selected, a); slack.To > slack.From {
		layers = append([]bar.Layer{slack}, layers...)
	}
	bar.Draw(l, t, r, layers...)

	l.Space(1)
	if onPath {
		l.Rune(t.Critical, t.Glyphs.Critical)
	} else {
		l.Space(1)
	}
	style := t.Text
	if n.subpath == 0 {
		style = t.Muted
	}
	l.FitRight(style, report.DurationColumn(n.span.Duration()), timeCell)
	if m.columns.note > 0 {
		note, bad := m.tree.note(i)
		style := t.Muted
		if bad {
			style = t.Bad
		}
		l.Space(2).Fit(style, note, m.columns.note-1)
	}
	return l.String()
}

// first is the mark of a call's first token: on the last cell of the wait for it, if the wait is long enough to carry it.
func (m *Model) first(i int32, r bar.Raster, a bar.Axis) (mark bar.Layer, ok bool) {
	c := m.tree.calls[m.tree.nodes[i].span]
	if c == nil || c.TTFT == nil || c.Answer == nil {
		return mark, false
	}
	d := a.Dot(c.Answer.Sent + *c.TTFT)
	x := d/bar.Dots - 1
	if x < 2 || d > len(r) {
		return mark, false
	}
	ink := r[x*bar.Dots]
	if ink == 0 || r[(x-2)*bar.Dots] != ink || r[(x+1)*bar.Dots-1] != ink {
		return mark, false
	}
	return bar.Layer{From: x, To: x + 1, Glyph: m.theme.Glyphs.First, Style: m.theme.Label(ink.Component(), ink.OnPath()), Over: true}, true
}

// extent is the thin line of a row whose children are shown below it.
func (m *Model) extent(i int32, a bar.Axis) bar.Layer {
	s := m.tree.nodes[i].span
	if s.End <= a.From || s.Start >= a.To {
		return bar.Layer{}
	}
	from, to := max(0, a.Dot(s.Start)/bar.Dots), min(a.Cells, (a.Dot(s.End)+bar.Dots-1)/bar.Dots)
	return bar.Layer{From: from, To: max(to, from+1), Glyph: m.theme.Glyphs.Extent, Style: m.theme.Muted}
}

func (m *Model) drawName(l *cell.Line, i int32, onPath bool) {
	t, n := m.theme, &m.tree.nodes[i]
	end := gutter + m.columns.name
	l.Space(m.columns.inset(n.depth))
	switch {
	case m.tree.bare(i):
		l.Space(2)
	case m.tree.folded[i]:
		l.Text(t.Muted, t.Glyphs.Closed).Space(1)
	default:
		l.Text(t.Muted, t.Glyphs.Open).Space(1)
	}
	name, detail := m.tree.label(i)
	style := t.Muted
	switch {
	case m.found(i):
		style = t.Match
	case i == 0:
		style = t.Strong
	case n.subpath > 0:
		style = t.Text
	}
	bad := ""
	if _, failed := m.tree.note(i); failed {
		bad = t.Glyphs.Bad
	}
	room := end - l.Used() - len(bad)
	name = cell.Clean(name)
	l.Fit(style, name, min(cell.Width(name), room))
	if bad != "" && end-l.Used() >= 2 {
		l.Space(1).Text(t.Bad, bad)
	}
	if detail != "" && end-l.Used() > 4 {
		l.Space(1).Fit(t.Muted, detail, end-l.Used())
	}
}

// A fact is one statement of the detail lines.
type fact struct {
	style theme.Style
	text  string
}

func (m *Model) factLine(facts []fact) string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1)
	for k, f := range facts {
		if k > 0 {
			if l.Left() < cell.Width(cell.Clean(f.text))+3 && k > 1 {
				break
			}
			l.Text(t.Faint, " "+t.Glyphs.Dot+" ")
		}
		l.Text(f.style, f.text)
	}
	return l.String()
}
