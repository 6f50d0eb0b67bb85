package traces

import (
	"cmp"
	"slices"
	"strings"
)

// describe fills in what the roots say of the run as a whole, and what all its calls have in common.
func (b *builder) describe() {
	run := b.run
	roots := []*Span{run.Root}
	if run.Root.Record == nil {
		// What an agent says comes before what its surroundings say.
		roots = slices.Clone(run.Root.Kids)
		slices.SortStableFunc(roots, func(a, b *Span) int { return compareBool(b.Role == RoleAgent, a.Role == RoleAgent) })
	}
	for _, s := range roots {
		for _, a := range s.Attrs() {
			switch v, _ := a.Value.(string); {
			case a.Key == KeyRunName:
				run.Name = cmp.Or(run.Name, v)
			case a.Key == KeyAnswerCheck:
				run.Check = cmp.Or(run.Check, v)
			case strings.HasPrefix(a.Key, KeyGroupPrefix) && v != "":
				if key := a.Key[len(KeyGroupPrefix):]; run.Group[key] == "" {
					run.Group[key] = v
				}
			case a.Key == KeyTimeScale:
				if f, ok := s.Attrs().Float(KeyTimeScale); ok && f > 0 {
					run.TimeScale = f
				} else {
					b.problems.add(BadAttribute, s.ID, "%s is not a number above 0; taken as 1", KeyTimeScale)
				}
			}
		}
		if run.Outcome == OutcomeUnknown && (len(roots) == 1 || s.Role == RoleAgent || s.Attrs().Has(KeyOutcome)) {
			run.Outcome = runOutcome(s)
		}
	}
	run.Name = cmp.Or(run.Name, roots[0].Name)
	b.describeGroup()
	run.Usage = b.totalUsage(roots)
}

// runOutcome says how a run ended. Other than with a call, a status that is not set tells nothing of the answer.
func runOutcome(root *Span) Outcome {
	o := outcomeOf(root)
	if o == OK && root.Attrs().String(KeyOutcome) == "" && root.Record.Status != StatusOK {
		return OutcomeUnknown
	}
	return o
}

// describeGroup adds the model and the effort that all calls of the main chain share, where no tag names them.
func (b *builder) describeGroup() {
	shared := func(key string, of func(*ModelCall) string) {
		value := ""
		for _, c := range b.run.ModelCalls {
			switch v := of(c); {
			case c.Side:
			case v == "" || value != "" && v != value:
				return
			default:
				value = v
			}
		}
		if value != "" && b.run.Group[key] == "" {
			b.run.Group[key] = value
		}
	}
	shared("model", func(c *ModelCall) string { return c.Model })
	shared("effort", func(c *ModelCall) string { return c.Effort })
}
