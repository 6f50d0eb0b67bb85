package whatif

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// tokens says how many tokens were written in each phase of a run, and how far that is known.
type tokens struct {
	in []float64 // by the phase's span; unknown (below 0) where nobody counted, or the span is no such phase

	calls     int // that wrote something in phases
	uncounted int // of these: calls whose tokens nobody counted, or whose counts contradict each other
	byTime    int // calls whose tokens were split by time, since lengths of texts were not kept
	hidden    int // calls that reasoned without a phase to show for it
	unsplit   int // calls whose response has no phases
}

const unknown = -1.0

// tokensOf spreads each call's usage over the phases in which its final attempt was writing. Reasoning tokens, where they are counted
// apart, are those of the reasoning phases, and all other output that of the others; else all are one pool. A pool is split by the length of
// the text that arrived in each phase, else by time. What arrives first ends the wait, and what arrives after a silence ends a stall: their
// tokens took that time and not that of a phase.
func tokensOf(run *measure.Run) tokens {
	t := tokens{in: make([]float64, len(run.Spans))}
	for i := range t.in {
		t.in[i] = unknown
	}
	for i := range run.Calls {
		t.call(&run.Calls[i])
	}
	return t
}

func (t *tokens) call(c *measure.Call) {
	if c.Answer.Span.Has(traces.FlagFailed) {
		return // all of it is retry
	}
	var phases []traces.Phase
	reasoned, response := false, false
	for _, p := range c.Answer.Phases {
		switch {
		case written(p.Component) && p.Span != nil:
			phases = append(phases, p)
			reasoned = reasoned || p.Component == traces.Reasoning
		case p.Component == traces.Response:
			response = true
		}
	}
	out, reasoning := c.Usage.Output, c.Usage.Reasoning
	if reasoning != nil && *reasoning > 0 && !reasoned {
		t.hidden++
	}
	if len(phases) == 0 {
		if response || len(c.Answer.Phases) == 0 {
			t.unsplit++
		}
		return
	}
	t.calls++
	if out == nil || *out < 0 || reasoning != nil && (*reasoning < 0 || *reasoning > *out) {
		t.uncounted++
		return
	}
	lengths := textOf(c.Answer, phases)
	if !lengths.known {
		t.byTime++
	}
	total := float64(*out)
	if reasoning == nil || reasoned && *reasoning == 0 { // shown, but not counted apart
		t.spread(phases, lengths, total, func(traces.Component) bool { return true })
		return
	}
	t.spread(phases, lengths, float64(*reasoning), func(c traces.Component) bool { return c == traces.Reasoning })
	t.spread(phases, lengths, total-float64(*reasoning), func(c traces.Component) bool { return c != traces.Reasoning })
}

// spread splits the tokens of one pool over the phases that it was written in.
func (t *tokens) spread(phases []traces.Phase, lengths text, pool float64, in func(traces.Component) bool) {
	whole := 0.0
	for kind, n := range lengths.outside {
		if in(kind) {
			whole += n
		}
	}
	for i, p := range phases {
		if in(p.Component) {
			whole += lengths.of[i]
		}
	}
	for i, p := range phases {
		switch {
		case !in(p.Component):
		case whole > 0:
			t.in[p.Span.Index] = pool * lengths.of[i] / whole
		default: // phases that took no time
			t.in[p.Span.Index] = 0
		}
	}
}

// text is how much was written: characters, else nanoseconds.
type text struct {
	of      []float64                    // in each phase
	outside map[traces.Component]float64 // what arrived at the end of a wait or a stall
	known   bool                         // in characters
}

func textOf(a *traces.Attempt, phases []traces.Phase) text {
	l := text{of: make([]float64, len(phases)), outside: map[traces.Component]float64{}}
	if a.Chunks != nil {
		k := 0
		for _, chunk := range a.Chunks.List {
			at := a.Span.Start + chunk.At
			for k < len(phases) && phases[k].End < at {
				k++
			}
			if k < len(phases) && phases[k].Start < at && phases[k].Component == chunk.Kind {
				l.of[k] += float64(chunk.Chars)
			} else {
				l.outside[chunk.Kind] += float64(chunk.Chars)
			}
			l.known = l.known || chunk.Chars > 0
		}
	}
	if l.known && l.covers(phases) {
		return l
	}
	l = text{of: make([]float64, len(phases))}
	for i, p := range phases {
		l.of[i] = float64(max(p.End-p.Start, time.Duration(0)))
	}
	return l
}

// covers reports whether there is text for each kind of phase: hidden reasoning has a phase without any.
func (l text) covers(phases []traces.Phase) bool {
	seen := map[traces.Component]bool{}
	for kind, n := range l.outside {
		seen[kind] = n > 0
	}
	for i, p := range phases {
		seen[p.Component] = seen[p.Component] || l.of[i] > 0
	}
	for _, p := range phases {
		if !seen[p.Component] {
			return false
		}
	}
	return true
}
