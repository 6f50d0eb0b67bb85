package waterfall

import (
	"fmt"

	"github.com/seed46266073/longpole/traces"
)

// crowded is from how many on neighbours that have no part in the loop share a row.
const crowded = 4

// asides tells of each span of a run whether it has no part in the agent's loop: neither it nor any span below it is an agent, a
// step, a model call or a tool, or a piece of one. Other libraries' traces have thousands of them. In a trace without any loop
// no span is aside.
func asides(run *traces.Run) []bool {
	aside := make([]bool, len(run.Spans))
	if len(run.ModelCalls)+len(run.ToolCalls)+len(run.Steps) == 0 {
		return aside
	}
	for i := range aside {
		aside[i] = true
	}
	for i, s := range run.Spans {
		switch s.Role {
		case traces.RoleClient, traces.RoleServer, traces.RoleProducer, traces.RoleConsumer, traces.RoleInternal:
		default:
			aside[i] = false
		}
	}
	for i := len(run.Spans) - 1; i > 0; i-- { // parents come before their children
		if p := run.Spans[i].Parent; p != nil && !aside[i] {
			aside[p.Index] = false
		}
	}
	return aside
}

// crowd returns the children of s as they have rows: many neighbours that have no part in the loop are put below a span of their
// own, which is in no trace.
func (t *tree) crowd(s *traces.Span) []*traces.Span {
	if isCrowd(s) || s.Role == traces.RoleModel || s.Role == traces.RoleAttempt || s.Role == traces.RoleTool {
		return s.Kids
	}
	var kids []*traces.Span
	for from := 0; from < len(s.Kids); {
		to := from
		for to < len(s.Kids) && t.aside[s.Kids[to].Index] {
			to++
		}
		switch {
		case to-from >= crowded:
			kids = append(kids, crowdOf(s, s.Kids[from:to]))
		default:
			to = max(to, from+1)
			kids = append(kids, s.Kids[from:to]...)
		}
		from = to
	}
	return kids
}

func crowdOf(parent *traces.Span, kids []*traces.Span) *traces.Span {
	c := &traces.Span{ID: "@beside " + kids[0].ID, Name: fmt.Sprintf("%d other spans", len(kids)), Trace: parent.Trace, Parent: parent, Kids: kids,
		Start: kids[0].Start, End: kids[0].End, Role: traces.RoleInternal, Index: -1, Flags: traces.FlagVirtual}
	for _, k := range kids {
		c.End = max(c.End, k.End)
	}
	return c
}

func isCrowd(s *traces.Span) bool { return s.Index < 0 }
