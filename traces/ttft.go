package traces

import (
	"math"
	"time"
)

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

// sinceSent converts what a span reports as the time to the first chunk into the time since the final attempt's request. Our own
// attempts are what the figure is about; others count from the start of the span that carries it, retries included.
func (c *ModelCall) sinceSent(s *Span, ttft *time.Duration) *time.Duration {
	final := c.Final()
	if ttft == nil || final.Span == s || final.Span.Attrs().String(KeyRole) == string(RoleAttempt) {
		return ttft
	}
	first := s.Start + *ttft
	switch {
	case first >= final.Sent:
		ttft := first - final.Sent
		return &ttft
	case len(c.Attempts) > 1:
		return nil // it came in an attempt that was given up
	}
	return ttft
}
