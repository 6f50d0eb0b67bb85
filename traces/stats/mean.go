package stats

import (
	"cmp"
	"slices"
)

// A Mean is the exact mean of whole numbers: Whole + Rest/N, 0 <= Rest < N. It does not overflow where their sum would.
type Mean struct {
	Whole, Rest, N int64
}

// Plus returns the mean after v has been counted in, one of N numbers that are at least 0. The zero of a mean is Mean{N: n}.
func (m Mean) Plus(v int64) Mean {
	rest := m.Rest + v%m.N
	return Mean{m.Whole + v/m.N + rest/m.N, rest % m.N, m.N}
}

// Round returns the nearest whole number, the larger one where two are as near.
func (m Mean) Round() int64 {
	if m.Rest > 0 && m.Rest >= m.N-m.Rest {
		return m.Whole + 1
	}
	return m.Whole
}

// Apportion rounds the parts of a whole so that they add up to total, which is the whole rounded up or down: each down, then the
// largest remainders up, the earlier part where two are as large (the method of Hamilton). All parts have the same N.
func Apportion(parts []Mean, total int64) []int64 {
	rounded := make([]int64, len(parts))
	order := make([]int, len(parts))
	for i, p := range parts {
		rounded[i], order[i] = p.Whole, i
		total -= p.Whole
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[b].Rest, parts[a].Rest) })
	for _, i := range order[:max(0, min(total, int64(len(order))))] {
		rounded[i]++
	}
	return rounded
}
