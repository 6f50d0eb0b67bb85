package ceiling

import (
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// Measured is what the output rates of some runs amount to beside the ceiling of one stream.
type Measured struct {
	Calls   int         // whose output rate is known
	Models  int         // that answered them: above 1, a ceiling of one model is not that of all
	Share   *float64    // median part of its own ceiling that a call reached; nil without calls
	Over    int         // calls above their ceiling
	Highest *Assessment // of the call furthest above its ceiling, or nearest to it; nil without calls
}

// Measure holds the output rate of each model call against the ceiling of one stream with that call's context, which is taken
// to be its input, where that is known, else nothing: both are lower than the truth, so the ceiling is not.
func (s Setup) Measure(runs []*measure.Run) Measured {
	var m Measured
	var shares []float64
	models := map[string]bool{}
	highest := 0.0
	for _, r := range runs {
		for _, c := range r.Calls {
			if c.OutputRate == nil {
				continue
			}
			f := Figure{Rate: *c.OutputRate, Measured: true, Batch: 1}
			if c.Usage.Input != nil {
				context := float64(*c.Usage.Input)
				f.Context = &context
			}
			a := s.Assess(f)
			share := f.Rate / a.Ceiling
			shares = append(shares, share)
			models[c.Model] = true
			if a.Over() {
				m.Over++
			}
			if share > highest {
				highest, m.Highest = share, &a
			}
		}
	}
	m.Calls, m.Models = len(shares), len(models)
	if share, ok := stats.Median(shares); ok {
		m.Share = &share
	}
	return m
}
