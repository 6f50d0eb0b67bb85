package whatif

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

const (
	headLines = 5 // title, range, before, after, column heads
	footLines = 2 // the selected row in words, what is assumed
	plotFrom  = 25
)

// below is how many lines follow the rows: where there is room, a plot of the selected row between a rule and the words.
func (m *Model) below() int {
	if m.height < plotFrom {
		return footLines
	}
	return 1 + max(plotLines, min(2*plotLines, m.height-headLines-1-footLines-len(m.rows))) + footLines
}

// fit is how many rows fit.
func (m *Model) fit() int { return max(0, m.height-headLines-m.below()) }

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	empty := strings.Repeat(" ", max(0, m.width))
	lines := []string{m.title()}
	switch {
	case len(m.runs) == 0:
		lines = append(lines, empty, m.say(m.theme.Text, "no runs: nothing could have been otherwise"))
	case !m.desk.started:
		lines = append(lines, empty, m.say(m.theme.Text, fmt.Sprintf("working out what would help most, in %s spans %s",
			report.Count(int64(m.spans)), m.theme.Glyphs.Ellipsis)))
	default:
		lines = append(lines, m.bounds(), m.stack("before", m.before), m.stack("after", m.after))
		if m.noting {
			lines = append(lines, m.noteView()...)
			break
		}
		lines = append(lines, m.heads())
		from, to := m.list.Seen()
		for at := from; at < to; at++ {
			lines = append(lines, m.rowView(at))
		}
		for len(lines) < m.height-m.below() {
			lines = append(lines, empty)
		}
		lines = append(lines, m.foot()...)
	}
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

func (m *Model) line() *cell.Line { return cell.NewLine(m.theme, m.width, false) }

func (m *Model) say(style theme.Style, words string) string {
	return m.line().Space(2).Text(style, words).String()
}

// title says whose time it is, and what becomes of it.
func (m *Model) title() string {
	t := m.theme
	l := m.line().Space(1)
	l.Text(t.Accent, "what-if").Space(2)
	name, total := m.name()
	var words []piece
	switch {
	case !m.desk.started:
	case m.desk.plan == nil:
		words = []piece{{t.Muted, "working it out " + t.Glyphs.Ellipsis}}
	case m.plan(nil, 0).Empty():
		words = []piece{{t.Muted, total}, {t.Strong, report.Duration(m.before.wall)}}
	default:
		saved := m.before.wall - m.after.wall
		style := t.Good
		if saved < 0 {
			style = t.Bad
		}
		words = []piece{{t.Muted, total}, {t.Text, report.Duration(m.before.wall) + " " + t.Glyphs.Right + " "}, {t.Strong, report.Duration(m.after.wall)},
			{style, "  " + m.signed(-saved)}}
		if m.before.wall > 0 {
			words = append(words, piece{style, "  " + m.percent(-saved, m.before.wall)})
		}
		if len(m.runs) > 1 && m.width >= 100 {
			words = append(words, piece{t.Muted, fmt.Sprintf("  (median %s %s %s)", report.Duration(m.before.median), t.Glyphs.Right, report.Duration(m.after.median))})
		}
	}
	need := 2
	for _, w := range words {
		need += cell.Width(w.text)
	}
	l.Fit(t.Strong, name, min(cell.Width(name), l.Left()-need))
	l.Space(max(2, min(6, l.Left()-need)))
	for _, w := range words {
		l.Text(w.style, w.text)
	}
	return l.String()
}

// A piece is text of one style.
type piece struct {
	style theme.Style
	text  string
}

// name returns what the runs are called, and what their total is.
func (m *Model) name() (name, total string) {
	switch n := len(m.runs); {
	case n == 0:
		return "", ""
	case n == 1:
		return cell.Clean(cmp.Or(m.runs[0].Name, m.runs[0].ID)), ""
	case m.marked:
		return fmt.Sprintf("%d marked runs", n), "mean "
	default:
		return report.Count(int64(n)) + " runs", "mean "
	}
}

// signed writes a difference.
func (m *Model) signed(d time.Duration) string {
	switch {
	case d < 0:
		return m.theme.Glyphs.Minus + report.Duration(-d)
	case d > 0:
		return "+" + report.Duration(d)
	}
	return "0 s"
}

func (m *Model) percent(d, of time.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = m.theme.Glyphs.Minus, -d
	}
	return sign + report.Percent(float64(d)/float64(of))
}

// bounds says between what the total is, or how to begin.
func (m *Model) bounds() string {
	t := m.theme
	l := m.line().Space(1)
	if m.plan(nil, 0).Empty() {
		l.Text(t.Muted, "move a slider: ").Text(t.Accent, "h l").Text(t.Muted, " or "+t.Glyphs.Left+" "+t.Glyphs.Right).
			Text(t.Muted, m.narrow("; what could bring most stands first", "; the most helpful is first"))
		return l.String()
	}
	if m.desk.span == nil {
		l.Text(t.Muted, "range "+t.Glyphs.Ellipsis)
		return l.String()
	}
	low, high := report.Duration(m.desk.span.low), report.Duration(m.desk.span.high)
	if low == high {
		l.Text(t.Muted, "the same whatever really had to wait for what")
		return l.String()
	}
	l.Text(t.Muted, "between ").Text(t.Text, low).Text(t.Muted, m.narrow(" if only what is declared had to wait", ""))
	l.Text(t.Muted, " and ").Text(t.Text, high).Text(t.Muted, m.narrow(" if all kept its order", ""))
	return l.String()
}

// narrow returns the words that fit the screen.
func (m *Model) narrow(wide, narrow string) string {
	if m.width >= 100 {
		return wide
	}
	return narrow
}

// stack draws what the runs take as a bar, before and after on one scale.
func (m *Model) stack(name string, a answer) string {
	t := m.theme
	l := m.line().Space(1)
	if len(m.runs) > 1 {
		name = "mean " + name
	}
	l.Fit(t.Muted, name, 7+len(name)-len(strings.TrimPrefix(name, "mean "))).Space(1)
	words := " " + report.Duration(a.wall)
	cells := l.Left() - report.DurationWidth - 2
	longest := max(m.before.wall, m.after.wall, 1)
	var parts []bar.Part
	for _, f := range traces.Families {
		var sum float64
		for _, c := range a.components {
			if c.Family() == f {
				sum += c.mean
			}
		}
		if sum > 0 {
			parts = append(parts, bar.Part{Ink: bar.Of(theme.Family(f), true), Value: time.Duration(sum), Label: string(f)})
		}
	}
	r := bar.Stack(cells, longest, parts)
	end := min(len(r), int(float64(a.wall)/float64(longest)*float64(cells)+0.999)*bar.Dots)
	bar.DrawLabels(l, t, r[:end], parts)
	l.Text(t.Text, words)
	return l.String()
}
