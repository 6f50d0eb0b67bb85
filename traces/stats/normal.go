package stats

import "math"

// normalTail returns P(Z >= z) of the standard normal distribution.
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// normalQuantile returns the z below which the share q lies.
func normalQuantile(q float64) float64 { return math.Sqrt2 * math.Erfinv(2*q-1) }

// studentQuantile returns the value below which the share q of Student's t with df degrees of freedom lies, 0.5 <= q < 1.
// From 50 degrees on it is the normal quantile with the expansion of Abramowitz and Stegun, 26.7.5, below 0.0001 off.
func studentQuantile(q float64, df int) float64 {
	if df >= 50 {
		z, n := normalQuantile(q), float64(df)
		square := z * z
		return z + z*(square+1)/(4*n) + z*((5*square+16)*square+3)/(96*n*n) + z*(((3*square+19)*square+17)*square-15)/(384*n*n*n)
	}
	low, high := 0.0, 1.0
	for studentBelow(high, df) < q && high < 1e9 {
		high *= 2
	}
	for range 60 {
		if middle := (low + high) / 2; studentBelow(middle, df) < q {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// studentBelow returns P(T <= t), t >= 0: the finite series of M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions",
// 26.7.3 and 26.7.4.
func studentBelow(t float64, df int) float64 {
	theta := math.Atan(t / math.Sqrt(float64(df)))
	sin, cos := math.Sincos(theta)
	within := 0.0 // P(|T| <= t)
	if df%2 == 1 {
		term, sum := cos, 0.0
		for i := 1; i <= df-2; i += 2 {
			sum += term
			term *= cos * cos * float64(i+1) / float64(i+2)
		}
		within = 2 / math.Pi * (theta + sin*sum)
	} else {
		term, sum := 1.0, 0.0
		for i := 0; i <= df-2; i += 2 {
			sum += term
			term *= cos * cos * float64(i+1) / float64(i+2)
		}
		within = sin * sum
	}
	return (1 + within) / 2
}
