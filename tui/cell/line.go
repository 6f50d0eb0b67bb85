// Package cell builds lines of the screen that cannot break it.
//
// Text of any origin goes in; what comes out is a line of exactly the wanted number of cells, with nothing in it that
// a terminal would take as a command. Names come from other people's traces, so control characters, escape sequences
// and marks that turn the writing direction are removed here, at the last moment, whoever forgot to do it before.
// Widths are counted in terminal cells (Unicode Standard Annex #11, and #29 for what belongs together).
package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/theme"
)

// A Line is one line of the screen being written from left to right. What does not fit is dropped.
type Line struct {
	b     strings.Builder
	theme *theme.Theme
	row   bool // on the background of the selected row
	width int
	used  int
	style theme.Style
	any   bool // a style sequence was written
}

// NewLine returns an empty line of width cells. A selected line lies on the background of the selected row.
func NewLine(t *theme.Theme, width int, selected bool) *Line {
	l := &Line{theme: t, row: selected, width: max(0, width)}
	l.b.Grow(width + 64)
	return l
}

// Left returns how many cells are still free.
func (l *Line) Left() int { return l.width - l.used }

// Used returns how many cells have been written.
func (l *Line) Used() int { return l.used }

// Text writes s, cut with an ellipsis where the line ends.
func (l *Line) Text(style theme.Style, s string) *Line {
	s = Cut(l.theme, l.clean(s), l.Left())
	if s == "" {
		return l
	}
	l.put(style, s, Width(s))
	return l
}

// Fit writes s in exactly width cells, cut or padded on the right.
func (l *Line) Fit(style theme.Style, s string, width int) *Line {
	width = min(width, l.Left())
	if width <= 0 {
		return l
	}
	s = Cut(l.theme, l.clean(s), width)
	n := Width(s)
	if n > 0 {
		l.put(style, s, n)
	}
	return l.Space(width - n)
}

// FitRight writes s in exactly width cells, cut or padded on the left.
func (l *Line) FitRight(style theme.Style, s string, width int) *Line {
	width = min(width, l.Left())
	if width <= 0 {
		return l
	}
	s = Cut(l.theme, l.clean(s), width)
	n := Width(s)
	l.Space(width - n)
	if n > 0 {
		l.put(style, s, n)
	}
	return l
}

// Space writes n blank cells.
func (l *Line) Space(n int) *Line {
	if n = min(n, l.Left()); n > 0 {
		l.put(theme.Style{}, blanks(n), n)
	}
	return l
}

// Column moves on to cell x; a line that is already there or beyond stays.
func (l *Line) Column(x int) *Line { return l.Space(x - l.used) }

// Rune writes one cell-wide character of our own, unchecked: the inner loop of bars.
func (l *Line) Rune(style theme.Style, s string) {
	if l.used < l.width {
		l.put(style, s, 1)
	}
}

// Ground writes a character in the colour of the line's ground on the colour of style: a block at the left of such a cell
// leaves the right part filled, which no character of its own does.
func (l *Line) Ground(style theme.Style, s string) {
	ground := l.theme.Select(theme.Style{}).BG
	if l.row && ground != nil {
		l.Rune(theme.Style{FG: ground, BG: style.FG}, s)
		return
	}
	style.Reverse = true
	l.Rune(style, s)
}

// Right writes s so that it ends with the line, if it fits after what is there, and reports whether it did.
func (l *Line) Right(style theme.Style, s string) bool {
	s = l.clean(s)
	n := Width(s)
	if n > l.Left() {
		return false
	}
	l.Space(l.Left() - n)
	l.put(style, s, n)
	return true
}

// String returns the line, padded to its full width and with all styles ended.
func (l *Line) String() string {
	l.Space(l.Left())
	if l.any && l.style != (theme.Style{}) {
		l.b.WriteString(ansi.ResetStyle)
		l.style = theme.Style{}
	}
	return l.b.String()
}

// clean returns s as it can be written: without what could break the screen, and with the characters that the terminal has.
func (l *Line) clean(s string) string {
	if s = Clean(s); l.theme.Glyphs.ASCII && !plain(s) {
		s = report.ASCII(s)
	}
	return s
}

func (l *Line) put(style theme.Style, s string, cells int) {
	if l.row {
		style = l.theme.Select(style)
	}
	if style != l.style {
		l.b.WriteString(l.theme.Sequence(style))
		l.style, l.any = style, true
	}
	l.b.WriteString(s)
	l.used += cells
}

const blank = "                                                                                "

func blanks(n int) string {
	if n <= len(blank) {
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}
