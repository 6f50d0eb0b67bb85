package waterfall

// columns is where what stands in a row, in cells: a name, the bar, the mark, the duration and, where there is room, a note.
type columns struct {
	name, bar, note int
}

const (
	gutter   = 1 // the cursor
	markCell = 3 // the mark of the critical path and a space on each side
	timeCell = 9 // a duration and the space before what follows
)

func layout(width int) columns {
	var c columns
	switch {
	case width < 72:
		c.name = 19
	case width < 100:
		c.name = 26
	default:
		c.name = min(46, 30+(width-100)/6)
	}
	switch {
	case width >= 160:
		c.note = 26
	case width >= 110:
		c.note = 21
	}
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
	step := 2
	if c.name < 24 {
		step = 1
	}
	return min(step*int(depth), c.name*2/5)
}
