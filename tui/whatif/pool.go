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
	wall       time.Duration // of the run, the median of several
	mean       time.Duration
	components []component // means, in the order of display; they add up to mean but for rounding
}

// A component is the mean time of one component.
type component struct {
	traces.Component
	mean float64
}

// total returns what the runs take under a plan, and what that is made of.
func (p *pool) total(plan whatif.Plan) answer {
	var a answer
	walls, sums, sum := make([]time.Duration, len(p.runs)), map[traces.Component]float64{}, 0.0
	for i, run := range p.runs {
		g := run.Glance(plan)
		walls[i] = g.Wall
		sum += float64(g.Wall)
		for _, c := range g.Components {
			sums[c.Component] += float64(c.Time)
		}
	}
	n := float64(max(1, len(p.runs)))
	a.wall, a.mean = median(walls), time.Duration(sum/n+0.5)
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
	return median(walls)
}

// span returns the medians of the ends of the range.
func (p *pool) span(plan whatif.Plan) (low, high time.Duration) {
	lows, highs := make([]time.Duration, len(p.runs)), make([]time.Duration, len(p.runs))
	for i, run := range p.runs {
		lows[i], highs[i] = run.Range(plan)
	}
	return median(lows), median(highs)
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

// bends are the first knees of a target.
type bends struct {
	runs   int     // that have one
	factor float64 // of the target's time, the median of them
	then   whatif.Target
}

// leastKnee is the least factor of a knee that is told: nothing much is left to be saved below it.
const leastKnee = 0.05

// bends finds the first knee of a target in each run.
func (p *pool) bends(plan whatif.Plan, target whatif.Target) bends {
	var factors []float64
	thens := map[whatif.Target]int{}
	for _, run := range p.runs {
		if knees := run.Knees(plan, target); len(knees) > 0 && knees[0].Factor >= leastKnee {
			factors = append(factors, knees[0].Factor)
			thens[knees[0].Then]++
		}
	}
	b := bends{runs: len(factors)}
	if b.runs == 0 {
		return b
	}
	slices.Sort(factors)
	b.factor = (factors[(b.runs-1)/2] + factors[b.runs/2]) / 2
	for then, n := range thens {
		if n > thens[b.then] || n == thens[b.then] && then.String() < b.then.String() {
			b.then = then
		}
	}
	return b
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
