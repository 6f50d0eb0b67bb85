package theme

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// A Style is how one stretch of text looks. The zero value is the terminal's own. Styles compare with ==.
type Style struct {
	FG, BG                          color.Color // nil: the terminal's own
	Bold, Faint, Underline, Reverse bool
}

// Sequence returns the escape sequence that switches from any style to s.
func (t *Theme) Sequence(s Style) string {
	sequence, ok := t.sequences[s]
	if !ok {
		sequence = s.sequence()
		t.sequences[s] = sequence
	}
	return sequence
}

func (s Style) sequence() string {
	if s == (Style{}) {
		return ansi.ResetStyle
	}
	a := ansi.Style{}.Reset()
	if s.Bold {
		a = a.Bold()
	}
	if s.Faint {
		a = a.Faint()
	}
	if s.Underline {
		a = a.Underline(true)
	}
	if s.Reverse {
		a = a.Reverse(true)
	}
	if s.FG != nil {
		a = a.ForegroundColor(s.FG)
	}
	if s.BG != nil {
		a = a.BackgroundColor(s.BG)
	}
	return a.String()
}
