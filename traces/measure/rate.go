package measure

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// rates computes how fast output came, from the instants found before. Every rate is nil where the count and the window
// do not belong together: tokens nobody counted, a burst, reasoning that was billed but not (or only in summary) streamed, a reader that
// set the pace.
func (m *Call) rates(a *traces.Attempt) {
	if m.TTFT == nil || m.LastToken == nil {
		return
	}
	out, reasoning := m.Usage.Output, m.Usage.Reasoning
	hidden := m.Visibility == "hidden"
	streamed := out // tokens that arrived between TTFT and the last token
	if hidden {
		streamed = minus(out, reasoning)
	}
	took := *m.LastToken - *m.TTFT
	m.Delivery = Streamed
	if burst(streamed, a.Chunks, took, *m.LastToken) {
		m.Delivery = Burst
	}
	if m.Paced || m.Delivery == Burst || took <= 0 {
		return
	}
	m.CharsPerSecond = charsPerSecond(a.Chunks)
	m.VisibleTPOT = m.visibleTPOT(a)
	if m.Visibility == "summary" || streamed == nil || *streamed < 2 {
		return
	}
	perToken := per(took, *streamed-1)
	if hidden {
		if m.ReasoningWindow == nil && *reasoning > 0 {
			m.ReasoningEstimate = ptr(min(time.Duration(float64(took)/float64(*streamed-1)*float64(*reasoning)), *m.TTFT))
		}
		return
	}
	m.TPOT = &perToken
	m.OutputRate = ptr(float64(*out-1) / took.Seconds())
	if n := int64(len(m.Stalls)); n > 0 && *out-1-n > 0 {
		for _, s := range m.Stalls {
			took -= s.End - s.Start
		}
		if took > 0 {
			m.TPOTFlowing = ptr(per(took, *out-1-n))
		}
	}
}

// endToEnd is nil for a failed attempt, whose time is no answer's, and while the attempt is open.
func (m *Call) endToEnd(a *traces.Attempt) *float64 {
	if m.Usage.Output == nil || m.End == nil || *m.End <= 0 || a.Outcome.Failed() || m.Paced {
		return nil
	}
	return ptr(float64(*m.Usage.Output) / m.End.Seconds())
}

// charsPerToken tells how much text a token of the model holds, which differs between models.
func (m *Call) charsPerToken(attrs traces.Attrs) *float64 {
	chars, ok := attrs.Int(traces.KeyChars)
	tokens := m.visibleTokens()
	if !ok || chars <= 0 || tokens == nil || *tokens <= 0 {
		return nil
	}
	return ptr(float64(chars) / float64(*tokens))
}

// visibleTokens counts the tokens of the visible text. It is nil where they cannot be told from others: reasoning was shown but not
// counted, or tool arguments, which nobody counts apart, were generated too.
func (m *Call) visibleTokens() *int64 {
	switch {
	case m.LastToolCall != nil || len(m.ToolCallIDs) > 0:
		return nil
	case m.Usage.Reasoning != nil:
		return minus(m.Usage.Output, m.Usage.Reasoning)
	case m.FirstReasoning != nil, m.Visibility == "hidden", m.Visibility == "summary", m.Visibility == "full":
		return nil
	}
	return m.Usage.Output
}

// visibleTPOT is nil where visibleTokens is, and where reasoning came between the text.
func (m *Call) visibleTPOT(a *traces.Attempt) *time.Duration {
	if m.FirstVisible == nil || m.LastVisible == nil {
		return nil
	}
	tokens := m.visibleTokens()
	took := *m.LastVisible - *m.FirstVisible
	if tokens == nil || *tokens < 2 || took <= 0 || tooFast(*tokens, took, *m.LastVisible) {
		return nil
	}
	if m.LastReasoning != nil && *m.LastReasoning > *m.FirstVisible {
		return nil
	}
	return ptr(per(took, *tokens-1))
}

// burst tells a replayed answer from a generated one. Where tokens were not counted, a token is taken to be at most a
// chunk or four characters.
func burst(tokens *int64, chunks *traces.Chunks, took, last time.Duration) bool {
	n := int64(0)
	switch {
	case tokens != nil:
		n = *tokens
	case chunks != nil:
		for _, k := range chunks.List {
			n += int64(k.Chars)
		}
		n = max(n/4, int64(len(chunks.List)))
	}
	return tooFast(n, took, last)
}

// tooFast reports whether tokens came faster than any model writes (2,000 a second) and in so small a part of the
// response's time (a tenth) that they must have been kept back before.
func tooFast(tokens int64, took, last time.Duration) bool {
	const fastest, part = 2000, 10
	return tokens > 1 && float64(tokens-1) > fastest*took.Seconds() && took*part < last
}

// charsPerSecond divides the visible characters that came after the response's first chunk by the gaps that ended with them,
// so that reasoning between the text does not slow it; nil without a chunk series or its lengths.
func charsPerSecond(c *traces.Chunks) *float64 {
	if c == nil {
		return nil
	}
	var chars int64
	var took time.Duration
	for i, k := range c.List {
		if i > 0 && k.Kind == traces.Output {
			chars += int64(k.Chars)
			took += k.At - c.List[i-1].At
		}
	}
	if chars == 0 || took <= 0 {
		return nil
	}
	return ptr(float64(chars) / took.Seconds())
}

// minus returns a - b; nil if either is unknown or the counts contradict each other.
func minus(a, b *int64) *int64 {
	if a == nil || b == nil || *a < *b {
		return nil
	}
	return ptr(*a - *b)
}

// per divides, rounding to the nearest nanosecond.
func per(d time.Duration, n int64) time.Duration {
	return time.Duration((int64(d) + n/2) / n)
}
