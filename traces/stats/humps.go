package stats

import (
	"math"
	"slices"
)

// Humps are the two groups that a sample falls into, smaller values first. Both have values.
type Humps struct {
	Low, High []float64 // sorted
}

// TwoHumps splits a sample that has more than one hump. ok is false where Hartigan's dip test, at the 5 % level, takes it for one
// hump: whatever the one hump's shape, at most 5 % of samples are split wrongly (J. A. Hartigan and P. M. Hartigan, "The dip test of
// unimodality", 1985), and values rounded to a coarse grid aside, far fewer. It is also false below 10 values, for which the
// test says little. Times should be given as logarithms, in which one hump with a long tail is compact. The
// cut is where the squares within the two groups are least (W. D. Fisher, "On grouping for maximum homogeneity", 1958).
func TwoHumps(xs []float64) (humps Humps, ok bool) {
	const fewest = 10
	if len(xs) < fewest {
		return Humps{}, false
	}
	sorted := slices.Sorted(slices.Values(xs))
	if Dip(sorted) <= dipLimit(len(sorted)) {
		return Humps{}, false
	}
	cut := cutOf(sorted)
	return Humps{sorted[:cut:cut], sorted[cut:]}, true
}

// cutOf returns how many of the sorted values belong to the lower of two groups.
func cutOf(sorted []float64) int {
	var all float64
	for _, x := range sorted {
		all += x
	}
	best, cut := math.Inf(-1), 1
	var low float64
	n := float64(len(sorted))
	for i := 1; i < len(sorted); i++ {
		low += sorted[i-1]
		k := float64(i)
		if between := low*low/k + (all-low)*(all-low)/(n-k); between > best && sorted[i] > sorted[i-1] {
			best, cut = between, i
		}
	}
	return cut
}
