package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/tuitest"
)

func TestWhatIfLooksAsItDid(t *testing.T) {
	one, many := []*measure.Run{tuitest.FixConfig()}, tuitest.Bench(8)
	bare, _ := traces.Build(traceOfOne)
	cases := []struct {
		name string
		runs []*measure.Run
		keys string
	}{
		{"whatif-none", nil, ""},
		{"whatif-bare", []*measure.Run{measure.Of(bare[0])}, "W"},
		{"whatif", one, "W"},
		{"whatif-moved", one, "W 5 h j j 3 h"},
		{"whatif-slower", one, "W 9 l"},
		{"whatif-notes", one, "W 5 h tab"},
		{"whatif-many", many, "W 4 h"},
		{"whatif-marked", many, "m m m W h"},
		{"whatif-thousand", tuitest.Bench(112), "W h"},
	}
	for _, c := range cases {
		opt := Options{Environ: dark}
		if c.runs == nil {
			opt.Start = WhatIf
		}
		for _, size := range [][2]int{{60, 15}, {80, 24}, {140, 40}} {
			m := start(c.runs, opt, size[0], size[1], c.keys)
			fits(t, m)
			golden(t, fmt.Sprintf("%s-%d", c.name, size[0]), text(m))
		}
		opt.Environ = noColour
		m := start(c.runs, opt, 80, 24, c.keys)
		fits(t, m)
		golden(t, c.name+"-nocolour", text(m))
	}
}

// Each case is what the screen must show after the keys, and what not.
func TestEveryKeyOfWhatIfDoesWhatItSays(t *testing.T) {
	one, many := []*measure.Run{tuitest.FixConfig()}, tuitest.Bench(8)
	const cursor = "▌ "
	cases := []struct {
		name, keys string
		runs       []*measure.Run
		has, not   string
	}{
		{"W asks about the run that is open", "W", one, "what-if  fix-config", "step 1"},
		{"W on the list about all runs", "W", many, "what-if  72 runs", "marked"},
		{"about the marked ones where some are", "m m W", many, "what-if  2 marked runs", ""},
		{"several runs are a mean", "W", many, "mean ", ""},
		{"and their bars a mean, which adds up", "W", many, "mean before", ""},
		{"one is neither", "W", one, "14.21 s", "mean before"},
		{"what could bring most stands first", "W", one, cursor + "r reasoning", ""},
		{"h makes it less", "W h", one, "× 0.9", ""},
		{"the left arrow too", "W left", one, "× 0.9", ""},
		{"l more", "W l", one, "× 1.25", ""},
		{"the right arrow too", "W right", one, "× 1.25", ""},
		{"a number repeats", "W 5 h", one, "14.21 s → 11.29 s  −2.93 s  −21 %", ""},
		{"a row says what it brings", "W 5 h", one, "−2.93 s ", ""},
		{"it says so when it gets longer", "W 9 l", one, "+5.85 s  +41 %", ""},
		{"0 puts the slider back", "W 5 h 0", one, "move a slider", "→ 11.29 s"},
		{"R puts all back", "W 5 h j 3 h R", one, "move a slider", "×  0.5"},
		{"the palette too", "W 5 h : r e s e t enter", one, "move a slider", "× 0.5"},
		{"j goes to the next row", "W j j", one, cursor + "o decode rate", ""},
		{"G to the last", "W G", one, cursor, cursor + "r reasoning"},
		{"the selected row has a curve", "W", one, "how long it takes, by where the slider stands", ""},
		{"a tool has a knee", "W", one, "× 0.25: read_file", ""},
		{"tab shows all that is assumed", "W 5 h tab", one, "what no answer can know", "how long it takes"},
		{"tab again the sliders", "W 5 h tab tab", one, "how long it takes", "what no answer can know"},
		{"esc too", "W 5 h tab esc", one, "how long it takes", "what no answer can know"},
		{"esc leads back", "W 5 h esc", one, "▾ step 1", "how long it takes"},
		{"sliders stay where they were left", "W 5 h esc W", one, "14.21 s → 11.29 s", ""},
		{"y copies the command line", "W 5 h y", one, "copied longpole whatif --set 'reaso", ""},
		{"enter shows the longest span behind a row", "W enter", one, "▸ chat glm-sim", "how long it takes"},
		{"f adds up the same runs", "m m W f", many, "flame  2 marked runs", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := start(c.runs, Options{Environ: dark}, 120, 40, c.keys)
			fits(t, m)
			screen := text(m)
			if !strings.Contains(screen, c.has) {
				t.Errorf("after %s there is no %q:\n%s", c.keys, c.has, screen)
			}
			if c.not != "" && strings.Contains(screen, c.not) {
				t.Errorf("after %s there is still %q:\n%s", c.keys, c.not, screen)
			}
		})
	}
}

func TestTheMouseMovesASlider(t *testing.T) {
	m := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: dark}, 120, 40, "W")
	line := strings.Split(text(m), "\n")[5]
	from := len([]rune(line[:strings.Index(line, "──")]))
	send(m, tea.MouseClickMsg{X: from, Y: 5, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "14.21 s → 8.36 s") {
		t.Errorf("a click at the end of a slider does not move it there:\n%s", s)
	}
	send(m, tea.MouseMotionMsg{X: from + 1000, Y: 9, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "14.21 s → 20.06 s") {
		t.Errorf("dragging does not move it along:\n%s", s)
	}
	send(m, tea.MouseReleaseMsg{X: from + 1000, Y: 9, Button: tea.MouseLeft})
	send(m, tea.MouseClickMsg{X: 6, Y: 7, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "▌ o decode rate") {
		t.Errorf("a click on a name does not select its row:\n%s", s)
	}
}

// Of a large run the total follows each key, and the rest comes after it.
func TestWhatIfOfManySpansIsWorkedOutBesideTheInterface(t *testing.T) {
	built, _ := traces.Build(tracetest.Loop(1820))
	m := New([]*measure.Run{measure.Of(built[0])}, Options{Environ: dark})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	_, work := m.Update(press("W"))
	if s := text(m); !strings.Contains(s, "working out what would help most") || work == nil {
		t.Fatalf("it does not say what it does:\n%s", s)
	}
	for range 2 { // getting ready, then what each row could bring
		_, work = m.Update(work())
	}
	before := text(m)
	if !strings.Contains(before, "move a slider") {
		t.Fatalf("it is not ready:\n%s", before)
	}
	m.Update(press("h")) // while a question is under way
	if s := text(m); !strings.Contains(s, "→") || !strings.Contains(s, "range …") {
		t.Errorf("the total does not follow at once:\n%s", s)
	}
	send(m, work())
	if s := text(m); strings.Contains(s, "…\n") || !strings.Contains(s, "had to wait") {
		t.Errorf("the rest did not come:\n%s", s)
	}
}

// From the key to the frame. Target: 16 ms at 100,000 spans. Keys alternate with those that undo them.
func BenchmarkWhatIfKeyToFrame(b *testing.B) {
	for _, size := range sizes {
		for _, k := range []string{"h l", "j k", "h 0", "tab tab"} {
			b.Run(size.name+"/"+k, func(b *testing.B) {
				m := New(large(b, size.turns), Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				send(m, press("W"))
				pair := strings.Fields(k)
				for i := 0; b.Loop(); i++ {
					m.Update(press(pair[i%2]))
					m.View()
				}
			})
		}
	}
}

// What it takes to find out what would help most, and all about the first row, beside the interface.
func BenchmarkWhatIfOpens(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			runs := large(b, size.turns)
			for b.Loop() {
				m := New(runs, Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				send(m, press("W"))
				m.View()
			}
		})
	}
}
