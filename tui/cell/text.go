package cell

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/tui/theme"
)

// Width returns the cells that s takes. s must be clean.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Cut returns s in at most width cells; what was cut is replaced by an ellipsis. A character is never split.
func Cut(t *theme.Theme, s string, width int) string {
	switch {
	case width <= 0:
		return ""
	case len(s) <= width && plain(s):
		return s
	}
	return ansi.Truncate(s, width, t.Glyphs.Ellipsis)
}

// Clean returns s without anything that would move the cursor, change a style, turn the writing direction or take more
// cells on some terminals than on others: escape sequences and control characters are removed, tabs and line breaks
// become a space, and a joined sequence whose width terminals disagree on is reduced to its first character.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	s = ansi.Strip(strings.ToValidUTF8(s, "?"))
	var b strings.Builder
	for len(s) > 0 {
		cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		switch r, n := utf8.DecodeRuneInString(cluster); {
		case r == '\t', r == '\n', r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			b.WriteByte(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
		case width == 0, unicode.IsMark(r): // without a letter before it: it would join whatever is
		case len(cluster) == n:
			b.WriteString(cluster)
		case ansi.StringWidthWc(cluster) == width && !strings.ContainsFunc(cluster, invisible):
			b.WriteString(cluster)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports whether r is a format character, such as a joiner or a mark of direction.
func invisible(r rune) bool { return unicode.Is(unicode.Cf, r) }

// plain reports whether s is printable ASCII only: one byte, one cell.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// numbers are what keeps a number and its unit together.
var numbers = regexp.MustCompile(`(\d) (ns|µs|us|ms|s|%)`)

// Wrap breaks s into lines of at most width cells, at spaces where it can, but not between a number and its unit.
func Wrap(s string, width int) []string {
	if width < 1 {
		return nil
	}
	const noBreak = "\u00a0"
	s = ansi.Wrap(numbers.ReplaceAllString(s, "$1"+noBreak+"$2"), width, " ")
	return strings.Split(strings.ReplaceAll(s, noBreak, " "), "\n")
}
