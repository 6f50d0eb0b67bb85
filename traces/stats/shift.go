package stats

import (
	"math"
	"slices"
)

// A Shift says by how much values of B are larger than values of A.
type Shift struct {
	Estimate Interval // a single value, unless cut off values leave only bounds
	Interval Interval // holds the true shift with the level asked for; a side that the sample cannot bound is infinite
}

// HodgesLehmann returns the median of all differences b - a within the strata, and the interval from the k-th smallest to the k-th
// largest of them, k taken from the exact distribution of the Mann-Whitney statistic summed over the strata (J. L. Hodges and E. L.
// Lehmann, "Estimates of location based on rank tests", 1963; normal approximation where MannWhitney takes it). With ties the interval
// holds the shift at least as surely as asked for. A value that was cut off has differences of which only one bound is
// known: the estimate and the interval then reach as far as these allow.
//
// Where the values are too few for the level, both sides of the interval are infinite. ok is false without a stratum
// that has values of both.
func HodgesLehmann(level float64, strata ...Stratum) (shift Shift, ok bool) {
	var low, high differences
	for _, s := range strata {
		if s.A.N() > 0 && s.B.N() > 0 {
			low = append(low, sorted(s.B.least(), s.A.most()))
			high = append(high, sorted(s.B.most(), s.A.least()))
		}
	}
	n := low.n()
	if n == 0 {
		return Shift{}, false
	}
	shift.Estimate = Interval{low.middle(), high.middle()}
	shift.Interval = Interval{math.Inf(-1), math.Inf(1)}
	if k := shiftRank(level, low); k > 0 {
		shift.Interval = Interval{low.kth(k), high.kth(n + 1 - k)}
	}
	return shift, true
}

// shiftRank returns the largest k for which P(U < k) is at most half of what the level leaves, U the number of pairs with
// a > b where A and B have the same distribution.
func shiftRank(level float64, strata differences) int {
	tail := (1 - level) / 2
	dist := distribution{1}
	var mean, variance, work float64
	for _, s := range strata {
		m, n := len(s.a), len(s.b)
		mean += float64(m) * float64(n) / 2
		variance += float64(m) * float64(n) * float64(m+n+1) / 12
		if work += permutationWork(m, n, len(dist)); work > exactWork {
			continue
		}
		scores := make([]int, m+n)
		for i := range scores {
			scores[i] = 2*i + 1 - (m + n)
		}
		dist = dist.plus(permuted(scores, min(m, n)))
	}
	if work > exactWork {
		return max(0, int(mean+0.5-math.Sqrt(variance)*normalQuantile(1-tail)))
	}
	// The sum of scores is 2U - mean×2, from -2×mean; it is symmetric. Values of the wrong parity have no chance.
	least := len(dist)/2 - int(2*mean)
	var below float64
	k := 0
	for ; k < int(2*mean); k++ {
		if below += dist[least+2*k]; below > tail*(1+1e-9) {
			break
		}
	}
	return k
}

// differences are all b - a within strata, unsorted and not stored.
type differences []struct{ b, a []float64 }

func sorted(b, a []float64) struct{ b, a []float64 } {
	slices.Sort(b)
	slices.Sort(a)
	return struct{ b, a []float64 }{b, a}
}

func (d differences) n() int {
	n := 0
	for _, s := range d {
		n += len(s.a) * len(s.b)
	}
	return n
}

func (d differences) middle() float64 {
	n := d.n()
	x, y := d.kth((n+1)/2), d.kth(n/2+1)
	if x == y { // also keeps Inf - Inf out
		return x
	}
	return x + (y-x)/2
}

// kth returns the k-th smallest difference, from 1, without storing them: it halves the range of all floating-point numbers until
// one is left, 64 passes over the samples.
func (d differences) kth(k int) float64 {
	low, high := ordered(math.Inf(-1)), ordered(math.Inf(1))
	for low < high {
		middle := low + (high-low)/2
		if d.upTo(unordered(middle)) >= k {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return unordered(low)
}

// upTo counts the differences that are at most v.
func (d differences) upTo(v float64) int {
	count := 0
	for _, s := range d {
		j := 0
		for _, a := range s.a {
			for j < len(s.b) && s.b[j]-a <= v {
				j++
			}
			count += j
		}
	}
	return count
}

// ordered maps numbers to integers of the same order; neighbours have none between them.
func ordered(f float64) uint64 {
	bits := math.Float64bits(f)
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

func unordered(n uint64) float64 {
	if n>>63 == 1 {
		return math.Float64frombits(n &^ (1 << 63))
	}
	return math.Float64frombits(^n)
}
