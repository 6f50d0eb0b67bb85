package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDip(t *testing.T) {
	even := make([]float64, 40)
	for i := range even {
		even[i] = float64(i)
	}
	for _, c := range []struct {
		name string
		xs   []float64
		want float64
	}{
		{"nothing", nil, 0},
		{"one value", []float64{1}, 0.5},
		{"all the same", []float64{1, 1, 1, 1}, 0.125},
		{"evenly spread", even, 1.0 / 80},
		{"half here, half there", []float64{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, 0.25},
	} {
		if got := Dip(c.xs); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// The dip is the smallest d for which some distribution with one hump stays within d of the sample's.
func TestDipIsTheDistanceToOneHump(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 150 {
		xs := make([]float64, 4+rng.IntN(9))
		for i := range xs {
			xs[i] = math.Round(10*rng.NormFloat64()) + 30*float64(rng.IntN(2))
		}
		slices.Sort(xs)
		low, high := 0.0, 0.5
		for range 40 {
			if middle := (low + high) / 2; humpWithin(xs, middle) {
				high = middle
			} else {
				low = middle
			}
		}
		want := max(high, 1/(2*float64(len(xs))))
		if got := Dip(xs); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: got %v, want %v", xs, got, want)
		}
	}
}

// humpWithin tries every value as the hump. The distribution must be convex before it and concave after it, may jump there, and at each
// value lie within d of both sides of the sample's step.
func humpWithin(xs []float64, d float64) bool {
	n := float64(len(xs))
	at := slices.Compact(slices.Clone(xs))
	var floor, ceiling []float64
	for _, x := range at {
		below, _ := slices.BinarySearch(xs, x)
		floor, ceiling = append(floor, max(0, float64(upTo(xs, x))/n-d)), append(ceiling, min(1, float64(below)/n+d))
	}
	for m := range at {
		ok := true
		for i := range at {
			ok = ok && (i == m || floor[i] <= ceiling[i])
		}
		// The least value that a convex rise before the hump can have reached at it, and the most that a concave one after it can begin with.
		reached, begins := 0.0, 1.0
		for j := range m {
			reached = max(reached, floor[j])
			for i := range j {
				reached = max(reached, floor[j]+(floor[j]-ceiling[i])/(at[j]-at[i])*(at[m]-at[j]))
				for k := j + 1; k < m; k++ {
					ok = ok && floor[j] <= ceiling[i]+(ceiling[k]-ceiling[i])*(at[j]-at[i])/(at[k]-at[i])+1e-12
				}
			}
		}
		for j := m + 1; j < len(at); j++ {
			begins = min(begins, ceiling[j])
			for k := j + 1; k < len(at); k++ {
				begins = min(begins, ceiling[j]-(floor[k]-ceiling[j])/(at[k]-at[j])*(at[j]-at[m]))
				for i := m + 1; i < j; i++ {
					ok = ok && ceiling[j] >= floor[i]+(floor[k]-floor[i])*(at[j]-at[i])/(at[k]-at[i])-1e-12
				}
			}
		}
		if ok && reached <= begins+1e-12 && reached <= ceiling[m]+1e-12 && begins >= floor[m]-1e-12 {
			return true
		}
	}
	return false
}
