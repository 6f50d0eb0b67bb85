package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
	"github.com/seed46266073/longpole/traces/whatif"
)

// A row is one thing that can be changed, and its slider.
type row struct {
	name    string
	ink     traces.Component // its colour and letter
	target  whatif.Target    // what it scales; zero: it switches something
	onPath  time.Duration    // mean over all runs; 0 for what is no time of its own
	quality traces.Quality   // the least certain of it
	fixed   string           // why it cannot be moved; "": it can
	does    string           // what a switch does
	stage   stage
	notches []notch
	at      int // the notch of the slider
	home    int // the one that changes nothing
	most    int // the one that gain is told for

	gain time.Duration // at notch most, alone

	findings
}

// A stage is when the edit of a row is made.
type stage int

const (
	scales stage = iota
	rates
	switches
)

// A notch is a place of a slider: how it is called, and what it changes.
type notch struct {
	label  string  // "": the factor
	factor float64 // of a scale
	change whatif.Plan
}

// onto adds the change of a notch to a plan.
func (n notch) onto(plan whatif.Plan) whatif.Plan {
	plan.Edits = append(slices.Clip(plan.Edits), n.change.Edits...)
	plan.ParallelTools = cmp.Or(n.change.ParallelTools, plan.ParallelTools)
	plan.Steps += n.change.Steps
	return plan
}

// move puts the slider so many notches from home, as far as it goes.
func (r *row) move(notches int) {
	if r.fixed == "" {
		r.at = max(0, min(r.home+notches, len(r.notches)-1))
	}
}

// moved reports whether the slider changes anything.
func (r *row) moved() bool { return r.at != r.home }

// is reports whether time that is booked on a component, and on a tool if it is one, is the row's.
func (r *row) is(c traces.Component, tool string) bool {
	switch {
	case r.target.Tool != "":
		return c == traces.Tool && tool == r.target.Tool
	case r.target == whatif.DecodeRate:
		return c == traces.Reasoning || c == traces.Output || c == traces.ToolArgs
	case r.target != whatif.Target{}:
		return c == traces.Component(r.target.Name)
	}
	return r.ink == traces.Retry && (c == traces.Retry || c == traces.Backoff) || r.ink == traces.Wait && c == traces.Wait ||
		r.ink == traces.Tool && c == traces.Tool && r.name == parallelName
}

// The factors of a slider: of a time, from none of it to twice as long; of a rate.
var (
	factors     = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2}
	rateFactors = []float64{0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5, 10}
)

func scaleOf(r row, list []float64) *row {
	for i, f := range list {
		n := notch{factor: f}
		if f == 1 {
			r.home, r.at = i, i
		} else {
			n.change.Edits = []whatif.Edit{{Target: r.target, How: whatif.Scale, Factor: f}}
		}
		r.notches = append(r.notches, n)
	}
	return &r
}

// switchOf makes a slider that ends with what was recorded.
func switchOf(r row, notches ...notch) *row {
	r.stage = switches
	r.notches = append(notches, notch{label: "as it was"})
	r.home = len(notches)
	r.at = r.home
	return &r
}

const parallelName = "tools start"

// rowsOf returns a row for each component and tool of runs, and for the other things that could be had.
func rowsOf(runs []*measure.Run) []*row {
	var rows []*row
	some := survey(runs)
	for _, c := range traces.Components {
		seen, ok := some.components[c]
		if !ok || c == traces.Tool || c == traces.Untraced || c == traces.Retry || c == traces.Backoff {
			continue
		}
		rows = append(rows, scaleOf(row{name: strings.ReplaceAll(string(c), "_", " "), ink: c, target: whatif.Component(c), onPath: some.mean(seen.sum),
			quality: seen.quality}, factors))
	}
	if _, visible := some.components[traces.Reasoning]; !visible && some.hidden > 0 {
		rows = append(rows, &row{name: "reasoning", ink: traces.Reasoning, quality: traces.Bound, fixed: "hidden in the wait",
			notches: []notch{{label: ""}}})
	}
	for name, sum := range some.tools {
		rows = append(rows, scaleOf(row{name: "tool " + name, ink: traces.Tool, target: whatif.Tool(name), onPath: some.mean(sum.sum), quality: sum.quality}, factors))
	}
	if some.written {
		r := scaleOf(row{name: "decode rate", ink: traces.Output, target: whatif.DecodeRate, stage: rates}, rateFactors)
		r.most = slices.IndexFunc(r.notches, func(n notch) bool { return n.factor == 2 })
		rows = append(rows, r)
	}
	if retry, backoff := some.components[traces.Retry], some.components[traces.Backoff]; retry.sum+backoff.sum > 0 {
		rows = append(rows, switchOf(row{name: "retries", ink: traces.Retry, does: "none: no attempt fails, and nothing waits to try again", onPath: some.mean(retry.sum + backoff.sum), quality: traces.Measured},
			notch{label: "none", change: whatif.Plan{Edits: []whatif.Edit{{Target: whatif.Component(traces.Retry), How: whatif.Off}}}}))
	}
	if _, ok := some.components[traces.Wait]; ok || some.prefill() {
		rows = append(rows, switchOf(row{name: "prompt cache", ink: traces.Wait, does: "all hits: no call waits longer than the shortest one seen with cached input", quality: traces.Measured},
			notch{label: "all hits", change: whatif.Plan{Edits: []whatif.Edit{{Target: whatif.Component(traces.Wait), How: whatif.Cached}}}}))
	}
	if some.toolCalls > 1 {
		rows = append(rows, switchOf(row{name: parallelName, ink: traces.Tool,
			does: "at once: with the message that asks for them; early: each when its arguments are complete", quality: traces.Measured},
			notch{label: "early", change: whatif.Plan{ParallelTools: whatif.Early}},
			notch{label: "at once", change: whatif.Plan{ParallelTools: whatif.AtOnce}}))
	}
	if n := min(some.steps-1, 9); n > 0 {
		var less []notch
		for i := n; i > 0; i-- {
			less = append(less, notch{label: fmt.Sprintf("%d fewer", i), change: whatif.Plan{Steps: -i}})
		}
		r := switchOf(row{name: "steps", ink: traces.Agent, does: "those of median length are not made, never the last", quality: traces.Measured}, less...)
		r.most = n - 1
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(b.onPath, a.onPath), stats.Natural(a.name, b.name)) })
	return rows
}
