package compare_test

import (
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

func ExampleGroups() {
	var runs []*measure.Run
	for i := range 8 {
		wall := time.Duration(100+i) * 100 * time.Millisecond
		runs = append(runs, run("low", "csv-total", wall, traces.OK), run("high", "csv-total", 2*wall, traces.OK))
	}
	for _, p := range compare.Groups(measure.GroupBy(runs, "effort"), compare.Options{Pairs: compare.First}) {
		fmt.Println(p.Text)
	}
	// Output: high is 10.35 s slower than low (9.90–10.80 s); right as often within what 8 runs can show, 100 % of runs against 100 % (−32 to +32 points).
}
