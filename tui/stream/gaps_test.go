package stream

import (
	"flag"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Randomness comes from a seed; -rapid.seed gives another.
func init() { _ = flag.Set("rapid.seed", "1") }

func TestBinsHoldEveryGapOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g gaps
		for range rapid.IntRange(1, 50).Draw(t, "n") {
			g.sorted = append(g.sorted, time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "gap")))
		}
		slices.Sort(g.sorted)
		n := rapid.IntRange(1, 100).Draw(t, "bins")
		bins := g.bins(n)
		if len(bins) == 0 || len(bins) > n {
			t.Fatalf("%d bins of at most %d", len(bins), n)
		}
		sum := 0
		for i, b := range bins {
			sum += b.count
			if b.from > b.to || i > 0 && b.from != bins[i-1].to {
				t.Fatalf("bin %d from %v to %v", i, b.from, b.to)
			}
		}
		if sum != len(g.sorted) {
			t.Fatalf("%d of %d gaps are in a bin", sum, len(g.sorted))
		}
	})
}

func TestAGapIsInTheBinOfItsLength(t *testing.T) {
	g := gaps{sorted: []time.Duration{2 * time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond}}
	bins := g.bins(30)
	for _, d := range g.sorted {
		i := slices.IndexFunc(bins, func(b bin) bool { return b.from <= d && d < b.to })
		if i < 0 || bins[i].count != 1 {
			t.Errorf("%v is in no bin of its length: %v", d, bins)
		}
	}
}
