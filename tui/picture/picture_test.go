package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// elements returns what is drawn between head and end of a picture.
func elements(screen string) string {
	var list []string
	for line := range strings.Lines(SVG("a screen", screen, Dark)) {
		if strings.HasPrefix(line, "<rect x") || strings.HasPrefix(line, "<text") {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
	}
	return strings.Join(list, "\n")
}

func TestSVG(t *testing.T) {
	const text, fitted = `fill="#d3d7de"`, `lengthAdjust="spacingAndGlyphs" fill="#d3d7de"`
	cases := []struct{ name, screen, want string }{
		{"text has its exact length, blanks around it have none", "  two words  ", `<text x="28" y="25" textLength="72" ` + fitted + `>two words</text>`},
		{"words that are far apart stand alone", "a b   c", `<text x="12" y="25" textLength="24" ` + fitted + `>a b</text>` + "\n" + `<text x="60" y="25" textLength="8" ` + fitted + `>c</text>`},
		{"a line is a cell lower", "\na", `<text x="12" y="42" textLength="8" ` + fitted + `>a</text>`},
		{"wide characters take two cells", "检a", `<text x="12" y="25" textLength="24" ` + fitted + `>检a</text>`},
		{"what would be markup is text", "<&>", `<text x="12" y="25" textLength="24" ` + fitted + `>&lt;&amp;&gt;</text>`},
		{"colours of 16 million", "\x1b[38;2;1;2;255mx\x1b[m", `<text x="12" y="25" textLength="8" lengthAdjust="spacingAndGlyphs" fill="#0102ff">x</text>`},
		{"colours of 256", "\x1b[38;5;196mx\x1b[m", `<text x="12" y="25" textLength="8" lengthAdjust="spacingAndGlyphs" fill="#ff0000">x</text>`},
		{"bold", "\x1b[1mx\x1b[m", `<text x="12" y="25" textLength="8" ` + fitted + ` font-weight="bold">x</text>`},
		{"a background is drawn behind blanks too", "\x1b[48;2;9;9;9m  \x1b[m", `<rect x="12" y="12" width="16" height="17" fill="#090909"/>`},
		{"reversed", "\x1b[7mx\x1b[m", `<rect x="12" y="12" width="8" height="17" fill="#d3d7de"/>` + "\n" + `<text x="12" y="25" textLength="8" lengthAdjust="spacingAndGlyphs" fill="#16181d">x</text>`},
		{"blocks side by side are one shape", "██", `<rect x="12" y="12" width="16" height="17" ` + text + `/>`},
		{"an eighth of a block", "▏", `<rect x="12" y="12" width="1" height="17" ` + text + `/>`},
		{"a block from below", "▄", `<rect x="12" y="20.5" width="8" height="8.5" ` + text + `/>`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, elements(c.screen)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func FuzzSVGIsWellFormed(f *testing.F) {
	f.Add("a \x1b[1;38;5;7mb\x1b[m █▏")
	f.Add("\x1b[38;5m\x1b[48;2;1m<x>&")
	f.Fuzz(func(t *testing.T, screen string) {
		d := xml.NewDecoder(strings.NewReader(SVG(screen, screen, Light)))
		for {
			if _, err := d.Token(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
