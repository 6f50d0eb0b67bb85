package waterfall

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/bar"
)

const (
	// A gap is worth a break if it lasts at least a quarter of the time in which something happens …
	worthwhile = 4
	// … and a hundredth of the run, so that there are never many to look for.
	noticeable = 100
)

// idle returns the gaps in which nothing happened that could be looked at: the run waited for a person, for a server to take it again, or
// for the agent itself, and no model, tool or other work was going on beside it. They are in order and apart. The cost is linear in
// the number of spans.
func idle(run *measure.Run) []bar.Gap {
	var gaps []bar.Gap
	for _, s := range run.Path.Segments {
		switch s.Component {
		case traces.Approval, traces.Backoff, traces.Agent, traces.Startup, traces.Untraced:
			if n := len(gaps); n > 0 && gaps[n-1].To == s.From {
				gaps[n-1].To = s.To
			} else {
				gaps = append(gaps, bar.Gap{From: s.From, To: s.To})
			}
		}
	}
	gaps = longer(gaps, run.Wall/noticeable)
	gaps = longer(without(gaps, run), run.Wall/noticeable)
	happens := run.Wall
	for _, g := range gaps {
		happens -= g.To - g.From
	}
	return longer(gaps, happens/worthwhile)
}

func longer(gaps []bar.Gap, least time.Duration) []bar.Gap {
	return slices.DeleteFunc(gaps, func(g bar.Gap) bool { return g.To-g.From < max(least, 1) })
}

// without takes out of gaps the time of all spans that do something themselves.
func without(gaps []bar.Gap, run *measure.Run) []bar.Gap {
	if len(gaps) == 0 {
		return nil
	}
	busy := make([][]bar.Gap, len(gaps)) // what lies in each
	work := func(from, to time.Duration) {
		i, _ := slices.BinarySearchFunc(gaps, from, func(g bar.Gap, at time.Duration) int { return cmp.Compare(g.To, at+1) })
		for ; i < len(gaps) && gaps[i].From < to; i++ {
			busy[i] = append(busy[i], bar.Gap{From: from, To: to})
		}
	}
	for _, s := range run.Spans {
		switch s.Role {
		case traces.RoleAgent, traces.RoleStep, traces.RolePhase, traces.RoleWait:
		case traces.RoleAttempt:
			work(s.Start, s.End)
		case traces.RoleTool:
			from := s.Start
			for _, k := range s.Kids { // by start
				if k.Role == traces.RoleWait && waitOf(k) != traces.Tool {
					work(from, k.Start)
					from = max(from, k.End)
				}
			}
			work(from, s.End)
		default:
			if len(s.Kids) == 0 {
				work(s.Start, s.End)
			}
		}
	}
	var rest []bar.Gap
	for i, g := range gaps {
		slices.SortFunc(busy[i], func(a, b bar.Gap) int { return cmp.Compare(a.From, b.From) })
		for _, b := range busy[i] {
			if b.From > g.From {
				rest = append(rest, bar.Gap{From: g.From, To: b.From})
			}
			if g.From = max(g.From, b.To); g.From >= g.To {
				break
			}
		}
		if g.From < g.To {
			rest = append(rest, g)
		}
	}
	return rest
}
