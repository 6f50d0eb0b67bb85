package waterfall

import (
	"time"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
)

// ruler draws the axis, or how long the time is that the mouse is dragged over, and before it what is special about what is shown.
func (m *Model) ruler() string {
	t, a := m.theme, m.axis()
	l := cell.NewLine(t, m.width, false)
	l.Space(gutter)
	var gaps time.Duration
	for _, g := range m.tree.idle {
		gaps += g.To - g.From
	}
	switch {
	case m.tree.pathOnly:
		l.Fit(t.Critical, t.Glyphs.Critical+" critical path only", m.columns.name)
	case len(a.Breaks) > 0:
		l.Fit(t.Warn, t.Glyphs.Break+" "+report.Duration(gaps)+" idle cut", m.columns.name)
	case gaps > 0 && !m.view.Zoomed():
		l.Fit(t.Warn, "i: cut "+report.Duration(gaps)+" idle", m.columns.name)
	case m.view.Zoomed():
		l.Fit(t.Warn, "zoomed, 0 shows all", m.columns.name)
	}
	l.Column(m.columns.barAt())
	switch at := a.Dot(m.at) / bar.Dots; {
	case m.band.Open:
		bar.DrawBand(l, t, a, m.band.From, m.band.To)
	case m.at >= 0 && at >= 0 && at < a.Cells:
		words := t.Glyphs.Down + " " + report.Duration(m.at)
		l.Space(min(at, a.Cells-cell.Width(words))).Text(t.Accent, words)
	default:
		bar.DrawRuler(l, t, a)
	}
	return l.String()
}
