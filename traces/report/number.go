package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
)

// Duration returns d as traces.FormatDuration writes it: "312 ms", "1.42 s", "1m 04s".
func Duration(d time.Duration) string { return traces.FormatDuration(d) }

// DurationWidth is the width of DurationColumn in cells; only negative times of years are wider.
const DurationWidth = 8

// DurationColumn returns Duration(d) padded to DurationWidth so that numbers and units of a column stand below each
// other: "  312 ms", " 1.42 s ", "  1m 04s".
func DurationColumn(d time.Duration) string {
	s := Duration(d)
	if number, unit, _ := strings.Cut(s, " "); !strings.ContainsAny(number, "mhd") && len(unit) == 1 {
		s += " " // s is one cell narrower than ms, µs and ns
	}
	return strings.Repeat(" ", max(0, DurationWidth-ansi.StringWidth(s))) + s
}

// DifferenceColumn returns d padded and aligned as DurationColumn does, with its sign, in a cell more: "+1.42 s ", "−312 ms"; "-" for none.
func DifferenceColumn(d time.Duration) string {
	s := strings.TrimLeft(DurationColumn(d.Abs()), " ")
	switch {
	case d > 0:
		s = "+" + s
	case d < 0:
		s = "−" + s
	default:
		s = "-" + s[len(strings.TrimRight(s, " ")):]
	}
	return strings.Repeat(" ", max(0, DurationWidth+1-ansi.StringWidth(s))) + s
}

// signed is Duration with its sign: "+1.42 s", "−312 ms", "0 s".
func signed(d time.Duration) string {
	switch {
	case d > 0:
		return "+" + Duration(d)
	case d < 0:
		return "−" + Duration(d.Abs())
	}
	return Duration(d)
}

// signed aligns a signed duration as DurationColumn does.
func (p *page) signed(d time.Duration) string {
	if d == 0 {
		return strings.TrimLeft(p.column(d), " ")
	}
	return p.difference(d)
}

// minus writes the numbers of a text with the sign for minus.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// Percent returns a share as a percentage: "0 %", "<0.1 %", "0.4 %", "42 %", "99.6 %", "100 %". Only nothing is 0 % and only
// all is 100 %; what is no number is "?".
func Percent(f float64) string {
	p := f * 100
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "?"
	case p < 0:
		return "−" + Percent(-f)
	case p == 0 || p == 100:
		return fmt.Sprintf("%.0f %%", p)
	case p < 0.05:
		return "<0.1 %"
	case p < 0.95:
		return fmt.Sprintf("%.1f %%", p)
	case p > 99.9 && p < 100:
		return ">99.9 %"
	case p > 99 && p < 100:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// Count returns n with commas between thousands: "12,345".
func Count(n int64) string { return traces.FormatNumber(n) }
