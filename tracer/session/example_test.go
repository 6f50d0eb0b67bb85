package session_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A printer is a sink that prints what has ended, but for phases.
type printer struct{}

func (printer) Write(recs ...traces.Record) error {
	for _, r := range recs {
		if r.End != 0 && r.Role() != traces.RolePhase {
			fmt.Printf("%-16s %v\n", r.Name, time.Duration(r.End-r.Start))
		}
	}
	return nil
}

// A tracker is the observer of a proxy, which then tells it of exchanges like these two.
func ExampleTracker() {
	tracker := session.New(session.Options{
		Open:   func(string) (session.Sink, error) { return printer{}, nil },
		OneRun: true,
		Run:    session.Run{Name: "count"},
	})
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	exchange := func(id int64, from, to time.Duration, body string, calls ...stream.ToolCall) {
		x := proxy.Exchange{ID: id, Method: http.MethodPost, Path: "/v1/chat/completions", Start: start.Add(from), Sent: start.Add(from)}
		x.Request = stream.ParseRequest(x.Method, x.Path, nil, []byte(body))
		begun, ended := x, x
		tracker.Begin(&begun)
		ended.End, ended.Status, ended.Outcome = start.Add(to), http.StatusOK, traces.OK
		ended.Result = &stream.Result{Outcome: traces.OK, ToolCalls: calls}
		tracker.End(&ended)
	}
	exchange(1, 0, 900*time.Millisecond, `{"model":"m-1","tools":[{}],"messages":[{"role":"user","content":"how many files?"}]}`,
		stream.ToolCall{ID: "call_1", Name: "ls"})
	exchange(2, 1200*time.Millisecond, 1700*time.Millisecond, `{"model":"m-1","tools":[{}],"messages":[{"role":"user","content":"how many files?"},
		{"role":"assistant","tool_calls":[{"id":"call_1"}]},{"role":"tool","tool_call_id":"call_1","content":"2"}]}`)
	tracker.Close(start.Add(2 * time.Second))
	// Output:
	// attempt 1        900ms
	// chat m-1         900ms
	// execute_tool ls  300ms
	// step 1           1.2s
	// attempt 1        500ms
	// chat m-1         500ms
	// step 2           500ms
	// invoke_agent count 1.7s
}
