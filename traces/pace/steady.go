package pace

import (
	"time"

	"github.com/seed46266073/longpole/traces/measure"
)

// Steadiness is how evenly streams came. A stall is a silence above the threshold that the recording was cut with.
type Steadiness struct {
	Calls    int            // streams that tell
	Stalled  int            // of those, with a stall
	Stalls   int            // in all of them
	WorstGap *time.Duration // the longest silence in any stream; nil where nothing tells
	Streamed time.Duration  // from the first to the last output, of all streams
	Silent   time.Duration  // part of Streamed that was stalls
}

// Share returns which part of the streams' time was stalls; nil where nothing tells.
func (s Steadiness) Share() *float64 {
	if s.Calls == 0 || s.Streamed <= 0 {
		return nil
	}
	share := s.share()
	return &share
}

func (s Steadiness) share() float64 { return float64(s.Silent) / float64(s.Streamed) }

// SteadinessOf adds up the streams of runs.
func SteadinessOf(runs []*measure.Run) Steadiness {
	var sum Steadiness
	for _, r := range runs {
		for i := range r.Calls {
			s, ok := steadinessOf(&r.Calls[i])
			if !ok {
				continue
			}
			sum.Calls++
			sum.Stalls += s.Stalls
			sum.Streamed += s.Streamed
			sum.Silent += s.Silent
			if s.Stalls > 0 {
				sum.Stalled++
			}
			if s.WorstGap != nil && (sum.WorstGap == nil || *s.WorstGap > *sum.WorstGap) {
				sum.WorstGap = s.WorstGap
			}
		}
	}
	return sum
}

// steadinessOf is false for what was no stream, or whose reader set the pace.
func steadinessOf(c *measure.Call) (Steadiness, bool) {
	if c.Delivery != measure.Streamed || c.Paced || c.TTFT == nil || c.LastToken == nil || *c.LastToken <= *c.TTFT {
		return Steadiness{}, false
	}
	s := Steadiness{Calls: 1, Stalls: len(c.Stalls), WorstGap: c.Gaps.Max, Streamed: *c.LastToken - *c.TTFT}
	for _, w := range c.Stalls {
		s.Silent += w.End - w.Start
	}
	s.Silent = min(s.Silent, s.Streamed)
	return s, true
}
