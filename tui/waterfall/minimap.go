package waterfall

import (
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

// mapAt is the line of the map: that of the shares, of which one does not think while one looks into a corner of the run.
const mapAt = headline.Lines - 1

func (m *Model) mapTotal() string { return " whole run = " + report.Duration(m.run.Wall) }

func (m *Model) mapAxis() bar.Axis {
	return bar.Axis{From: 0, To: m.view.Whole(), Cells: max(0, m.width-2-cell.Width(m.mapTotal()))}
}

// mapView draws the whole run's path in little, what is in view in full colour between brackets.
func (m *Model) mapView() string {
	t, a := m.theme, m.mapAxis()
	from := max(0, min(a.Cells-1, a.Dot(m.view.From)/bar.Dots))
	to := max(from+1, min(a.Cells, (a.Dot(m.view.To)+bar.Dots-1)/bar.Dots))
	r := bar.New(a.Cells)
	for x, k := range m.whole[:min(len(m.whole), a.Cells)] {
		if k >= 0 {
			r.Fill(x*bar.Dots, (x+1)*bar.Dots, bar.Of(m.tree.path.Segments[k].Component, x >= from && x < to))
		}
	}
	l := cell.NewLine(t, m.width, false)
	l.Space(1)
	bar.Draw(l, t, r, bar.Layer{From: from - 1, To: from, Glyph: "[", Style: t.Strong, Over: true},
		bar.Layer{From: to, To: to + 1, Glyph: "]", Style: t.Strong, Over: true})
	l.Text(t.Muted, m.mapTotal())
	return l.String()
}
