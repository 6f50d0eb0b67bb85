package bench

import (
	"math"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/stats"
)

// level is the confidence of the interval that Plan.Until is about.
const level = 0.95

// A Precision is how well the times of a plan's settings are known after some trials: that of the setting known worst.
type Precision struct {
	Setting string  // which that is
	Width   float64 // half of the 95 % interval of the median time to a correct answer, over the median; +Inf: not known yet
	Trials  int     // complete ones
	More    int     // about how many more trials would make Width the plan's Until; 0: none; -1: cannot be told, or, if Width is known, beyond counting
}

// Precision returns how well the settings are known from runs: those of complete trials only, counted from the first.
//
// Stopping when an interval is narrow enough keeps its level as the width asked for shrinks (Y. S. Chow and H. Robbins, "On the
// asymptotic theory of fixed-width sequential confidence intervals for the mean", 1965). How many more trials it takes is told from
// widths shrinking with the square root of their number.
func (p *Plan) Precision(runs []Run) Precision {
	o := p.order("")
	count := map[int]int{}
	for _, r := range runs {
		count[r.Trial]++
	}
	worst := Precision{Width: -1, More: -1}
	for count[worst.Trials+1] == o.size() {
		worst.Trials++
	}
	for _, s := range o.settings {
		var sample stats.Sample
		for _, r := range runs {
			if r.Trial > worst.Trials || !r.of(s) {
				continue
			}
			switch r.Result.Outcome {
			case traces.OK:
				sample.Exact = append(sample.Exact, float64(r.Time))
			case traces.Timeout:
				sample.Above = append(sample.Above, float64(r.Time))
			}
		}
		if width := relativeWidth(sample); width > worst.Width {
			worst.Width, worst.Setting = width, o.label(s)
		}
	}
	switch {
	case worst.Width <= p.Until:
		worst.More = 0
	case !math.IsInf(worst.Width, 1) && p.Until > 0:
		ratio := worst.Width / p.Until
		if more := math.Ceil(float64(worst.Trials) * (ratio*ratio - 1)); more < math.MaxInt/2 {
			worst.More = max(1, int(more))
		}
	}
	return worst
}

func relativeWidth(sample stats.Sample) float64 {
	median, ok := sample.Median()
	interval, told := sample.MedianInterval(level)
	if !ok || !told || median.Low <= 0 || math.IsInf(interval.High, 1) {
		return math.Inf(1)
	}
	return (interval.High - interval.Low) / 2 / median.Low
}

// of reports whether the run is one of a setting.
func (r *Run) of(s *setting) bool {
	for key, value := range s.tags {
		if r.Group[key] != value {
			return false
		}
	}
	return true
}
