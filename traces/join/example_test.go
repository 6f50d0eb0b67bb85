package join_test

import (
	"fmt"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/join"
)

func ExampleJoin() {
	role := func(r traces.Role) traces.Attrs { return traces.Attrs{{Key: traces.KeyRole, Value: string(r)}} }
	wire := []traces.Record{
		{TraceID: "w", SpanID: "run", Name: "invoke_agent", Start: 1e9, End: 9e9, Attrs: role(traces.RoleAgent)},
		{TraceID: "w", SpanID: "chat", ParentID: "run", Name: "chat", Start: 3e9, End: 7e9, Attrs: role(traces.RoleModel)},
		{TraceID: "w", SpanID: "try1", ParentID: "chat", Name: "attempt 1", Start: 3e9, End: 4e9, Attrs: role(traces.RoleAttempt)},
		{TraceID: "w", SpanID: "try2", ParentID: "chat", Name: "attempt 2", Start: 5e9, End: 7e9, Attrs: role(traces.RoleAttempt)},
	}
	spans := []traces.Record{
		{TraceID: "a", SpanID: "agent", Name: "my-agent", Start: 2e9, End: 8e9, Attrs: role(traces.RoleAgent)},
		{TraceID: "a", SpanID: "llm", ParentID: "agent", Name: "ask the model", Start: 2e9, End: 7e9, Attrs: role(traces.RoleModel)},
	}
	records, problems := join.Join(wire, spans)
	for _, s := range records {
		fmt.Printf("%s: %s, below %q\n", s.SpanID, s.Name, s.ParentID)
	}
	for _, p := range problems {
		fmt.Println(p.Message)
	}
	// Output:
	// run: invoke_agent, below ""
	// agent: my-agent, below "run"
	// llm: ask the model, below "agent"
	// try1: attempt 1, below "llm"
	// try2: attempt 2, below "llm"
	// left out what the agent's spans and the wire both show: of the wire 1 model calls
	// the agent's spans came in 1 traces of their own; put into the run's, below its root
}
