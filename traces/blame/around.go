package blame

import (
	"math"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Composition is where the time of the runs around a percentile went.
type Composition struct {
	Quantile   float64 // 0 to 1
	Runs       int
	Low, High  time.Duration           // the shortest and the longest of them
	MeanWall   time.Duration           // of them
	Components []measure.ComponentMean // in the order of display; they add up to MeanWall exactly
}

// Around returns the mean composition of the runs around the quantile q of the wall time, 0 to 1: the one at the nearest rank and a
// tenth of all runs to each side, at least one. Unlike the percentiles of components, it adds up. ok is false where there
// are too few runs to have seen the quantile, and below 20.
func (b *Blame) Around(q float64) (c Composition, ok bool) {
	n := len(b.byWall)
	if n < leastRuns || n < stats.Needed(q) {
		return Composition{}, false
	}
	rank := min(max(int(math.Ceil(q*float64(n)-1e-9)), 1), n) - 1
	window := max(1, n/10)
	runs := b.byWall[max(0, rank-window):min(n, rank+window+1)]
	c = Composition{Quantile: q, Runs: len(runs), Low: runs[0].Wall, High: runs[len(runs)-1].Wall}
	c.MeanWall, c.Components = measure.Means(runs)
	return c, true
}

// leastRuns is how many runs there must be to tell typical from slow ones.
const leastRuns = 20
