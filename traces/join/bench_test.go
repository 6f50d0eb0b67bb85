package join_test

import (
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/join"
)

// large makes both sides of a run of n calls, with spans of the agent's own code around them.
func large(n int) (wire, spans []traces.Record) {
	wire = append(wire, span("run", "", 0, traces.RoleAgent, attr(traces.KeyRunID, "run1")))
	spans = append(spans, span("agent", "run", 0, traces.RoleAgent))
	for i := range n {
		at := int64(i) * 2
		chat, model := fmt.Sprint("chat", i), fmt.Sprint("model", i)
		wire = append(wire, span(fmt.Sprint("step", i), "run", at, traces.RoleStep), span(chat, fmt.Sprint("step", i), at, traces.RoleModel),
			span(fmt.Sprint("attempt", i), chat, at, traces.RoleAttempt), span(fmt.Sprint("wait", i), fmt.Sprint("attempt", i), at, traces.RolePhase),
			span(fmt.Sprint("trip", i), fmt.Sprint("step", i), at+1, traces.RoleTool))
		spans = append(spans, span(model, "agent", at, traces.RoleModel), span(fmt.Sprint("tool", i), "agent", at+1, traces.RoleTool))
		for k := range 10 {
			spans = append(spans, span(fmt.Sprint("code", i, ".", k), "agent", at+1, traces.RoleInternal))
		}
	}
	return wire, spans
}

// One operation joins a run of 2,000 calls, 34,000 spans in all.
func BenchmarkJoin(b *testing.B) {
	wire, spans := large(2000)
	b.ReportAllocs()
	for b.Loop() {
		join.Join(wire, spans)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(wire)+len(spans)), "ns/span")
}
