package stats

import "math"

// efficiency is that of the rank tests for normal values, the square root of 3/π: the logarithms of times are about normal
// (Lehmann 1975, section 2.4).
const efficiency = 0.977

// Detectable returns the smallest shift that a rank-sum test at level alpha, two-sided, sees with the given power between m and n
// values that spread by sd: (t(1-alpha/2) + t(power)) × sd × √(1/m + 1/n) ÷ 0.977, t of Student's distribution. It is +Inf
// where there are too few. For logarithms of times it is the logarithm of a ratio.
func Detectable(sd float64, m, n int, alpha, power float64) float64 {
	if m < 1 || n < 1 || m+n < 3 {
		return math.Inf(1)
	}
	return factor(m+n-2, alpha, power) * sd * math.Sqrt(1/float64(m)+1/float64(n))
}

// DetectableOfPairs is Detectable for a signed-rank test of n differences that spread by sd.
func DetectableOfPairs(sd float64, n int, alpha, power float64) float64 {
	if n < 2 {
		return math.Inf(1)
	}
	return factor(n-1, alpha, power) * sd / math.Sqrt(float64(n))
}

func factor(df int, alpha, power float64) float64 {
	return (studentQuantile(1-alpha/2, df) + studentQuantile(max(0.5, power), df)) / efficiency
}

// NeededForShift returns how many values a side it takes until Detectable is at most shift. ok is false where a million are not enough.
func NeededForShift(sd, shift, alpha, power float64) (n int, ok bool) {
	least := NeededForP(alpha)
	return enough(func(n int) bool { return n >= least && Detectable(sd, n, n, alpha, power) <= math.Abs(shift) })
}

// NeededPairs returns how many pairs it takes until DetectableOfPairs is at most shift.
func NeededPairs(sd, shift, alpha, power float64) (n int, ok bool) {
	return enough(func(n int) bool {
		return DetectableOfPairs(sd, n, alpha, power) <= math.Abs(shift) && LeastSignedRankP(n) <= alpha
	})
}

// NeededForRates returns how many observations a side it takes to tell two rates apart, by the arcsine approximation (J. Cohen,
// "Statistical Power Analysis for the Behavioral Sciences", 2nd ed., 1988, section 6.4).
func NeededForRates(a, b, alpha, power float64) (n int, ok bool) {
	h := 2 * math.Abs(math.Asin(math.Sqrt(a))-math.Asin(math.Sqrt(b)))
	z := normalQuantile(1-alpha/2) + normalQuantile(power)
	return enough(func(n int) bool { return h*math.Sqrt(float64(n)/2) >= z })
}

// enough returns the least n for which told holds, which it does for all larger ones, up to a million.
func enough(told func(n int) bool) (int, bool) {
	const most = 1_000_000
	if !told(most) {
		return 0, false
	}
	low, high := 0, most // not enough, enough
	for high-low > 1 {
		if middle := (low + high) / 2; told(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}
