package traces

import (
	"fmt"
	"math"
	"time"
)

// FormatDuration returns d to three digits or so, in the unit that suits it: "0 s", "850 µs", "1.5 ms", "312 ms", "1.42 s",
// "1m 04s", "2h 05m", "3d 04h". Rounding is half away from zero, and carries: 999.6 ms is "1.00 s".
func FormatDuration(d time.Duration) string {
	if d < 0 {
		if d == math.MinInt64 {
			d++
		}
		return "-" + FormatDuration(-d)
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
