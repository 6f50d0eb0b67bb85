package waterfall

import (
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
)

func (m *Model) ruler() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(gutter)
	if m.tree.pathOnly {
		l.Fit(t.Critical, t.Glyphs.Critical+" critical path only", m.columns.name)
	} else if m.view.zoomed() {
		l.Fit(t.Warn, "zoomed, 0 shows all", m.columns.name)
	}
	l.Column(m.columns.barAt())
	bar.DrawRuler(l, t, m.axis())
	return l.String()
}
