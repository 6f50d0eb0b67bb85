package activity

import (
	"cmp"
	"slices"

	"github.com/seed46266073/longpole/traces"
)

// An open is what a run that has not ended waits for.
type open struct {
	span    *traces.Span      // what is open and has nothing open below it; the root if that is all
	call    *traces.ModelCall // that it is part of; nil if none
	attempt *traces.Attempt   // that it is; nil if none
	tools   int               // further tools that are open and have nothing open below them
}

// waitedFor finds what the run waits for, of all that is open and not in the background: a person, then the main chain's model, then the
// tool that began first. Side calls count only where nothing else is open.
func waitedFor(run *traces.Run) open {
	calls := openCalls(run)
	var leaves []open
	for _, s := range innermost(run) {
		leaf := calls[s]
		leaf.span = s
		leaves = append(leaves, leaf)
	}
	if len(leaves) == 0 {
		return open{span: run.Root}
	}
	first := slices.MinFunc(leaves, func(a, b open) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(a.span.Index, b.span.Index))
	})
	for _, l := range leaves {
		if l.span.Role == traces.RoleTool && l.span != first.span {
			first.tools++
		}
	}
	return first
}

// innermost returns the open spans that have no open span below them, but for those in the background and those that say nothing.
func innermost(run *traces.Run) []*traces.Span {
	nearest := make([]int32, len(run.Spans)) // the nearest open span at or above each; -1: none, -2: in the background
	inner := make([]bool, len(run.Spans))
	for i, s := range run.Spans { // parents come before children
		above := int32(-1)
		if s.Parent != nil {
			above = nearest[s.Parent.Index]
		}
		switch {
		case above == -2 || s.Has(traces.FlagBackground) || s.Has(traces.FlagCancelled):
			nearest[i] = -2
		case s.Has(traces.FlagOpen) && tells(s.Role):
			nearest[i], inner[i] = int32(i), true
			if above >= 0 {
				inner[above] = false
			}
		default:
			nearest[i] = above
		}
	}
	var list []*traces.Span
	for i, s := range run.Spans {
		if inner[i] {
			list = append(list, s)
		}
	}
	return list
}

func tells(r traces.Role) bool {
	switch r {
	case traces.RoleAgent, traces.RoleStep, traces.RoleModel, traces.RoleAttempt, traces.RoleTool, traces.RoleWait:
		return true
	}
	return false
}

// openCalls returns what open calls and attempts there are, by span.
func openCalls(run *traces.Run) map[*traces.Span]open {
	calls := map[*traces.Span]open{}
	for _, c := range run.ModelCalls {
		if c.Span.Has(traces.FlagOpen) {
			calls[c.Span] = open{call: c}
		}
		for _, a := range c.Attempts {
			if a.Span.Has(traces.FlagOpen) && a.Span.Role == traces.RoleAttempt {
				calls[a.Span] = open{call: c, attempt: a}
			}
		}
	}
	return calls
}

func (o *open) rank() int {
	switch {
	case o.span.Role == traces.RoleWait && o.span.Attrs().String(traces.KeyWait) == "approval":
		return 0
	case o.call != nil && !o.call.Side:
		return 1
	case o.span.Role == traces.RoleWait:
		return 2
	case o.span.Role == traces.RoleTool:
		return 3
	case o.span.Role == traces.RoleStep, o.span.Role == traces.RoleAgent:
		return 5
	}
	return 4
}
