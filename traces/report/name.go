package report

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes a name from a trace safe to print on one line: escape sequences and control characters are gone, tabs and line
// breaks are spaces, characters that reorder or hide text are dropped, bytes that are not UTF-8 are "?". Joined emoji, flags
// and combining marks stay.
func Clean(s string) string {
	s = ansi.Strip(strings.ToValidUTF8(s, "?"))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r):
			return -1
		case r == '\u200d' || !unicode.Is(unicode.Cf, r): // the joiner of emoji is a format character too
			return r
		}
		return -1
	}, s)
}

// fit cuts s to width cells, on a character's boundary, ending in mark where something was cut.
func fit(s string, width int, mark string) string {
	if width <= 0 {
		return ""
	}
	if ansi.StringWidth(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, mark)
}

// pad fills s with spaces up to width cells, on the left if right-aligned.
func pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
	if right {
		return space + s
	}
	return s + space
}
