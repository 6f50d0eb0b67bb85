package budget

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Verdict is how a budget stands.
type Verdict string

// The verdicts. Untold: the runs do not say; that is not Kept.
const (
	Kept   Verdict = "kept"
	Broken Verdict = "broken"
	Untold Verdict = "cannot be told"
)

// A Result is a budget held against a group of runs.
type Result struct {
	Budget  Budget
	Group   *measure.Group
	Verdict Verdict
	Value   *float64 // what was seen, in Unit; nil: nothing
	More    bool     // the value is more than that, by how much is not known: runs were cut off
	Unit    string   // "ns", "share" (0 to 1), "number"
	Seen    string   // the same as people read it: "1.42 s", "more than 30 s", "4.2 %"; "" if there is none
	Why     string   // what it was seen in, or why it cannot be told: "of 24 model calls"
}

// Check holds a budget against the runs of a group.
func (b Budget) Check(g *measure.Group) Result {
	v := b.value(g)
	result := Result{Budget: b, Group: g, Verdict: Untold, Unit: b.unit.String(), Why: v.why}
	if v.none {
		return result
	}
	result.Value, result.More, result.Seen = &v.low, v.high > v.low, b.write(v.low)
	if result.More {
		result.Seen = "more than " + result.Seen
	}
	switch low, high := b.holds(v.low), b.holds(v.high); {
	case low && high:
		result.Verdict = Kept
	case !low && !high:
		result.Verdict = Broken
	}
	return result
}

func (b Budget) holds(v float64) bool {
	switch b.op {
	case "<":
		return v < b.limit
	case "<=":
		return v <= b.limit
	case ">":
		return v > b.limit
	default:
		return v >= b.limit
	}
}

func (b Budget) write(v float64) string {
	switch b.unit {
	case duration:
		return traces.FormatDuration(time.Duration(math.Round(v)))
	case share:
		return strconv.FormatFloat(math.Round(v*1000)/10, 'f', -1, 64) + " %"
	default:
		return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	}
}

// A value is what was seen: low = high, or anything between the two where runs were cut off.
type value struct {
	low, high float64
	none      bool   // nothing can be said
	why       string // of what it is, or why there is none
}

func exactly(v float64, why string) value { return value{low: v, high: v, why: why} }

// aggregateOf returns what makes one value of many.
func aggregateOf(word string) (func(quantity, *measure.Group) value, bool) {
	switch word {
	case "median":
		return percentile(0.5), true
	case "mean":
		return mean, true
	case "min":
		return percentile(0), true
	case "max":
		return percentile(1), true
	}
	if m := aggregate.FindStringSubmatch(word); m != nil {
		p, err := strconv.ParseFloat(m[1], 64)
		return percentile(p / 100), err == nil && p > 0
	}
	return nil, false
}

func percentile(q float64) func(quantity, *measure.Group) value {
	return func(what quantity, g *measure.Group) value {
		s := what.sample(g)
		needed := stats.Needed(q)
		bounds, ok := s.Quantile(q)
		if q == 0.5 { // the middle of one value is that value
			needed = 1
			bounds, ok = s.Median()
		}
		if !ok {
			return value{none: true, why: tooFew(what, s, needed)}
		}
		return value{bounds.Low, bounds.High, false, seenIn(what, s)}
	}
}

// mean is at least what it would be if the runs that were cut off had ended then.
func mean(what quantity, g *measure.Group) value {
	s := what.sample(g)
	if s.N() == 0 {
		return value{none: true, why: tooFew(what, s, 1)}
	}
	sum := 0.0
	for _, x := range slices.Concat(s.Exact, s.Above) {
		sum += x
	}
	v := exactly(sum/float64(s.N()), seenIn(what, s))
	if len(s.Above) > 0 {
		v.high = math.Inf(1)
	}
	return v
}

func tooFew(what quantity, s sample, needed int) string {
	if s.N() == 0 {
		return "there is no " + what.of + " to tell it from" + s.leftOut()
	}
	return fmt.Sprintf("it takes %s, there are %d", traces.FormatCount(needed, what.of), s.N()) + s.leftOut()
}

func seenIn(what quantity, s sample) string {
	why := fmt.Sprintf("of %s", traces.FormatCount(s.N(), what.of))
	if n := len(s.Above); n > 0 {
		why += fmt.Sprintf(", %d cut off by a time limit", n)
	}
	return why + s.leftOut()
}

func (s sample) leftOut() string {
	return interrupted(s.interrupted)
}

func shareOf(part func(*measure.Run) time.Duration) func(*measure.Group) value {
	return func(g *measure.Group) value {
		var of, all float64
		for _, r := range g.Runs {
			of += float64(part(r))
			all += float64(r.Wall)
		}
		if all == 0 {
			return value{none: true, why: "the runs took no time"}
		}
		return exactly(of/all, fmt.Sprintf("of the time of %s", traces.FormatCount(g.N, "run")))
	}
}

// withCalls says of a value for one tool that no run called it, so that a misspelt name is seen.
func withCalls(tool string, of func(*measure.Group) value) func(*measure.Group) value {
	return func(g *measure.Group) value {
		v := of(g)
		for _, r := range g.Runs {
			if slices.ContainsFunc(r.ToolCalls, func(c measure.ToolCall) bool { return c.Name == tool }) {
				return v
			}
		}
		v.why += ", without a call of " + tool
		return v
	}
}

func success(g *measure.Group) value {
	if g.Success == nil {
		return value{none: true, why: "no run says how it ended"}
	}
	why := fmt.Sprintf("of %s", traces.FormatCount(g.Told(), "run")) + interrupted(g.Interrupted)
	if !g.Checked {
		why += " (finished; no answer was checked)"
	}
	return exactly(g.Success.Rate, why)
}

func runs(g *measure.Group) value {
	return exactly(float64(g.N-g.Interrupted), strings.TrimPrefix(interrupted(g.Interrupted), ", "))
}

// interrupted says how many runs do not count, because they were broken off or have not ended.
func interrupted(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d interrupted left out", n)
}
