package traces_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func times(run *traces.Run) (start, end []time.Duration) {
	for _, s := range run.Spans {
		start, end = append(start, s.Start), append(end, s.End)
	}
	return start, end
}

const retimed = `
	run         ==================
	 step1      ==========
	  chat      wwrrooaa            asks:c1 ttft:2
	  grep              ==          call:c1
	  approval          =
	 chat                 wwoo
	 cat                      ====`

func TestRetimedToItsOwnTimesARunIsTheSame(t *testing.T) {
	run := tracetest.Parse(t, retimed)
	start, end := times(run)
	// Spans refer to each other in circles, so those of the lists above them stand for themselves by id.
	byID := cmp.Comparer(func(a, b *traces.Span) bool {
		return (a == nil) == (b == nil) && (a == nil || a.ID == b.ID && a.Index == b.Index)
	})
	steps := cmp.Comparer(func(a, b *traces.Step) bool { return (a == nil) == (b == nil) && (a == nil || a.Index == b.Index) })
	again := run.Retime(start, end)
	if diff := cmp.Diff(run.ModelCalls, again.ModelCalls, byID, steps); diff != "" {
		t.Errorf("model calls (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(run.ToolCalls, again.ToolCalls, byID, steps, cmpopts.IgnoreFields(traces.ToolCall{}, "Call")); diff != "" {
		t.Errorf("tool calls (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(run.Steps, again.Steps, byID, cmpopts.IgnoreFields(traces.Step{}, "ModelCalls", "ToolCalls")); diff != "" {
		t.Errorf("steps (-before +after):\n%s", diff)
	}
	if got, want := tracetest.String(again), tracetest.String(run); got != want {
		t.Errorf("spans are\n%swant\n%s", got, want)
	}
	for i, s := range again.Spans {
		if s == run.Spans[i] || s.Parent != nil && s.Parent != again.Spans[s.Parent.Index] {
			t.Errorf("%s is shared with the run it was copied from", s.ID)
		}
	}
}

func TestCallsAndStepsFollowTheirRetimedSpans(t *testing.T) {
	run := tracetest.Parse(t, retimed)
	start, end := times(run)
	ms := time.Millisecond
	for i, s := range run.Spans {
		switch s.ID {
		case "chat/reasoning", "chat/output", "chat/tool_args": // all 2 ms later
			start[i] += 2 * ms
			end[i] += 2 * ms
		case "chat/wait":
			end[i] += 2 * ms
		case "chat":
			end[i] += 2 * ms
		case "cat": // before the second call
			start[i], end[i] = 15*ms, 16*ms
		case "chat.2":
			start[i], end[i] = 16*ms, 18*ms
		}
	}
	again := run.Retime(start, end)
	var got []string
	for _, s := range again.Steps {
		got = append(got, fmt.Sprintf("step %d: %v-%v", s.Index, s.Start, s.End))
	}
	for _, c := range again.ModelCalls {
		got = append(got, fmt.Sprintf("call: %v-%v", c.Start(), c.End()))
	}
	for _, p := range again.ModelCalls[0].Attempts[0].Phases {
		got = append(got, fmt.Sprintf("%s: %v-%v", p.Component, p.Start, p.End))
	}
	got = append(got, "ttft: "+again.ModelCalls[0].TTFT.String())
	for _, c := range again.ToolCalls {
		got = append(got, fmt.Sprintf("%s: %v", c.Name, *c.Run))
	}
	for _, s := range again.Root.Kids {
		got = append(got, s.ID)
	}
	want := []string{"step 1: 0s-10ms", "step 2: 16ms-18ms", "call: 0s-10ms", "call: 16ms-18ms", "wait: 0s-4ms", "reasoning: 4ms-6ms",
		"output: 6ms-8ms", "tool_args: 8ms-10ms", "ttft: 4ms", "grep: 2ms", "cat: 1ms", "step1", "cat", "chat.2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
