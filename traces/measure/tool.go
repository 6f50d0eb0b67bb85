package measure

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/stats"
)

// A ToolTime sums up the calls of one tool.
type ToolTime struct {
	Name     string
	Calls    int
	Measured int            // calls whose execution was measured
	Run      *time.Duration // their execution added up; nil if none was measured
	Critical time.Duration  // time on the critical path booked on this tool
}

// A ToolCall is one execution of a tool.
type ToolCall struct {
	*traces.ToolCall
	Critical time.Duration // time on the critical path booked on this call; what is below a nested tool is that tool's
	path     *critpath.Path
}

// Slack returns how much longer the call could have taken for free; nil: unknown. The first call for a run costs more than the critical
// path itself, so that who asks for no slack does not pay for it.
func (c ToolCall) Slack() *time.Duration {
	if d, ok := c.path.Slack(c.Span); ok {
		return &d
	}
	return nil
}

// tools adds up calls by name, and the path's tool time by the names it was booked on.
func tools(run *traces.Run, path *critpath.Path) []ToolTime {
	byName := map[string]*ToolTime{}
	named := func(name string) *ToolTime {
		if byName[name] == nil {
			byName[name] = &ToolTime{Name: name}
		}
		return byName[name]
	}
	for _, c := range run.ToolCalls {
		t := named(c.Name)
		t.Calls++
		if c.Run != nil {
			t.Measured++
			if t.Run == nil {
				t.Run = new(time.Duration)
			}
			*t.Run += min(*c.Run, math.MaxInt64-*t.Run) // calls in parallel can add up to more than there is room for
		}
	}
	for _, s := range path.Segments {
		if s.Component == traces.Tool {
			named(s.Tool).Critical += s.To - s.From
		}
	}
	list := make([]ToolTime, 0, len(byName))
	for _, name := range slices.SortedFunc(maps.Keys(byName), stats.Natural) {
		list = append(list, *byName[name])
	}
	return list
}

func toolCalls(run *traces.Run, path *critpath.Path) []ToolCall {
	index := make(map[*traces.Span]int, len(run.ToolCalls))
	list := make([]ToolCall, len(run.ToolCalls))
	for i, c := range run.ToolCalls {
		index[c.Span] = i
		list[i].ToolCall, list[i].path = c, path
	}
	if len(list) == 0 {
		return list
	}
	within := make([]int, len(run.Spans)) // the nearest tool call at or above each span; parents come before children
	for i, s := range run.Spans {
		within[i] = -1
		if s.Parent != nil {
			within[i] = within[s.Parent.Index]
		}
		if call, ok := index[s]; ok {
			within[i] = call
		}
	}
	for _, s := range path.Segments {
		if s.Component == traces.Tool {
			if i := within[s.Span.Index]; i >= 0 {
				list[i].Critical += s.To - s.From
			}
		}
	}
	return list
}
