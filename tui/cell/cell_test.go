package cell

import (
	"flag"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/tui/theme"
)

// Randomness comes from a seed; -rapid.seed gives another.
func init() { _ = flag.Set("rapid.seed", "1") }

func TestClean(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"plain text stays", "read_file", "read_file"},
		{"wide characters stay", "检索文件", "检索文件"},
		{"combining marks stay", "e\u0301tape", "e\u0301tape"},
		{"a tab is a space", "tool\tls", "tool ls"},
		{"a line break is a space", "two\nlines", "two lines"},
		{"escape sequences go", "\x1b[31mred\x1b[0m", "red"},
		{"a title sequence goes whole", "\x1b]0;title\x07after", "after"},
		{"control characters go", "bell\a\x00nul", "bellnul"},
		{"marks of direction go", "\u202egnirts\u2066", "gnirts"},
		{"bytes that are no text are marked", "bad \xff\xfe", "bad ?"},
		{"a joined emoji is its first one", "👩\u200d💻 pair", "👩 pair"},
		{"a mark without a letter goes", "\u0301x", "x"},
	}
	for _, c := range cases {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWidths(t *testing.T) {
	for s, want := range map[string]int{"检索文件": 8, "モデル呼び出し": 14, "도구 실행": 9, "e\u0301tape 1": 7, "plain chat": 10} {
		if got := Width(Clean(s)); got != want {
			t.Errorf("%s takes %d cells, want %d", s, got, want)
		}
	}
}

func TestALineIsAlwaysAsWideAsItShould(t *testing.T) {
	th := theme.New(true, colorprofile.TrueColor, false)
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 60).Draw(t, "width")
		l := NewLine(th, width, rapid.Bool().Draw(t, "selected"))
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			s := rapid.String().Draw(t, "text")
			n := rapid.IntRange(-2, 30).Draw(t, "n")
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				l.Text(th.Strong, s)
			case 1:
				l.Fit(th.Bad, s, n)
			case 2:
				l.FitRight(th.Text, s, n)
			case 3:
				l.Space(n)
			case 4:
				l.Column(n)
			case 5:
				l.Right(th.Muted, s)
			}
		}
		line := l.String()
		if got := ansi.StringWidth(line); got != width {
			t.Fatalf("%d cells, want %d: %q", got, width, line)
		}
		if strings.ContainsAny(ansi.Strip(line), "\n\t\r\a\x00\x1b") {
			t.Fatalf("control characters in %q", line)
		}
	})
}
