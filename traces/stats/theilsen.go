package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Point is an observation: Y seen at X.
type Point struct {
	X, Y float64
}

// A Slope is how much Y changes a unit of X.
type Slope struct {
	PerX     float64  // the median of the slopes between two points
	Interval Interval // that holds the true slope with the level asked for
	N        int      // points that have another one of their stratum to be compared with
	Strata   int      // strata that such points come from
}

// Drifts reports whether the interval leaves no room for 0: Y rises or falls with X.
func (s Slope) Drifts() bool { return s.Interval.Low > 0 || s.Interval.High < 0 }

// TheilSen fits a slope that outliers do not move: the median of the slopes between all pairs of points of one stratum (Theil,
// "A rank-invariant method of linear and polynomial regression analysis", 1950; Sen, "Estimates of the regression coefficient
// based on Kendall's tau", JASA 63, 1968). Points of different strata are never compared, so that strata of different
// levels look like no slope (Hirsch, Slack and Smith, "Techniques of trend analysis for monthly water quality data", Water Resources
// Research 18, 1982, with seasons for strata). The interval is the pair of order statistics of these slopes which the normal
// approximation of Kendall's S gives, with its variance summed over the strata and ties of X taken out; it needs
// no normal errors, only that those of one stratum are exchangeable.
//
// ok is false where too few points tell, and only their number is: seven of one stratum are enough for the level 0.99, or four of each of
// three. The cost is quadratic in
// a stratum's size, so at most pairsCompared pairs are compared: of larger strata, points evenly spread over X are taken.
func TheilSen(strata [][]Point, level float64) (slope Slope, ok bool) {
	var slopes []float64
	variances := 0 // of Kendall's S, times 18
	most := int(math.Sqrt(2 * pairsCompared / float64(max(1, len(strata)))))
	for _, points := range strata {
		points = spread(points, max(2, most))
		before := len(slopes)
		for i, a := range points {
			for _, b := range points[i+1:] {
				if a.X != b.X {
					slopes = append(slopes, (b.Y-a.Y)/(b.X-a.X))
				}
			}
		}
		if len(slopes) == before {
			continue
		}
		slope.N += len(points)
		slope.Strata++
		variances += eighteenVariances(points)
	}
	if len(slopes) == 0 {
		return slope, false
	}
	slices.Sort(slopes)
	reach := math.Sqrt2 * math.Erfinv(level) * math.Sqrt(float64(variances)/18)
	rank := int(math.Floor((float64(len(slopes))-reach)/2)) - 1
	if rank < 0 {
		return slope, false
	}
	slope.PerX = interpolate(slopes, 0.5)
	slope.Interval = Interval{slopes[rank], slopes[len(slopes)-1-rank]}
	return slope, true
}

// pairsCompared bounds the pairs of points that TheilSen compares: so many sort in some 12 ms.
const pairsCompared = 1 << 17

// spread returns the points by X, of more than most only as many, evenly spread.
func spread(points []Point, most int) []Point {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	if len(points) <= most {
		return points
	}
	few := make([]Point, most)
	for i := range few {
		few[i] = points[i*(len(points)-1)/(most-1)]
	}
	return few
}

// eighteenVariances returns 18 times the variance of Kendall's S of points sorted by X if Y does not depend on it:
// n(n-1)(2n+5), less the same of each group of equal X.
func eighteenVariances(points []Point) int {
	part := func(n int) int { return n * (n - 1) * (2*n + 5) }
	sum := part(len(points))
	for from := 0; from < len(points); {
		to := from + 1
		for to < len(points) && points[to].X == points[from].X {
			to++
		}
		sum -= part(to - from)
		from = to
	}
	return sum
}
