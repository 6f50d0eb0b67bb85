package stats

import (
	"math"
	"slices"
)

// An Interval holds the value sought with the level it was made for. High may be +Inf.
type Interval struct {
	Low, High float64
}

// Overlaps reports whether the two intervals have a value in common.
func (i Interval) Overlaps(other Interval) bool {
	return i.Low <= other.High && other.Low <= i.High
}

// Wilson returns the score interval of a rate of which k of n were seen (E. B. Wilson, "Probable inference, the law of
// succession, and statistical inference", 1927), 0 <= Low <= k/n <= High <= 1. Unlike the textbook interval it stays
// sensible at 0 of n and n of n. Without observations it is [0, 1].
func Wilson(k, n int, level float64) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	z := math.Sqrt2 * math.Erfinv(level)
	size, rate := float64(n), float64(k)/float64(n)
	scale := 1 + z*z/size
	middle := (rate + z*z/(2*size)) / scale
	half := z / scale * math.Sqrt(rate*(1-rate)/size+z*z/(4*size*size))
	i := Interval{max(0, middle-half), min(1, middle+half)}
	if k <= 0 {
		i.Low = 0
	}
	if k >= n {
		i.High = 1
	}
	return i
}

// MedianInterval returns the narrowest pair of order statistics, equally far from both ends, that holds the true median
// with at least the given level, whatever the distribution (H. A. David and H. N. Nagaraja, "Order Statistics", 3rd ed.,
// section 7.1). ok is false where even the smallest and largest value do not reach the level: below 6 values for 0.95.
func MedianInterval(xs []float64, level float64) (interval Interval, ok bool) {
	rank, ok := medianRank(len(xs), level)
	if !ok {
		return Interval{}, false
	}
	sorted := slices.Sorted(slices.Values(xs))
	return Interval{sorted[rank], sorted[len(sorted)-1-rank]}, true
}

// NeededForMedianInterval returns the least number of values from which MedianInterval tells: 1 - 2 × 0.5^n >= level.
func NeededForMedianInterval(level float64) int {
	return max(1, int(math.Ceil(1-math.Log2(1-level))))
}

// medianRank returns the largest r, from 0, for which [x(r), x(n-1-r)] holds the median with the level: the chance that
// it does not is twice that of at most r heads in n tosses.
func medianRank(n int, level float64) (rank int, ok bool) {
	rank = -1
	var tail float64 // P(heads <= rank)
	for r := range n {
		tail += tosses(n, r)
		if 1-2*tail < level || r > n-1-r {
			break
		}
		rank = r
	}
	return rank, rank >= 0
}

// tosses returns the chance of exactly k heads in n tosses of a fair coin.
func tosses(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c - float64(n)*math.Ln2)
}
