package whatif

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
)

// A Point is how long a run would take with a target so many times as long.
type Point struct {
	Factor float64 // of the target's time; of decode.rate 0.5 is twice as fast
	Wall   time.Duration
}

// Factors are those of a curve, from as it was to nothing.
var Factors = []float64{1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0}

// Curve returns how long a run would take with a target at each of Factors of its time: this much faster, the run this much
// shorter.
func Curve(run *measure.Run, target Target) []Point {
	return Prepare(run, nil).Curve(Plan{}, target)
}

// Curve is the function of this name under a plan, whose edits of the target itself are left out.
func (p *Prepared) Curve(plan Plan, target Target) []Point { return p.sweep(plan, target).curve() }

func (w *sweep) curve() []Point {
	list := make([]Point, len(Factors))
	for i, f := range Factors {
		list[i] = Point{f, w.at(f)}
	}
	return list
}

// A Knee is where making a target shorter begins to help less, because the run begins to wait for something else.
type Knee struct {
	Target Target
	Factor float64 // of the target's time, from 0.05 to 0.99
	Wall   time.Duration
	Before float64 // how much shorter the run gets, per second that the target is made shorter in all, down to here
	After  float64 // the same from here on; less than Before; 0: nothing any more
	Then   Target  // what the run waits for in its place: a component or a tool; the zero Target: more than one thing, none of them much
}

// Knees returns the knees of a target under a plan, the first one first, at most three; none if the run does not wait for
// the target at all. Where hardly anything of the target's time is left, there is nothing to be gained by knowing that less would help less:
// that is no knee. Edits of the target itself are left out of the plan.
func (p *Prepared) Knees(plan Plan, target Target) []Knee { return p.sweep(plan, target).knees() }

func (w *sweep) knees() []Knee {
	const (
		most     = 3
		step     = 1.0 / 1024 // between two walls that give a slope
		halvings = 10         // to find a knee to 1/1024
		less     = 0.9        // of the slope before: what counts as a knee
		nothing  = 0.01       // second per second: what counts as no slope
		lowest   = 0.05       // factor of a knee
		highest  = 0.99       // likewise: above it are the ends of pieces too short to be seen
	)
	total := w.total.Seconds()
	slope := func(f float64) float64 { // just below f
		return (w.at(f) - w.at(f-step)).Seconds() / (step * total)
	}
	var list []Knee
	for high := 1.0; len(list) < most && total > 0 && high > lowest; {
		before := slope(high)
		if before < nothing || slope(lowest) >= less*before {
			break
		}
		low, top := lowest, high // the slope is less at low, and not at top
		for range halvings {
			middle := (low + top) / 2
			if slope(middle) >= less*before {
				top = middle
			} else {
				low = middle
			}
		}
		k := Knee{Target: w.target, Factor: low, Wall: w.at(low), Before: before, After: slope(low - step)}
		if k.After < nothing {
			k.After = 0
		}
		k.Then = w.then(min(top+2*step, high), max(low-2*step, 0))
		if k.Factor <= highest {
			list = append(list, k)
		}
		high = low - step
	}
	return list
}

// A sweep plays a scene again and again with one target shorter.
type sweep struct {
	*change
	target Target
	in     []bool          // kinds of the target
	base   []time.Duration // lengths at factor 1
	total  time.Duration   // of the target's parts
}

func (p *Prepared) sweep(plan Plan, target Target) *sweep {
	plan.Edits = slices.DeleteFunc(slices.Clone(plan.Edits), func(e Edit) bool { return e.Target == target })
	c := p.made(plan)
	w := &sweep{change: c, target: target, in: c.selected(target), base: slices.Clone(c.lengths)}
	for i, k := range c.kind {
		if w.in[k] {
			w.total += max(0, w.base[i])
		}
	}
	return w
}

// at returns the run's time with the target f times as long.
func (w *sweep) at(f float64) time.Duration {
	wall, _ := w.way(f)
	return wall
}

// way returns the same, and the parts that the run then waits for.
func (w *sweep) way(f float64) (time.Duration, []int32) {
	copy(w.lengths, w.base)
	w.scale(w.in, f)
	return w.replay.Way(w.lengths)
}

// then returns what the run waits for at low more than at high: what takes the place of a target.
func (w *sweep) then(high, low float64) Target {
	more := make([]time.Duration, len(w.kinds))
	for _, side := range []struct {
		factor float64
		sign   time.Duration
	}{{low, 1}, {high, -1}} {
		_, parts := w.way(side.factor)
		for _, i := range parts {
			more[w.kind[i]] += side.sign * w.lengths[i]
		}
	}
	var best Target
	var most time.Duration
	for k, d := range more {
		if t := w.kinds[k].target(); d > most || d == most && d > 0 && t.String() < best.String() {
			best, most = t, d
		}
	}
	return best
}
