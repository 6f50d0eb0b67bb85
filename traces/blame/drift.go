package blame

import (
	"math"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Drift says whether a time grows or shrinks within runs: from step to step, or as the input of the calls grows. Only steps and calls of
// the same run, model and agent are compared, so runs of different levels make no drift.
type Drift struct {
	Of        Quantity
	Over      Unit
	N         int           // steps or calls that were compared
	Runs      int           // runs that they are from; a run counts once for each model and agent in it
	Told      bool          // they are enough; else the fields below are 0
	Slope     time.Duration // how much longer for each unit; below 0: shorter
	Low, High time.Duration // its interval; those of all drifts of a Blame hold together with 95 %
	Seen      bool          // the interval does not hold 0
}

// A Quantity is a time that may drift.
type Quantity string

// The quantities.
const (
	StepTime     Quantity = "step time"             // from start to end
	FirstToken   Quantity = "time to first token"   // waiting, queueing and prefill of the final attempt; its TTFT where these are not known
	TimePerToken Quantity = "time per output token" // stalls left out
)

// A Unit is what a drift goes along with.
type Unit string

// The units.
const (
	PerStep        Unit = "step"
	PerInputTokens Unit = "1,000 input tokens"
)

// driftLevel is the level of each interval, so that of all of them that of a Blame is 95 % or more (Bonferroni's inequality): without
// any drift one is seen in at most one of twenty.
const driftLevel = 1 - 0.05/4

// drifts fits what may grow along with the context.
func drifts(runs []*measure.Run) []Drift {
	var steps, tokens, perStep, rate [][]stats.Point
	for _, r := range runs {
		var list []stats.Point
		for _, s := range r.Steps {
			list = append(list, stats.Point{X: float64(s.Index), Y: float64(s.Time())})
		}
		steps = append(steps, list)
		first, byTokens, paces := points(r)
		perStep, tokens, rate = append(perStep, first...), append(tokens, byTokens...), append(rate, paces...)
	}
	return []Drift{
		fit(StepTime, PerStep, steps),
		fit(FirstToken, PerStep, perStep),
		fit(FirstToken, PerInputTokens, tokens),
		fit(TimePerToken, PerInputTokens, rate),
	}
}

// points returns the observations of a run's calls, apart by model and by the agent or tool around them, which has a context of its
// own: time to first token by step and by input, time per token by input.
func points(r *measure.Run) (perStep, perTokens, rate [][]stats.Point) {
	type context struct {
		owner *traces.Span
		model string
	}
	contexts := map[context]int{}
	owners := make([]*traces.Span, len(r.Spans)) // the nearest agent or tool at or above each span; parents come before children
	for i, s := range r.Spans {
		if s.Role == traces.RoleAgent || s.Role == traces.RoleTool {
			owners[i] = s
		} else if s.Parent != nil {
			owners[i] = owners[s.Parent.Index]
		}
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Side || c.Outcome.Failed() {
			continue
		}
		key := context{owners[c.Span.Index], c.Model}
		k, ok := contexts[key]
		if !ok {
			k = len(contexts)
			contexts[key] = k
			perStep, perTokens, rate = append(perStep, nil), append(perTokens, nil), append(rate, nil)
		}
		wait, known := firstToken(c)
		if known && c.Step != nil {
			perStep[k] = append(perStep[k], stats.Point{X: float64(c.Step.Index), Y: float64(wait)})
		}
		if c.Usage.Input == nil {
			continue
		}
		input := float64(*c.Usage.Input) / 1000
		if known {
			perTokens[k] = append(perTokens[k], stats.Point{X: input, Y: float64(wait)})
		}
		if pace := perToken(c); pace != nil {
			rate[k] = append(rate[k], stats.Point{X: input, Y: float64(*pace)})
		}
	}
	return perStep, perTokens, rate
}

// firstToken returns how long a call waited for its first output, hidden reasoning left out where its window is known.
func firstToken(c *measure.Call) (time.Duration, bool) {
	var sum time.Duration
	known := false
	for _, p := range c.Answer.Phases {
		switch p.Component {
		case traces.Wait, traces.Queue, traces.Prefill:
			sum += p.End - p.Start
			known = true
		}
	}
	switch {
	case c.TTFT == nil:
		return 0, false
	case known:
		return sum, true
	}
	return *c.TTFT, true
}

func perToken(c *measure.Call) *time.Duration {
	if c.TPOTFlowing != nil {
		return c.TPOTFlowing
	}
	return c.TPOT
}

func fit(of Quantity, over Unit, strata [][]stats.Point) Drift {
	s, ok := stats.TheilSen(strata, driftLevel)
	d := Drift{Of: of, Over: over, N: s.N, Runs: s.Strata, Told: ok}
	if ok {
		d.Slope, d.Low, d.High, d.Seen = nanoseconds(s.PerX), nanoseconds(s.Interval.Low), nanoseconds(s.Interval.High), s.Drifts()
	}
	return d
}

func nanoseconds(ns float64) time.Duration { return time.Duration(math.Round(ns)) }
