package measure

import (
	"math"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/stats"
)

// apart is by how much two humps must differ to be told of: the upper median over the lower one.
const apart = 1.5

// humps says that the times to first token fall into two groups: then their median is of neither. It
// looks at logarithms, and at groups of one model only; "" where there is one hump, or too few calls to tell.
func humps(runs []*Run) string {
	var logs []float64
	model := ""
	for _, r := range runs {
		for _, c := range r.Calls {
			if c.Side || c.TTFT == nil || *c.TTFT <= 0 || c.Delivery != Streamed {
				continue
			}
			if model != "" && c.Model != model {
				return ""
			}
			model = c.Model
			logs = append(logs, math.Log(float64(*c.TTFT)))
		}
	}
	two, ok := stats.TwoHumps(logs)
	if !ok {
		return ""
	}
	low, _ := stats.Median(two.Low)
	high, _ := stats.Median(two.High)
	if high-low < math.Log(apart) {
		return ""
	}
	at := func(log float64) string { return traces.FormatDuration(time.Duration(math.Round(math.Exp(log)))) }
	s := "times to first token fall into two groups: about " + at(low) + " in " + traces.FormatCount(len(two.Low), "call") + " and " + at(high) + " in " +
		traces.FormatCount(len(two.High), "call")
	if !slices.ContainsFunc(runs, loaded) {
		s += "; a cache that is sometimes cold is one possible reason"
	}
	return s
}

// loaded reports whether a run shared its server with others, so that calls may have queued.
func loaded(r *Run) bool {
	return r.Group["rate"] != "" || r.Group["concurrency"] != "" && r.Group["concurrency"] != "1"
}
