package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts p-values for as many tests as were made, so that those that stay at or below a level are all true with that level's
// certainty (S. Holm, "A simple sequentially rejective multiple test procedure", 1979). made may be more than are given, where the
// tests shown were chosen by looking at others: these count as the larger ones. The result has the order of ps.
func Holm(ps []float64, made int) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(max(made, len(ps))-rank)))
		adjusted[i] = least
	}
	return adjusted
}
