package stats

import (
	"math"
	"math/rand/v2"
)

// Trend tests whether values rise or fall over ordered levels: strata[i][k] are the values of level k in stratum i, compared within
// the stratum only. It returns the statistic of Jonckheere (1954) and Terpstra (1952) less what is expected without a trend, so above
// 0 where values rise, and the two-sided p from 1,999 permutations within the strata (B. Phipson and G. K. Smyth,
// "Permutation P-values should never be zero", 2010), which are the same ones each time. ok is false with fewer than
// two levels that have values in a common stratum.
func Trend(strata [][][]float64) (rise, p float64, ok bool) {
	var pooled [][]float64
	for _, levels := range strata {
		var all []float64
		filled := 0
		for _, xs := range levels {
			all = append(all, xs...)
			filled += min(len(xs), 1)
		}
		pooled = append(pooled, all)
		ok = ok || filled > 1
	}
	if !ok {
		return 0, 0, false
	}
	statistic := func() float64 {
		var sum float64
		for i, levels := range strata {
			sum += concordance(levels, pooled[i])
		}
		return sum
	}
	rise = statistic()
	const permutations = 1999
	rng := rand.New(rand.NewPCG(1954, 1952))
	asFar := 1
	for range permutations {
		for _, all := range pooled {
			rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		}
		if math.Abs(statistic()) >= math.Abs(rise)-1e-9 {
			asFar++
		}
	}
	return rise, float64(asFar) / (permutations + 1), true
}

// concordance counts the pairs of values from different levels that rise with the level, less those that fall. Only the sizes of the
// levels are used; their values are those of all, in order.
func concordance(levels [][]float64, all []float64) float64 {
	var sum float64
	before := 0
	for _, level := range levels {
		for _, y := range all[before : before+len(level)] {
			for _, x := range all[:before] {
				switch {
				case x < y:
					sum++
				case x > y:
					sum--
				}
			}
		}
		before += len(level)
	}
	return sum
}
