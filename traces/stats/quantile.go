package stats

import (
	"math"
	"slices"
)

// Median returns the middle of xs, the mean of the two middle values where their number is even. ok is false
// when xs is empty.
func Median(xs []float64) (median float64, ok bool) {
	if len(xs) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(xs))
	return interpolate(sorted, 0.5), true
}

// Quantile returns the value below which the share q of xs lies, 0 <= q <= 1, interpolated linearly between order
// statistics (definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996). ok is false where
// the sample is too small to have seen that tail, which is below Needed(q) values: 20 for q = 0.95, 100 for 0.99.
func Quantile(xs []float64, q float64) (value float64, ok bool) {
	return SortedQuantile(slices.Sorted(slices.Values(xs)), q)
}

// SortedQuantile is Quantile of values that are in ascending order already, in constant time.
func SortedQuantile(sorted []float64, q float64) (value float64, ok bool) {
	if len(sorted) == 0 || len(sorted) < Needed(q) {
		return 0, false
	}
	return interpolate(sorted, q), true
}

// Needed returns the least number of values from which Quantile tells q: so many that one of them is expected
// beyond it. With fewer, the quantile would be the maximum under another name.
func Needed(q float64) int {
	tail := min(q, 1-q)
	if tail <= 0 {
		return 1
	}
	return int(math.Ceil(1/tail - 1e-9)) // 1/(1-0.95) is a hair above 20
}

// interpolate wants sorted values, at least one.
func interpolate(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	low, high := sorted[i], sorted[i+1]
	if f := at - float64(i); f > 0 && low != high { // low == high also keeps Inf - Inf out
		return low + f*(high-low)
	}
	return low
}
