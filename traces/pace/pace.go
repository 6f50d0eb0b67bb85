// Package pace says whether a model is fast enough for what it is used for.
//
// In go the runs of a group and a table of uses with what each needs (how soon something must be seen, how fast text must come, how
// long a silence may last), out come, for each use and limit, the share of calls that kept it and a verdict. The built-in
// table is targets.yaml in this package, with its sources; a user's own takes its place.
//
// A limit is met or missed only where the 95 % interval of that share leaves no doubt; from few calls it is unclear. What
// was not seen (no stream, no text, a reader that set the pace) is not judged. Calls of one run are alike, so from few runs the
// interval is rather too narrow.
package pace

import (
	"time"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Verdict is what the data say of a limit, or of all limits of a use.
type Verdict string

// The verdicts, from best to worst; of several limits the worst counts.
const (
	CostOnly Verdict = "cost only" // time does not matter
	Meets    Verdict = "meets"
	Unclear  Verdict = "unclear" // too few to tell
	Unknown  Verdict = "unknown" // nothing was seen that could tell
	Misses   Verdict = "misses"
)

var worst = []Verdict{CostOnly, Meets, Unclear, Unknown, Misses}

// A Finding is what a group's runs are worth for a use.
type Finding struct {
	Use     Use
	Verdict Verdict
	Checks  []Check // a limit each, in the order of the table's fields
}

// A Check is how often one limit was kept.
type Check struct {
	Limit   Limit
	N, Kept int     // calls, or runs, that tell
	Low     float64 // 95 % Wilson interval of the share kept
	High    float64
	Median  float64 // of what was limited, in the limit's unit; meaningless for N = 0
	Beyond  bool    // the median rate is above what still makes a difference
	Verdict Verdict
}

// Judge says what a group is worth for each use.
func (t Targets) Judge(g *measure.Group) []Finding {
	var list []Finding
	for _, use := range t.Uses {
		f := Finding{Use: use, Verdict: Meets}
		if use.CostOnly {
			f.Verdict = CostOnly
		}
		for _, limit := range use.Limits {
			c := check(limit, use.Share, seen(limit, g.Runs))
			f.Checks = append(f.Checks, c)
			f.Verdict = worse(f.Verdict, c.Verdict)
		}
		list = append(list, f)
	}
	return list
}

func worse(a, b Verdict) Verdict {
	for _, v := range worst {
		if v == a {
			return b
		}
		if v == b {
			return a
		}
	}
	return a
}

func check(limit Limit, share float64, values []float64) Check {
	c := Check{Limit: limit, N: len(values), Verdict: Unknown}
	for _, v := range values {
		if limit.keeps(v) {
			c.Kept++
		}
	}
	i := stats.Wilson(c.Kept, c.N, level)
	c.Low, c.High = i.Low, i.High
	c.Median, _ = stats.Median(values)
	switch {
	case c.N == 0:
		return c
	case c.Low >= share:
		c.Verdict = Meets
	case c.High < share:
		c.Verdict = Misses
	default:
		c.Verdict = Unclear
	}
	c.Beyond = limit.What == Rate && limit.High > 0 && c.Median > limit.High
	return c
}

// level is the confidence of the intervals.
const level = 0.95

// seen returns what a limit is of, as far as the runs tell, in the limit's unit: seconds, tokens per second or a share. Side calls and
// calls without an answer are left out; of whole runs, those without a correct answer, unless they were cut off after the limit.
func seen(limit Limit, runs []*measure.Run) []float64 {
	var list []float64
	for _, r := range runs {
		if limit.What == Answer {
			if t := r.Time().Seconds(); r.Correct() || r.CutOff() && t > limit.High {
				list = append(list, t)
			}
			continue
		}
		for i := range r.Calls {
			c := &r.Calls[i]
			if c.Side || c.Outcome.Failed() {
				continue
			}
			if v, ok := of(limit.What, c); ok {
				list = append(list, v)
			}
		}
	}
	return list
}

func of(what Measure, c *measure.Call) (float64, bool) {
	switch what {
	case FirstOutput:
		return seconds(c.FeltTTFT)
	case FirstText:
		if c.FirstVisible == nil || c.TTFT == nil || c.FeltTTFT == nil {
			return 0, false
		}
		felt := *c.FeltTTFT - *c.TTFT + *c.FirstVisible
		return felt.Seconds(), true
	case Rate:
		if c.OutputRate == nil {
			return 0, false
		}
		return *c.OutputRate, true
	}
	s, ok := steadinessOf(c)
	if what == WorstGap {
		if !ok {
			return 0, false
		}
		return seconds(s.WorstGap)
	}
	return s.share(), ok
}

func seconds(d *time.Duration) (float64, bool) {
	if d == nil {
		return 0, false
	}
	return d.Seconds(), true
}
