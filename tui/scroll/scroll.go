// Package scroll keeps a cursor and a window over rows that are drawn only when they are seen.
//
// It knows how many rows there are and how many fit, never what they hold. Always: the cursor is on a row (0 if there
// is none), the window shows the cursor, and the window ends with the last row if there are enough to fill it.
package scroll

import "github.com/seed46266073/longpole/tui/keys"

// A List is a position in Len rows of which Height are seen. The zero value is empty.
type List struct {
	Cursor int // the selected row
	Top    int // the first row that is seen
	Len    int
	Height int
}

// Resize sets how many rows there are and how many fit, and keeps the cursor as near to where it was as it can be.
func (l *List) Resize(length, height int) {
	l.Len, l.Height = max(0, length), max(0, height)
	l.settle()
}

// Select moves the cursor to row.
func (l *List) Select(row int) {
	l.Cursor = row
	l.settle()
}

// Wheel moves the window by n rows and takes the cursor along.
func (l *List) Wheel(n int) {
	l.Top += n
	l.Cursor += n
	l.settle()
}

// Move does what action asks for, count times; count 0 means none was typed. It reports whether action moves at all.
func (l *List) Move(action keys.Action, count int) bool {
	page := max(1, l.Height-1)
	switch n := max(1, count); action {
	case keys.Up:
		l.Cursor -= min(n, l.Len)
	case keys.Down:
		l.Cursor += min(n, l.Len)
	case keys.PageUp:
		l.Wheel(-min(n*page, l.Len))
		return true
	case keys.PageDown:
		l.Wheel(min(n*page, l.Len))
		return true
	case keys.Top:
		l.Cursor = max(count, 1) - 1
	case keys.Bottom:
		l.Cursor = l.Len - 1
		if count > 0 {
			l.Cursor = count - 1
		}
	default:
		return false
	}
	l.settle()
	return true
}

// Seen returns the half-open range of rows in the window.
func (l *List) Seen() (from, to int) { return l.Top, min(l.Top+l.Height, l.Len) }

// At returns the row on line y of the window, if there is one.
func (l *List) At(y int) (row int, ok bool) {
	row = l.Top + y
	return row, y >= 0 && y < l.Height && row < l.Len
}

func (l *List) settle() {
	l.Cursor = max(0, min(l.Cursor, l.Len-1))
	l.Top = min(l.Top, l.Cursor)
	l.Top = max(l.Top, l.Cursor-l.Height+1)
	l.Top = max(0, min(l.Top, l.Len-l.Height))
}
