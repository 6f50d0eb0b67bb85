package stream

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// An Opaque decoder sees bytes and their end, for APIs whose format is not known.
type Opaque struct{ result Result }

// Feed notes the first byte and the last.
func (o *Opaque) Feed(at time.Duration, p []byte) {
	if len(p) == 0 {
		return
	}
	o.result.LastByte = at
	if o.result.FirstByte == nil {
		first := at // a copy, so that only the first time is put on the heap
		o.result.FirstByte = &first
	}
}

// Ended is false: there is no marker to see.
func (o *Opaque) Ended() bool { return false }

// ToolCalls returns none.
func (o *Opaque) ToolCalls() []ToolCall { return nil }

// Result returns what is known so far.
func (o *Opaque) Result() *Result {
	if o.result.Outcome == "" {
		o.result.Outcome = traces.OutcomeUnknown
	}
	return &o.result
}

// Close notes the end; a clean one is taken for success.
func (o *Opaque) Close(at time.Duration, err error) *Result {
	if o.result.End == nil {
		o.result.End = &at
		o.result.Outcome = bodyOutcome(err)
	}
	return &o.result
}
