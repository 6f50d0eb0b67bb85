package compare

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// text says what a pair shows, and no more: the time with its interval, or the smallest difference that would have been seen; then
// how often both were right.
func (p *Pair) text(made int) string {
	words := p.timeText(made)
	if s := p.successText(); s != "" {
		words += "; " + s
	}
	return words + "."
}

func (p *Pair) timeText(made int) string {
	a, b := p.A.Label(), p.B.Label()
	switch p.Verdict {
	case Faster, Slower:
		size, interval := p.sizeText()
		if size == "" {
			return fmt.Sprintf("%s is %s than %s%s, by how much cannot be told", b, p.Verdict, a, p.over())
		}
		return fmt.Sprintf("%s is %s %s than %s%s%s", b, size, p.Verdict, a, p.over(), interval)
	case NoneSeen:
		switch {
		case *p.Smallest == 0 && p.Method == TaskMeans:
			return fmt.Sprintf("No difference in time seen between %s and %s%s: it is the same in each", b, a, p.over())
		case *p.Smallest == 0:
			return fmt.Sprintf("No difference in time seen between %s and %s%s, nor within them: any would have been", b, a, p.over())
		}
		s := fmt.Sprintf("No difference in time seen between %s and %s%s: one of %s would have been seen four times in five", b, a, p.over(), percent(*p.Smallest))
		if p.RunsNeeded != nil {
			s += fmt.Sprintf("; the %s that it looks like would take about %d runs of each", percent(math.Abs(*p.Ratio-1)), rough(*p.RunsNeeded))
		}
		return s
	}
	if p.P == nil {
		return fmt.Sprintf("%s and %s cannot be compared in time: %s of %s were %s, %d of %s", b, a, traces.FormatCount(p.B.Succeeded, "run"), b, p.right(), p.A.Succeeded, a)
	}
	if math.IsInf(p.spread, 1) {
		return fmt.Sprintf("%s and %s cannot be told apart in time%s: too many runs were cut off", b, a, p.over())
	}
	s := fmt.Sprintf("Too few runs to compare %s with %s in time, %d against %d", b, a, p.NB, p.NA)
	if n := stats.NeededForP(alpha / float64(max(made, 1))); n > min(p.NA, p.NB) {
		s += fmt.Sprintf(": it takes at least %d of each for any difference to be told", n)
	}
	return s
}

// over says what was compared with what, where it was not simply all runs.
func (p *Pair) over() string {
	switch p.Method {
	case TaskMeans:
		return fmt.Sprintf(" over %d tasks", p.Tasks)
	case RanksByTask:
		return fmt.Sprintf(" within %d tasks", p.Tasks)
	}
	return ""
}

// sizeText returns the size of a difference and its interval: in time where the interval of the time is on the verdict's side too, else as
// a share, as also where runs of several tasks were compared. Both are "" where nothing bounds it.
func (p *Pair) sizeText() (size, interval string) {
	shift, low, high := p.Shift, p.ShiftLow, p.ShiftHigh
	if p.Verdict == Faster {
		shift, low, high = negated(shift), negated(high), negated(low)
	}
	switch {
	case low == nil || *low <= 0 || p.Method == RanksByTask && p.Ratio != nil: // times of unlike tasks have no common middle
	case shift == nil:
		return "at least " + traces.FormatDuration(*low), ""
	case high == nil:
		return traces.FormatDuration(*shift), fmt.Sprintf(" (at least %s)", traces.FormatDuration(*low))
	default:
		return traces.FormatDuration(*shift), fmt.Sprintf(" (%s)", between(traces.FormatDuration(*low), traces.FormatDuration(*high)))
	}
	if p.Ratio == nil {
		return "", ""
	}
	size = percent(math.Abs(*p.Ratio - 1))
	if p.RatioLow == nil || p.RatioHigh == nil {
		return size, ""
	}
	from, to := *p.RatioLow-1, *p.RatioHigh-1
	if p.Verdict == Faster {
		from, to = -to, -from
	}
	return size, signed(" (%.0f to %.0f %%)", from*100, to*100)
}

func negated(d *time.Duration) *time.Duration {
	if d == nil {
		return nil
	}
	v := -*d
	return &v
}

// between joins two times, with the unit once where both share it.
func between(a, b string) string {
	if a == b {
		return a
	}
	x, unit, _ := strings.Cut(a, " ")
	if strings.HasSuffix(b, " "+unit) && !strings.ContainsAny(x, "mhd") {
		return x + "–" + b
	}
	return a + "–" + b
}

// successText says whether one of them was right more often.
func (p *Pair) successText() string {
	r := p.Success
	if r == nil {
		return ""
	}
	a, b := percent(p.A.Success.Rate), percent(p.B.Success.Rate)
	span := signed("%+.0f to %+.0f points", math.Round(100*r.Low)+0, math.Round(100*r.High)+0) // + 0: there is no -0
	runs := traces.FormatCount(min(p.A.Told(), p.B.Told()), "run")
	does := " do"
	if min(p.A.Told(), p.B.Told()) == 1 {
		does = " does"
	}
	done := p.right()
	switch {
	case r.told() && r.Rate > 0:
		return fmt.Sprintf("%s more often, %s of runs against %s (%s)", done, b, a, span)
	case r.told():
		return fmt.Sprintf("%s less often, %s of runs against %s (%s)", done, b, a, span)
	}
	if r.Low > 0 || r.High < 0 {
		return fmt.Sprintf("%s in %s of runs against %s (%s), which %s not settle", done, b, a, span, runs+does)
	}
	return fmt.Sprintf("%s as often within what %s can show, %s of runs against %s (%s)", done, runs, b, a, span)
}

// signed is fmt.Sprintf with minus signs.
func signed(format string, args ...any) string {
	return strings.ReplaceAll(fmt.Sprintf(format, args...), "-", "−")
}

// right is what a run that counts is.
func (p *Pair) right() string {
	if unchecked(p.A) || unchecked(p.B) {
		return "finished"
	}
	return "right"
}

func unchecked(g *measure.Group) bool { return !g.Checked && g.Succeeded > 0 }

func percent(share float64) string {
	if p := share * 100; p > 0 && p < 0.95 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

// rough rounds a number of runs up to two digits, which is more than an estimate deserves.
func rough(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}
