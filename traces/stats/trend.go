package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Trend tests whether values rise or fall over ordered levels: strata[i][k] are the values of level k in stratum i, compared within
// the stratum only. It returns the sum of level × rank less what is expected without a trend (J. Cuzick, "A Wilcoxon-type test
// for trend", 1985), so above 0 where values rise, and the two-sided p: up to 300 values from 1,999 permutations within the strata (B.
// Phipson and G. K. Smyth, "Permutation P-values should never be zero", 2010), the same ones each time, else from the normal
// distribution. ok is false with fewer than two levels that have values in a common stratum.
func Trend(strata [][][]float64) (rise, p float64, ok bool) {
	const permutations, few = 1999, 300
	var levels [][]float64 // of each value of a stratum, less their mean
	var scores [][]int     // of each value of a stratum: twice its rank less the mean
	var variance float64
	n := 0
	for _, groups := range strata {
		var all, at []float64
		filled := 0
		for k, xs := range groups {
			all = append(all, xs...)
			at = append(at, slices.Repeat([]float64{float64(k)}, len(xs))...)
			filled += min(len(xs), 1)
		}
		if filled < 2 {
			continue
		}
		ok = true
		n += len(all)
		var mean, spread, squares float64
		for _, k := range at {
			mean += k / float64(len(at))
		}
		ranks := gehan(Stratum{A: Sample{Exact: all}})
		for i := range at {
			at[i] -= mean
			spread += at[i] * at[i]
			squares += float64(ranks[i]) * float64(ranks[i])
		}
		variance += spread * squares / float64(len(all)-1)
		levels, scores = append(levels, at), append(scores, ranks)
	}
	if !ok {
		return 0, 0, false
	}
	rise = association(levels, scores)
	switch {
	case variance == 0:
		return 0, 1, true
	case n > few:
		return rise, min(1, 2*normalTail(math.Abs(rise)/math.Sqrt(variance))), true
	}
	rng := rand.New(rand.NewPCG(1954, 1985))
	asFar := 1
	for range permutations {
		for _, ranks := range scores {
			rng.Shuffle(len(ranks), func(a, b int) { ranks[a], ranks[b] = ranks[b], ranks[a] })
		}
		if math.Abs(association(levels, scores)) >= math.Abs(rise)*(1-1e-9) {
			asFar++
		}
	}
	return rise, float64(asFar) / (permutations + 1), true
}

// association returns the sum of level × score over the strata.
func association(levels [][]float64, scores [][]int) float64 {
	var sum float64
	for i, at := range levels {
		for k, level := range at {
			sum += level * float64(scores[i][k])
		}
	}
	return sum
}
