package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMean(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []int64
		want   int64
	}{
		{"one number is its own mean", []int64{7}, 7},
		{"halves are rounded up", []int64{1, 2}, 2},
		{"less than a half is rounded down", []int64{1, 1, 2}, 1},
		{"a sum that would overflow", []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 3}, math.MaxInt64 - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Mean{N: int64(len(c.values))}
			for _, v := range c.values {
				m = m.Plus(v)
			}
			if got := m.Round(); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestApportion(t *testing.T) {
	for _, c := range []struct {
		name  string
		sums  []int64
		n     int64
		total int64
		want  string
	}{
		{"nothing", nil, 3, 0, "[]"},
		{"whole parts stay", []int64{6, 9}, 3, 5, "[2 3]"},
		{"the largest remainder is rounded up", []int64{4, 5}, 3, 3, "[1 2]"},
		{"the earlier one where two are as large", []int64{1, 1}, 2, 1, "[1 0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprint(Apportion(meansOf(c.sums, c.n), c.total)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Whatever the parts, they add up to the rounded whole and none is off by a whole one.
func TestApportionAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		n := 1 + rng.Int64N(9)
		sums := make([]int64, 1+rng.IntN(8))
		for i := range sums {
			sums[i] = rng.Int64N(40)
		}
		parts := meansOf(sums, n)
		whole := Mean{N: n}
		for _, s := range sums {
			whole = whole.Plus(s)
		}
		rounded := Apportion(parts, whole.Round())
		left := whole.Round()
		for i, r := range rounded {
			left -= r
			if r < parts[i].Whole || r > parts[i].Whole+1 {
				t.Fatalf("part %d of %v by %d became %d", i, sums, n, r)
			}
		}
		if left != 0 {
			t.Fatalf("%v by %d: %v misses the whole by %d", sums, n, rounded, left)
		}
	}
}

func meansOf(sums []int64, n int64) []Mean {
	return slices.Collect(func(yield func(Mean) bool) {
		for _, s := range sums {
			if !yield(Mean{N: n}.Plus(s)) {
				return
			}
		}
	})
}
