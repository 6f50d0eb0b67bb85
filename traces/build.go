package traces

import (
	"cmp"
	"slices"
	"time"
)

// Options change what Build repairs and splits. The zero value is what everyone wants.
type Options struct {
	NoSkewRepair   bool          // leave spans of hosts with a skewed clock where they were recorded
	StallThreshold time.Duration // gap between chunks that counts as a stall; 0: as recorded with the attempt, else the default
	// Now is the present, on the recording's clock, of a run that still grows: what is open lasts until then, and is no problem. Zero: the
	// recording is over, and what is open in it lasts until the last sign of any span.
	Now time.Time
}

// Build turns records into runs, ordered by start, and lists the problems that belong to no run; a run lists its own. The
// order of the records carries no meaning. It never fails: whatever is odd is repaired as the problem says, and nothing is
// dropped silently. The runs keep pointers into records. It takes O(n log n) time whatever the tree's shape.
func Build(records []Record) ([]*Run, []Problem) { return BuildWith(records, Options{}) }

// BuildWith is Build with options.
func BuildWith(records []Record, opt Options) ([]*Run, []Problem) {
	set, problems := merge(records)
	var runs []*Run
	for _, g := range set.groups() {
		runs = append(runs, buildRun(g, opt))
	}
	slices.SortFunc(runs, func(a, b *Run) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID))
	})
	return runs, problems
}

// A builder makes one run; each of its methods adds what the ones before made possible.
type builder struct {
	run      *Run
	opt      Options
	problems problemList
	layers   map[*Span][]*Span // of a model span: the model spans inside it that show the same call

	// By Span.Index, until findPhases adds spans.
	places []place
	calls  []*ModelCall // of the span that stands for the call
	tools  []*ToolCall  // of the tool's own span
}

func buildRun(g group, opt Options) *Run {
	b := &builder{opt: opt, run: &Run{ID: g.id, TimeScale: 1, Outcome: OutcomeUnknown, Group: map[string]string{}}}
	b.plant(g)
	b.findRoles()
	b.findPlaces()
	b.findCalls()
	b.findTools()
	b.findSteps()
	b.findPhases()
	b.describe()
	b.run.Problems = b.problems.finish()
	return b.run
}
