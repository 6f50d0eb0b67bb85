package blame_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func ExampleFlame() {
	runs, _ := traces.Build(tracetest.Records(new(testing.T), `
		run     ==========
		 chat   wwrr           model:big
		 grep       ====
	`))
	_ = blame.Flame([]*measure.Run{measure.Of(runs[0])}).WriteFolded(os.Stdout)
	// Output:
	// agent 2000000
	// agent;model:big;reasoning 2000000
	// agent;model:big;wait 2000000
	// agent;tool:grep 4000000
}

func ExampleOf() {
	runs, _ := traces.Build(tracetest.Records(new(testing.T), `
		run     ==========
		 chat   wwrr           model:big
		 grep       ====
	`))
	for _, row := range blame.Of([]*measure.Run{measure.Of(runs[0])}).Components {
		fmt.Printf("%s %v, %.0f %%\n", row.Component, row.Mean, 100*row.Share)
	}
	// Output:
	// tool 4ms, 40 %
	// wait 2ms, 20 %
	// reasoning 2ms, 20 %
	// agent 2ms, 20 %
}
