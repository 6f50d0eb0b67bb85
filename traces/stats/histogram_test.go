package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistogram(t *testing.T) {
	cases := []struct {
		name      string
		xs        []float64
		low, high float64
		bins      int
		want      []int
	}{
		{"values are counted in bins of equal width", []float64{0, 1, 1, 9}, 0, 10, 5, []int{3, 0, 0, 0, 1}},
		{"a border belongs to the upper bin", []float64{2}, 0, 10, 5, []int{0, 1, 0, 0, 0}},
		{"the highest value is in the last bin", []float64{10}, 0, 10, 5, []int{0, 0, 0, 0, 1}},
		{"what lies outside is in none", []float64{-1, 11, math.Inf(1)}, 0, 10, 2, []int{0, 0}},
		{"no values leave all bins empty", nil, 0, 1, 3, []int{0, 0, 0}},
		{"an axis without length has no bins", []float64{1}, 1, 1, 3, nil},
		{"no bins", []float64{1}, 0, 1, 0, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Histogram(c.xs, c.low, c.high, c.bins)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}
