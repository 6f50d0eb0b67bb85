package bar

import (
	"fmt"
	"strconv"
	"time"

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
	step := round(time.Duration(float64(min(a.To-a.From, 1<<62)) * min(1, apart/float64(a.Cells))))
	var out []Tick
	for k := (a.From + step - 1) / step; k <= (a.To-1)/step; k++ {
		at := k * step
		x := a.Dot(at) / Dots
		label := instant(at, step, a.To)
		if x+cell.Width(label) >= a.Cells {
			break
		}
		out = append(out, Tick{x, label})
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
	start := l.Used()
	for _, k := range Ticks(a) {
		for l.Left() > 0 && l.Used()-start < k.Cell {
			l.Rune(t.Faint, t.Glyphs.Rule)
		}
		l.Text(t.Muted, k.Label)
	}
	for l.Left() > 0 && l.Used()-start < a.Cells {
		l.Rune(t.Faint, t.Glyphs.Rule)
	}
}

// Grid continues a's ticks through rows of bars, where nothing is drawn. It needs a colour that is not seen much.
func Grid(t *theme.Theme, a Axis) []Layer {
	if !t.Shaded() || t.Glyphs.ASCII {
		return nil
	}
	var layers []Layer
	for _, k := range Ticks(a) {
		if k.Cell > 0 {
			layers = append(layers, Layer{From: k.Cell, To: k.Cell + 1, Glyph: t.Glyphs.Grid, Style: t.Faint})
		}
	}
	return layers
}
