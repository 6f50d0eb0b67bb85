package bar

import (
	"slices"
	"time"
)

// An Axis maps the time from From to To on Cells cells. Time that was cut out of it takes up BreakCells cells a piece.
type Axis struct {
	From, To time.Duration // From < To
	Cells    int
	Breaks   []Break // in order, inside From to To, apart from each other; made by Cut
}

// A Gap is a stretch of time in which nothing happens.
type Gap struct{ From, To time.Duration } // From < To

// A Break is a gap that was cut out of an axis.
type Break struct {
	Gap
	Cell int // the first of its cells
}

// BreakCells is how many cells a break takes.
const BreakCells = 2

// Cut returns the axis with gaps cut out of it, which must be in order and apart. One that would take no more cells than its break stays, and
// so do all if little else would be left.
func (a Axis) Cut(gaps []Gap) Axis {
	var cut []Break
	kept := a.To - a.From
	for _, g := range gaps {
		g.From, g.To = max(g.From, a.From), min(g.To, a.To)
		if float64(g.To-g.From)/float64(a.To-a.From)*float64(a.Cells) > 2*BreakCells {
			cut = append(cut, Break{Gap: g})
			kept -= g.To - g.From
		}
	}
	cells := a.Cells - BreakCells*len(cut)
	if kept <= 0 || cells < a.Cells/2 {
		return a
	}
	var before time.Duration // what is kept of the time before a break
	at := a.From
	for i := range cut {
		before += cut[i].From - at
		at = cut[i].To
		cut[i].Cell = int(float64(before)/float64(kept)*float64(cells)+0.5) + BreakCells*i
	}
	a.Breaks = cut
	return a
}

// A piece is a part of an axis on which time is proportional to dots.
type piece struct {
	from, to       time.Duration
	fromDot, toDot int
}

// piece returns part i of the axis, of 2 len(Breaks) + 1 that tile it; those with an odd i are breaks.
func (a Axis) piece(i int) piece {
	p := piece{a.From, a.To, 0, a.Cells * Dots}
	if k := i / 2; i%2 == 1 {
		b := a.Breaks[k]
		return piece{b.From, b.To, b.Cell * Dots, (b.Cell + BreakCells) * Dots}
	} else if k > 0 {
		p.from, p.fromDot = a.Breaks[k-1].To, (a.Breaks[k-1].Cell+BreakCells)*Dots
	}
	if k := i / 2; k < len(a.Breaks) {
		p.to, p.toDot = a.Breaks[k].From, a.Breaks[k].Cell*Dots
	}
	return p
}

// Equal reports whether a and b map every instant to the same dot.
func (a Axis) Equal(b Axis) bool {
	return a.From == b.From && a.To == b.To && a.Cells == b.Cells && slices.Equal(a.Breaks, b.Breaks)
}

// Dot returns the dot at which t lies; it may be outside.
func (a Axis) Dot(t time.Duration) int {
	i := 0
	for i < 2*len(a.Breaks) && t >= a.piece(i).to {
		i++
	}
	p := a.piece(i)
	if p.to <= p.from {
		return p.fromDot
	}
	d := float64(p.fromDot) + float64(t-p.from)/float64(p.to-p.from)*float64(p.toDot-p.fromDot)
	return int(max(-1, min(d, float64(a.Cells*Dots+1))))
}

// Time returns the instant at which dot begins.
func (a Axis) Time(dot int) time.Duration {
	i := 0
	for i < 2*len(a.Breaks) && dot >= a.piece(i).toDot {
		i++
	}
	p := a.piece(i)
	if p.toDot <= p.fromDot {
		return p.from
	}
	return p.from + time.Duration(float64(p.to-p.from)*(float64(dot-p.fromDot)/float64(p.toDot-p.fromDot)))
}

// Stretch fills r with the time from from to to; what lies outside the axis is left out.
func (a Axis) Stretch(r Raster, from, to time.Duration, ink Ink) {
	if to <= a.From || from >= a.To || to < from {
		if from != to || from != a.From {
			return
		}
	}
	r.Fill(max(0, a.Dot(from)), min(a.Dot(to), len(r)), ink)
}
