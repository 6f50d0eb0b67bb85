package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Duration returns d to three digits or so, in the unit that suits it: "0 s", "850 µs", "1.5 ms", "312 ms", "1.42 s",
// "1m 04s", "2h 05m", "3d 04h". Rounding is half away from zero, and carries: 999.6 ms is "1.00 s".
func Duration(d time.Duration) string {
	if d < 0 {
		if d == math.MinInt64 {
			d++
		}
		return "-" + Duration(-d)
	}
	rounded := func(unit time.Duration) int64 {
		n := int64(d / unit)
		if d%unit >= unit-d%unit {
			n++
		}
		return n
	}
	switch {
	case d == 0:
		return "0 s"
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case rounded(100*time.Nanosecond) < 100:
		return tenths(rounded(100*time.Nanosecond), "µs")
	case rounded(time.Microsecond) < 1000:
		return fmt.Sprintf("%d µs", rounded(time.Microsecond))
	case rounded(100*time.Microsecond) < 100:
		return tenths(rounded(100*time.Microsecond), "ms")
	case rounded(time.Millisecond) < 1000:
		return fmt.Sprintf("%d ms", rounded(time.Millisecond))
	case rounded(10*time.Millisecond) < 6000:
		n := rounded(10 * time.Millisecond)
		return fmt.Sprintf("%d.%02d s", n/100, n%100)
	case rounded(time.Second) < 3600:
		n := rounded(time.Second)
		return fmt.Sprintf("%dm %02ds", n/60, n%60)
	case rounded(time.Minute) < 24*60:
		n := rounded(time.Minute)
		return fmt.Sprintf("%dh %02dm", n/60, n%60)
	}
	n := rounded(time.Hour)
	return fmt.Sprintf("%dd %02dh", n/24, n%24)
}

func tenths(n int64, unit string) string { return fmt.Sprintf("%d.%d %s", n/10, n%10, unit) }

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

// Percent returns a share as a percentage: "0 %", "<0.1 %", "0.4 %", "42 %", "99.6 %", "100 %". Only nothing is 0 % and only
// all is 100 %; what is no number is "?".
func Percent(f float64) string {
	p := f * 100
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "?"
	case p < 0:
		return "-" + Percent(-f)
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
func Count(n int64) string {
	s := fmt.Sprint(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
