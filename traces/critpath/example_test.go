package critpath_test

import (
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func ExampleFind() {
	run := tracetest.Parse(&testing.T{}, `
		run    ==============
		 chat  wwaa
		 read      ===
		 grep      ======
		 chat            wwo`)
	path := critpath.Find(run)
	for _, s := range path.Segments {
		fmt.Printf("from %v to %v: %s (%s)\n", s.From, s.To, s.Span.ID, s.Component)
	}
	slack, _ := path.Slack(run.ToolCalls[1].Span)
	fmt.Println(run.ToolCalls[1].Name, "could have taken", slack, "longer for free")
	// Output:
	// from 0s to 2ms: chat/wait (wait)
	// from 2ms to 4ms: chat/tool_args (tool_args)
	// from 4ms to 10ms: grep (tool)
	// from 10ms to 12ms: chat.2/wait (wait)
	// from 12ms to 13ms: chat.2/output (output)
	// from 13ms to 14ms: run (agent)
	// read could have taken 3ms longer for free
}
