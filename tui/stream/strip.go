package stream

import (
	"fmt"
	"math"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// arrivals draws each arrival in the colour of its kind, an eighth of a cell wide, and the stalls between them.
func (m *Model) arrivals(c *measure.Call) string {
	t, a := m.theme, m.axis()
	l, r := m.begin(t.Muted, "arrivals"), bar.New(a.Cells)
	arrivals(c, func(at time.Duration, k traces.Chunk) {
		if d := a.Dot(at); d >= 0 && d < len(r) {
			r.Fill(d, d+1, bar.Of(k.Kind, true))
		}
	})
	var layers []bar.Layer
	for _, s := range m.gaps.stalls {
		from, to := a.Dot(s.at)/bar.Dots+1, a.Dot(s.at+s.length)/bar.Dots
		layers = append(layers, bar.Layer{From: max(0, from), To: min(to, a.Cells), Glyph: t.Glyphs.Letter(traces.Stall), Style: t.Ink(traces.Stall, true)})
	}
	bar.Draw(l, t, r, layers...)
	return l.String()
}

// smooth is how many arrivals a column of the rate holds on average: fewer would show their jitter, not their rate.
const smooth = 4

// rate draws how much came when, as columns of so many lines in the colour of what most of it was.
func (m *Model) rate(c *measure.Call, high int) []string {
	a := m.axis()
	if a.Cells == 0 {
		return nil
	}
	unit, seen, first, last := "chunks/s", 0, a.Cells, 0
	arrivals(c, func(at time.Duration, k traces.Chunk) {
		if k.Chars > 0 {
			unit = "chars/s"
		}
		if x := a.Dot(at) / bar.Dots; x >= 0 && x < a.Cells {
			seen, first, last = seen+1, min(first, x), max(last, x)
		}
	})
	wide := max(1, smooth*(last-first+1)/max(1, seen)) // cells a column
	amount, kinds := make([]float64, a.Cells/wide+1), make([]map[traces.Component]float64, a.Cells/wide+1)
	arrivals(c, func(at time.Duration, k traces.Chunk) {
		x := a.Dot(at)
		if x < 0 || x >= a.Cells*bar.Dots {
			return
		}
		n := 1.0
		if unit == "chars/s" {
			n = float64(k.Chars)
		}
		if x /= bar.Dots * wide; kinds[x] == nil {
			kinds[x] = map[traces.Component]float64{}
		}
		amount[x] += n
		kinds[x][k.Kind] += n
	})
	top, values, styles := 0.0, make([]float64, a.Cells), make([]theme.Style, a.Cells)
	for x := range values {
		values[x], styles[x] = amount[x/wide], m.theme.Ink(most(kinds[x/wide]), true)
		top = max(top, values[x])
	}
	label := ""
	if each := float64(wide) * (a.To - a.From).Seconds() / float64(a.Cells); each > 0 {
		label = "to " + report.Count(int64(top/each+0.5))
	}
	return m.chart(high, values, top, styles, [2]string{unit, label})
}

// most returns the kind of which there is most; of equals the first in the order of display.
func most(kinds map[traces.Component]float64) (kind traces.Component) {
	kind = traces.Output
	for _, c := range []traces.Component{traces.Reasoning, traces.Output, traces.ToolArgs} {
		if kinds[c] > kinds[kind] {
			kind = c
		}
	}
	return kind
}

// histogram draws how many gaps were how long, on a logarithmic scale, those that are stalls in the stalls' colour, and the scale below.
func (m *Model) histogram(high int) []string {
	t := m.theme
	bins := m.gaps.bins((m.width - labelWidth - 1) / 2)
	if len(bins) == 0 {
		return []string{m.begin(t.Muted, "gaps").Text(t.Muted, "one piece, no gap").String()}
	}
	wide := min(4, max(1, (m.width-labelWidth-1)/len(bins)))
	stall := time.Duration(1<<63 - 1)
	for _, s := range m.gaps.stalls {
		stall = min(stall, s.length)
	}
	var values []float64
	var styles []theme.Style
	top := 0.0
	for _, b := range bins {
		style := t.Accent
		if b.to > stall {
			style = t.Ink(traces.Stall, true)
		}
		for range wide {
			values, styles = append(values, float64(b.count)), append(styles, style)
		}
		top = max(top, float64(b.count))
	}
	lines := m.chart(high, values, top, styles, [2]string{"gaps so long", fmt.Sprintf("to %.0f gaps", top)})
	return append(lines, m.scale(bins, wide))
}

// scale labels the lengths 1, 2 and 5 of each decade below bins that are so many cells wide, as far as there is room.
func (m *Model) scale(bins []bin, wide int) string {
	t := m.theme
	l := m.begin(t.Muted, "gap, log").Space(1)
	first, end := math.Log10(length(bins[0].from)), labelWidth+len(bins)*wide
	each := (math.Log10(length(bins[len(bins)-1].to)) - first) / float64(len(bins)*wide) // decades a cell
	for e := math.Floor(first); each > 0 && e < first+each*float64(len(bins)*wide); e++ {
		for _, n := range []float64{1, 2, 5} {
			at := labelWidth + int((e+math.Log10(n)-first)/each+0.5)
			label := report.Duration(time.Duration(n) * power(e))
			if at < l.Used()+min(1, l.Used()-labelWidth) || at+cell.Width(label) > min(end, m.width) {
				continue
			}
			for l.Used() < at {
				l.Rune(t.Faint, t.Glyphs.Rule)
			}
			l.Text(t.Muted, label)
		}
	}
	for l.Used() < min(m.width, end) {
		l.Rune(t.Faint, t.Glyphs.Rule)
	}
	return l.String()
}

// chart draws values as columns that are high lines at top; a value above 0 is always seen. The labels stand beside the first lines.
func (m *Model) chart(high int, values []float64, top float64, styles []theme.Style, labels [2]string) []string {
	t, steps := m.theme, len(m.theme.Glyphs.Sparks)-1
	lines := make([]string, high)
	for y := range high {
		label := ""
		if y < len(labels) {
			label = labels[y]
		}
		l := m.begin(t.Muted, label)
		for x, v := range values {
			n := 0
			if top > 0 && v > 0 {
				n = max(1, int(v/top*float64(high*steps)+0.5))
			}
			n = max(0, min(steps, n-(high-1-y)*steps))
			if n == 0 {
				l.Space(1)
			} else {
				l.Rune(styles[x], t.Glyphs.Sparks[n])
			}
		}
		lines[y] = l.String()
	}
	return lines
}
