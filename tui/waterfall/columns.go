package waterfall

import "github.com/seed46266073/longpole/tui/cell"

// columns is where what stands in a row, in cells: a name, the bar, the mark, the duration and, where there is room, a note.
type columns struct {
	name, bar, note int
	step            int // by which a row stands to the right of its parent's
}

const (
	gutter   = 1 // the cursor
	markCell = 3 // the mark of the critical path and a space on each side
	timeCell = 9 // a duration and the space before what follows

	leastName = 22 // of names: what stands left of the ruler has to fit too
)

// layout gives names and notes the room that those of a run need, within bounds, and the bars all else.
func layout(width int, need needs) columns {
	c := columns{step: 2}
	switch {
	case width < 72:
		c.name, c.step = 19, 1
	case width < 100:
		c.name = 26
	default:
		c.name = min(46, 30+(width-100)/6)
	}
	c.name = min(c.name, max(leastName, need.name))
	switch {
	case width >= 160:
		c.note = 26
	case width >= 110:
		c.note = 21
	}
	c.note = min(c.note, need.note)
	c.bar = width - gutter - c.name - 1 - markCell - timeCell - c.note
	if c.bar < 8 {
		c.name = max(0, c.name+c.bar-8)
		c.bar = max(0, width-gutter-c.name-1-markCell-timeCell-c.note)
	}
	return c
}

// barAt is the cell where the bars begin.
func (c columns) barAt() int { return gutter + c.name + 1 }

// indent is the cell where the fold marker of a row of that depth stands. Deep trees are squeezed: from some depth on, rows
// no longer move to the right.
func (c columns) indent(depth int32) int { return gutter + c.inset(depth) }

func (c columns) inset(depth int32) int {
	return min(c.step*int(depth), c.name*2/5)
}

// needs is how many cells the longest name of a run takes, with what stands before it, and the longest note with the space around it.
type needs struct{ name, note int }

// measured is how many spans of a run are asked for their needs: names repeat, and a large run has to be there at once.
const measured = 2000

func (t *tree) need() needs {
	var n needs
	for i := range min(len(t.nodes), measured) {
		name, detail := t.label(int32(i))
		note, bad := t.note(int32(i))
		cells := 2*int(t.nodes[i].depth) + 2 + cell.Width(cell.Clean(name))
		if detail != "" {
			cells += 1 + cell.Width(cell.Clean(detail))
		}
		if bad {
			cells += 2
		}
		n.name = max(n.name, cells)
		if note != "" {
			n.note = max(n.note, cell.Width(cell.Clean(note))+3)
		}
	}
	return n
}
