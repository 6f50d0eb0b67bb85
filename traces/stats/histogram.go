package stats

// Histogram counts the values in bins of equal width from low to high, which are parts of an axis: a value on the border of two bins is in the
// upper one, high in the last, and what lies outside in none. Without bins, or where high is not above low, it is nil.
func Histogram(xs []float64, low, high float64, bins int) []int {
	if bins < 1 || !(high > low) {
		return nil
	}
	counts := make([]int, bins)
	for _, x := range xs {
		if x >= low && x <= high {
			counts[min(int((x-low)/(high-low)*float64(bins)), bins-1)]++
		}
	}
	return counts
}
