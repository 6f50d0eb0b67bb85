package measure

import (
	"testing"
	"time"
)

// seen is a group of which rate of its runs were right, with the interval, after a median with its interval.
func seen(low, rate, high float64, from, median, to time.Duration) Group {
	return Group{Success: &Rate{rate, low, high}, TimeToCorrect: Times{N: 9, Median: &median, Low: &from, High: &to}}
}

func TestBest(t *testing.T) {
	quick := seen(0.8, 0.94, 0.99, 7, 8, 9)
	slow := seen(0.8, 0.95, 0.99, 14, 15, 16)
	wrong := seen(0.4, 0.6, 0.7, 3, 4, 5)
	maybe := seen(0.7, 0.85, 0.99, 3, 4, 5)
	for _, c := range []struct {
		name   string
		groups []Group
		best   int
		clear  bool
	}{
		{"none", nil, -1, false},
		{"one beats nobody", []Group{quick}, 0, false},
		{"as often right and sooner", []Group{slow, quick}, 1, true},
		{"a wrong answer is never soon", []Group{wrong, quick, slow}, 1, true},
		{"sooner but perhaps less often right is no clear choice", []Group{maybe, slow}, 1, false},
		{"alike", []Group{quick, quick}, 0, false},
		{"nobody said how it ended", []Group{{}, {}}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if best, clear := Best(c.groups); best != c.best || clear != c.clear {
				t.Errorf("got %d, %v; want %d, %v", best, clear, c.best, c.clear)
			}
		})
	}
}
