package whatif_test

import (
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/traces/whatif"
)

// large is a run of some hundred thousand spans.
func large(b *testing.B) *measure.Run {
	b.Helper()
	runs, _ := traces.Build(tracetest.Loop(100_000 / 11))
	return measure.Of(runs[0])
}

// A move of a slider: the target is 16 ms for total and components.
func BenchmarkGlance(b *testing.B) {
	run := large(b)
	for _, c := range []struct {
		name string
		plan whatif.Plan
	}{
		{"scale", whatif.Plan{Edits: []whatif.Edit{edit("reasoning*0.5")}}},
		{"several", whatif.Plan{ParallelTools: whatif.AtOnce, Edits: []whatif.Edit{edit("output*0.5"), edit("tool=1s"), edit("retry=off"), edit("decode.rate=120")}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := whatif.Prepare(run, nil)
			p.Glance(c.plan)
			for b.Loop() {
				p.Glance(c.plan)
			}
			b.ReportMetric(float64(len(run.Spans)), "spans")
		})
	}
}

// A full answer, from the measured run on.
func BenchmarkAnswer(b *testing.B) {
	run := large(b)
	plan := whatif.Plan{Edits: []whatif.Edit{edit("reasoning*0.5")}}
	for b.Loop() {
		whatif.Of(run, plan, nil)
	}
	b.ReportMetric(float64(len(run.Spans)), "spans")
}
