package bar

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Tick is a labelled instant of the ruler.
type Tick struct {
	Cell  int // of the axis
	Label string
}

// Ticks returns round instants on a, far enough from each other for their labels.
func Ticks(a Axis) []Tick {
	if a.Cells <= 0 {
		return nil
	}
	const apart = 8 // cells
	kept, cells := a.To-a.From, a.Cells
	for _, b := range a.Breaks {
		kept -= b.To - b.From
		cells -= BreakCells
	}
	step := round(time.Duration(float64(min(kept, 1<<62)) * min(1, apart/float64(cells))))
	var out []Tick
	for i := 0; i <= 2*len(a.Breaks); i += 2 {
		p := a.piece(i)
		for k := (p.from + step - 1) / step; k <= (p.to-1)/step; k++ {
			at := k * step
			x := a.Dot(at) / Dots
			label := instant(at, step, a.To)
			if x+cell.Width(label) >= p.toDot/Dots {
				break
			}
			out = append(out, Tick{x, label})
		}
	}
	return out
}

// round returns the least round duration that is at least d: 1, 2 or 5 of a decimal unit below a minute, of the clock above.
func round(d time.Duration) time.Duration {
	for unit := time.Nanosecond; unit <= 10*time.Second; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit >= d && n*unit <= 20*time.Second {
				return n * unit
			}
		}
	}
	for _, m := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute} {
		if m >= d {
			return m
		}
	}
	hours := time.Hour
	for hours < d && hours < 1<<61 {
		hours *= 2
	}
	return hours
}

// instant writes at with as many digits as steps of that size need, in the unit that suits the end of the axis.
func instant(at, step, end time.Duration) string {
	if at == 0 {
		return "0"
	}
	unit, name := time.Nanosecond, "ns"
	switch {
	case end >= 2*time.Minute && step >= time.Second:
		if end >= 2*time.Hour {
			return fmt.Sprintf("%d:%02d:%02d", at/time.Hour, at%time.Hour/time.Minute, at%time.Minute/time.Second)
		}
		return fmt.Sprintf("%d:%02d", at/time.Minute, at%time.Minute/time.Second)
	case end >= time.Second:
		unit, name = time.Second, "s"
	case end >= time.Millisecond:
		unit, name = time.Millisecond, "ms"
	case end >= time.Microsecond:
		unit, name = time.Microsecond, "µs"
	}
	digits := 0
	for s := step; s < unit; s *= 10 {
		digits++
	}
	return strconv.FormatFloat(float64(at)/float64(unit), 'f', digits, 64) + " " + name
}

// DrawRuler writes a's ticks to l, one rune a cell: a label begins in the cell of its instant.
func DrawRuler(l *cell.Line, t *theme.Theme, a Axis) {
	start, ticks, breaks := l.Used(), Ticks(a), a.Breaks
	for l.Left() > 0 && l.Used()-start < a.Cells {
		x := l.Used() - start
		for len(breaks) > 0 && x >= breaks[0].Cell+BreakCells {
			breaks = breaks[1:]
		}
		switch {
		case len(ticks) > 0 && x >= ticks[0].Cell:
			l.Text(t.Muted, ticks[0].Label)
			ticks = ticks[1:]
		case len(breaks) > 0 && x >= breaks[0].Cell:
			l.Rune(t.Warn, t.Glyphs.Break)
		default:
			l.Rune(t.Faint, t.Glyphs.Rule)
		}
	}
}

// DrawBand writes the cells [from, to) of a filled, in place of a ruler, and beside them how long their time is.
func DrawBand(l *cell.Line, t *theme.Theme, a Axis, from, to int) {
	words := report.Duration(a.Time(to*Dots) - a.Time(from*Dots))
	n := cell.Width(words) + 1
	if from >= n {
		l.Space(from-n).Text(t.Accent, words).Space(1)
	} else {
		l.Space(from)
	}
	for range to - from {
		l.Rune(t.Accent, t.Glyphs.Blocks[Dots])
	}
	if from < n && a.Cells-to >= n {
		l.Space(1).Text(t.Accent, words)
	}
}

// Grid continues a's ticks through rows of bars, where nothing is drawn, and its breaks, whatever is. The ticks need a colour that is not
// seen much.
func Grid(t *theme.Theme, a Axis) []Layer {
	var layers []Layer
	for _, b := range a.Breaks {
		layers = append(layers, Layer{From: b.Cell, To: b.Cell + BreakCells, Glyph: t.Glyphs.Break, Style: t.Faint, Over: true})
	}
	if !t.Shaded() || t.Glyphs.ASCII {
		return layers
	}
	for _, k := range Ticks(a) {
		if k.Cell > 0 {
			layers = append(layers, Layer{From: k.Cell, To: k.Cell + 1, Glyph: t.Glyphs.Grid, Style: t.Faint})
		}
	}
	return layers
}
