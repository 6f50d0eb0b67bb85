package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/theme"
)

const (
	headLines = 3 // title, column heads, axis
	footLines = 4 // a rule, the selected group's families, its notes
)

// lines is how many lines a group takes: figures, mean as a bar, distribution, and a blank one where there is room.
func (m *Model) lines() int {
	if m.height-headLines-footLines-len(m.words()) >= 4*len(m.groups) {
		return 4
	}
	return 3
}

// fit is how many groups fit. What they show goes before the last groups, but takes no more than a third of a screen.
func (m *Model) fit() int {
	room := m.height - headLines - footLines
	return max(0, room-min(len(m.words()), room/3)) / m.lines()
}

// words is what the groups show, and what their bars mean, a line each.
func (m *Model) words() []string {
	if len(m.groups) == 0 || m.theme == nil {
		return nil
	}
	t := m.theme
	lines := []string{m.legend()}
	for _, sentence := range m.verdict {
		style := t.Text
		if len(lines) == 1 {
			style = t.Strong
		}
		for i, s := range cell.Wrap(cell.Clean(sentence), m.width-4) {
			indent := 1
			if i > 0 {
				indent = 3
			}
			lines = append(lines, cell.NewLine(t, m.width, false).Space(indent).Text(style, strings.TrimSpace(s)).String())
		}
	}
	return lines
}

// legend says what the lines of a group are.
func (m *Model) legend() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	median := "median at " + t.Glyphs.Grid
	switch {
	case t.Shaded():
		median = "median in blue"
	case t.Coloured():
		median = "median in cyan"
	}
	below := " below: how many of them ended when, "
	if m.width < 100 {
		below = " below: how many when, "
	}
	l.Space(1).Text(t.Muted, "bar: mean of "+m.goal.Runs+" "+t.Glyphs.Dot+below).Text(t.Accent, median)
	if slices.ContainsFunc(m.groups, func(g measure.Group) bool { return g.Success == nil }) {
		l.Text(t.Muted, " "+t.Glyphs.Dot+" ?: the trace does not say")
	}
	return l.String()
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	lines := []string{m.title(), m.heads(), m.ruler()}
	from, to := m.list.Seen()
	empty := strings.Repeat(" ", max(0, m.width))
	for at := from; at < to; at++ {
		g, selected := &m.groups[at], at == m.list.Cursor
		lines = append(lines, m.figures(g, selected), m.mean(g, selected), m.distribution(g, selected))
		if m.lines() == 4 {
			lines = append(lines, empty)
		}
	}
	if len(m.groups) == 0 {
		lines = append(lines, cell.NewLine(m.theme, m.width, false).Space(2).Text(m.theme.Muted, "no runs to compare").String())
	}
	words := m.words()
	if room := m.height - footLines - len(lines); room > len(words) {
		lines = append(lines, empty)
	} else if room < len(words) {
		words = words[1:] // the legend can be done without
		words = words[:max(0, min(room, len(words)))]
	}
	lines = append(lines, words...)
	for len(lines) < m.height-footLines {
		lines = append(lines, empty)
	}
	lines = append(lines, m.foot()...)
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

func (m *Model) title() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1).Text(t.Accent, "compare by").Space(1).Text(t.Strong, m.by[m.chosen]).Space(2)
	l.Text(t.Muted, fmt.Sprintf("%s %s %d runs", m.goal.Title, t.Glyphs.Dot, len(m.runs)))
	if len(m.by) > 1 {
		l.Right(t.Muted, " t: by "+m.by[(m.chosen+1)%len(m.by)]+" ")
	}
	return l.String()
}

// A figureColumn is a column of the figures of a group.
type figureColumn struct {
	head  string
	width int
	least int // width of the screen from which on it is shown
	text  func(t *theme.Theme, g *measure.Group) string
}

var figureColumns = []figureColumn{
	{"correct", 8, 0, func(_ *theme.Theme, g *measure.Group) string {
		if g.Success == nil {
			return "?"
		}
		return report.Percent(g.Success.Rate)
	}},
	{"95 %", 8, 0, func(t *theme.Theme, g *measure.Group) string {
		if g.Success == nil {
			return ""
		}
		return fmt.Sprintf("%.0f%s%.0f", g.Success.Low*100, t.Glyphs.Dash, g.Success.High*100)
	}},
	{"median", 9, 0, func(t *theme.Theme, g *measure.Group) string {
		if g.TimeToCorrect.Median == nil {
			return t.Glyphs.Dash
		}
		s := strings.TrimSpace(report.DurationColumn(*g.TimeToCorrect.Median))
		if g.TimeToCorrect.MoreThan {
			s = ">" + s
		}
		return s
	}},
	{"95 %", 20, 80, func(t *theme.Theme, g *measure.Group) string {
		return between(t, g.TimeToCorrect.Low, g.TimeToCorrect.High)
	}},
	{"range", 20, 108, func(t *theme.Theme, g *measure.Group) string {
		return between(t, g.TimeToCorrect.Min, g.TimeToCorrect.Max)
	}},
	{"runs", 6, 0, func(_ *theme.Theme, g *measure.Group) string { return fmt.Sprint(g.N) }},
	{"calls/run", 11, 120, func(_ *theme.Theme, g *measure.Group) string {
		if g.Calls.PerRun == nil {
			return ""
		}
		return fmt.Sprintf("%.1f", *g.Calls.PerRun)
	}},
	{"output tokens", 15, 140, func(_ *theme.Theme, g *measure.Group) string {
		if g.Tokens.Output == nil {
			return "?"
		}
		return report.Count(int64(*g.Tokens.Output + 0.5))
	}},
}

func between(t *theme.Theme, low, high *time.Duration) string {
	switch {
	case low == nil:
		return "too few runs"
	case high == nil:
		return "from " + report.Duration(*low)
	}
	return report.Duration(*low) + " " + t.Glyphs.Dash + " " + report.Duration(*high)
}

func (m *Model) labelWidth() int {
	w := 8
	for i := range m.groups {
		w = max(w, cell.Width(cell.Clean(m.label(&m.groups[i]))))
	}
	return min(w, max(16, m.width/4))
}

func (m *Model) heads() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(2 + m.labelWidth())
	for i, c := range figureColumns {
		if m.width >= c.least {
			head := c.head
			if i == 0 && m.goal.Right != "right" {
				head = "done"
			}
			l.FitRight(t.Muted, head, c.width)
		}
	}
	return l.String()
}

func (m *Model) axis() bar.Axis {
	return bar.Axis{From: 0, To: max(1, m.scale), Cells: max(0, m.width-2-m.labelWidth()-2)}
}

func (m *Model) ruler() string {
	l := cell.NewLine(m.theme, m.width, false)
	l.Space(2 + m.labelWidth() + 1)
	bar.DrawRuler(l, m.theme, m.axis())
	return l.String()
}

// begin starts a line of a group with its cursor and, on the first one, its label.
func (m *Model) begin(selected bool, label string) *cell.Line {
	t := m.theme
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	}
	return l.Column(2).Fit(t.Strong, label, m.labelWidth())
}

func (m *Model) figures(g *measure.Group, selected bool) string {
	t := m.theme
	l := m.begin(selected, m.label(g))
	for i, c := range figureColumns {
		if m.width < c.least {
			continue
		}
		style := t.Muted
		switch i {
		case 0:
			style = t.Text
			if g.Success != nil && g.Success.Rate < 0.5 {
				style = t.Bad
			}
		case 2:
			style = t.Strong
		}
		l.FitRight(style, c.text(t, g), c.width)
	}
	return l.String()
}

// mean draws the mean of the correct runs by family.
func (m *Model) mean(g *measure.Group, selected bool) string {
	l := m.begin(selected, "").Space(1)
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
	if words := " mean " + report.Duration(*g.MeanWall); l.Left() > cell.Width(words) {
		l.Text(m.theme.Muted, words)
	}
	return l.String()
}

// distribution draws how many of the correct runs took how long, on the axis of the bars: a histogram with as many bins as
// the runs can fill.
func (m *Model) distribution(g *measure.Group, selected bool) string {
	t, a := m.theme, m.axis()
	l := m.begin(selected, "").Space(1)
	if a.Cells == 0 || g.Succeeded == 0 {
		return l.String()
	}
	wide := max(1, a.Cells/(4+4*int(math.Sqrt(float64(g.Succeeded)))))
	counts, most := make([]int, a.Cells/wide+1), 0
	cellOf := func(d time.Duration) int { return min(a.Cells-1, max(0, a.Dot(d)/bar.Dots)) }
	for _, r := range g.Runs {
		if r.Correct() {
			bin := cellOf(r.Time()) / wide
			counts[bin]++
			most = max(most, counts[bin])
		}
	}
	median := -1
	if d := g.TimeToCorrect.Median; d != nil {
		median = cellOf(*d)
	}
	steps := len(t.Glyphs.Sparks) - 1
	for x := range a.Cells {
		n, style := counts[x/wide], t.Muted
		if x == median {
			style = t.Accent
		}
		switch {
		case n > 0 && (x != median || t.Coloured()):
			l.Rune(style, t.Glyphs.Sparks[max(1, n*steps/max(most, 3))])
		case x == median:
			l.Rune(style, t.Glyphs.Grid)
		default:
			l.Space(1)
		}
	}
	return l.String()
}

// foot says of the selected group what its bar is made of, and what a reader must know beside the numbers.
func (m *Model) foot() []string {
	t := m.theme
	rule := cell.NewLine(t, m.width, false)
	for rule.Left() > 0 {
		rule.Rune(t.Faint, t.Glyphs.Rule)
	}
	g, ok := m.Selected()
	if !ok {
		return []string{rule.String()}
	}
	l := cell.NewLine(t, m.width, false)
	l.Space(1).Text(t.Strong, m.label(&g)).Space(2)
	families := slices.Clone(g.Families)
	slices.SortStableFunc(families, func(a, b measure.FamilyMean) int { return cmp.Compare(b.Mean, a.Mean) })
	for _, f := range families {
		words := string(f.Family) + " " + report.Duration(f.Mean) + " " + report.Percent(f.Share)
		if m.width < 120 {
			words = string(f.Family) + " " + report.Percent(f.Share)
		}
		if l.Left() < cell.Width(words)+4 {
			break
		}
		headline.Chip(l, t, theme.Family(f.Family))
		l.Space(1).Text(t.Muted, words).Space(2)
	}
	lines := []string{rule.String(), l.String()}
	for _, s := range cell.Wrap(cell.Clean(strings.Join(g.Notes, "; ")), m.width-2) {
		if s != "" && len(lines) < footLines {
			lines = append(lines, cell.NewLine(t, m.width, false).Space(1).Text(t.Warn, s).String())
		}
	}
	return lines
}
