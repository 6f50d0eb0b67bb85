package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

// columns is where what stands in a row, in cells.
type columns struct {
	name, path, track, value, brings, gain, knee int // widths; 0: it is left out
}

const nameAt = 4 // the cursor, the letter and a space around it

func (m *Model) columns() columns {
	c := columns{name: 10, track: 13, value: 9, brings: 10, gain: 9}
	most := 12
	switch {
	case m.width >= 160:
		c.path, c.track, c.gain, most = 11, 41, 19, 30
	case m.width >= 110:
		c.path, c.track, c.gain, most = 11, 25, 19, 24
	case m.width >= 76:
		c.path, c.gain, most = 11, 12, 16
	}
	for _, r := range m.rows {
		c.name = max(c.name, min(most, cell.Width(cell.Clean(r.name))))
	}
	c.knee = m.width - nameAt - c.name - 1 - c.path - c.track - 1 - c.value - c.brings - c.gain - 2
	if c.knee < 16 {
		c.gain, c.knee = min(19, c.gain+max(0, c.knee+2)), 0
	}
	return c
}

// track returns where the sliders are.
func (m *Model) track() (from, cells int) {
	c := m.columns()
	return nameAt + c.name + 1 + c.path, c.track
}

// notch returns the notch of a row's slider at column x.
func (m *Model) notch(r *row, x int) (notch int, ok bool) {
	from, cells := m.track()
	if x < from || x >= from+cells || r.fixed != "" {
		return 0, false
	}
	last := len(r.notches) - 1
	return ((x-from)*last*2 + cells - 1) / (2 * (cells - 1)), true
}

// place returns the cell of a slider's notch.
func place(r *row, notch, cells int) int {
	last := max(1, len(r.notches)-1)
	return (notch*(cells-1)*2 + last) / (2 * last)
}

func (m *Model) heads() string {
	t, c := m.theme, m.columns()
	l := m.line().Column(nameAt).Fit(t.Muted, "what", c.name).Space(1)
	path := " on path"
	if len(m.runs) > 1 {
		path = "mean path"
	}
	l.Fit(t.Muted, path, c.path)
	l.Fit(t.Muted, t.Glyphs.Left+" less", c.track-6).FitRight(t.Muted, "more "+t.Glyphs.Right, 6).Space(1)
	l.Fit(t.Muted, "", c.value).FitRight(t.Muted, "brings ", c.brings).FitRight(t.Muted, m.narrow("could bring", "can bring"), c.gain).Space(2)
	l.Fit(t.Muted, "knee: what comes then", c.knee)
	return l.String()
}

// rowView draws a row: its name, its slider, and what it brings.
func (m *Model) rowView(at int) string {
	t, c, r, selected := m.theme, m.columns(), m.rows[at], at == m.list.Cursor
	l := cell.NewLine(t, m.width, selected)
	name, value := t.Text, t.Muted
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
		name = t.Strong
	}
	if r.moved() {
		value = t.Strong
	}
	l.Column(2)
	headline.Chip(l, t, r.ink)
	l.Column(nameAt).Fit(name, r.name, c.name).Space(1)
	if c.path > 0 {
		m.onPath(l, r)
	}
	if r.fixed != "" {
		l.Text(t.Muted, r.fixed+": cannot be moved")
		return l.String()
	}
	m.slider(l, r, c.track)
	l.Space(1).Fit(value, m.label(r.notches[r.at]), c.value)
	m.brings(l, r, c.brings)
	gain := ""
	if r.gain != 0 {
		gain = m.signed(-r.gain)
		at := m.label(r.notches[r.most])
		if words := at + ": " + gain; cell.Width(words) < c.gain {
			gain = words
		} else if words := strings.ReplaceAll(at, " ", "") + " " + gain; r.stage == rates && cell.Width(words) <= c.gain {
			gain = words // a rate has no end that goes without saying
		}
	}
	l.FitRight(t.Muted, gain, c.gain).Space(2)
	l.Fit(t.Warn, m.bent(r), c.knee)
	return l.String()
}

// onPath writes how long the runs wait for a row's time, with the sign of how that is known.
func (m *Model) onPath(l *cell.Line, r *row) {
	t := m.theme
	if r.onPath == 0 && (r.stage != scales || r.fixed != "") {
		l.Space(report.DurationWidth + 3)
		return
	}
	sign := t.Glyphs.Quality(r.quality)
	l.Text(t.Text, report.DurationColumn(r.onPath)).Fit(t.Warn, sign, 2).Space(1)
}

// brings writes what the change of a row brings on top of all others.
func (m *Model) brings(l *cell.Line, r *row, width int) {
	t := m.theme
	switch {
	case !r.moved():
		l.Space(width)
		return
	case r.without == nil || m.desk.plan == nil:
		l.FitRight(t.Muted, t.Glyphs.Ellipsis+" ", width)
		return
	}
	d := m.after.wall - *r.without
	style := t.Good
	switch {
	case d == 0:
		style = t.Muted
	case d > 0:
		style = t.Bad
	}
	l.FitRight(style, m.signed(d)+" ", width)
}

// slider draws a row's slider: where it stands, how far from where it was, and the knee.
func (m *Model) slider(l *cell.Line, r *row, cells int) {
	t := m.theme
	at, home, knee := place(r, r.at, cells), place(r, r.home, cells), -1
	if f, ok := r.knee(); ok {
		nearest := slices.MinFunc(r.notches, func(a, b notch) int { return cmp.Compare(math.Abs(a.factor-f), math.Abs(b.factor-f)) })
		knee = place(r, slices.IndexFunc(r.notches, func(n notch) bool { return n.factor == nearest.factor }), cells)
	}
	low, high := min(at, home), max(at, home)
	for x := range cells {
		switch {
		case x == at && r.moved():
			l.Rune(t.Accent, t.Glyphs.Knob)
		case x == at:
			l.Rune(t.Text, t.Glyphs.Knob)
		case x == knee:
			l.Rune(t.Warn, t.Glyphs.Knee)
		case x == home:
			l.Rune(t.Muted, t.Glyphs.Home)
		case x > low && x < high:
			l.Rune(t.Ink(r.ink, true), t.Glyphs.Pull)
		default:
			l.Rune(t.Faint, t.Glyphs.Rule)
		}
	}
}

// knee returns the factor from where on a row helps less.
func (r *row) knee() (factor float64, ok bool) {
	switch {
	case r.bend == nil || r.bend.Runs == 0 || r.stage == switches:
		return 0, false
	case r.stage == rates && r.bend.Factor <= 0:
		return 0, false
	case r.stage == rates:
		return 1 / r.bend.Factor, true
	}
	return r.bend.Factor, true
}

// bent says from where on a row helps less, and what the runs wait for then.
func (m *Model) bent(r *row) string {
	f, ok := r.knee()
	if !ok {
		return ""
	}
	words := fmt.Sprintf("%s %.2f", m.theme.Glyphs.Times, f)
	if len(m.runs) > 1 {
		if r.bend.Runs == 1 {
			words += " (1 run)"
		} else {
			words += fmt.Sprintf(" (%d runs)", r.bend.Runs)
		}
	}
	if then := targetName(r.bend.Then); then != "" {
		words += ": " + then
	}
	return words
}

// targetName returns what a target is called in a row.
func targetName(target whatif.Target) string {
	if target.Tool != "" {
		return target.Tool
	}
	return strings.ReplaceAll(target.Name, "_", " ")
}

// rateOf returns the median output rate of the runs' calls; ok is false if none tells.
func (m *Model) rateOf() (tokensPerSecond float64, ok bool) {
	var list []time.Duration // per 1000 tokens, so that the median is that of times
	for _, run := range m.runs {
		for _, c := range run.Calls {
			if c.OutputRate != nil && *c.OutputRate > 0 {
				list = append(list, time.Duration(1e12 / *c.OutputRate))
			}
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	return 1e12 / float64(median(list)), true
}

// label returns what a notch is called.
func (m *Model) label(n notch) string {
	if n.label != "" {
		return n.label
	}
	return m.theme.Glyphs.Times + " " + strconv.FormatFloat(n.factor, 'g', -1, 64)
}
