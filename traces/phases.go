package traces

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// findPhases finds the phases of every attempt: its phase spans, else those its chunk series shows, else those its events tell, else those
// that the reported time to the first chunk shows, else none. Derived ones become virtual spans of the tree.
func (b *builder) findPhases() {
	attempts := make([]*Attempt, len(b.run.Spans))
	for _, c := range b.run.ModelCalls {
		for _, a := range c.Attempts {
			attempts[a.Span.Index] = a
		}
	}
	owner := func(s *Span) *Attempt {
		around := b.places[s.Index]
		if around.attempt != nil {
			return attempts[around.attempt.Index]
		}
		if around.model == nil {
			return nil
		}
		if a := attempts[around.model.Index]; a != nil {
			return a
		}
		if c := b.calls[around.model.Index]; c != nil {
			return c.at(s.Start)
		}
		return nil
	}
	count := map[*Attempt]int{}
	for _, s := range b.run.Spans {
		if s.Role == RolePhase {
			count[owner(s)]++
		}
	}
	for _, s := range b.run.Spans {
		if s.Role != RolePhase {
			continue
		}
		if a := owner(s); a != nil {
			if a.Phases == nil {
				a.Phases = make([]Phase, 0, count[a])
			}
			a.addPhase(s)
		}
	}
	grown := false
	for _, c := range b.run.ModelCalls {
		ofCall := b.boundaries(c.Span)
		for _, a := range c.Attempts {
			a.readChunks(&b.problems)
			if len(a.Phases) == 0 {
				b.derive(c, a, ofCall)
				grown = grown || len(a.Phases) > 0
			}
			slices.SortStableFunc(a.Phases, func(x, y Phase) int { return cmp.Compare(x.Start, y.Start) })
			a.checkSent(&b.problems)
		}
	}
	if grown {
		b.run.renumber()
	}
}

// at returns the attempt that was going on, or had been the last one, at an instant.
func (c *ModelCall) at(t time.Duration) *Attempt {
	last := c.Attempts[0]
	for _, a := range c.Attempts {
		if a.Span.Start <= t {
			last = a
		}
	}
	return last
}

func (a *Attempt) addPhase(s *Span) {
	a.Phases = append(a.Phases, Phase{s.Phase, s.Start, s.End, s.Quality(), s})
}

// checkSent lists it if output came before the request was sent.
func (a *Attempt) checkSent(problems *problemList) {
	for _, p := range a.Phases {
		if p.Start < a.Sent && (p.Component == Reasoning || p.Component == Output || p.Component == ToolArgs) {
			problems.add(BadAttribute, a.Span.ID, "%s of %q begins %v before its request was sent; no answer to it",
				p.Component, a.Span.Name, a.Sent-p.Start)
			return
		}
	}
}

func (a *Attempt) readChunks(problems *problemList) {
	v, ok := a.Span.Attrs().Value(KeyChunks)
	if !ok {
		return
	}
	if a.Chunks, ok = chunkSeries(v); !ok {
		problems.add(BadAttribute, a.Span.ID, "the chunk series of %q is damaged; left out", a.Span.Name)
	}
}

func chunkSeries(v any) (*Chunks, bool) {
	b, ok := v.([]byte)
	if !ok {
		return nil, false
	}
	c, err := DecodeChunks(b)
	return c, err == nil
}

// derive splits an attempt that has no phase spans as far as its attributes and events allow.
func (b *builder) derive(c *ModelCall, a *Attempt, ofCall []boundary) {
	s, opt := a.Span, b.opt
	attrs := s.Attrs()
	_, ours := attrs.Int(KeySentTime)
	series := a.Chunks != nil && len(a.Chunks.List) > 0
	switch {
	case !series && b.splitAtEvents(c, a, ofCall):
	case series || ours:
		chunks := a.Chunks
		if chunks == nil {
			chunks = &Chunks{}
		}
		threshold := opt.StallThreshold
		if recorded, ok := attrs.Int(KeyStallThreshold); ok && threshold <= 0 {
			threshold = durationOf(recorded)
		}
		rest := Response
		if s.Has(FlagOpen) {
			rest = Wait
		}
		stretches := chunks.Stretches(a.Sent-s.Start, s.Duration(), threshold, rest)
		if s.Has(FlagOpen) && !opt.Now.IsZero() {
			stretches = chunks.goOn(stretches, checkpoint(s.Record)-s.Record.Start, threshold)
		}
		for _, x := range stretches {
			a.insert(s, x.Component, s.Start+x.From, s.Start+x.To, Measured)
		}
	case s.Has(FlagOpen) && s.Role == RoleAttempt && !opt.Now.IsZero():
		a.insert(s, Connect, s.Start, s.End, Measured)
	case c.TTFT != nil && a == c.Final():
		// The span of an HTTP request may end with the response's headers; the stream goes on in the call's own time.
		first := a.Sent + *c.TTFT
		if s != c.Span && s.Parent != nil && s.End < min(first, c.Span.End) {
			a.insert(s, Wait, a.Sent, s.End, Measured)
			a.insert(c.Span, Wait, s.End, min(first, c.Span.End), Measured)
			a.insert(c.Span, Response, first, c.Span.End, Measured)
			return
		}
		a.insert(s, Wait, a.Sent, min(first, s.End), Measured)
		a.insert(s, Response, first, s.End, Measured)
	}
	// Hidden reasoning, and attempts that were not recorded, are part of the wait.
	if resent, _ := attrs.Int(KeyResendCount); attrs.String(KeyVisibility) == "hidden" || resent > 0 && s.Role == RoleModel {
		for i := range a.Phases {
			if p := &a.Phases[i]; p.Component == Wait {
				p.Quality = Bound
				p.Span.Flags |= FlagBound
			}
		}
	}
}

// goOn says what comes after the last chunk of a response that still goes on: a stall if the checkpoint, given in ns since the span's start, saw a
// gap longer than the threshold, else more of the same.
func (c *Chunks) goOn(stretches []Stretch, checkpoint int64, threshold time.Duration) []Stretch {
	n := len(stretches)
	if n == 0 || stretches[n-1].Component != Tail {
		return stretches
	}
	if threshold <= 0 {
		threshold = c.StallThreshold()
	}
	chunk, end := c.List[len(c.List)-1], &stretches[n-1]
	switch silence := time.Duration(checkpoint) - chunk.At; {
	case silence <= 0: // there is none
	case silence > threshold:
		end.Component = Stall
	case n > 1 && stretches[n-2].Component == chunk.Kind:
		stretches[n-2].To = end.To
		return stretches[:n-1]
	default:
		end.Component = chunk.Kind
	}
	return stretches
}

// insert puts a virtual phase below a span and into the attempt's list; one without length is left out.
func (a *Attempt) insert(parent *Span, kind Component, from, to time.Duration, quality Quality) {
	if to <= from {
		return
	}
	id := fmt.Sprintf("%s#%s", parent.ID, kind)
	n := 1
	for _, p := range a.Phases {
		if p.Component == kind && p.Span.Parent == parent {
			n++
		}
	}
	if n > 1 {
		id = fmt.Sprintf("%s.%d", id, n)
	}
	s := &Span{ID: id, Trace: parent.Trace, Name: string(kind), Parent: parent, Start: from, End: to, Skew: parent.Skew,
		Role: RolePhase, Kind: KindInternal, Phase: kind, Flags: FlagVirtual}
	switch quality {
	case Inferred:
		s.Flags |= FlagInferred
	case Bound:
		s.Flags |= FlagBound
	}
	parent.Kids = append(parent.Kids, s)
	a.addPhase(s)
}

// renumber lists the spans anew after some were inserted.
func (run *Run) renumber() {
	stack := []*Span{run.Root}
	run.Spans = run.Spans[:0]
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		s.Index = int32(len(run.Spans))
		run.Spans = append(run.Spans, s)
		slices.SortStableFunc(s.Kids, func(a, b *Span) int {
			if a.Start != b.Start {
				return cmp.Compare(a.Start, b.Start)
			}
			return strings.Compare(a.ID, b.ID)
		})
		for i := len(s.Kids) - 1; i >= 0; i-- {
			stack = append(stack, s.Kids[i])
		}
	}
}
