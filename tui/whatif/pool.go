package whatif

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/whatif"
)

// A pool answers plans for some runs together. It is for one goroutine at a time.
type pool struct {
	runs  []*whatif.Prepared
	ready bool // the first answers, which take long, have been given
}

func newPool(runs []*measure.Run) *pool {
	return &pool{runs: whatif.PrepareAll(runs)}
}

// An answer is what runs take together.
type answer struct {
	wall       time.Duration // of the run, the mean of several
	median     time.Duration // likewise
	components []component   // means, in the order of display; they add up to wall but for rounding
}

// A component is the mean time of one component.
type component struct {
	traces.Component
	mean float64
}

// total returns what the runs take under a plan, and what that is made of.
func (p *pool) total(plan whatif.Plan) answer {
	var a answer
	walls, sums := make([]time.Duration, len(p.runs)), map[traces.Component]float64{}
	for i, run := range p.runs {
		g := run.Glance(plan)
		walls[i] = g.Wall
		for _, c := range g.Components {
			sums[c.Component] += float64(c.Time)
		}
	}
	n := float64(max(1, len(p.runs)))
	a.wall, a.median = mean(walls), median(walls)
	for _, c := range traces.Components {
		if sums[c] > 0 {
			a.components = append(a.components, component{c, sums[c] / n})
		}
	}
	return a
}

// wall returns what the runs take under a plan.
func (p *pool) wall(plan whatif.Plan) time.Duration {
	walls := make([]time.Duration, len(p.runs))
	for i, run := range p.runs {
		walls[i] = run.Glance(plan).Wall
	}
	return mean(walls)
}

// span returns the means of the ends of the range.
func (p *pool) span(plan whatif.Plan) (low, high time.Duration) {
	lows, highs := make([]time.Duration, len(p.runs)), make([]time.Duration, len(p.runs))
	for i, run := range p.runs {
		lows[i], highs[i] = run.Range(plan)
	}
	return mean(lows), mean(highs)
}

// assumed returns what a plan takes for granted in any run, each sentence once; never nil.
func (p *pool) assumed(plan whatif.Plan) []string {
	list := []string{}
	for _, run := range p.runs {
		for _, s := range run.Assumed(plan) {
			if !slices.Contains(list, s) && len(list) < mostSentences {
				list = append(list, s)
			}
		}
	}
	return list
}

// mostSentences is how many sentences anybody would read.
const mostSentences = 40

// bend finds where going on with a target begins to help less.
func (p *pool) bend(plan whatif.Plan, target whatif.Target) whatif.Bend {
	knees := make([][]whatif.Knee, len(p.runs))
	for i, run := range p.runs {
		knees[i] = run.Knees(plan, target)
	}
	return whatif.BendOf(knees)
}

// median returns the middle of times, which are put in order; of two middles the mean.
func median(times []time.Duration) time.Duration {
	n := len(times)
	if n == 0 {
		return 0
	}
	slices.Sort(times)
	low, high := times[(n-1)/2], times[n/2]
	return low + (high-low)/2
}

// mean returns the mean of times, rounded down; no sum is too long for it.
func mean(times []time.Duration) time.Duration {
	n := time.Duration(len(times))
	if n == 0 {
		return 0
	}
	var whole, rest time.Duration
	for _, d := range times {
		whole += d / n
		rest += d % n
	}
	return whole + rest/n
}
