package bar

import "github.com/seed46266073/longpole/traces"

// Call fills r with the attempts of a model call and their phases, all as off the critical path, and with the waits between attempts.
func (a Axis) Call(r Raster, c *traces.ModelCall) {
	whole := traces.Response
	if len(c.Attempts) > 1 {
		whole = traces.Backoff
	}
	a.Stretch(r, c.Span.Start, c.Span.End, Of(whole, false))
	for _, k := range c.Attempts {
		a.attempt(r, k, k.Span == c.Span)
	}
}

// Attempt fills r with the phases of one attempt.
func (a Axis) Attempt(r Raster, k *traces.Attempt) { a.attempt(r, k, false) }

func (a Axis) attempt(r Raster, k *traces.Attempt, whole bool) {
	s := k.Span
	if k.Outcome.Failed() || s.Has(traces.FlagFailed) {
		a.Stretch(r, s.Start, s.End, Of(traces.Retry, false))
		return
	}
	if !whole || len(k.Phases) == 0 {
		a.Stretch(r, s.Start, s.End, Of(traces.Response, false))
	}
	for _, p := range k.Phases {
		if p.End > a.From && p.Start < a.To {
			a.Stretch(r, p.Start, p.End, Of(p.Component, false))
		}
	}
}
