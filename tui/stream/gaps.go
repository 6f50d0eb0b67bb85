package stream

import (
	"math"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// gaps are the times between neighbouring arrivals of a call's answer, shortest first.
type gaps struct {
	sorted []time.Duration
	stalls []stall
}

// A stall is a silence, in time since the call began.
type stall struct {
	at, length time.Duration
	before     traces.Component // the kind of output that came after it
}

func gapsOf(c *measure.Call) gaps {
	if c.Answer == nil || c.Answer.Chunks == nil {
		return gaps{}
	}
	g := gaps{sorted: c.Answer.Chunks.Gaps()}
	slices.Sort(g.sorted)
	for _, s := range c.Stalls {
		st := stall{at: s.Start - c.Start, length: s.End - s.Start}
		for _, k := range c.Answer.Chunks.List {
			if c.Answer.Span.Start+k.At >= s.End {
				st.before = k.Kind
				break
			}
		}
		g.stalls = append(g.stalls, st)
	}
	return g
}

// A bin counts the gaps of some lengths.
type bin struct {
	from, to time.Duration // from <= gap < to
	count    int
}

// bins spreads the gaps over at most n bins of equal width on a logarithmic scale, each as many to a decade as the others. A gap of 0 is in the
// first one.
func (g gaps) bins(n int) []bin {
	if len(g.sorted) == 0 || n < 1 {
		return nil
	}
	low, high := math.Log10(length(g.sorted[0])), math.Log10(length(g.sorted[len(g.sorted)-1]))
	low = max(low, high-6) // below a millionth of the longest nothing is to be seen
	first, decades := math.Floor(low), math.Ceil(high+1e-9)-math.Floor(low)
	per := max(1, math.Floor(float64(n)/decades))
	bins := make([]bin, 0, n)
	for i := range min(n, int(decades*per)) {
		bins = append(bins, bin{from: power(first + float64(i)/per), to: power(first + float64(i+1)/per)})
	}
	for _, d := range g.sorted {
		i := int((math.Log10(length(d)) - first) * per)
		bins[max(0, min(i, len(bins)-1))].count++
	}
	return bins
}

// length is d in nanoseconds, of which there is a logarithm.
func length(d time.Duration) float64 { return float64(max(d, 1)) }

func power(e float64) time.Duration { return time.Duration(math.Round(math.Pow(10, e))) }
