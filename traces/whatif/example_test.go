package whatif_test

import (
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/traces/whatif"
)

// What would a slow tool bring, if it were ten times as fast?
func Example() {
	run := measure.Of(tracetest.Parse(&testing.T{}, `
		run    ======================
		 chat  wwoa                    asks:c1,c2
		 test      ============        call:c1
		 lint      ====                call:c2
		 chat2                 wwoooo
	`))
	faster, err := whatif.ParseEdit("tool[test]*0.1")
	if err != nil {
		fmt.Println(err)
	}
	a := whatif.Of(run, whatif.Plan{Edits: []whatif.Edit{faster}}, nil)
	fmt.Printf("%v → %v\n", a.Run.Wall, a.After.Wall)
	for _, k := range a.Knees {
		fmt.Printf("no use below × %.2f: then %v\n", k.Factor, k.Then)
	}
	// Output:
	// 22ms → 14ms
	// no use below × 0.33: then tool[lint]
}

// How long would the run take with ever less of something?
func ExampleCurve() {
	run := measure.Of(tracetest.Parse(&testing.T{}, `
		run   ==============
		 chat wwrrrrrrrroooo
	`))
	for _, p := range whatif.Curve(run, whatif.Component(traces.Reasoning)) {
		if p.Factor == 1 || p.Factor == 0.5 || p.Factor == 0 {
			fmt.Printf("× %.1f: %v\n", p.Factor, p.Wall)
		}
	}
	// Output:
	// × 1.0: 14ms
	// × 0.5: 10ms
	// × 0.0: 6ms
}
