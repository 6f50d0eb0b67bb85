package whatif

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Plan is what would have been different. The zero value is nothing.
type Plan struct {
	Edits         []Edit // made in this order
	ParallelTools Parallel
	Steps         int // how many steps more: 0, or below 0 for fewer
}

// Parallel says when the tool calls that one message of a model asks for begin.
type Parallel string

// The ways in which tool calls begin.
const (
	AsRecorded Parallel = ""
	AtOnce     Parallel = "at-once" // all of a message as soon as the message is complete
	Early      Parallel = "early"   // each as soon as its own arguments are complete, while the model still writes
)

// ParseParallel reads what is to be parallel: tools (AtOnce) or early (Early).
func ParseParallel(s string) (Parallel, error) {
	switch s {
	case "":
		return AsRecorded, nil
	case "tools", string(AtOnce):
		return AtOnce, nil
	case string(Early):
		return Early, nil
	}
	return "", fmt.Errorf("%q is nothing that can be parallel; tools (all of a message at once) and early (each as soon as its arguments are complete) are", s)
}

// String returns the word as ParseParallel reads it.
func (p Parallel) String() string {
	if p == AtOnce {
		return "tools"
	}
	return string(p)
}

// Empty reports whether nothing would have been different.
func (p Plan) Empty() bool { return len(p.Edits) == 0 && p.ParallelTools == AsRecorded && p.Steps == 0 }

// Labels names what is different, a change each, in the order in which they are made.
func (p Plan) Labels() []string {
	var list []string
	if p.ParallelTools != AsRecorded {
		list = append(list, "--parallel "+p.ParallelTools.String())
	}
	for _, e := range p.Edits {
		list = append(list, e.String())
	}
	if p.Steps != 0 {
		list = append(list, fmt.Sprintf("--steps %d", p.Steps))
	}
	return list
}

func (p Plan) edges(structural bool) critpath.Edges {
	return critpath.Edges{Structural: structural, ToolsAtOnce: p.ParallelTools == AtOnce, ToolsEarly: p.ParallelTools == Early}
}

// targets are what a plan makes shorter or longer rather than takes away, each once.
func (p Plan) targets() []Target {
	var list []Target
	for _, e := range p.Edits {
		if (e.How == Scale || e.How == Set) && !slices.Contains(list, e.Target) {
			list = append(list, e.Target)
		}
	}
	return list
}

// Limits are what no answer can know, to be said with every one.
var Limits = []string{
	"Order counts as dependence: what merely happened to come later still waits, so more may be saved.",
	"A dependence between things that overlapped is not seen: less may be saved.",
	"What is shared (rate limits, batches on the model's hardware, processors) is as busy as it was.",
	"The agent is taken to do the same: other answers or times might have led it to other steps.",
}

// Of answers one plan for one run. Runs that were seen, this one included, tell how short a wait with cached input can be, and which
// tools there are. It never fails: what cannot be done is in Answer.Assumed. The cost is that of measuring the run again, and of
// replaying it some hundred times for the knees.
func Of(run *measure.Run, plan Plan, seen []*measure.Run) Answer {
	return Prepare(run, seen).Answer(plan)
}

// An Answer is how long a run would have taken, and where its time would have gone.
type Answer struct {
	Run   *measure.Run // as it was
	Plan  Plan         //
	After *measure.Run // as it would be, with its path and components; steps and tools that were taken away are there, and take no time
	// Low and High are the range. After takes all that came later to depend on what came before; beside it, only what is declared or
	// in the nature of an agent's loop is (critpath.Edges), and with fewer steps the shortest or longest ones are left out.
	Low, High time.Duration
	Effects   []Effect // what each change adds to those before it; the savings add up to Run.Wall - After.Wall exactly
	Idle      []string // edits that change nothing, as the run has no such time; sentences without a full stop
	Assumed   []string // what was taken for granted, or could not be done: sentences likewise, those of Idle among them
	Curves    []Line   // of the targets that are scaled or set, in their order, the rest of the plan made
	Knees     []Knee   // of the same
}

// A Line is the curve of a target.
type Line struct {
	Target Target
	Points []Point
}

// An Effect is what one change of a plan brings when those before it have been made.
type Effect struct {
	Change string        // as in Plan.Labels
	Saved  time.Duration // below 0: the run gets longer
}

// Saved returns how much shorter the run would be; below 0 if it would be longer.
func (a *Answer) Saved() time.Duration { return a.Run.Wall - a.After.Wall }
