package bar

import (
	"slices"

	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Layer is what is drawn where a bar has no ink: the slack of a row, the extent of an unfolded one.
type Layer struct {
	From, To int // cells
	Glyph    string
	Style    theme.Style
	Over     bool // drawn also where there is ink
}

// labelled is the least number of whole cells of one ink that carry its letter: shorter ones would hide their edges.
const labelled = 4

// Draw writes r to l, one rune a cell. Stretches of one ink that are long enough carry their component's letter, so
// that colour is never the only sign.
func Draw(l *cell.Line, t *theme.Theme, r Raster, layers ...Layer) {
	run, letter := Ink(0), false
	overs := slices.ContainsFunc(layers, func(l Layer) bool { return l.Over })
	for x := 0; x < len(r)/Dots; x++ {
		dots := r[x*Dots : (x+1)*Dots]
		a, b, n := split(dots)
		hidden := overs && over(x, layers)
		switch {
		case a == 0 && b == 0 || hidden:
			drawLayer(l, x, layers, hidden)
		case !t.Coloured():
			ink := a
			if a == 0 || b != 0 && n < Dots/2 {
				ink = b
			}
			l.Rune(t.Ink(ink.Component(), ink.OnPath()), t.Glyphs.Letter(ink.Component()))
		case t.Glyphs.ASCII:
			ink := a
			if a == 0 {
				ink = b
			}
			l.Rune(t.Label(ink.Component(), ink.OnPath()), t.Glyphs.Letter(ink.Component()))
		case n == Dots:
			if letter = a != run && whole(r, x, a) >= labelled; letter {
				l.Rune(t.Label(a.Component(), a.OnPath()), t.Glyphs.Letter(a.Component()))
			} else {
				l.Rune(t.Ink(a.Component(), a.OnPath()), solid(t, a))
			}
		default:
			drawSplit(l, t, a, b, n, dots)
		}
		run = 0
		if n == Dots {
			run = a
		}
	}
}

// DrawLabels writes r with the labels of parts in it instead of letters, where they fit with a cell to spare.
func DrawLabels(l *cell.Line, t *theme.Theme, r Raster, parts []Part) {
	if !t.Coloured() || t.Glyphs.ASCII {
		Draw(l, t, r)
		return
	}
	for x := 0; x < len(r)/Dots; {
		a, b, n := split(r[x*Dots : (x+1)*Dots])
		if a == 0 && b == 0 {
			l.Space(1)
			x++
			continue
		}
		if n < Dots {
			drawSplit(l, t, a, b, n, r[x*Dots:(x+1)*Dots])
			x++
			continue
		}
		cells := whole(r, x, a)
		style := t.Label(a.Component(), a.OnPath())
		label := labelOf(parts, a)
		if w := cell.Width(label); label != "" && w+2 <= cells {
			l.Rune(t.Ink(a.Component(), a.OnPath()), solid(t, a))
			l.Text(style, label)
			for range cells - w - 1 {
				l.Rune(t.Ink(a.Component(), a.OnPath()), solid(t, a))
			}
		} else {
			for i := range cells {
				if i == 0 && cells >= 3 {
					l.Rune(style, t.Glyphs.Letter(a.Component()))
					continue
				}
				l.Rune(t.Ink(a.Component(), a.OnPath()), solid(t, a))
			}
		}
		x += cells
	}
}

func labelOf(parts []Part, ink Ink) string {
	for _, p := range parts {
		if p.Ink == ink {
			return p.Label
		}
	}
	return ""
}

// solid is a full cell: a paler shape where off-path time cannot be a paler colour.
func solid(t *theme.Theme, ink Ink) string {
	if !ink.OnPath() && !t.Shaded() {
		return t.Glyphs.Shade
	}
	return t.Glyphs.Blocks[Dots]
}

func drawSplit(l *cell.Line, t *theme.Theme, a, b Ink, n int, dots []Ink) {
	switch {
	case b == 0 && dots[0] == 0 && dots[Dots/2-1] == 0:
		l.Rune(t.Ink(a.Component(), a.OnPath()), t.Glyphs.RightHalf)
	case b == 0:
		l.Rune(t.Ink(a.Component(), a.OnPath()), t.Glyphs.Blocks[n])
	case a == 0:
		// The blank part lies on the left: draw it as the block, in the colour of the ground, on the ink.
		l.Ground(t.Ink(b.Component(), b.OnPath()), t.Glyphs.Blocks[n])
	default:
		style := t.Ink(a.Component(), a.OnPath())
		style.BG = t.Ink(b.Component(), b.OnPath()).FG
		l.Rune(style, t.Glyphs.Blocks[n])
	}
}

// over reports whether a layer hides what is in cell x.
func over(x int, layers []Layer) bool {
	for _, layer := range layers {
		if layer.Over && x >= layer.From && x < layer.To {
			return true
		}
	}
	return false
}

// drawLayer draws the first layer that covers cell x, of those that hide ink if one of them does.
func drawLayer(l *cell.Line, x int, layers []Layer, hidden bool) {
	for _, layer := range layers {
		if x >= layer.From && x < layer.To && layer.Over == hidden {
			l.Rune(layer.Style, layer.Glyph)
			return
		}
	}
	l.Space(1)
}

// split reduces a cell to two inks, a on the left for the first n dots and b on the right. A cell of one ink has n = Dots;
// an empty one has a = b = 0. Ink is never dropped for blank.
func split(dots []Ink) (a, b Ink, n int) {
	first := dots[0]
	same := true
	for _, d := range dots[1:] {
		same = same && d == first
	}
	if same {
		return first, 0, Dots
	}
	var inks [Dots]Ink
	var counts [Dots]int
	kinds := 0
next:
	for _, d := range dots {
		for i := range kinds {
			if inks[i] == d {
				counts[i]++
				continue next
			}
		}
		inks[kinds], counts[kinds] = d, 1
		kinds++
	}
	weight := func(i int) int {
		if inks[i] == 0 {
			return 0
		}
		return counts[i]
	}
	x, y := -1, -1 // the heaviest and the next
	for i := range kinds {
		switch {
		case x < 0 || weight(i) > weight(x):
			x, y = i, x
		case y < 0 || weight(i) > weight(y):
			y = i
		}
	}
	left, right := min(x, y), max(x, y) // inks are listed in the order in which they first appear
	if inks[left] == 0 && last(dots) == 0 {
		// Ink in the middle of blank: it keeps its size and moves to the left edge.
		left, right = right, left
	}
	n = max(1, min(Dots-1, (counts[left]*Dots+(counts[left]+counts[right])/2)/(counts[left]+counts[right])))
	return inks[left], inks[right], n
}

func last(dots []Ink) Ink { return dots[len(dots)-1] }

// whole counts the cells from x on that hold nothing but ink.
func whole(r Raster, x int, ink Ink) int {
	n := 0
	for ; x < len(r)/Dots; x++ {
		for _, d := range r[x*Dots : (x+1)*Dots] {
			if d != ink {
				return n
			}
		}
		n++
	}
	return n
}
