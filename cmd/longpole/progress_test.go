package main

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/seed46266073/longpole/agentsim/bench"
)

func TestALineIsWrittenForEachTenthOfThePlan(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	unknown, known := &bench.Precision{Width: math.Inf(1)}, &bench.Precision{Width: 0.124}
	for _, tc := range []struct {
		name    string
		reports []bench.Progress
		want    string
	}{
		{"not for each run", []bench.Progress{{Done: 0, Total: 30}, {Done: 2, Total: 30}, {Done: 3, Total: 30, Failed: 1, Remaining: 27 * time.Second}, {Done: 4, Total: 30}, {Done: 30, Total: 30}},
			"3 of 30 runs, 1 without a correct answer, about 27 s left\n30 of 30 runs\n"},
		{"what was done before is said at once", []bench.Progress{{Done: 20, Total: 30}, {Done: 21, Total: 30}}, "20 of 30 runs\n"},
		{"also of a whole that grows", []bench.Progress{{Done: 6, Total: 6, Estimate: true}, {Done: 7, Total: 12, Estimate: true, Precision: unknown}, {Done: 12, Total: 40, Estimate: true, Precision: known}},
			"6 of about 6 runs\n7 of about 12 runs\n12 of about 40 runs, known to ±12.4 %\n"},
		{"when the next round begins", []bench.Progress{{Done: 2, Total: 4}, {Done: 2, Total: 4, Next: time.Date(2026, 5, 4, 9, 30, 0, 0, time.Local)}}, "2 of 4 runs\n2 of 4 runs, the next at 09:30:00\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			bar := newProgressBar(&out)
			for _, p := range tc.reports {
				bar.show(p)
			}
			if out.String() != tc.want {
				t.Errorf("got  %q\nwant %q", out.String(), tc.want)
			}
		})
	}
}

func TestTheBarStaysOnItsLine(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	const text = "7 of 10 runs"
	for _, tc := range []struct {
		name  string
		width int
		want  string
	}{
		{"thirty cells where there is room", 100, "#####################......... 7 of 10 runs"},
		{"shorter where there is less", 23, "#######... 7 of 10 runs"},
		{"none where it would tell nothing", 17, "7 of 10 runs"},
		{"words are cut where not even they fit", 4, "7 of"},
		{"nothing without room", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := barLine(text, 7, 10, tc.width); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
