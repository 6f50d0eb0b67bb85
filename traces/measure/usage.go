package measure

import "github.com/seed46266073/longpole/traces"

// Usage is what was counted for a run, each call once.
type Usage struct {
	traces.Usage
	Uncounted int // model calls whose output nobody counted; above 0 the sums are lower bounds
}

func usageOf(run *traces.Run) Usage {
	u := Usage{Usage: run.Usage}
	for _, c := range run.ModelCalls {
		if c.Usage.Output == nil {
			u.Uncounted++
		}
	}
	if u.Uncounted == len(run.ModelCalls) && u.Output != nil {
		u.Uncounted = 0 // counted as a whole, not by call
	}
	return u
}
