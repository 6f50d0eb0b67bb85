package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// fewer are the steps that could be left out: all but the last, which gives the answer, shortest first.
type fewer struct {
	steps []*traces.Step
	n     int // how many of them are left out
}

// fewerSteps returns nothing to leave out where the run has too few steps.
func fewerSteps(run *traces.Run, n int) fewer {
	if len(run.Steps) < 2 || n <= 0 {
		return fewer{}
	}
	f := fewer{slices.Clone(run.Steps[:len(run.Steps)-1]), 0}
	f.n = min(n, len(f.steps))
	slices.SortStableFunc(f.steps, func(a, b *traces.Step) int { return cmp.Compare(a.End-a.Start, b.End-b.Start) })
	return f
}

func (f fewer) shortest() []*traces.Step { return f.steps[:f.n] }
func (f fewer) longest() []*traces.Step  { return f.steps[len(f.steps)-f.n:] }

// median returns those in the middle; of two middles the shorter.
func (f fewer) median() []*traces.Step {
	at := (len(f.steps) - f.n) / 2
	return f.steps[at : at+f.n]
}

// skip makes steps, all that is in them and the time that leads to them take no time.
func (c *change) skip(steps []*traces.Step) {
	gone := make([]bool, len(c.Run.Spans))
	for _, s := range steps {
		if s.Span != nil {
			gone[s.Span.Index] = true
		}
		for _, call := range s.ModelCalls {
			gone[call.Span.Index] = true
			for _, a := range call.Attempts {
				gone[a.Span.Index] = true
			}
		}
		for _, call := range s.ToolCalls {
			gone[call.Span.Index] = true
		}
	}
	for i, s := range c.Run.Spans {
		gone[i] = gone[i] || s.Parent != nil && gone[s.Parent.Index]
	}
	for i, part := range c.replay.Parts {
		if c.lengths[i] > 0 && (gone[part.Span.Index] || part.Next != nil && gone[part.Next.Index]) {
			c.set(i, 0)
		}
	}
}

// assume says which steps were left out.
func (f fewer) assume(asked int, n *notes) {
	switch {
	case f.n == 0:
		n.say("--steps -%d changes nothing: the run has no step before the last", asked)
		return
	case f.n < asked:
		n.say("--steps -%d: the run has only %s before the last", asked, traces.FormatCount(f.n, "step"))
	}
	var sum time.Duration
	for _, s := range f.median() {
		sum += s.End - s.Start
	}
	which, other := "the step", "the shortest or the longest"
	if f.n > 1 {
		which, other = "the steps", "the shortest or the longest ones"
	}
	n.say("--steps -%d: %s of median length, of those before the last, not made (%s); the range is as if it had been %s",
		f.n, which, traces.FormatDuration(sum), other)
}
