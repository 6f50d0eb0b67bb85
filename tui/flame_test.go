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

func TestFlameLooksAsItDid(t *testing.T) {
	one, many := []*measure.Run{tuitest.FixConfig()}, tuitest.Bench(8)
	bare, _ := traces.Build(traceOfOne)
	cases := []struct {
		name string
		runs []*measure.Run
		keys string
	}{
		{"flame-none", nil, ""},
		{"flame-bare", []*measure.Run{measure.Of(bare[0])}, "f"},
		{"flame", one, "f j j j j"},
		{"flame-zoomed", one, "f j j j enter j"},
		{"flame-found", one, "f / r e a"},
		{"flame-more", one, "f j j j l l l l l l"},
		{"flame-many", many, "f j j j"},
		{"flame-marked", many, "m m m f"},
		{"flame-thousand", tuitest.Bench(112), "f j j j j"},
	}
	for _, c := range cases {
		opt := Options{Environ: dark}
		if c.runs == nil {
			opt.Start = Flame
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
func TestEveryKeyOfTheFlameGraphDoesWhatItSays(t *testing.T) {
	one, many := []*measure.Run{tuitest.FixConfig()}, tuitest.Bench(8)
	cases := []struct {
		name, keys string
		runs       []*measure.Run
		has, not   string
	}{
		{"f shows the run that is open", "f", one, "flame  fix-config", "step 1"},
		{"f on the list shows all runs", "f", many, "72 runs", "marked"},
		{"the marked ones where some are", "m m f", many, "2 marked runs", ""},
		{"several runs are a mean", "f", many, "mean ", ""},
		{"one is not", "f", one, "14.21 s", "mean"},
		{"it says how many runs a block is in", "f j j j", many, "in 72 of 72 runs", ""},
		{"j goes to the longest part", "f j j j j", one, "▸ reasoning", ""},
		{"the down arrow too", "f down down down down", one, "▸ reasoning", ""},
		{"a number repeats", "f 4 j", one, "▸ reasoning", ""},
		{"k goes back up", "f 4 j k", one, "▸ glm-sim", "▸ reasoning"},
		{"l goes to the neighbour", "f 4 j l", one, "glm-sim ▸ output", ""},
		{"h goes back", "f 4 j l h", one, "glm-sim ▸ reasoning", ""},
		{"the arrows too", "f 4 j right right left", one, "glm-sim ▸ output", ""},
		{"G goes all the way down", "f G", one, "▸ reasoning", ""},
		{"g all the way up", "f G g", one, "100 % of all", "▸ reasoning"},
		{"enter zooms in", "f 3 j enter", one, "zoomed into glm-sim", ""},
		{"z too", "f 3 j z", one, "zoomed into glm-sim", ""},
		{"+ too", "f 3 j +", one, "zoomed into glm-sim", ""},
		{"esc zooms out", "f 3 j enter esc", one, "blank below a block", "zoomed"},
		{"backspace too", "f 3 j enter backspace", one, "blank below a block", "zoomed"},
		{"u too", "f 3 j enter u", one, "blank below a block", "zoomed"},
		{"- too", "f 3 j enter -", one, "blank below a block", "zoomed"},
		{"what was zoomed into is selected then", "f 3 j enter j esc", one, "step ▸ glm-sim", "▸ reasoning"},
		{"esc once more leads back", "f 3 j enter esc esc", one, "▾ step 1", "blank below"},
		{"0 shows all", "f j enter j j enter 0", one, "blank below a block", "zoomed"},
		{"nothing is zoomed into where nothing is below", "f 4 j enter", one, "blank below a block", "zoomed"},
		{"/ finds blocks and adds them up", "f / r e a s", one, "5.85 s, 41 % of all", ""},
		{"it counts them", "f / r e a s", one, "1 match", ""},
		{"it selects the first", "f / r e a s enter", one, "▸ reasoning", ""},
		{"n goes to the next match", "f / o u t enter n", one, "▸ output", ""},
		{"N to the one before", "f / l enter n N", one, "/l", ""},
		{"esc forgets what was looked for", "f / r e a s enter esc", one, "blank below a block", "of the blocks"},
		{"it says what the run would be without", "f 4 j", one, "without any reasoning: 5.85 s shorter", ""},
		{"and what was never waited for", "f 2 j", one, "never waited for here: fetch_url 710 ms, read_file 380 ms", ""},
		{"y copies the path", "f 4 j y", one, "copied agent;step;model:glm-sim;reas", ""},
		{"W asks what if of the same runs", "m m f W", many, "what-if  2 marked runs", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := start(c.runs, Options{Environ: dark}, 120, 30, c.keys)
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

func TestSmallNeighboursAreOneBlockThatCanBeZoomedInto(t *testing.T) {
	runs := []*measure.Run{tuitest.FixConfig()}
	m := start(runs, Options{Environ: dark}, 60, 20, "f G 9 l h")
	before := text(m)
	if !strings.Contains(before, "more") || !strings.Contains(before, "enter shows them one by one") {
		t.Fatalf("no block of several is selected:\n%s", before)
	}
	send(m, press("enter"))
	if s := text(m); !strings.Contains(s, "zoomed into ") || !strings.Contains(s, "a tool args") {
		t.Errorf("they are not shown one by one:\n%s", s)
	}
	send(m, press("esc"))
	if after := text(m); after != before {
		t.Errorf("esc does not lead back to\n%s\nbut to\n%s", before, after)
	}
}

func TestTheMouseSelectsABlockAndZoomsIntoIt(t *testing.T) {
	m := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: dark}, 120, 30, "f")
	y := 2 + 3*4 + 1 // on the fourth level, each of four lines
	send(m, tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "step ▸ glm-sim") {
		t.Errorf("a click does not select:\n%s", s)
	}
	send(m, tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft})
	if s := text(m); !strings.Contains(s, "zoomed into glm-sim") {
		t.Errorf("a second click does not zoom:\n%s", s)
	}
	send(m, tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if s := text(m); !strings.Contains(s, "glm-sim ▸ reasoning") {
		t.Errorf("the wheel does not go down:\n%s", s)
	}
}

func TestColoursOfFlameAndWhatIfLookAsTheyDid(t *testing.T) {
	for name, environ := range map[string][]string{
		"dark":    dark,
		"light":   append([]string{"COLORFGBG=0;15"}, dark...),
		"sixteen": {"TERM=xterm", "LANG=en_US.UTF-8"},
	} {
		for screen, keys := range map[string]string{"flame": "f 4 j l", "whatif": "W h h h h h j"} {
			m := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: environ}, 80, 24, keys)
			golden(t, "colours-"+screen+"-"+name, strings.ReplaceAll(m.View().Content, "\x1b", "ESC")+"\n")
		}
	}
	for _, keys := range []string{"f", "f j j j j l l l", "f / o u", "W", "W h j h j h", "W h tab"} {
		for i, r := range text(start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: ascii}, 100, 30, keys)) {
			if r > 0x7e {
				t.Fatalf("after %q: %q at %d", keys, r, i)
			}
		}
		for _, width := range []int{60, 61, 80, 140} {
			fits(t, start([]*measure.Run{tuitest.WithHostileNames()}, Options{Environ: dark}, width, 20, keys))
		}
	}
}

func TestFlameAndWhatIfGoOnWhileARunGrows(t *testing.T) {
	for _, keys := range []string{"enter f j", "enter W 5 h"} {
		const before, after = "25.00 s", "1m 35s"
		m := following(Options{Environ: dark}, 120, 40, grown(25))
		pressAll(m, keys)
		if s := text(m); !strings.Contains(s, before) || strings.Contains(s, after) {
			t.Errorf("after %s there is no %q:\n%s", keys, before, s)
		}
		m.Update(updatedMsg(updateOf(grown(95))))
		s := text(m)
		if !strings.Contains(s, after) {
			t.Errorf("after %s and a while there is no %q:\n%s", keys, after, s)
		}
		if strings.HasSuffix(keys, "5 h") && !strings.Contains(s, "× 0.5") {
			t.Errorf("the slider did not stay where it was:\n%s", s)
		}
	}
}

// Where it takes long to add up what was waited for, it is said that it is being done; keys have no effect until it is.
func TestAFlameGraphOfManySpansIsAddedUpBesideTheInterface(t *testing.T) {
	built, _ := traces.Build(tracetest.Loop(910))
	m := New([]*measure.Run{measure.Of(built[0])}, Options{Environ: dark})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	_, work := m.Update(press("f"))
	if s := text(m); !strings.Contains(s, "adding up what 1 run waited for") || work == nil {
		t.Fatalf("it does not say what it does:\n%s", s)
	}
	m.Update(press("j"))
	send(m, work())
	if s := text(m); !strings.Contains(s, "100 %") {
		t.Errorf("it does not show what was added up:\n%s", s)
	}
	send(m, press("j"))
	for range 4 {
		send(m, press("j"))
	}
	if s := text(m); !strings.Contains(s, "without any") || !strings.Contains(s, "shorter") {
		t.Errorf("it does not find out what the run would be without what is selected:\n%s", s)
	}
}

// From the key to the frame. Target: 16 ms at 100,000 spans.
func BenchmarkFlameKeyToFrame(b *testing.B) {
	for _, size := range sizes {
		for _, k := range []string{"f", "j", "l", "enter"} {
			b.Run(size.name+"/"+k, func(b *testing.B) {
				m := New(large(b, size.turns), Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				if k != "f" {
					send(m, press("f"))
					send(m, press("G"))
				}
				for b.Loop() {
					m.Update(press(k))
					m.View()
				}
			})
		}
	}
}

// What it takes to add up the path, beside the interface.
func BenchmarkFlameOpens(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			runs := large(b, size.turns)
			for b.Loop() {
				m := New(runs, Options{Environ: dark})
				m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
				send(m, press("f"))
				m.View()
			}
		})
	}
}
