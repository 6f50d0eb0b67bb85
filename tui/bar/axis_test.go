package bar

import (
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

const s = time.Second

func ruler(a Axis) string {
	t := theme.New(true, colorprofile.TrueColor, false)
	l := cell.NewLine(t, a.Cells, false)
	DrawRuler(l, t, a)
	return ansi.Strip(l.String())
}

func TestGapsAreCutOutOfAnAxis(t *testing.T) {
	hour := Axis{0, 3600 * s, 40, nil}
	cases := []struct {
		name string
		axis Axis
		gaps []Gap
		want string
	}{
		{"none leaves it as it is", hour, nil, "0───────────────────30:00───────────────"},
		{"a long one becomes a break, and the ticks go on behind it", hour, []Gap{{10 * s, 3590 * s}}, "0────────0:05──────╱╱59:50────59:55─────"},
		{"one at each end too", hour, []Gap{{0, 1800 * s}, {1860 * s, 3600 * s}}, "╱╱30:00───────30:20───────30:40───────╱╱"},
		{"one that is no longer than its break stays", hour, []Gap{{10 * s, 60 * s}}, "0───────────────────30:00───────────────"},
		{"what lies outside is nothing to cut", Axis{0, 10 * s, 40, nil}, []Gap{{20 * s, 60 * s}}, "0───────2 s─────4 s─────6 s─────8 s─────"},
		{"nothing but a gap stays", hour, []Gap{{0, 3600 * s}}, "0───────────────────30:00───────────────"},
	}
	for _, c := range cases {
		if got := ruler(c.axis.Cut(c.gaps)); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestACutAxisKeepsTheOrderOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{From: 0, To: time.Duration(rapid.Int64Range(1, 1e13).Draw(t, "to")), Cells: rapid.IntRange(1, 200).Draw(t, "cells")}
		var gaps []Gap
		for at := time.Duration(0); at < a.To; {
			from := at + time.Duration(rapid.Int64Range(1, int64(a.To)).Draw(t, "from"))
			to := from + time.Duration(rapid.Int64Range(1, int64(a.To)).Draw(t, "length"))
			gaps, at = append(gaps, Gap{from, to}), to
		}
		a = a.Cut(gaps)
		last := -1
		for i := range 101 {
			d := a.Dot(a.From + time.Duration(float64(a.To-a.From)*float64(i)/100))
			if d < last || d > a.Cells*Dots {
				t.Fatalf("dot %d after %d of %d", d, last, a.Cells*Dots)
			}
			last = d
		}
		at := a.From
		for d := range a.Cells * Dots {
			if now := a.Time(d); now < at || now > a.To {
				t.Fatalf("dot %d begins at %v, the one before at %v", d, now, at)
			} else {
				at = now
			}
		}
	})
}
