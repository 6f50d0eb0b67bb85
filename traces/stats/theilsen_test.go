package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTheilSen(t *testing.T) {
	line := func(n int, level, slope float64) []Point {
		points := make([]Point, n)
		for i := range points {
			points[i] = Point{float64(i), level + slope*float64(i)}
		}
		return points
	}
	outlier := line(12, 5, 3)
	outlier[11].Y = 1e6
	for _, c := range []struct {
		name   string
		strata [][]Point
		want   Slope
		ok     bool
	}{
		{"nothing has no slope", nil, Slope{}, false},
		{"points at one place have no slope", [][]Point{{{1, 2}, {1, 3}, {1, 4}}}, Slope{}, false},
		{"six points of one stratum are too few", [][]Point{line(6, 0, 1)}, Slope{N: 6, Strata: 1}, false},
		{"seven are enough", [][]Point{line(7, 0, 1)}, Slope{1, Interval{1, 1}, 7, 1}, true},
		{"so are four of each of three strata", [][]Point{line(4, 0, 1), line(4, 0, 1), line(4, 0, 1)}, Slope{1, Interval{1, 1}, 12, 3}, true},
		{"the levels of strata do not matter", [][]Point{line(5, 100, 2), line(5, 0, 2), line(5, -100, 2)}, Slope{2, Interval{2, 2}, 15, 3}, true},
		{"a point alone in its stratum tells nothing", [][]Point{line(9, 0, 2), {{1, 500}}, {{9, 900}}}, Slope{2, Interval{2, 2}, 9, 1}, true},
		{"one outlier moves nothing", [][]Point{outlier}, Slope{3, Interval{3, 3}, 12, 1}, true},
		{"a falling line", [][]Point{line(9, 0, -4)}, Slope{-4, Interval{-4, -4}, 9, 1}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := TheilSen(c.strata, 0.99)
			if ok != c.ok || got != c.want {
				t.Errorf("got %+v, %v, want %+v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

// Points at one X are not compared, and make S vary less.
func TestTheilSenKnowsTies(t *testing.T) {
	points := []Point{{1, 1}, {1, 2}, {2, 2}, {2, 4}, {3, 3}, {3, 5}, {4, 4}, {4, 6}, {5, 5}, {5, 7}}
	if got, want := eighteenVariances(points), 10*9*25-5*2*1*9; got != want {
		t.Errorf("18 × variance with five pairs of ties: got %d, want %d", got, want)
	}
	if got, ok := TheilSen([][]Point{points}, 0.95); !ok || got.PerX != 1 || !got.Drifts() {
		t.Errorf("got %+v, %v, want a slope of 1", got, ok)
	}
}

// Errors may have any distribution, and levels may differ between strata: the interval holds the true slope as often as it says, and
// where there is none it is found no more often than the rest.
func TestTheilSenCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name             string
		strata, n        int
		level, low, high float64
	}{
		{"one stratum of eight", 1, 8, 0.95, 0.945, 1},
		{"one stratum of thirty", 1, 30, 0.95, 0.94, 0.97},
		{"ten strata of five", 10, 5, 0.95, 0.94, 0.975},
		{"forty strata of four", 40, 4, 0.95, 0.94, 0.97},
		{"ten strata of six at 99 %", 10, 6, 0.99, 0.985, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			const trials, slope = 3000, 0.3
			held := 0
			for range trials {
				strata := make([][]Point, c.strata)
				for i := range strata {
					level := 50 * rng.NormFloat64()
					for x := range c.n {
						strata[i] = append(strata[i], Point{float64(x), level + slope*float64(x) + math.Exp(rng.NormFloat64())})
					}
				}
				s, ok := TheilSen(strata, c.level)
				if !ok {
					t.Fatal("too few points to tell")
				}
				if s.Interval.Low <= slope && slope <= s.Interval.High {
					held++
				}
			}
			if share := float64(held) / trials; share < c.low || share > c.high {
				t.Errorf("got %.3f of the intervals holding the slope, want %.3f to %.3f", share, c.low, c.high)
			}
		})
	}
}

// A large stratum is thinned out, and the slope found all the same.
func TestTheilSenOfManyPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	points := make([]Point, 200_000)
	for i := range points {
		points[i] = Point{float64(i), float64(i)/1000 + rng.NormFloat64()}
	}
	s, ok := TheilSen([][]Point{points}, 0.99)
	if !ok || !s.Drifts() || math.Abs(s.PerX-0.001) > 1e-5 {
		t.Errorf("got %+v, %v, want a slope of 0.001", s, ok)
	}
}
