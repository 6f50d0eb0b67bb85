package traces

import (
	"cmp"
	"slices"
)

// findSteps makes the steps: the outermost step spans, else one for each model call of the main chain. What happens below a
// tool belongs to the step of the tool.
func (b *builder) findSteps() {
	run := b.run
	marked := map[*Span]*Step{}
	for _, s := range run.Spans {
		if s.Role == RoleStep && b.places[s.Index].step == nil {
			marked[s] = &Step{Span: s, Start: s.Start, End: s.End}
			run.Steps = append(run.Steps, marked[s])
		}
	}
	sortSteps(run.Steps)

	var derived []*Step
	for _, c := range run.ModelCalls {
		place, first := b.places[c.Span.Index], c.Attempts[0].Span
		if c.Step = marked[place.step]; c.Step != nil || c.Side || place.tool != nil {
			continue
		}
		if s := stepAt(run.Steps, first); s != nil && first.Start < s.End {
			c.Step = s
			continue
		}
		c.Step = &Step{Start: first.Start, End: first.End}
		derived = append(derived, c.Step)
	}
	run.Steps = append(run.Steps, derived...)
	sortSteps(run.Steps)

	b.stepTools(marked)
	for i, s := range run.Steps {
		s.Index = i + 1
	}
	for _, c := range run.ModelCalls {
		if c.Step != nil {
			c.Step.ModelCalls = append(c.Step.ModelCalls, c)
			c.Step.cover(c.Span)
		}
	}
	for _, t := range run.ToolCalls {
		if t.Step != nil {
			t.Step.ToolCalls = append(t.Step.ToolCalls, t)
			t.Step.cover(t.Span)
		}
	}
}

// stepTools finds the step of each tool, and of each model call below one.
func (b *builder) stepTools(marked map[*Span]*Step) {
	for _, s := range b.run.Spans { // outer tools come before inner ones
		place := b.places[s.Index]
		if c := b.calls[s.Index]; c != nil && c.Step == nil && place.tool != nil {
			c.Step = b.tools[place.tool.Index].Step
		}
		t := b.tools[s.Index]
		if t == nil {
			continue
		}
		switch {
		case place.step != nil:
			t.Step = marked[place.step]
		case place.tool != nil:
			t.Step = b.tools[place.tool.Index].Step
		case t.Call != nil && t.Call.Step != nil:
			t.Step = t.Call.Step
		default:
			t.Step = stepAt(b.run.Steps, s)
		}
	}
}

func sortSteps(steps []*Step) {
	slices.SortStableFunc(steps, func(a, b *Step) int { return cmp.Compare(a.Start, b.Start) })
}

// stepAt returns the last step that had begun when s began.
func stepAt(steps []*Step, s *Span) *Step {
	at, _ := slices.BinarySearchFunc(steps, s, func(step *Step, s *Span) int {
		if step.Start <= s.Start {
			return -1
		}
		return 1
	})
	if at == 0 {
		return nil
	}
	return steps[at-1]
}

// cover widens a step that no span marks so that it holds what belongs to it.
func (step *Step) cover(s *Span) {
	if step.Span == nil {
		step.End = max(step.End, s.End)
	}
}
