package stats_test

import (
	"fmt"

	"github.com/seed46266073/longpole/traces/stats"
)

func ExampleHodgesLehmann() {
	seconds := stats.Stratum{
		A: stats.Sample{Exact: []float64{10, 11, 12, 13, 14}},
		B: stats.Sample{Exact: []float64{20, 21, 22, 23}, Above: []float64{60}}, // one was cut off
	}
	shift, _ := stats.HodgesLehmann(0.95, seconds)
	p, _ := stats.MannWhitney(seconds)
	fmt.Printf("%.0f s longer, at least %.0f s, p = %.3f\n", shift.Estimate.Low, shift.Interval.Low, p)
	// Output: 10 s longer, at least 7 s, p = 0.008
}
