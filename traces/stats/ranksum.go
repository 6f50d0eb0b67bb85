package stats

import (
	"math"
	"slices"
)

// A Stratum is two samples that were taken under the same circumstances, runs of one task for instance: values are compared within
// it only, so that what differs between strata is no difference between A and B.
type Stratum struct {
	A, B Sample
}

// MannWhitney returns the two-sided p of the rank-sum test that A and B have the same distribution in each stratum: the chance that
// their labels, dealt out anew within each stratum, give a rank sum at least as far from the expected one. It is exact whatever the
// ties, because it is taken from the permutations of the very ranks (E. L. Lehmann, "Nonparametrics: Statistical Methods Based on
// Ranks", 1975, sections 1.4 and 3.3); above about 45 values a side (exactWork) it is the normal approximation with the variance of these
// permutations. With one stratum it is the test of Mann and Whitney (1947).
//
// A value that was cut off is larger than all values up to its limit; against larger ones, and against others cut off, it
// counts as a tie (E. A. Gehan, "A generalized Wilcoxon test for comparing arbitrarily singly-censored samples", 1965). With one
// limit for all that ranks those cut off last, as equals.
//
// ok is false without a stratum that has values of both.
func MannWhitney(strata ...Stratum) (p float64, ok bool) {
	sum := distribution{1}
	var observed, variance, work float64
	for _, s := range strata {
		m, n := s.A.N(), s.B.N()
		if m == 0 || n == 0 {
			continue
		}
		ok = true
		scores := gehan(s)
		var squares float64
		for i, score := range scores {
			squares += float64(score) * float64(score)
			if i >= m {
				observed += float64(score)
			}
		}
		variance += float64(m) * float64(n) / (float64(m+n) * float64(m+n-1)) * squares
		if work += permutationWork(m, n, len(sum)); work <= exactWork {
			drawn := permuted(scores, min(m, n))
			if m < n { // then these were A's, whose sum is the negative of B's
				slices.Reverse(drawn)
			}
			sum = sum.plus(drawn)
		}
	}
	switch {
	case !ok:
		return 0, false
	case variance == 0:
		return 1, true
	case work > exactWork:
		return min(1, 2*normalTail(max(0, math.Abs(observed)-1)/math.Sqrt(variance))), true
	}
	return sum.asFar(int(math.Abs(observed))), true
}

// LeastP returns the smallest p that MannWhitney can give for strata of these sizes: 2 of all ways to deal out the labels. It
// is 1 where nothing can be compared. Three a side reach 0.1, four 0.029, five 0.008.
func LeastP(strata ...Stratum) float64 {
	p := 2.0
	for _, s := range strata {
		p /= math.Exp(logChoose(s.A.N()+s.B.N(), s.A.N()))
	}
	return min(1, p)
}

// NeededForP returns from how many values a side on MannWhitney can give a p of at most alpha, 0 < alpha: 4 for 0.05.
func NeededForP(alpha float64) int {
	n := 1
	for 2/math.Exp(logChoose(2*n, n)) > alpha {
		n++
	}
	return n
}

// exactWork is how many additions the exact distribution may take, some 0.02 s.
const exactWork = 2e7

// permutationWork estimates the additions for one more stratum, given how long the distribution of those before is.
func permutationWork(m, n, before int) float64 {
	few, all := float64(min(m, n)), float64(m+n)
	return all*few*few*all + 2*float64(m)*float64(n)*float64(before)
}

// gehan returns the score of each value of A, then of B: how many values of the stratum are surely smaller less how many are
// surely larger. Without ties and cut off values that is twice the rank less N + 1. The scores add up to 0.
func gehan(s Stratum) []int {
	exact, above := slices.Concat(s.A.Exact, s.B.Exact), slices.Concat(s.A.Above, s.B.Above)
	slices.Sort(exact)
	slices.Sort(above)
	var scores []int
	for _, sample := range []Sample{s.A, s.B} {
		for _, x := range sample.Exact {
			smaller, _ := slices.BinarySearch(exact, x)
			later, _ := slices.BinarySearch(above, x)
			scores = append(scores, smaller-(len(exact)-upTo(exact, x))-(len(above)-later))
		}
		for _, limit := range sample.Above {
			scores = append(scores, upTo(exact, limit)) // and nothing is surely larger
		}
	}
	return scores
}

// upTo returns how many of the sorted values are at most x.
func upTo(sorted []float64, x float64) int {
	n, _ := slices.BinarySearchFunc(sorted, x, func(v, x float64) int {
		if v <= x {
			return -1
		}
		return 1
	})
	return n
}

// A distribution holds the chances of a whole number from -(len-1)/2 to (len-1)/2.
type distribution []float64

// permuted returns the distribution of the sum of k scores drawn without replacement from scores that add up to 0.
func permuted(scores []int, k int) distribution {
	shift, step := 0, 2 // from the middle to the ends; without ties scores are two apart
	for _, x := range scores {
		shift = max(shift, x, -x)
	}
	for _, x := range scores {
		if (x+shift)%2 != 0 {
			step = 1
		}
	}
	ways := make([][]float64, k+1) // by how many were drawn, then by their (sum + shift each) / step
	for i := range ways {
		ways[i] = make([]float64, 2*shift*i/step+1)
	}
	ways[0][0] = 1
	for seen, score := range scores {
		score = (score + shift) / step
		for i := min(k, seen+1); i > 0; i-- {
			for sum, w := range ways[i-1] {
				if w != 0 {
					ways[i][sum+score] += w
				}
			}
		}
	}
	all := math.Exp(logChoose(len(scores), k))
	dist := make(distribution, 2*shift*k+1)
	for i, w := range ways[k] {
		dist[i*step] = w / all
	}
	return dist
}

// plus returns the distribution of the sum of two independent numbers.
func (d distribution) plus(e distribution) distribution {
	sum := make(distribution, len(d)+len(e)-1)
	for i, p := range d {
		if p == 0 {
			continue
		}
		for k, q := range e {
			sum[i+k] += p * q
		}
	}
	return sum
}

// asFar returns the chance of a number at least as far from 0 as x, at most 1.
func (d distribution) asFar(x int) float64 {
	middle := len(d) / 2
	var p float64
	for i, q := range d {
		if i-middle >= x || middle-i >= x {
			p += q
		}
	}
	return min(1, p)
}

// logChoose returns the logarithm of n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
