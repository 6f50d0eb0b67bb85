package activity

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// readAttempt says what goes on in an open attempt.
func (a *Activity) readAttempt(c *traces.ModelCall, t *traces.Attempt, stall time.Duration) {
	attrs := t.Span.Attrs()
	at := func(key string) *time.Duration {
		unix, ok := attrs.Int(key)
		if !ok {
			return nil
		}
		offset := a.offset(unix)
		return &offset
	}
	s := &a.state
	s.Model, s.Status, s.Attempt, s.Whole = c.Model, t.Status, t.Number, c.Stream != nil && !*c.Stream
	a.seen = t.Span.Start
	if seen := at(traces.KeyCheckpoint); seen != nil {
		a.seen = *seen
	}
	a.byte, a.event, a.token = at(traces.KeyLastByte), at(traces.KeyLastEvent), at(traces.KeyLastToken)
	hidden := at(traces.KeyHiddenSince)
	switch {
	case hidden != nil:
		s.Kind, s.Hidden, a.from = Thinking, true, *hidden
	case a.token != nil:
		a.readOutput(t, traces.Component(attrs.String(traces.KeyLastKind)), stall)
	case attrs.Has(traces.KeySentTime):
		s.Kind, a.from = Waiting, t.Sent
	default:
		s.Kind, a.from = Connecting, t.Span.Start
	}
}

// readOutput tells what comes, or that nothing does.
func (a *Activity) readOutput(t *traces.Attempt, kind traces.Component, stall time.Duration) {
	s := &a.state
	switch kind {
	case traces.Reasoning:
		s.Kind = Thinking
	case traces.ToolArgs:
		s.Kind = Calling
	default:
		s.Kind, kind = Writing, traces.Output
	}
	chunks := &traces.Chunks{}
	if t.Chunks != nil {
		chunks = t.Chunks
	}
	if set, ok := t.Span.Attrs().Int(traces.KeyStallThreshold); ok && set > 0 && stall <= 0 {
		stall = time.Duration(set)
	}
	if stall <= 0 {
		stall = chunks.StallThreshold()
	}
	a.from = *a.token
	switch silence := a.seen - *a.token; {
	case silence > stall:
		s.Was, s.Kind = s.Kind, Stalled
	case silence > stall/2:
		s.Was, s.Kind = s.Kind, Silent
	default:
		if n := len(chunks.List); n > 0 {
			from := stretch(chunks.List)
			a.from = t.Span.Start + chunks.List[from].At
			s.Rate = rate(chunks.List[from:], kind)
		}
	}
}

// stretch returns the chunk after which output of the last one's kind began: the last one of another kind, or the first of all.
func stretch(list []traces.Chunk) int {
	kind := list[len(list)-1].Kind
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Kind != kind {
			return i
		}
	}
	return 0
}

// recent is the time over which a rate is taken: long enough for a steady figure, short enough to be of now.
const recent = 3 * time.Second

// rate is what came after the first chunk of the last few seconds.
func rate(list []traces.Chunk, kind traces.Component) *Rate {
	last := list[len(list)-1].At
	first := len(list) - 1
	for first > 0 && last-list[first-1].At <= recent {
		first--
	}
	took := (last - list[first].At).Seconds()
	if took <= 0 {
		return nil
	}
	var chars, chunks float64
	for _, c := range list[first+1:] {
		chars += float64(c.Chars)
		chunks++
	}
	if chars == 0 {
		return &Rate{Of: kind, PerSecond: chunks / took, Chunks: true}
	}
	return &Rate{Of: kind, PerSecond: chars / took}
}
