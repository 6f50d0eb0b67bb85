package measure

import "github.com/seed46266073/longpole/traces"

// Usage is the sum over a run's model calls of what was counted. A nil field was counted nowhere.
type Usage struct {
	traces.Usage
	Uncounted int // model calls whose output nobody counted; above 0 the sums are lower bounds
}

// usageOf adds up the calls' usage. Only where no call has any, the spans above them speak: agent and step spans often
// repeat the sum of what is below, so the topmost ones count and nothing below those.
func usageOf(run *traces.Run) Usage {
	var sum Usage
	for _, c := range run.ModelCalls {
		sum.add(c.Usage)
		if c.Usage.Output == nil {
			sum.Uncounted++
		}
	}
	if known(sum.Usage) {
		return sum
	}
	counted := make([]bool, len(run.Spans)) // has usage itself or below a span that has
	for i, s := range run.Spans {
		if s.Parent != nil && counted[s.Parent.Index] {
			counted[i] = true
			continue
		}
		if u := reported(s.Attrs()); known(u) {
			counted[i] = true
			sum.add(u)
			sum.Uncounted = 0
		}
	}
	if !known(sum.Usage) {
		sum.Source = traces.UsageUnknown
	}
	return sum
}

func (u *Usage) add(v traces.Usage) {
	plus := func(to **int64, n *int64) {
		if n == nil {
			return
		}
		if *to == nil {
			*to = new(int64)
		}
		**to += *n
	}
	plus(&u.Input, v.Input)
	plus(&u.Cached, v.Cached)
	plus(&u.Output, v.Output)
	plus(&u.Reasoning, v.Reasoning)
	switch {
	case !known(v):
	case v.Source == traces.UsageEstimated || u.Source == traces.UsageEstimated:
		u.Source = traces.UsageEstimated
	default:
		u.Source = traces.UsageProvider
	}
}

func known(u traces.Usage) bool {
	return u.Input != nil || u.Cached != nil || u.Output != nil || u.Reasoning != nil
}

func reported(a traces.Attrs) traces.Usage {
	count := func(key string) *int64 {
		if n, ok := a.Int(key); ok && n >= 0 {
			return &n
		}
		return nil
	}
	return traces.Usage{Input: count(traces.KeyInputTokens), Cached: count(traces.KeyCachedTokens),
		Output: count(traces.KeyOutputTokens), Reasoning: count(traces.KeyReasoningTokens), Source: traces.UsageProvider}
}
