package stats

import (
	"math"
	"slices"
)

// A Sample is times of which some are known exactly and some only to exceed the limit they were cut off at. Such a
// value is information ("slower than that"), so it counts, but it has no mean: only order statistics can be told.
type Sample struct {
	Exact []float64
	Above []float64 // true values are larger than these
}

// N returns how many values there are, cut off or not.
func (s Sample) N() int { return len(s.Exact) + len(s.Above) }

// Median returns the bounds between which the sample's median lies. They are equal where the cut off values are all
// above the middle; otherwise High is +Inf and the median is "more than Low". ok is false for an empty sample.
func (s Sample) Median() (bounds Interval, ok bool) {
	low, ok := Median(s.least())
	if !ok {
		return Interval{}, false
	}
	high, _ := Median(s.most())
	return Interval{low, high}, true
}

// MedianInterval is the function MedianInterval for a sample with values that were cut off: High is +Inf where it
// would be one of them.
func (s Sample) MedianInterval(level float64) (interval Interval, ok bool) {
	low, ok := MedianInterval(s.least(), level)
	if !ok {
		return Interval{}, false
	}
	high, _ := MedianInterval(s.most(), level)
	return Interval{low.Low, high.High}, true
}

// least is the sample if every cut off value had ended right at its limit, most if none ever had: whatever is true
// lies between the two, order statistic by order statistic.
func (s Sample) least() []float64 { return slices.Concat(s.Exact, s.Above) }

func (s Sample) most() []float64 {
	most := slices.Clone(s.Exact)
	for range s.Above {
		most = append(most, math.Inf(1))
	}
	return most
}

// Quantile returns the bounds between which the quantile q of the sample lies, as Median does for the middle. ok is false
// where Quantile of as many exact values is.
func (s Sample) Quantile(q float64) (bounds Interval, ok bool) {
	low, ok := Quantile(s.least(), q)
	if !ok {
		return Interval{}, false
	}
	high, _ := Quantile(s.most(), q)
	return Interval{low, high}, true
}
