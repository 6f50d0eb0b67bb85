package flame

import "time"

// A slot is a block on the screen.
type slot struct {
	pick
	x, width int // cells
}

// holds reports whether this block is several, and p one or some of them.
func (s slot) holds(p pick) bool {
	switch {
	case s.from == itself:
		return false
	case p.from == itself:
		return p.of.parent == s.of && p.of.rank >= s.from
	}
	return p.of == s.of && p.from >= s.from
}

// legible is the least width of a block that has neighbours beside it.
const legible = 2

// layout places a block on the first row, as wide as the screen, and what it is made of below it, row by row.
func layout(p pick, width int) [][]slot {
	var rows [][]slot
	var place func(s slot, level int)
	place = func(s slot, level int) {
		if level == len(rows) {
			rows = append(rows, nil)
		}
		rows[level] = append(rows[level], s)
		if s.from != itself && level > 0 {
			return // what is several blocks is opened by zooming
		}
		kids, total := s.kids(), s.total()
		base := max(0, s.from)
		upTo := func(i int) int { // the cell at which kid i begins
			return s.x + int(float64(s.of.upTo[base+i]-s.of.upTo[base])/float64(max(total, 1))*float64(s.width)+0.5)
		}
		for i, at := 0, s.x; i < len(kids) && at < s.x+s.width; i++ {
			cells := upTo(i+1) - at
			if alone := i == len(kids)-1; !alone && cells < legible && (i > 0 || s.width <= legible) {
				rest := max(1, upTo(len(kids))-at)
				place(slot{pick{s.of, base + i}, at, rest}, level+1)
				return
			}
			cells = max(1, cells)
			place(slot{pick{kids[i], itself}, at, cells}, level+1)
			at += cells
		}
	}
	if width > 0 {
		place(slot{p, 0, width}, 0)
	}
	return rows
}

// share is a part of a whole, 0 to 1; 0 of nothing.
func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
