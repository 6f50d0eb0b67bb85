package blame_test

import (
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// loops measures runs of the given number of steps, eleven spans each.
func loops(b *testing.B, runs, steps int) []*measure.Run {
	b.Helper()
	list := make([]*measure.Run, runs)
	for i := range list {
		built, _ := traces.Build(tracetest.Loop(steps))
		list[i] = measure.Of(built[0])
	}
	return list
}

func BenchmarkOf(b *testing.B)    { bench(b, func(runs []*measure.Run) { blame.Of(runs) }) }
func BenchmarkFlame(b *testing.B) { bench(b, func(runs []*measure.Run) { blame.Flame(runs) }) }

func bench(b *testing.B, answer func([]*measure.Run)) {
	for _, size := range []struct {
		name        string
		runs, steps int
	}{{"1000 runs of 100 spans", 1000, 9}, {"one run of 100000 spans", 1, 9091}} {
		b.Run(size.name, func(b *testing.B) {
			runs := loops(b, size.runs, size.steps)
			spans := 0
			for _, r := range runs {
				spans += len(r.Spans)
			}
			answer(runs) // what a path computes once is not counted
			b.ReportAllocs()
			for b.Loop() {
				answer(runs)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spans), "ns/span")
		})
	}
}
