package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/theme"
)

// plotLines is how high the plot of the selected row is at least, with its labels.
const plotLines = 7

// foot is what stands below the rows.
func (m *Model) foot() []string {
	var lines []string
	if m.below() > footLines {
		rule := m.line()
		for rule.Left() > 0 {
			rule.Rune(m.theme.Faint, m.theme.Glyphs.Rule)
		}
		lines = append(append(lines, rule.String()), m.plot()...)
	}
	return append(lines, m.about(), m.doubts())
}

// about says of the selected row where it stands and where it helps less.
func (m *Model) about() string {
	t, r := m.theme, m.row()
	l := m.line().Space(1)
	if r == nil {
		return l.String()
	}
	l.Text(t.Strong, r.name).Space(1)
	switch {
	case r.fixed != "":
		l.Text(t.Text, "was billed but not shown: it is "+r.fixed+", nobody knows how much of it, and cannot be moved")
		return l.String()
	case r.stage == rates:
		if rate, ok := m.rateOf(); ok {
			now := rate * r.notches[r.at].factor
			l.Text(t.Muted, fmt.Sprintf("median output rate %.3g tok/s", rate))
			if r.moved() {
				l.Text(t.Muted, fmt.Sprintf(", then %s %.3g tok/s", t.Glyphs.Inferred, now))
			}
			l.Text(t.Muted, "  ")
		}
	case r.stage == switches:
		l.Text(t.Muted, r.does)
		return l.String()
	case r.moved():
		l.Text(t.Text, m.label(r.notches[r.at])).Text(t.Muted, "  ")
	}
	switch f, ok := r.knee(); {
	case ok:
		l.Text(t.Warn, fmt.Sprintf("knee at %s %.2f", t.Glyphs.Times, f))
		if len(m.runs) > 1 {
			l.Text(t.Muted, fmt.Sprintf(" in %d of %d runs", r.bend.Runs, len(m.runs)))
		}
		if then := targetName(r.bend.Then); then != "" {
			l.Text(t.Muted, ": then ").Text(t.Text, then).Text(t.Muted, " is the long pole")
		} else {
			l.Text(t.Muted, ": from there on it helps less")
		}
	case r.bend == nil:
		l.Text(t.Muted, "looking for its knee "+t.Glyphs.Ellipsis)
	case r.gain == 0:
		l.Text(t.Muted, "would change nothing: nothing waits for it")
	case len(m.runs) > 1:
		l.Text(t.Muted, "no knee in any run: all that it gets faster helps alike")
	default:
		l.Text(t.Muted, "no knee: all that it gets faster helps alike")
	}
	return l.String()
}

// doubts says what is taken for granted, as far as one line goes.
func (m *Model) doubts() string {
	t := m.theme
	l := m.line().Space(1)
	b, _ := keys.Default.Of(keys.Pane)
	all := len(m.desk.assumed) + len(whatif.Limits)
	tail := fmt.Sprintf("  %s: all %d assumptions ", b.Help().Key, all)
	words := whatif.Limits[0]
	if len(m.desk.assumed) > 0 {
		words = "assumed: " + m.desk.assumed[0]
	}
	l.Text(t.Muted, cell.Cut(t, cell.Clean(words), max(0, l.Left()-cell.Width(tail))))
	l.Right(t.Muted, tail)
	return l.String()
}

// plot draws the total for each notch of the selected row: how long the runs would take.
func (m *Model) plot() []string {
	t, r := m.theme, m.row()
	lines := make([]*cell.Line, m.below()-1-footLines)
	for i := range lines {
		lines[i] = m.line().Space(1)
	}
	if r != nil && len(r.curve) > 1 {
		m.drawCurve(lines, r)
	} else if r != nil && r.fixed == "" {
		lines[0].Text(t.Muted, "drawing its curve "+t.Glyphs.Ellipsis)
	}
	var list []string
	for _, l := range lines {
		list = append(list, l.String())
	}
	return list
}

func (m *Model) drawCurve(lines []*cell.Line, r *row) {
	t := m.theme
	high := max(slices.Max(r.curve), m.before.wall, 1)
	rows := len(lines) - 2
	wide := min(12, (m.width-2-report.DurationWidth-3)/len(r.curve))
	if r.stage != switches {
		wide = min(6, wide)
	}
	steps := len(t.Glyphs.Sparks) - 1
	lines[0].Text(t.Muted, "how long it takes, by where the slider stands")
	for y := range rows {
		l := lines[1+y]
		label := ""
		switch y {
		case 0:
			label = report.DurationColumn(high)
		case rows - 1:
			label = strings.Repeat(" ", report.DurationWidth-3) + "0 s"
		}
		l.Fit(t.Muted, label, report.DurationWidth).Space(2)
		for i, d := range r.curve {
			level := int(float64(d)/float64(high)*float64(rows*steps) + 0.5)
			fill := max(0, min(steps, level-(rows-1-y)*steps))
			if y == rows-1 && d > 0 {
				fill = max(1, fill)
			}
			style := t.Ink(r.ink, false)
			switch {
			case i == r.at:
				style = theme.Style{FG: t.Accent.FG, Bold: true}
			case i == r.home:
				style = t.Muted
			}
			for x := range wide {
				if x == wide-1 && wide > 1 {
					l.Space(1)
				} else {
					l.Rune(style, t.Glyphs.Sparks[fill])
				}
			}
		}
	}
	foot := lines[len(lines)-1].Space(report.DurationWidth + 2)
	for i, n := range r.notches {
		label, style := n.label, t.Muted
		if r.stage != switches {
			label = strconv.FormatFloat(n.factor, 'g', -1, 64)
		}
		if i == r.at {
			label, style = t.Glyphs.Knob+label, t.Accent
		}
		foot.Fit(style, label, wide-1).Space(1)
	}
}
