package tui

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/tuitest"
)

var update = flag.Bool("update", false, "write golden files anew")

var (
	dark     = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=en_US.UTF-8"}
	noColour = []string{"TERM=xterm-256color", "NO_COLOR=1", "LANG=en_US.UTF-8"}
	ascii    = []string{"TERM=xterm-256color", "NO_COLOR=1", "LANG=C"}
)

// press returns the key called name.
func press(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome,
		"end": tea.KeyEnd, "backspace": tea.KeyBackspace, "tab": tea.KeyTab}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// send gives m a message, and what follows from it until nothing does.
func send(m *Model, msg tea.Msg) {
	for msg != nil {
		_, cmd := m.Update(msg)
		if cmd == nil {
			return
		}
		msg = cmd()
		if _, quit := msg.(tea.QuitMsg); quit {
			return
		}
	}
}

// start returns a model of that size after the keys, which are separated by spaces.
func start(runs []*measure.Run, opt Options, width, height int, keys string) *Model {
	m := New(runs, opt)
	send(m, tea.WindowSizeMsg{Width: width, Height: height})
	for _, k := range strings.Fields(keys) {
		send(m, press(k))
	}
	return m
}

// text returns the screen without styles, spaces at the ends of lines removed.
func text(m *Model) string {
	var b strings.Builder
	for line := range strings.SplitSeq(ansi.Strip(m.View().Content), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// fits fails the test unless the screen is exactly as large as the terminal and holds nothing but text and styles.
func fits(t *testing.T, m *Model) {
	t.Helper()
	content := m.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) > m.height && content != "" {
		t.Fatalf("%d lines on a screen of %d:\n%s", len(lines), m.height, content)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > m.width {
			t.Fatalf("a line of %d cells on a screen of %d: %q", w, m.width, line)
		}
		for _, c := range ansi.Strip(line) {
			if c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0xfffd || c >= 0x202a && c <= 0x202e {
				t.Fatalf("%U on the screen: %q", c, line)
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, d)
	}
}

func TestScreensLookAsTheyDid(t *testing.T) {
	one, many := []*measure.Run{tuitest.FixConfig()}, tuitest.Bench(8)
	calls, night := []*measure.Run{tuitest.Streamed()}, []*measure.Run{tuitest.Overnight()}
	built, _ := traces.Build(tracetest.Loop(91))
	loop := []*measure.Run{measure.Of(built[0])}
	bare, _ := traces.Build(traceOfOne)
	loose := []traces.Problem{{Code: traces.UnreadableLine, Message: "line 12 of traces.jsonl is cut off: left out"}}
	cases := []struct {
		name string
		runs []*measure.Run
		opt  Options
		keys string
	}{
		{"list-none", nil, Options{}, ""},
		{"list-one", one, Options{Start: Runs}, ""},
		{"list-many", many, Options{Title: "bench"}, "m m"},
		{"list-thousand", tuitest.Bench(112), Options{}, "9 9 9 g"},
		{"list-grouped", many, Options{}, "t j h"},
		{"waterfall", one, Options{}, "j j j j"},
		{"waterfall-one", []*measure.Run{measure.Of(bare[0])}, Options{}, ""},
		{"waterfall-thousand", loop, Options{}, "] 9 9 9 g"},
		{"waterfall-gaps", night, Options{}, "j j"},
		{"waterfall-cut", night, Options{}, "j j i"},
		{"waterfall-pane", one, Options{}, "j j tab"},
		{"stream", calls, Options{Start: Stream}, ""},
		{"stream-zoomed", calls, Options{Start: Stream}, "+ + d"},
		{"stream-whole", calls, Options{Start: Stream}, "j"},
		{"stream-burst", calls, Options{Start: Stream}, "G"},
		{"stream-thousand", loop, Options{Start: Stream}, "5 0 g"},
		{"stream-none", []*measure.Run{measure.Of(bare[0])}, Options{Start: Stream}, ""},
		{"palette", one, Options{}, ": z"},
		{"tour", one, Options{Tour: true}, ""},
		{"waterfall-unfolded", one, Options{}, "j j l j l"},
		{"waterfall-critical", one, Options{}, "c"},
		{"waterfall-zoomed", one, Options{}, "j j z"},
		{"breakdown", one, Options{Start: Breakdown}, ""},
		{"breakdown-unfolded", one, Options{Start: Breakdown}, "j enter G l"},
		{"breakdown-one", []*measure.Run{measure.Of(bare[0])}, Options{Start: Breakdown}, ""},
		{"breakdown-thousand", loop, Options{Start: Breakdown}, "l"},
		{"compare", many, Options{Start: Compare}, ""},
		{"compare-causes", many, Options{Start: Compare}, "tab j"},
		{"compare-one", one, Options{Start: Compare}, ""},
		{"compare-thousand", tuitest.Bench(112), Options{Start: Compare}, "j"},
		{"compare-none", nil, Options{Start: Compare}, ""},
		{"compare-marked", many, Options{}, "m m m C"},
		{"problems", one, Options{Start: Problems, Notes: []string{"recorded while the clock was set"}, Problems: loose}, ""},
		{"problems-thousand", one, Options{Start: Problems, Problems: slices.Repeat(loose, 1000)}, "enter 5 0 j"},
		{"problems-none", one, Options{}, "p"},
		{"help", one, Options{}, "?"},
	}
	for _, c := range cases {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {140, 40}} {
			c.opt.Environ = dark
			m := start(c.runs, c.opt, size[0], size[1], c.keys)
			fits(t, m)
			golden(t, fmt.Sprintf("%s-%d", c.name, size[0]), text(m))
		}
		c.opt.Environ = noColour
		m := start(c.runs, c.opt, 80, 24, c.keys)
		fits(t, m)
		golden(t, c.name+"-nocolour", text(m))
	}
}

// traceOfOne is a run of one span, and no call.
var traceOfOne = []traces.Record{{TraceID: "1", SpanID: "1", Name: "alone", Start: 1_000_000_000, End: 2_500_000_000}}

func TestColoursLookAsTheyDid(t *testing.T) {
	for name, environ := range map[string][]string{
		"dark":    dark,
		"light":   append([]string{"COLORFGBG=0;15"}, dark...),
		"sixteen": {"TERM=xterm", "LANG=en_US.UTF-8"},
	} {
		m := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: environ}, 80, 24, "j j j j")
		golden(t, "colours-"+name, strings.ReplaceAll(m.View().Content, "\x1b", "ESC")+"\n")
		for screen, show := range map[string]Screen{"breakdown": Breakdown, "compare": Compare} {
			m := start(tuitest.Bench(8), Options{Environ: environ, Start: show}, 80, 24, "")
			golden(t, "colours-"+screen+"-"+name, strings.ReplaceAll(m.View().Content, "\x1b", "ESC")+"\n")
		}
		m = start([]*measure.Run{tuitest.Streamed()}, Options{Environ: environ, Start: Stream}, 80, 24, "")
		golden(t, "colours-stream-"+name, strings.ReplaceAll(m.View().Content, "\x1b", "ESC")+"\n")
	}
}

func TestNoColourMeansNone(t *testing.T) {
	for _, keys := range []string{"", "b", "C", "?", "p"} {
		content := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: noColour}, 100, 30, keys).View().Content
		for sequence := range strings.SplitSeq(content, "\x1b[") {
			sgr, _, _ := strings.Cut(sequence, "m")
			for n := range strings.SplitSeq(sgr, ";") {
				if len(n) == 2 && strings.ContainsAny(n[:1], "349") || len(n) == 3 && n[0] == '1' {
					t.Fatalf("after %q: colour %s", keys, sgr)
				}
			}
		}
	}
	screen := text(start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: noColour}, 100, 30, ""))
	for _, sign := range []string{"●", "✗", "rrr", "TTT"} {
		if !strings.Contains(screen, sign) {
			t.Errorf("no %s on a screen without colour:\n%s", sign, screen)
		}
	}
}

func TestLangCMeansASCII(t *testing.T) {
	for _, keys := range []string{"", "j j j j", "b", "C", "?", "p", "esc", "/ x"} {
		for i, r := range text(start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: ascii}, 100, 30, keys)) {
			if r > 0x7e {
				t.Fatalf("after %q: %q at %d", keys, r, i)
			}
		}
	}
}

func TestHostileNamesCannotBreakTheScreen(t *testing.T) {
	for _, width := range []int{60, 61, 80, 140, 40, 24, 3, 1} {
		for _, keys := range []string{"", "j", "G", "b", "p", "esc", "C", "z", "/ l", "y"} {
			fits(t, start([]*measure.Run{tuitest.WithHostileNames()}, Options{Environ: dark}, width, 20, keys))
		}
	}
	lines := strings.Split(text(start([]*measure.Run{tuitest.WithHostileNames()}, Options{Environ: dark}, 60, 30, "")), "\n")
	column := -1
	for _, line := range lines[5:20] {
		before, _, ok := strings.Cut(line, "100 ms")
		if !ok {
			t.Fatalf("no duration in %q", line)
		}
		if w := ansi.StringWidth(before); column >= 0 && w != column {
			t.Errorf("duration at cell %d, others at %d: %q", w, column, line)
		} else {
			column = w
		}
	}
}

func TestATerminalThatIsTooSmallIsAsked(t *testing.T) {
	for _, size := range [][2]int{{59, 15}, {60, 14}, {24, 10}, {10, 2}, {1, 1}, {0, 0}} {
		m := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: dark}, size[0], size[1], "j enter b")
		fits(t, m)
	}
	if got := text(start(nil, Options{Environ: dark}, 40, 10, "")); !strings.Contains(got, "60×15") || !strings.Contains(got, "40×10") {
		t.Errorf("got %q, want the size that is needed and the one there is", got)
	}
}

func TestRunEndsWithQAndWithItsContext(t *testing.T) {
	m := New([]*measure.Run{tuitest.FixConfig()}, Options{Environ: dark})
	if err := Run(t.Context(), m, strings.NewReader("q"), io.Discard); err != nil {
		t.Errorf("after q: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, New(nil, Options{Environ: dark}), strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("after the end of its context: %v", err)
	}
}
