package compare

import (
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/theme"
)

const headLines = 3 // title, column heads, axis

const low = 16 // lines below them: with fewer, groups are shown by their figures first

// A plan is which lines of the screen show what.
type plan struct {
	groups     int      // how many groups are shown, from line headLines on; 0: the causes have the screen for themselves
	groupLines int      // of each
	words      []string // below the groups: of the selected one, and of all
	whyAt      int      // where the explanation begins
	why        []string // in words
	rows       int      // lines of its chart, below that
}

func (p *plan) rowsAt() int { return p.whyAt + len(p.why) }

// plan divides the screen: groups and causes each get half of it if they want as much. Where there is not enough room for both, the one
// that the keys move in is shown.
func (m *Model) plan() plan {
	p := plan{groupLines: 3}
	if m.byRun() {
		p.groupLines = 2 // one run has no distribution
	}
	n, rest := len(m.shown.Groups), m.height-headLines
	for rest < low && p.groupLines > 1 && n*p.groupLines > rest*2/3 {
		p.groupLines-- // all groups by their figures before any of them in full
	}
	p.why = m.whyWords(unbounded)
	chart := 0
	if m.why != nil && m.why.MeanDifference != nil {
		chart = 2 + len(m.why.Causes)
		if !m.whole {
			chart = min(chart, 2+atMost+1)
		}
	}
	said := min(len(p.why), max(2, rest/5))
	least := said + min(chart, 2+fewest+1)
	switch {
	case p.groupLines*min(2, n)+1+least <= rest:
		p.groups = (rest - 1 - max(least, min(len(p.why)+chart, rest/2))) / p.groupLines
		p.groups = max(min(2, n), min(p.groups, n))
		spare := rest - p.groupLines*p.groups - least
		p.words = m.words(spare)
		spare -= len(p.words)
		more := min(len(p.why)+chart-least, spare)
		spare -= more
		p.rows = min(chart, least-said+more)
		p.why = m.whyWords(least + more - p.rows)
		if spare > p.groups {
			p.groupLines++
			spare -= p.groups
		}
		p.whyAt = headLines + p.groups*p.groupLines + len(p.words) + min(1, spare)
	case m.focused:
		p.whyAt = 1
		room := m.height - 1
		p.rows = max(0, min(chart, room-1))
		p.why = m.whyWords(room - p.rows)
	default:
		told := 0
		if m.why != nil {
			told = min(len(p.why)-1, rest/4)
		}
		p.groups = max(0, min(n, (rest-told-min(1, rest))/p.groupLines))
		p.words = m.words(rest - p.groups*p.groupLines - told)
		p.whyAt = headLines + p.groups*p.groupLines + len(p.words)
		p.why = m.whyWords(rest - p.groups*p.groupLines - len(p.words))
	}
	return p
}

// settle fits what is shown to the screen.
func (m *Model) settle() {
	if m.theme == nil {
		return
	}
	m.spread()
	p := m.plan()
	m.list.Resize(len(m.shown.Groups), p.groups)
	m.rows = m.chart(p.rows)
	m.causes.Resize(len(m.rows), p.rows)
}

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	p := m.plan()
	lines := []string{m.title()}
	if p.groups > 0 {
		lines = append(lines, m.heads(), m.ruler())
	}
	empty := strings.Repeat(" ", max(0, m.width))
	if len(m.shown.Groups) == 0 {
		lines = append(lines, m.line().Space(2).Text(m.theme.Muted, "no runs to compare").String())
	} else if p.groups > 0 {
		from, to := m.list.Seen()
		for at := from; at < to; at++ {
			group := m.group(at)
			for len(group) < p.groupLines {
				group = append(group, empty)
			}
			lines = append(lines, group[:p.groupLines]...)
		}
	}
	lines = append(lines, p.words...)
	for len(lines) < p.whyAt {
		lines = append(lines, empty)
	}
	lines = append(lines, p.why...)
	lines = append(lines, m.chartView()...)
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

func (m *Model) line() *cell.Line { return cell.NewLine(m.theme, m.width, false) }

func (m *Model) title() string {
	t := m.theme
	l := m.line()
	l.Space(1).Text(t.Accent, "compare by").Space(1).Text(t.Strong, m.by[m.chosen]).Space(2)
	runs := "1 run"
	if n := len(m.runs); n != 1 {
		runs = fmt.Sprintf("%d runs", n)
	}
	l.Text(t.Muted, m.goal.Title+" "+t.Glyphs.Dot+" "+runs)
	if len(m.by) > 1 {
		l.Right(t.Muted, " t: by "+m.by[(m.chosen+1)%len(m.by)]+" ")
	}
	return l.String()
}

// wrap returns s as at most room lines of the screen, the later ones indented.
func (m *Model) wrap(style theme.Style, s string, room int) []string {
	var lines []string
	parts := cell.Wrap(cell.Clean(s), m.width-4)
	for i, part := range parts[:max(0, min(len(parts), room))] {
		l := m.line().Space(1+2*min(i, 1)).Text(style, strings.TrimSpace(part))
		if i == room-1 && room < len(parts) {
			l.Text(style, m.theme.Glyphs.Ellipsis)
		}
		lines = append(lines, l.String())
	}
	return lines
}

const unbounded = 1 << 20 // lines: as many as it takes

// words is what is said below the groups, in at most room lines: first of all what they show together, then what the bar of the selected one
// is made of, what the bars mean, and what else a reader must know of the selected group.
func (m *Model) words(room int) []string {
	g := m.selected()
	if g == nil {
		return nil
	}
	var conclusion, notes []string
	for i, s := range m.conclusion {
		style := m.theme.Text
		if i == 0 {
			style = m.theme.Strong
		}
		conclusion = append(conclusion, m.wrap(style, s, room-len(conclusion))...)
	}
	if len(g.Notes) > 0 && !m.byRun() {
		notes = m.wrap(m.theme.Warn, m.label(g)+": "+strings.Join(g.Notes, "; "), 2)
	}
	parts := [][]string{{m.families(g)}, {m.legend()}, notes, conclusion} // as they stand
	for _, i := range []int{3, 0, 1, 2} {                                 // by weight
		parts[i] = parts[i][:max(0, min(len(parts[i]), room))]
		room -= len(parts[i])
	}
	var lines []string
	for _, part := range parts {
		lines = append(lines, part...)
	}
	return lines
}

// families says what the bar of a group is made of.
func (m *Model) families(g *measure.Group) string {
	t, l := m.theme, m.line()
	l.Space(1).Text(t.Strong, m.label(g)).Space(2)
	for _, f := range g.Families {
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
	return l.String()
}

// legend says what the lines of a group are.
func (m *Model) legend() string {
	t, l := m.theme, m.line()
	if m.byRun() {
		l.Space(1).Text(t.Muted, "bar: what it waited for")
	} else {
		l.Space(1).Text(t.Muted, "bar: mean of "+m.goal.Runs)
		below, between := " "+t.Glyphs.Dot+" below: when they ended, median ", ", its 95 % interval "
		if m.width < 80 {
			below, between = " "+t.Glyphs.Dot+" below: when, median ", " 95 % "
		}
		l.Text(t.Muted, below).Text(t.Accent, t.Glyphs.Median).Text(t.Muted, between).Text(t.Accent, strings.Repeat(t.Glyphs.Rule, 2))
	}
	for i := range m.shown.Groups {
		if m.shown.Groups[i].Success == nil {
			l.Text(t.Muted, " "+t.Glyphs.Dot+" ?: the trace does not say")
			break
		}
	}
	return l.String()
}
