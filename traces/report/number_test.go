package report_test

import (
	"fmt"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces/report"
)

func TestDuration(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		d            time.Duration
		want, column string
	}{
		{0, "0 s", "    0 s "},
		{1, "1 ns", "    1 ns"},
		{999, "999 ns", "  999 ns"},
		{1000, "1.0 µs", "  1.0 µs"},
		{1550, "1.6 µs", "  1.6 µs"},
		{9949, "9.9 µs", "  9.9 µs"},
		{9950, "10 µs", "   10 µs"},
		{850 * time.Microsecond, "850 µs", "  850 µs"},
		{999_499, "999 µs", "  999 µs"},
		{999_500, "1.0 ms", "  1.0 ms"},
		{1500 * time.Microsecond, "1.5 ms", "  1.5 ms"},
		{9_950_000, "10 ms", "   10 ms"},
		{312 * time.Millisecond, "312 ms", "  312 ms"},
		{999_499_999, "999 ms", "  999 ms"},
		{999_500_000, "1.00 s", " 1.00 s "},
		{1424 * time.Millisecond, "1.42 s", " 1.42 s "},
		{1425 * time.Millisecond, "1.43 s", " 1.43 s "},
		{14210 * time.Millisecond, "14.21 s", "14.21 s "},
		{59_994 * time.Millisecond, "59.99 s", "59.99 s "},
		{59_995 * time.Millisecond, "1m 00s", "  1m 00s"},
		{64 * time.Second, "1m 04s", "  1m 04s"},
		{59*time.Minute + 59_400*time.Millisecond, "59m 59s", " 59m 59s"},
		{59*time.Minute + 59_500*time.Millisecond, "1h 00m", "  1h 00m"},
		{2*time.Hour + 5*time.Minute, "2h 05m", "  2h 05m"},
		{day - 31*time.Second, "23h 59m", " 23h 59m"},
		{day - 30*time.Second, "1d 00h", "  1d 00h"},
		{3*day + 4*time.Hour, "3d 04h", "  3d 04h"},
		{400 * day, "400d 00h", "400d 00h"},
		{-312 * time.Millisecond, "-312 ms", " -312 ms"},
		{-14210 * time.Millisecond, "-14.21 s", "-14.21 s "},
		{math.MaxInt64, "106752d 00h", "106752d 00h"},
		{math.MinInt64, "-106752d 00h", "-106752d 00h"},
	} {
		t.Run(fmt.Sprint(int64(c.d)), func(t *testing.T) {
			if got := report.Duration(c.d); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := report.DurationColumn(c.d); got != c.column {
				t.Errorf("in a column: got %q, want %q", got, c.column)
			}
		})
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0 %"}, {1e-9, "<0.1 %"}, {0.0004, "<0.1 %"}, {0.0006, "0.1 %"}, {0.004, "0.4 %"}, {0.0094, "0.9 %"}, {0.0096, "1 %"},
		{0.42, "42 %"}, {0.425, "42 %"}, {0.99, "99 %"}, {0.996, "99.6 %"}, {0.9996, ">99.9 %"}, {1, "100 %"}, {1.5, "150 %"},
		{-0.29, "−29 %"}, {math.NaN(), "?"}, {math.Inf(1), "?"},
	} {
		if got := report.Percent(c.f); got != c.want {
			t.Errorf("%v: got %q, want %q", c.f, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := report.Count(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, s, want string }{
		{"plain text stays", "read_file config.yaml", "read_file config.yaml"},
		{"other scripts stay", "检索文件 étape", "检索文件 étape"},
		{"joined emoji and flags stay", "👩‍💻 🇯🇵", "👩‍💻 🇯🇵"},
		{"colours go", "\x1b[31mred\x1b[0m", "red"},
		{"terminal titles go", "\x1b]0;owned\x07name", "name"},
		{"eight-bit control sequences lose their effect", "a\u009b31mb", "a31mb"},
		{"control characters go", "a\x00\x08\x7fb", "ab"},
		{"tabs and line breaks are spaces", "a\tb\nc\r\u2028d", "a b c  d"},
		{"reordering marks go", "a\u202eb\u2066c", "abc"},
		{"invalid bytes are question marks", "a\xffb", "a?b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := report.Clean(c.s); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31m\u009b\xff👩‍💻")
	f.Fuzz(func(t *testing.T, s string) {
		got := report.Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q: not valid", got)
		}
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q still holds %q", got, r)
			}
		}
		if again := report.Clean(got); again != got {
			t.Errorf("cleaning twice: %q, then %q", got, again)
		}
	})
}

func FuzzDuration(f *testing.F) {
	f.Add(int64(999_500))
	f.Fuzz(func(t *testing.T, ns int64) {
		d := time.Duration(ns)
		if w := ansi.StringWidth(report.DurationColumn(d)); w != report.DurationWidth && d.Abs() < 1000*24*time.Hour && d >= 0 {
			t.Errorf("%d ns: %q is %d cells wide", ns, report.DurationColumn(d), w)
		}
	})
}

func ExampleDuration() {
	for _, d := range []time.Duration{850 * time.Microsecond, 312 * time.Millisecond, 1420 * time.Millisecond, 64 * time.Second} {
		fmt.Println(report.Duration(d))
	}
	// Output:
	// 850 µs
	// 312 ms
	// 1.42 s
	// 1m 04s
}
