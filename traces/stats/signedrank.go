package stats

import (
	"cmp"
	"math"
	"slices"
)

// Exactly returns values of which nothing is uncertain, for SignedRank.
func Exactly(xs ...float64) []Interval {
	list := make([]Interval, len(xs))
	for i, x := range xs {
		list[i] = Interval{x, x}
	}
	return list
}

// SignedRank returns the two-sided p of Wilcoxon's signed-rank test (1945) that the differences of pairs are symmetric around 0, and the
// smallest p that as many can give. It is exact with ties, by the permutation distribution of the mid-ranks, up to signedExact
// pairs, else the normal approximation. Differences of exactly 0 are left out, as Wilcoxon did.
//
// Of a difference with something cut off only bounds may be known: each side of the test takes the bound that speaks against
// it, so p is then an upper bound. A difference without any bound says nothing and is left out. ok is false where nothing remains.
func SignedRank(differences []Interval) (p float64, ok bool) {
	known := bounded(differences)
	if len(known) == 0 {
		return 0, false
	}
	var low, high []float64
	for _, d := range known {
		low, high = append(low, d.Low), append(high, -d.High)
	}
	return min(1, 2*min(positive(low), positive(high))), true
}

// LeastSignedRankP returns the smallest p that SignedRank can give for n pairs: 0.0625 for five, 0.03125 for six.
func LeastSignedRankP(n int) float64 { return min(1, math.Ldexp(2, -n)) }

// signedExact is up to how many pairs the exact distribution is computed.
const signedExact = 200

func bounded(differences []Interval) []Interval {
	return slices.DeleteFunc(slices.Clone(differences), func(d Interval) bool { return math.IsInf(d.Low, -1) && math.IsInf(d.High, 1) })
}

// positive returns the chance of a rank sum of positive differences as large as that of xs, or larger, where signs are tossed.
func positive(xs []float64) float64 {
	xs = slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return x == 0 })
	slices.SortFunc(xs, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := make([]int, len(xs)) // doubled, so that mid-ranks are whole
	for i := 0; i < len(xs); {
		j := i
		for j < len(xs) && math.Abs(xs[j]) == math.Abs(xs[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
		}
		i = j
	}
	var sum, all, squares int
	for i, r := range ranks {
		all += r
		squares += r * r
		if xs[i] > 0 {
			sum += r
		}
	}
	if len(xs) > signedExact {
		z := (float64(sum) - 1 - float64(all)/2) / (math.Sqrt(float64(squares)) / 2)
		return normalTail(z)
	}
	var tail float64
	for _, p := range tossed(ranks)[sum:] {
		tail += p
	}
	return min(1, tail)
}

// tossed returns the chances of each sum of ranks of which each is taken or not by the toss of a coin.
func tossed(ranks []int) []float64 {
	chance := []float64{1}
	for _, r := range ranks {
		next := make([]float64, len(chance)+r)
		for i, p := range chance {
			next[i] += p / 2
			next[i+r] += p / 2
		}
		chance = next
	}
	return chance
}

// SignedRankShift returns the median of the means of all two differences, a difference and itself included, and the interval from the k-th
// smallest to the k-th largest of these means, k taken from the distribution of the signed-rank statistic (J. L. Hodges and E. L.
// Lehmann, 1963; J. W. Tukey, 1949). Bounds are carried through as HodgesLehmann does; it takes O(n² log n). ok is
// false where nothing remains.
func SignedRankShift(level float64, differences []Interval) (shift Shift, ok bool) {
	known := bounded(differences)
	if len(known) == 0 {
		return Shift{}, false
	}
	var low, high []float64
	for i, x := range known {
		for _, y := range known[:i+1] {
			low, high = append(low, x.Low/2+y.Low/2), append(high, x.High/2+y.High/2)
		}
	}
	slices.Sort(low)
	slices.Sort(high)
	shift.Estimate = Interval{interpolate(low, 0.5), interpolate(high, 0.5)}
	shift.Interval = Interval{math.Inf(-1), math.Inf(1)}
	if k := signedRankK(level, len(known)); k > 0 {
		shift.Interval = Interval{low[k-1], high[len(high)-k]}
	}
	return shift, true
}

// signedRankK returns the largest k for which P(W < k) is at most half of what the level leaves.
func signedRankK(level float64, n int) int {
	tail := (1 - level) / 2
	if n > signedExact {
		size := float64(n)
		mean, deviation := size*(size+1)/4, math.Sqrt(size*(size+1)*(2*size+1)/24)
		return max(0, int(mean+0.5-deviation*normalQuantile(1-tail)))
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	var below float64
	for k, p := range tossed(ranks) {
		if below += p; below > tail*(1+1e-9) {
			return k
		}
	}
	return 0
}
