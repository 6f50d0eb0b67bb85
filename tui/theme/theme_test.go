package theme

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
)

func TestDetect(t *testing.T) {
	cases := []struct {
		name, environ string
		want          Env
	}{
		{"true colour", "TERM=xterm-256color COLORTERM=truecolor LANG=de_DE.UTF-8", Env{Profile: colorprofile.TrueColor, Dark: true}},
		{"256 colours", "TERM=xterm-256color LANG=C.UTF-8", Env{Profile: colorprofile.ANSI256, Dark: true}},
		{"16 colours", "TERM=xterm LANG=C.utf8", Env{Profile: colorprofile.ANSI, Dark: true}},
		{"NO_COLOR with any value", "TERM=xterm-256color NO_COLOR=yes", Env{Profile: colorprofile.ASCII, Fixed: true, Dark: true}},
		{"an empty NO_COLOR says nothing", "TERM=xterm-256color NO_COLOR=", Env{Profile: colorprofile.ANSI256, Dark: true}},
		{"the Linux console", "TERM=linux LANG=C.UTF-8", Env{Profile: colorprofile.ASCII, Fixed: true, ASCII: true, Dark: true}},
		{"a dumb terminal", "TERM=dumb", Env{Profile: colorprofile.NoTTY, Fixed: true, Dark: true}},
		{"LANG=C", "TERM=xterm-256color LANG=C", Env{Profile: colorprofile.ANSI256, ASCII: true, Dark: true}},
		{"LC_ALL beats LANG", "TERM=xterm-256color LANG=C LC_ALL=en_US.UTF-8", Env{Profile: colorprofile.ANSI256, Dark: true}},
		{"a light background", "TERM=xterm-256color COLORFGBG=0;15", Env{Profile: colorprofile.ANSI256}},
	}
	for _, c := range cases {
		if got := Detect(strings.Fields(c.environ)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestEveryComponentHasItsOwnLetter(t *testing.T) {
	for _, g := range []Glyphs{unicodeGlyphs, asciiGlyphs} {
		seen := map[string]traces.Component{}
		for _, c := range traces.Components {
			l := g.Letter(c)
			if ansi.StringWidth(l) != 1 {
				t.Errorf("%s of %s takes %d cells", l, c, ansi.StringWidth(l))
			}
			if other, ok := seen[l]; ok {
				t.Errorf("%s stands for %s and %s", l, other, c)
			}
			seen[l] = c
		}
	}
}

// WCAG 2.1, 1.4.3 and 1.4.11: text needs a contrast of 4.5 (3 if it only labels), shapes one of 3 with the ground; the palest
// greys are told by their letters too.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{true, false} {
		th := New(dark, colorprofile.TrueColor, false)
		ground := color.Color(color.White)
		if dark {
			ground = color.RGBA{0x16, 0x18, 0x1d, 255}
		}
		for name, s := range map[string]Style{"text": th.Text, "strong": th.Strong, "muted": th.Muted, "accent": th.Accent,
			"critical": th.Critical, "good": th.Good, "bad": th.Bad, "warn": th.Warn} {
			if c := contrast(s.FG, ground); c < 4.5 {
				t.Errorf("dark %v: %s has contrast %.1f", dark, name, c)
			}
		}
		for _, c := range traces.Components {
			on, label := th.Ink(c, true), th.Label(c, true)
			if k := contrast(label.FG, label.BG); k < 3 {
				t.Errorf("dark %v: the letter of %s has contrast %.1f", dark, c, k)
			}
			if k := contrast(on.FG, ground); k < 1.7 {
				t.Errorf("dark %v: %s has contrast %.1f with the ground", dark, c, k)
			}
		}
	}
}

func contrast(a, b color.Color) float64 {
	l := func(c color.Color) float64 {
		part := func(v uint32) float64 {
			f := float64(v) / 0xffff
			if f <= 0.03928 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		r, g, b, _ := c.RGBA()
		return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
	}
	x, y := l(a)+0.05, l(b)+0.05
	return max(x/y, y/x)
}
