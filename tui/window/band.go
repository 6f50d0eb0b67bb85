package window

// A Band is the cells of an axis that the mouse is being dragged over.
type Band struct {
	From, To int  // cells, From < To
	Open     bool // the button is still down
}

// Drag extends the band from cell from to cell to of an axis of so many cells; done: the button was let go. It reports whether that asks for
// a zoom to the band: a band of one cell is a click.
func (b *Band) Drag(from, to, cells int, done bool) (zoom bool) {
	if from < 0 || from >= cells {
		return false
	}
	to = max(0, min(to, cells-1))
	*b = Band{min(from, to), max(from, to) + 1, !done}
	return done && b.To-b.From > 1
}
