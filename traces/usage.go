package traces

// usageOf reads the tokens that a span counts. Its source is empty if it counts none.
func usageOf(s *Span, problems *problemList) Usage {
	count := func(key string) *int64 {
		n, ok := s.Attrs().Int(key)
		if !ok {
			return nil
		}
		if n < 0 {
			problems.add(BadAttribute, s.ID, "%s of %q is %d; taken as unknown", key, s.Name, n)
			return nil
		}
		return &n
	}
	u := Usage{Input: count(KeyInputTokens), Cached: count(KeyCachedTokens), Output: count(KeyOutputTokens), Reasoning: count(KeyReasoningTokens)}
	if u != (Usage{}) {
		u.Source = UsageProvider
	}
	return u
}

// totalUsage adds up what the model calls used. Totals on the spans around them say the same again, so they count only where
// no call has any.
func (b *builder) totalUsage(roots []*Span) Usage {
	total := Usage{Source: UsageUnknown}
	add := func(u Usage) {
		if u.Source == UsageUnknown || u.Source == "" {
			return
		}
		total.Source = u.Source
		for _, n := range []struct {
			sum **int64
			one *int64
		}{{&total.Input, u.Input}, {&total.Cached, u.Cached}, {&total.Output, u.Output}, {&total.Reasoning, u.Reasoning}} {
			if n.one == nil {
				continue
			}
			if *n.sum == nil {
				*n.sum = new(int64)
			}
			**n.sum += *n.one
		}
	}
	for _, c := range b.run.ModelCalls {
		add(c.Usage)
	}
	if total.Source == UsageUnknown {
		for _, s := range roots {
			add(usageOf(s, &b.problems))
		}
	}
	return total
}
