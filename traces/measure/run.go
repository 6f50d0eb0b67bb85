package measure

import (
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

// A Run is a run with everything that is computed from it. Read-only after Of; safe for concurrent use then.
type Run struct {
	*traces.Run
	Path       *critpath.Path
	Counts     Counts
	Usage      Usage
	Components []ComponentTime  // in the order of display; they add up to Wall exactly
	Families   []FamilyTime     // the same, summed; only those that have time
	Tools      []ToolTime       // by name, natural order
	Steps      []StepTime       // by start
	Calls      []Call           // model calls by start, side calls included
	ToolCalls  []ToolCall       // by start
	Problems   []traces.Problem // the run's, then the path's
	// Late is how long after its intended start the run began; nil if it had none, as it has in an open-loop load. It is no
	// part of Wall.
	Late *time.Duration
}

// Counts says how many of each a run holds. Model calls are logical calls, side calls included.
type Counts struct {
	Steps, ModelCalls, Attempts, ToolCalls int
}

// Retries returns how many attempts were repeats.
func (c Counts) Retries() int { return c.Attempts - c.ModelCalls }

// Of computes everything about a run. It never fails; an open run is measured as of now. The cost is that of the
// critical path plus one pass over spans, chunks and segments.
func Of(run *traces.Run) *Run {
	path := critpath.Find(run)
	r := &Run{
		Run:        run,
		Path:       path,
		Components: tally(path.Segments, 0, run.Wall),
		Counts:     Counts{Steps: len(run.Steps), ModelCalls: len(run.ModelCalls), ToolCalls: len(run.ToolCalls)},
		Usage:      usageOf(run),
	}
	r.Families = families(r.Components)
	r.Problems = append(append(r.Problems, run.Problems...), path.Problems...)
	r.Calls, r.Steps = make([]Call, 0, len(run.ModelCalls)), make([]StepTime, 0, len(run.Steps))
	for _, c := range run.ModelCalls {
		r.Counts.Attempts += len(c.Attempts)
		r.Calls = append(r.Calls, callOf(c))
	}
	for _, s := range run.Steps {
		r.Steps = append(r.Steps, StepTime{s, tally(path.Segments, s.Start, s.End)})
	}
	r.late()
	r.ToolCalls = toolCalls(run, path)
	r.Tools = tools(run, path)
	return r
}

// Correct reports whether the run finished with an answer that was found right, or at least not found wrong.
func (r *Run) Correct() bool { return r.Outcome == traces.OK && !r.Open }

// CutOff reports whether the run was ended by a time limit, so that its wall time is only a lower bound.
func (r *Run) CutOff() bool { return r.Outcome == traces.Timeout }

// Interrupted reports whether the run was broken off from outside, or has not ended: that says nothing of what it was a run of.
func (r *Run) Interrupted() bool { return r.Outcome == traces.Cancelled || r.Open && !r.CutOff() }

// Time returns how long who wanted the run's answer waited for it: from its intended start, where it had one, else from its
// start.
func (r *Run) Time() time.Duration {
	if r.Late == nil {
		return r.Wall
	}
	return *r.Late + r.Wall
}

// late reads when the run was meant to begin: what its first root that says so says.
func (r *Run) late() {
	roots := []*traces.Span{r.Root}
	if r.Root.Record == nil {
		roots = r.Root.Kids
	}
	for _, root := range roots {
		intended, ok := root.Attrs().Int(traces.KeyIntendedStart)
		if !ok {
			continue
		}
		switch late := time.Duration(r.Start.UnixNano() - intended); {
		case intended <= 0:
			r.Problems = append(r.Problems, traces.Problem{Code: traces.DoubtfulData, SpanID: root.ID,
				Message: fmt.Sprintf("the run was meant to begin at %d, before all time; its intended start is not used", intended)})
		case late >= 0:
			r.Late = &late
		default:
			r.Problems = append(r.Problems, traces.Problem{Code: traces.DoubtfulData, SpanID: root.ID,
				Message: fmt.Sprintf("the run began %v before it was meant to; its intended start is not used", -late)})
		}
		return
	}
}

// A StepTime is what the path spent inside a step's interval; its components add up to that interval as far as it lies
// within the run, and their shares are of the step.
type StepTime struct {
	*traces.Step
	Components []ComponentTime
}

// Time returns how long the step lasted.
func (s StepTime) Time() time.Duration { return s.End - s.Start }
