package stats

import "math"

// Fisher returns the two-sided p of Fisher's exact test that ka of na and kb of nb have the same rate: the chance of all tables with
// the same margins that are no more likely than the one seen (R. A. Fisher, "Statistical Methods for Research Workers", 1934,
// section 21.02). Without observations on a side it is 1.
func Fisher(ka, na, kb, nb int) float64 {
	if na <= 0 || nb <= 0 {
		return 1
	}
	k := ka + kb
	chance := func(x int) float64 {
		return math.Exp(logChoose(na, x) + logChoose(nb, k-x) - logChoose(na+nb, k))
	}
	seen := chance(ka) * (1 + 1e-7) // equally likely tables differ by rounding
	var p float64
	for x := max(0, k-nb); x <= min(na, k); x++ {
		if c := chance(x); c <= seen {
			p += c
		}
	}
	return min(1, p)
}

// Newcombe returns the interval of the difference of rates kb/nb - ka/na that is made of their Wilson intervals (R. G. Newcombe,
// "Interval estimation for the difference between independent proportions", 1998, method 10), -1 <= Low <= High <= 1.
func Newcombe(ka, na, kb, nb int, level float64) Interval {
	if na <= 0 || nb <= 0 {
		return Interval{-1, 1}
	}
	a, b := float64(ka)/float64(na), float64(kb)/float64(nb)
	wa, wb := Wilson(ka, na, level), Wilson(kb, nb, level)
	return Interval{
		max(-1, b-a-math.Hypot(b-wb.Low, wa.High-a)),
		min(1, b-a+math.Hypot(wb.High-b, a-wa.Low)),
	}
}
