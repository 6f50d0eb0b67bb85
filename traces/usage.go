package traces

import (
	"math"
	"time"
)

func durationOf(ns int64) time.Duration { return time.Duration(min(ns, latest)) }

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

// reportedTTFT reads the time to the first chunk; one that is longer than the span is not believed.
func reportedTTFT(s *Span, problems *problemList) *time.Duration {
	seconds, ok := s.Attrs().Float(KeyTTFT)
	if !ok {
		return nil
	}
	ns := math.Round(seconds * 1e9)
	// One millisecond is allowed for emitters that round.
	if limit := s.Duration() + time.Millisecond; ns < 0 || ns > float64(limit) && !s.Has(FlagOpen) || ns > float64(latest) {
		problems.add(BadAttribute, s.ID, "%s of %q is %g s, longer than the span or negative; taken as unknown", KeyTTFT, s.Name, seconds)
		return nil
	}
	ttft := time.Duration(ns)
	return &ttft
}
