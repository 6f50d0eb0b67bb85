package traces

import (
	"cmp"
	"slices"
)

// findCalls makes the model calls and their attempts, and flags the attempts that came to nothing.
func (b *builder) findCalls() {
	b.calls = make([]*ModelCall, len(b.run.Spans))
	models, attempts := b.run.withRole(RoleModel), b.run.withRole(RoleAttempt)
	calls := make([]*ModelCall, len(models))
	ofModels, ofAttempts := make([]ModelCall, len(models)), make([]Attempt, len(attempts))
	for i, s := range models {
		calls[i] = &ofModels[i]
		calls[i].Span = s
		b.calls[s.Index] = calls[i]
	}
	byOp := map[string]*ModelCall{}
	for i, s := range attempts {
		var c *ModelCall
		if m := b.places[s.Index].model; m != nil {
			c = b.calls[m.Index]
		} else {
			op := s.Attrs().String(KeyOp)
			if c = byOp[op]; c == nil || op == "" {
				c = &ModelCall{Span: s}
				calls = append(calls, c)
				byOp[op] = c
			}
		}
		ofAttempts[i].Span = s
		c.Attempts = append(c.Attempts, &ofAttempts[i])
	}
	for _, c := range calls {
		if len(c.Attempts) == 0 {
			c.Attempts = []*Attempt{{Span: c.Span}}
		}
		c.read(b.layers[c.Span], &b.problems)
	}
	sortCalls(calls)
	b.run.ModelCalls = joinRetries(calls)
	clear(b.calls)
	for _, c := range b.run.ModelCalls {
		b.calls[c.Span.Index] = c
		c.number()
		c.judge()
	}
}

// withRole returns the spans of a role, in the tree's order.
func (run *Run) withRole(r Role) []*Span {
	n := 0
	for _, s := range run.Spans {
		if s.Role == r {
			n++
		}
	}
	spans := make([]*Span, 0, n)
	for _, s := range run.Spans {
		if s.Role == r {
			spans = append(spans, s)
		}
	}
	return spans
}

func sortCalls(calls []*ModelCall) {
	slices.SortFunc(calls, func(a, b *ModelCall) int { return bySpan(a.Attempts[0].Span, b.Attempts[0].Span) })
}

// bySpan orders by start; spans of one start by their place in the tree.
func bySpan(a, b *Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Index, b.Index))
}

// read fills in what the spans of the call say of it; what the call's own span leaves out, a lower layer or its last attempt
// may say.
func (c *ModelCall) read(layers []*Span, problems *problemList) {
	slices.SortFunc(c.Attempts, func(a, b *Attempt) int { return bySpan(a.Span, b.Span) })
	for _, a := range c.Attempts {
		attrs := a.Span.Attrs()
		status, _ := attrs.Int(KeyHTTPStatus)
		a.Status = int(min(max(status, 0), 999))
		a.Outcome = outcomeOf(a.Span)
		a.Sent = a.Span.Start
		if sent, ok := attrs.Int(KeySentTime); ok && sent > 0 {
			a.Sent = min(a.Span.Start+durationOf(sent), a.Span.End)
		}
	}
	spans := append([]*Span{c.Span}, layers...)
	if last := c.Final().Span; !slices.Contains(spans, last) {
		spans = append(spans, last)
	}
	for _, s := range spans {
		attrs := s.Attrs()
		c.Model = cmp.Or(c.Model, modelOf(attrs))
		c.Provider = cmp.Or(c.Provider, attrs.String(KeyProvider))
		c.Effort = cmp.Or(c.Effort, attrs.String(KeyEffort))
		if c.FinishReason == "" {
			if reasons := attrs.Strings(KeyFinishReasons); len(reasons) > 0 {
				c.FinishReason = reasons[0]
			}
		}
		if c.ToolCallIDs == nil {
			c.ToolCallIDs = attrs.Strings(KeyToolCallIDs)
		}
		if c.Stream == nil {
			if v, ok := attrs.Bool(KeyRequestStream); ok {
				c.Stream = &v
			}
		}
		if side, _ := attrs.Bool(KeySide); side || attrs.String(KeyOperation) == "embeddings" {
			c.Side = true
		}
		if c.TTFT == nil {
			c.TTFT = c.sinceSent(s, reportedTTFT(s, problems))
		}
		if c.Usage.Source == "" {
			c.Usage = usageOf(s, problems)
		}
	}
	if c.Stream == nil && c.TTFT != nil {
		yes := true
		c.Stream = &yes
	}
	c.Usage.Source = cmp.Or(c.Usage.Source, UsageUnknown)
}

// joinRetries makes one call of neighbours that are attempts of one: a call that failed, and after it, below the same span,
// a call of the same model, with no tool between. Emitters that have no spans for attempts show retries so; attempts that name
// their call need no guess.
func joinRetries(calls []*ModelCall) []*ModelCall {
	last := map[*Span]int{} // by parent: the last call so far, into out
	out := calls[:0:0]
	for _, c := range calls {
		at, ok := last[c.Span.Parent]
		if !ok || !isRetry(out[at], c) {
			last[c.Span.Parent] = len(out)
			out = append(out, c)
			continue
		}
		out[at].Span.Role = RoleAttempt
		out[at].Span.Flags |= FlagFailed
		c.Attempts = append(out[at].Attempts, c.Attempts...)
		out[at] = c
	}
	return out
}

func isRetry(prev, c *ModelCall) bool {
	first, next := prev.Span, c.Span
	if first.Parent == nil || first.Role != RoleModel || next.Role != RoleModel || !outcomeOf(first).Failed() ||
		next.Start < first.End || prev.Side != c.Side || prev.Model == "" || prev.Model != c.Model || prev.Final().Span.Attrs().Has(KeyOp) {
		return false
	}
	kids := first.Parent.Kids
	at, _ := slices.BinarySearchFunc(kids, first, func(s, first *Span) int { return cmp.Compare(s.Start, first.Start) })
	for ; at < len(kids) && kids[at].Start < next.Start; at++ {
		if kids[at].Role == RoleTool {
			return false
		}
	}
	return true
}

// number counts the attempts from 1, or keeps the numbers they carry where these ascend.
func (c *ModelCall) number() {
	last, kept := 0, true
	for i, a := range c.Attempts {
		attrs := a.Span.Attrs()
		n, ok := attrs.Int(KeyAttempt)
		if !ok {
			if n, ok = attrs.Int(KeyResendCount); ok {
				n++
			} else {
				n = int64(i) + 1
			}
		}
		kept = kept && n > int64(last) && n < 1<<31
		a.Number = int(n)
		last = a.Number
	}
	if !kept {
		for i, a := range c.Attempts {
			a.Number = i + 1
		}
	}
}

// judge flags the attempts that failed or were given up for another, and says how the call ended.
func (c *ModelCall) judge() {
	winner := c.Final()
	for _, a := range c.Attempts {
		// One that another followed was given up, even if its own span shows nothing wrong.
		if (a.Outcome == OK || a.Outcome == OutcomeUnknown) && c.Final().Span.Start < a.Span.End {
			winner = a
		}
	}
	for _, a := range c.Attempts {
		if a.Outcome.Failed() || a != winner {
			a.Span.Flags |= FlagFailed
		}
		if a.Outcome == Cancelled {
			a.Span.Flags |= FlagCancelled
		}
	}
	c.Outcome = winner.Outcome
	if c.Span != winner.Span && c.Span.Role == RoleModel {
		if o := outcomeOf(c.Span); c.Span.Attrs().Has(KeyOutcome) || o != OK || c.Outcome == OutcomeUnknown {
			c.Outcome = o
		}
	}
}
