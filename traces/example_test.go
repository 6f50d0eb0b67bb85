package traces_test

import (
	"fmt"

	"github.com/seed46266073/longpole/traces"
)

// A model call that was tried twice, as any OpenTelemetry instrumentation of an HTTP client shows it.
func ExampleBuild() {
	const ms = 1_000_000
	start := int64(1767225600_000_000_000)
	runs, _ := traces.Build([]traces.Record{
		{TraceID: "t", SpanID: "1", Name: "agent turn", Start: start, End: start + 4000*ms},
		{TraceID: "t", SpanID: "2", ParentID: "1", Name: "chat big", Start: start + 100*ms, End: start + 3900*ms, Attrs: traces.Attrs{
			{Key: traces.KeyOperation, Value: "chat"}, {Key: traces.KeyRequestModel, Value: "big"}}},
		{TraceID: "t", SpanID: "3", ParentID: "2", Name: "POST", Kind: traces.KindClient, Start: start + 110*ms, End: start + 310*ms,
			Attrs: traces.Attrs{{Key: traces.KeyHTTPStatus, Value: int64(429)}}},
		{TraceID: "t", SpanID: "4", ParentID: "2", Name: "POST", Kind: traces.KindClient, Start: start + 1310*ms, End: start + 3880*ms,
			Attrs: traces.Attrs{{Key: traces.KeyHTTPStatus, Value: int64(200)}, {Key: traces.KeyResendCount, Value: int64(1)}}},
	})
	for _, call := range runs[0].ModelCalls {
		fmt.Println(call.Model, call.Outcome)
		for _, a := range call.Attempts {
			fmt.Println("  attempt", a.Number, a.Status, a.Outcome, a.Span.Duration())
		}
	}
	// Output:
	// big ok
	//   attempt 1 429 error 200ms
	//   attempt 2 200 ok 2.57s
}
