package budget

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Regression is how a group stands against the runs of the same setting in a baseline. It is Broken only where the whole 95 %
// interval lies beyond what is allowed, and Kept only where none of it does, so noise does neither; Untold is what lies between.
type Regression struct {
	Group     *measure.Group
	Measure   string // "time" to a correct answer, or "success"
	Verdict   Verdict
	Change    *float64 // of time the ratio now ÷ baseline, of success the difference now − baseline; nil where it cannot be told
	Low, High *float64 // its 95 % interval
	Needed    *int     // runs of each that would make the interval narrow enough to tell; nil if it is told, or more than 10,000
	Alone     bool     // only one of the two has runs of the setting
	Text      string   // one sentence
}

// Regressions holds groups against those of a baseline with the same key: the time to a correct answer may be longer by the
// share allowed, 0 to 1, and the success rate lower by as much. A group without a counterpart is Untold, on either side.
func Regressions(baseline, now []measure.Group, allowed float64) []Regression {
	var list []Regression
	for i := range now {
		g := &now[i]
		k := same(baseline, g)
		if k < 0 {
			list = append(list, alone(g, "the baseline holds no runs of it"))
			continue
		}
		pair := compare.Groups([]measure.Group{baseline[k], *g}, compare.Options{Pairs: compare.First})[0]
		list = append(list, slower(g, pair, allowed))
		if pair.Success != nil {
			list = append(list, lessRight(g, pair, allowed))
		}
	}
	for i := range baseline {
		if g := &baseline[i]; same(now, g) < 0 {
			list = append(list, alone(g, "only the baseline holds runs of it"))
		}
	}
	return list
}

// same returns where the group with g's key is; -1 if there is none.
func same(groups []measure.Group, g *measure.Group) int {
	return slices.IndexFunc(groups, func(other measure.Group) bool { return maps.Equal(other.Key, g.Key) })
}

func alone(g *measure.Group, why string) Regression {
	return Regression{Group: g, Measure: "time", Verdict: Untold, Alone: true, Text: g.Label() + ": " + why}
}

func slower(g *measure.Group, p compare.Pair, allowed float64) Regression {
	r := Regression{Group: g, Measure: "time", Verdict: Untold, Change: p.Ratio, Low: p.RatioLow, High: p.RatioHigh}
	limit := 1 + allowed
	switch {
	case p.RatioLow != nil && *p.RatioLow > limit:
		r.Verdict = Broken
	case p.RatioHigh != nil && *p.RatioHigh <= limit:
		r.Verdict = Kept
	}
	at := g.Label() + ": time to a correct answer"
	switch {
	case p.Ratio == nil:
		r.Text = at + " cannot be compared: too few correct runs, or too many cut off"
	case p.RatioLow == nil || p.RatioHigh == nil:
		r.Text = fmt.Sprintf("%s %s the baseline's; %d and %d runs are too few for an interval", at, factor(*p.Ratio), p.NA, p.NB)
	default:
		r.Text = fmt.Sprintf("%s %s the baseline's (95 %%: %.2f–%.2f; at most %.2f allowed)", at, factor(*p.Ratio), *p.RatioLow, *p.RatioHigh, limit)
	}
	if r.Verdict == Untold && p.Ratio != nil && p.RatioLow != nil && p.RatioHigh != nil {
		r.need(max(p.NA, p.NB), math.Log(*p.Ratio), math.Log(*p.RatioLow), math.Log(*p.RatioHigh), math.Log(limit))
	}
	return r
}

// mostNeeded is the highest number of runs that is named: nobody makes more to tell a difference that small.
const mostNeeded = 10_000

// need says how many runs of each would tell on which side of the limit the estimate lies: the interval narrows with the square root of
// their number, and has to end before the limit.
func (r *Regression) need(runs int, estimate, low, high, limit float64) {
	present := high - estimate
	if estimate > limit {
		present = estimate - low
	}
	n := math.Ceil(float64(runs) * math.Pow(present/math.Abs(estimate-limit), 2))
	if !(n <= mostNeeded) { // or no number
		r.Text += fmt.Sprintf("; it would take more than %s runs of each to tell", traces.FormatNumber(mostNeeded))
		return
	}
	needed := max(int(n), runs+1)
	r.Needed = &needed
	r.Text += fmt.Sprintf("; about %s of each would tell", traces.FormatCount(needed, "run"))
}

func factor(ratio float64) string { return fmt.Sprintf("%.2f ×", ratio) }

func lessRight(g *measure.Group, p compare.Pair, allowed float64) Regression {
	s := p.Success
	r := Regression{Group: g, Measure: "success", Verdict: Untold, Change: &s.Rate, Low: &s.Low, High: &s.High}
	switch {
	case s.High < -allowed:
		r.Verdict = Broken
	case s.Low >= -allowed:
		r.Verdict = Kept
	}
	points := func(f float64) string {
		return strings.ReplaceAll(fmt.Sprintf("%+.0f", math.Round(f*100)+0), "-", "−")
	}
	r.Text = fmt.Sprintf("%s: success %s points against the baseline (95 %%: %s to %s; at least %s allowed)",
		g.Label(), points(s.Rate), points(s.Low), points(s.High), points(-allowed))
	if r.Verdict == Untold {
		r.need(max(p.A.Told(), p.B.Told()), s.Rate, s.Low, s.High, -allowed)
	}
	return r
}
