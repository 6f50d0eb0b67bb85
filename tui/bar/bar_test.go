package bar

import (
	"flag"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/theme"
)

// Randomness comes from a seed; -rapid.seed gives another.
func init() { _ = flag.Set("rapid.seed", "1") }

var (
	tool   = Of(traces.Tool, true)
	output = Of(traces.Output, true)
	aside  = Of(traces.Tool, false)
)

func draw(profile colorprofile.Profile, r Raster, layers ...Layer) string {
	t := theme.New(true, profile, false)
	l := cell.NewLine(t, len(r)/Dots, false)
	Draw(l, t, r, layers...)
	return ansi.Strip(l.String())
}

func TestDraw(t *testing.T) {
	fill := func(cells int, stretches ...int) Raster { // from, to, ink
		r := New(cells)
		for i := 0; i < len(stretches); i += 3 {
			r.Fill(stretches[i], stretches[i+1], Ink(stretches[i+2]))
		}
		return r
	}
	cases := []struct {
		name    string
		profile colorprofile.Profile
		raster  Raster
		want    string
	}{
		{"an end inside a cell is drawn to an eighth", colorprofile.TrueColor, fill(3, 0, 11, int(tool)), "█▍ "},
		{"a start inside a cell leaves the left blank", colorprofile.TrueColor, fill(3, 3, 16, int(tool)), "▍█ "},
		{"what is shorter than a dot is seen", colorprofile.TrueColor, fill(2, 0, 0, int(tool)), "▏ "},
		{"what is short and late in its cell is drawn late", colorprofile.TrueColor, fill(2, 5, 6, int(tool)), "▐ "},
		{"two inks share a cell", colorprofile.TrueColor, fill(2, 0, 4, int(tool), 4, 16, int(output)), "▌█"},
		{"a long stretch carries its letter", colorprofile.TrueColor, fill(5, 0, 40, int(tool)), "T████"},
		{"without shades what is off the path has another shape", colorprofile.ANSI, fill(2, 0, 16, int(aside)), "▒▒"},
		{"without colour there are letters", colorprofile.ASCII, fill(4, 0, 16, int(tool), 16, 22, int(output)), "TTo "},
		{"without colour most of a cell decides", colorprofile.ASCII, fill(2, 0, 3, int(tool), 3, 16, int(output)), "oo"},
	}
	for _, c := range cases {
		if got := draw(c.profile, c.raster); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestALayerShowsWhereNothingIs(t *testing.T) {
	r := New(6)
	r.Fill(8, 24, tool)
	if got, want := draw(colorprofile.ASCII, r, Layer{From: 0, To: 5, Glyph: "-"}), "-TT-- "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStackFillsTheBarExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 120).Draw(t, "cells")
		values := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 12).Draw(t, "values")
		var parts []Part
		var sum time.Duration
		for i, v := range values {
			parts = append(parts, Part{Ink: Ink(i + 1), Value: time.Duration(v)})
			sum += time.Duration(v)
		}
		r := Stack(cells, 0, parts)
		seen := map[Ink]int{}
		last := Ink(0)
		for _, ink := range r {
			if ink < last {
				t.Fatalf("parts are out of order: %v", r)
			}
			last = ink
			seen[ink]++
		}
		if sum > 0 && seen[0] > 0 {
			t.Fatalf("%d dots are blank", seen[0])
		}
		for i, v := range values {
			exact := 0.0
			if sum > 0 {
				exact = float64(v) / float64(sum) * float64(len(r))
			}
			if d := float64(seen[Ink(i+1)]) - exact; d < -float64(len(values)) || d > 1 {
				t.Errorf("part %d has %d dots, its share is %.2f", i, seen[Ink(i+1)], exact)
			}
			if v > 0 && seen[Ink(i+1)] == 0 && cells > 12 {
				t.Errorf("part %d is not seen", i)
			}
		}
	})
}

func TestStackKeepsTheScaleOfATotal(t *testing.T) {
	r := Stack(10, 10*time.Second, []Part{{Ink: tool, Value: 5 * time.Second}})
	if r[39] != tool || r[40] != 0 {
		t.Errorf("half of the total is not half of the bar: %v", r)
	}
	r = Stack(10, time.Hour, []Part{{Ink: tool, Value: time.Millisecond}})
	if r[0] != tool || r[1] != 0 {
		t.Errorf("a little is not the least that is seen: %v", r)
	}
}

func TestTicksAreRound(t *testing.T) {
	cases := []struct {
		from, to time.Duration
		cells    int
		want     string
	}{
		{0, 14210 * time.Millisecond, 60, "0 2 s 4 s 6 s 8 s 10 s 12 s"},
		{3 * time.Second, 3400 * time.Millisecond, 40, "3.0 s 3.1 s 3.2 s 3.3 s"},
		{0, 900 * time.Microsecond, 40, "0 200 µs 400 µs 600 µs"},
		{0, 25 * time.Minute, 40, "0 5:00 10:00 15:00 20:00"},
		{0, 5 * time.Hour, 40, "0 1:00:00 2:00:00 3:00:00 4:00:00"},
		{0, 1, 20, "0"},
		{0, 1<<63 - 1, 80, ""},
	}
	for _, c := range cases {
		got := ""
		for _, k := range Ticks(Axis{From: c.from, To: c.to, Cells: c.cells}) {
			if got != "" {
				got += " "
			}
			got += k.Label
		}
		if c.want != "" && got != c.want {
			t.Errorf("from %v to %v on %d cells: %q, want %q", c.from, c.to, c.cells, got, c.want)
		}
	}
}
