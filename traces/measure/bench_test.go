package measure_test

import (
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// BenchmarkOf measures a run of 100,000 spans, critical path included.
func BenchmarkOf(b *testing.B) {
	runs, _ := traces.Build(tracetest.Loop(9091))
	b.ReportAllocs()
	for b.Loop() {
		measure.Of(runs[0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(runs[0].Spans)), "ns/span")
}
