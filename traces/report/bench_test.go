package report_test

import (
	"io"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// The run of both has 100,000 spans.
func BenchmarkWriteText(b *testing.B) {
	r := large()
	for b.Loop() {
		_ = report.WriteText(io.Discard, r, nil, report.TextOptions{Colour: true})
	}
}

func BenchmarkWriteJSON(b *testing.B) {
	r := large()
	for b.Loop() {
		_ = report.WriteJSON(io.Discard, r, nil)
	}
}

func large() []*measure.Run {
	runs, _ := traces.Build(tracetest.Loop(9091))
	return []*measure.Run{measure.Of(runs[0])}
}
