package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui"
	"github.com/seed46266073/longpole/tui/picture"
)

//go:generate go test . -run TestPicturesAreOfTheScreensAsTheyAre -update

// Pictures of the screens are kept in docs: they show the built-in recording, and are made anew by go generate ./cmd/longpole.
func TestPicturesAreOfTheScreensAsTheyAre(t *testing.T) {
	runs, _, err := loadDemo(traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The run with the most to see.
	rich := slices.MaxFunc(runs, func(a, b *measure.Run) int { return rank(a) - rank(b) })
	for _, p := range []struct {
		name, title   string
		runs          []*measure.Run
		start         tui.Screen
		width, height int
		keys          string
	}{
		{"run", "One run as a waterfall: model calls split into waiting, reasoning, text and tool arguments, tools beside them, the critical path marked",
			[]*measure.Run{rich}, tui.Auto, 110, 30, "j j"},
		{"breakdown", "Where one run's time went, by component, tool and step, and what would be saved without each", []*measure.Run{rich}, tui.Breakdown, 110, 34, "enter"},
		{"stream", "One model call, arrival by arrival, with its stalls and the distribution of its gaps", []*measure.Run{rich}, tui.Stream, 110, 30, ""},
		{"flame", "What runs waited for, added up by kind of work", runs, tui.Flame, 110, 24, ""},
		{"compare", "Three reasoning efforts side by side, and why two of them differ, cause by cause", runs, tui.Compare, 110, 36, "j"},
		{"what-if", "What a run would take if parts of it were faster", []*measure.Run{rich}, tui.WhatIf, 110, 30, "h h h"},
	} {
		t.Run(p.name, func(t *testing.T) {
			m := tui.New(p.runs, tui.Options{Title: "demo", Start: p.start, Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=en_US.UTF-8"}})
			got := picture.SVG(p.title, picture.Screen(m, p.width, p.height, strings.Fields(p.keys)...), picture.Dark)
			if len(got) > 150_000 {
				t.Errorf("%d bytes", len(got))
			}
			path := filepath.Join("..", "..", "docs", p.name+".svg")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(path); err != nil || string(want) != got {
				t.Errorf("%s is not what the screen shows, %v: make it anew with go generate ./cmd/longpole", path, err)
			}
		})
	}
}

// rank is how much there is to see of a run: stalls, retries, tools that take long, side by side.
func rank(r *measure.Run) int {
	n := 2 * r.Counts.Retries()
	for _, c := range r.Calls {
		n += 2 * len(c.Stalls)
		if c.Answer != nil && c.Answer.Chunks == nil {
			n -= 5 // when its chunks arrived was not kept
		}
	}
	for i, c := range r.ToolCalls {
		if c.Span.Duration() > r.Wall/50 {
			n += 2
			if i > 0 && r.ToolCalls[i-1].Span.End > c.Span.Start {
				n += 2
			}
		}
	}
	if r.Counts.Steps > 5 || !r.Correct() {
		n -= 20 // it would not fit, or not show what it should
	}
	return n
}
