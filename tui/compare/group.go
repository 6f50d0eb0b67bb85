package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// A figureColumn is a column of the figures of a group.
type figureColumn struct {
	head  func(m *Model) string
	width int
	least int  // width of the screen from which on it is shown
	many  bool // it says nothing of a single run
	text  func(m *Model, at int) (string, theme.Style)
}

// figureColumns are in the order of their weight: what does not fit is left out on the right.
var figureColumns = []figureColumn{
	{func(m *Model) string {
		if m.goal.Right == "right" {
			return "correct"
		}
		return "done"
	}, 8, 0, false, func(m *Model, at int) (string, theme.Style) {
		switch s := m.shown.Groups[at].Success; {
		case s == nil:
			return "?", m.theme.Muted
		case s.Rate < 0.5:
			return report.Percent(s.Rate), m.theme.Bad
		default:
			return report.Percent(s.Rate), m.theme.Text
		}
	}},
	{headed("95 %"), 8, 0, true, muted(func(m *Model, g *measure.Group) string {
		switch {
		case g.Success == nil:
			return ""
		case g.N == 1:
			return "1 run"
		}
		return fmt.Sprintf("%.0f%s%.0f", g.Success.Low*100, m.theme.Glyphs.Dash, g.Success.High*100)
	})},
	{func(m *Model) string {
		if m.byRun() {
			return "time"
		}
		return "median"
	}, 9, 0, false, func(m *Model, at int) (string, theme.Style) {
		times := m.shown.Groups[at].TimeToCorrect
		if times.Median == nil {
			return m.theme.Glyphs.Dash, m.theme.Strong
		}
		s := strings.TrimSpace(report.DurationColumn(*times.Median))
		if times.MoreThan {
			s = ">" + s
		}
		return s, m.theme.Strong
	}},
	{(*Model).against, againstWidth, 0, false, (*Model).versus},
	{headed("runs"), 6, 0, true, muted(func(_ *Model, g *measure.Group) string { return fmt.Sprint(g.N) })},
	{headed("median, 95 %"), 20, 80, true, muted(func(m *Model, g *measure.Group) string { return m.between(g.TimeToCorrect.Low, g.TimeToCorrect.High) })},
	{headed("calls/run"), 11, 104, false, muted(func(_ *Model, g *measure.Group) string {
		if g.Calls.PerRun == nil {
			return ""
		}
		return fmt.Sprintf("%.1f", *g.Calls.PerRun)
	})},
	{headed("range"), 20, 120, true, muted(func(m *Model, g *measure.Group) string {
		if g.TimeToCorrect.N <= 1 {
			return ""
		}
		return m.between(g.TimeToCorrect.Min, g.TimeToCorrect.Max)
	})},
	{headed("output tokens"), 15, 140, false, muted(func(_ *Model, g *measure.Group) string {
		if g.Tokens.Output == nil {
			return "?"
		}
		return report.Count(int64(*g.Tokens.Output + 0.5))
	})},
}

func headed(words string) func(*Model) string { return func(*Model) string { return words } }

func muted(text func(*Model, *measure.Group) string) func(*Model, int) (string, theme.Style) {
	return func(m *Model, at int) (string, theme.Style) { return text(m, &m.shown.Groups[at]), m.theme.Muted }
}

func (m *Model) has(c figureColumn) bool { return m.width >= c.least && !(c.many && m.byRun()) }

func (m *Model) between(low, high *time.Duration) string {
	switch {
	case low == nil:
		return "too few runs"
	case high == nil:
		return "from " + report.Duration(*low)
	}
	return report.Duration(*low) + " " + m.theme.Glyphs.Dash + " " + report.Duration(*high)
}

const againstWidth = 14

// against names the group that the others are compared with.
func (m *Model) against() string {
	if len(m.shown.Groups) < 2 {
		return ""
	}
	return "vs " + cell.Cut(m.theme, cell.Clean(m.label(&m.shown.Groups[m.base])), againstWidth-1-len("vs "))
}

// versus says in a word what a group shows against base.
func (m *Model) versus(at int) (string, theme.Style) {
	t, p := m.theme, m.pairs[at]
	switch {
	case p == nil && len(m.shown.Groups) > 1:
		return t.Glyphs.Marked, t.Accent
	case p == nil:
	case m.byRun():
		if p.MeanDifference != nil {
			return strings.TrimSpace(report.DifferenceColumn(*p.MeanDifference)), m.sign(*p.MeanDifference)
		}
	case p.Verdict == compare.Faster || p.Verdict == compare.Slower:
		style, words := t.Good, string(p.Verdict)
		if p.Verdict == compare.Slower {
			style = t.Bad
		}
		if p.Ratio != nil {
			words = report.Percent(math.Abs(*p.Ratio-1)) + " " + words
		}
		return words, style
	case p.Verdict == compare.NoneSeen:
		return "none seen", t.Muted
	case p.P != nil:
		return "too few", t.Muted
	}
	return "", t.Muted
}

// sign is the style of a difference: less time is good.
func (m *Model) sign(d time.Duration) theme.Style {
	switch {
	case d < 0:
		return m.theme.Good
	case d > 0:
		return m.theme.Bad
	}
	return m.theme.Muted
}

func (m *Model) labelWidth() int {
	w := 8
	for i := range m.shown.Groups {
		w = max(w, cell.Width(cell.Clean(m.label(&m.shown.Groups[i]))))
	}
	return min(w, max(16, m.width/4))
}

func (m *Model) heads() string {
	l := m.line()
	l.Space(2 + m.labelWidth())
	for _, c := range figureColumns {
		if m.has(c) && l.Left() >= c.width {
			l.FitRight(m.theme.Muted, c.head(m), c.width)
		}
	}
	return l.String()
}

func (m *Model) axis() bar.Axis {
	return bar.Axis{From: 0, To: max(1, m.scale), Cells: max(0, m.width-2-m.labelWidth()-2)}
}

func (m *Model) ruler() string {
	l := m.line()
	l.Space(2 + m.labelWidth() + 1)
	bar.DrawRuler(l, m.theme, m.axis())
	return l.String()
}

// group draws a group: its figures, its mean, and how its times are distributed.
func (m *Model) group(at int) []string {
	lines := []string{m.figures(at), m.mean(at)}
	if !m.byRun() {
		lines = append(lines, m.distribution(at))
	}
	return lines
}

// begin starts a line of a group with its cursor and, on the first one, its label.
func (m *Model) begin(at int, label string) *cell.Line {
	t, selected := m.theme, at == m.list.Cursor
	l := cell.NewLine(t, m.width, selected && !m.focused)
	switch {
	case selected && m.focused:
		l.Rune(t.Faint, t.Glyphs.Cursor)
	case selected:
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	return l.Column(2).Fit(t.Strong, label, m.labelWidth())
}

func (m *Model) figures(at int) string {
	l := m.begin(at, m.label(&m.shown.Groups[at]))
	for _, c := range figureColumns {
		if m.has(c) && l.Left() >= c.width {
			text, style := c.text(m, at)
			l.FitRight(style, text, c.width)
		}
	}
	return l.String()
}

// mean draws the mean of the correct runs by family.
func (m *Model) mean(at int) string {
	g, l := &m.shown.Groups[at], m.begin(at, "").Space(1)
	if g.MeanWall == nil {
		l.Text(m.theme.Muted, m.goal.None)
		return l.String()
	}
	var parts []bar.Part
	for _, f := range g.Families {
		parts = append(parts, bar.Part{Ink: bar.Of(theme.Family(f.Family), true), Value: f.Mean, Label: string(f.Family)})
	}
	r := bar.Stack(m.axis().Cells, max(1, m.scale), parts)
	end := (m.axis().Dot(*g.MeanWall) + bar.Dots - 1) / bar.Dots
	bar.DrawLabels(l, m.theme, r[:min(len(r), end*bar.Dots)], parts)
	if words := " mean " + report.Duration(*g.MeanWall); !m.byRun() && l.Left() > cell.Width(words) {
		l.Text(m.theme.Muted, words)
	}
	return l.String()
}

// spread finds out how the times of the groups are distributed, in bins that are the same for all and as many as the smallest group can fill.
func (m *Model) spread() {
	cells, fewest := m.axis().Cells, math.MaxInt
	for _, g := range m.shown.Groups {
		if g.Succeeded > 0 {
			fewest = min(fewest, g.Succeeded)
		}
	}
	bins := min(cells, 4+int(4*math.Sqrt(float64(fewest))))
	if bins == m.bins && len(m.shares) == len(m.shown.Groups) {
		return
	}
	m.bins, m.shares, m.densest = bins, nil, 0
	for _, g := range m.shown.Groups {
		shares := g.Distribution(0, m.scale, bins)
		m.shares = append(m.shares, shares)
		if shares != nil {
			m.densest = max(m.densest, slices.Max(shares))
		}
	}
}

// distribution draws which share of the correct runs took how long, on the axis of the bars, with the median and its interval.
func (m *Model) distribution(at int) string {
	t, a, g := m.theme, m.axis(), &m.shown.Groups[at]
	l := m.begin(at, "").Space(1)
	if a.Cells == 0 || m.shares[at] == nil {
		return l.String()
	}
	place := func(d *time.Duration, none int) int {
		if d == nil {
			return none
		}
		return max(0, min(a.Dot(*d)/bar.Dots, a.Cells-1))
	}
	median := place(g.TimeToCorrect.Median, -1)
	low := place(g.TimeToCorrect.Low, a.Cells)
	high := place(g.TimeToCorrect.High, a.Cells-1) // open above
	steps := float64(len(t.Glyphs.Sparks) - 1)
	for x := range a.Cells {
		share, style := m.shares[at][x*m.bins/a.Cells], t.Muted
		if x >= low && x <= high {
			style = t.Accent
		}
		switch {
		case x == median:
			l.Rune(t.Accent, t.Glyphs.Median)
		case share > 0:
			l.Rune(style, t.Glyphs.Sparks[max(1, int(share/m.densest*steps))])
		case x >= low && x <= high:
			l.Rune(style, t.Glyphs.Rule)
		default:
			l.Space(1)
		}
	}
	return l.String()
}
