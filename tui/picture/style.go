package picture

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A style is how a cell looks; "" is the colour of the terminal.
type style struct {
	front, back   string
	bold, reverse bool
}

// shown is the style with all colours that are needed to draw it.
func (s style) shown(look Look) style {
	if s.front == "" {
		s.front = look.Text
	}
	if s.reverse {
		back := s.back
		if back == "" {
			back = look.Ground
		}
		s.front, s.back = back, s.front
	}
	s.reverse = false
	return s
}

// set takes the parameters of a Select Graphic Rendition sequence (ECMA-48, 8.3.117).
func (s *style) set(params string) {
	list := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(list) == 0 {
		*s = style{}
	}
	for i := 0; i < len(list); i++ {
		n, _ := strconv.Atoi(list[i])
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 22:
			s.bold = false
		case n == 7:
			s.reverse = true
		case n == 27:
			s.reverse = false
		case n == 39:
			s.front = ""
		case n == 49:
			s.back = ""
		case n == 38 || n == 48:
			c, used := extended(list[i+1:])
			i += used
			if n == 38 {
				s.front = c
			} else {
				s.back = c
			}
		case n >= 30 && n <= 37:
			s.front = hex(ansi.BasicColor(n - 30))
		case n >= 90 && n <= 97:
			s.front = hex(ansi.BasicColor(n - 90 + 8))
		case n >= 40 && n <= 47:
			s.back = hex(ansi.BasicColor(n - 40))
		case n >= 100 && n <= 107:
			s.back = hex(ansi.BasicColor(n - 100 + 8))
		}
	}
}

// extended reads a colour of 256 or of 16 million, and says how many parameters it took.
func extended(list []string) (c string, used int) {
	number := func(i int) uint8 {
		n, _ := strconv.ParseUint(list[i], 10, 8)
		return uint8(n)
	}
	switch {
	case len(list) >= 2 && list[0] == "5":
		return hex(ansi.IndexedColor(number(1))), 2
	case len(list) >= 4 && list[0] == "2":
		return hex(color.RGBA{number(1), number(2), number(3), 255}), 4
	}
	return "", len(list)
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
