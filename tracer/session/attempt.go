package session

import (
	"cmp"
	"net"
	"strconv"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// checkpointEvery is how often an open attempt is written again. Progress comes every 250 ms while there is any, and the tracker's pulse
// every 250 ms while there is none, so at most a second passes. One that reaches another stage is written at once, for whoever follows
// the run.
const checkpointEvery = 750 * time.Millisecond

// A stage is how far a response has come: the request was sent, it was answered, output of a kind comes.
type stage struct {
	sent, answered bool
	kind           traces.Component // of the last output
}

func stageOf(x *proxy.Exchange) stage {
	s := stage{sent: !x.Sent.IsZero(), answered: !x.Headers.IsZero()}
	if list := resultOf(x).Chunks.List; len(list) > 0 {
		s.kind = list[len(list)-1].Kind
	}
	return s
}

// An attempt is one exchange, as part of a call.
type attempt struct {
	call       *call
	span       *span
	x          *proxy.Exchange // as it was seen last
	checkpoint time.Time
	stage      stage          // that it told
	outcome    traces.Outcome // "" while it is open
	word       string         // error.type
}

// attempt makes an exchange the next attempt of the call.
func (c *call) attempt(x *proxy.Exchange) *attempt {
	clock := &c.run.tracker.clock
	number, start := len(c.attempts)+1, clock.at(x.Start)
	if number > 1 {
		c.backoff(c.attempts[number-2], start)
	}
	s := c.run.span(c.span, traces.RoleAttempt, traces.KindClient, "attempt "+strconv.Itoa(number), start)
	s.text(traces.KeyOp, c.span.rec.SpanID)
	s.int(traces.KeyAttempt, int64(number))
	s.text(traces.KeyHTTPMethod, x.Method)
	s.text(traces.KeyTraceparent, x.Facts.TraceParent)
	host, port, err := net.SplitHostPort(x.Upstream)
	if err != nil {
		host = x.Upstream
	}
	s.text(traces.KeyServerAddr, host)
	if n, err := strconv.Atoi(port); err == nil {
		s.int(traces.KeyServerPort, int64(n))
	}
	if number > 1 {
		s.int(traces.KeyResendCount, int64(number-1))
	}
	a := &attempt{call: c, span: s, x: x, checkpoint: start, stage: stageOf(x)}
	a.facts()
	c.attempts = append(c.attempts, a)
	c.asks(x)
	c.run.conns[x.Conn] = true
	c.run.busy++
	s.write()
	return a
}

// backoff makes the span of the wait between a failed attempt and the next one.
func (c *call) backoff(before *attempt, until time.Time) {
	if before.outcome == "" || !until.After(before.span.end) {
		return
	}
	s := c.run.span(c.span, traces.RoleWait, traces.KindInternal, "backoff", before.span.end)
	s.text(traces.KeyWait, "backoff")
	if planned := before.x.Facts.RetryAfter; planned != nil {
		s.int(traces.KeyPlanned, int64(*planned))
	}
	s.text(traces.KeyReason, cmp.Or(before.word, string(before.outcome)))
	s.close(until)
}

// progress takes what has come so far.
func (a *attempt) progress(x *proxy.Exchange) {
	a.x = x
	now, stage := a.call.run.tracker.clock.sign, stageOf(x)
	if now.Sub(a.checkpoint) < checkpointEvery && stage == a.stage {
		return
	}
	a.checkpoint, a.stage = now, stage
	a.span.write(a.lately(a.facts())...)
}

// lately are the attributes that only an open attempt has: when what came last did.
func (a *attempt) lately(result *stream.Result) (attrs traces.Attrs) {
	at := func(key string, t time.Time) { attrs = append(attrs, traces.Attr{Key: key, Value: t.UnixNano()}) }
	clock := &a.call.run.tracker.clock
	if last := clock.at(a.x.LastByte); !last.IsZero() {
		at(traces.KeyLastByte, last)
	}
	if result.FirstEvent != nil {
		at(traces.KeyLastEvent, a.span.start.Add(result.LastEvent))
	}
	if n := len(result.Chunks.List); n > 0 {
		at(traces.KeyLastToken, a.span.start.Add(result.Chunks.List[n-1].At))
		attrs = append(attrs, traces.Attr{Key: traces.KeyLastKind, Value: string(result.Chunks.List[n-1].Kind)})
	}
	if result.HiddenSince != nil {
		at(traces.KeyHiddenSince, a.span.start.Add(*result.HiddenSince))
	}
	return attrs
}

// finish ends the attempt.
func (a *attempt) finish(x *proxy.Exchange) {
	clock := &a.call.run.tracker.clock
	a.x = x
	end := clock.at(x.End)
	if x.End.IsZero() {
		end = later(clock.at(x.Start), clock.at(x.LastByte))
	}
	if r := x.Result; r != nil && r.End != nil && a.span.start.Add(*r.End).Before(end) {
		end = a.span.start.Add(*r.End)
	}
	outcome, word := outcomeOf(x)
	a.end(end, outcome, word)
}

// cancel ends the attempt because whoever made the request is gone.
func (a *attempt) cancel(at time.Time) {
	a.end(later(at, a.call.run.tracker.clock.last), traces.Cancelled, string(traces.Cancelled))
}

func (a *attempt) end(end time.Time, outcome traces.Outcome, word string) {
	a.outcome, a.word = outcome, word
	end = later(a.span.start, end)
	result := a.facts()
	threshold := a.call.run.tracker.opt.StallThreshold
	if threshold <= 0 {
		threshold = result.Chunks.StallThreshold()
	}
	if len(result.Chunks.List) > 0 {
		a.span.int(traces.KeyStallThreshold, int64(threshold))
	}
	for _, p := range result.Phases(sinceStart(a.x, a.x.Sent), end.Sub(a.span.start), threshold) {
		s := a.call.run.span(a.span, traces.RolePhase, traces.KindInternal, string(p.Component), a.span.start.Add(p.From))
		s.text(traces.KeyPhase, string(p.Component))
		if p.Quality != traces.Measured {
			s.text(traces.KeyQuality, string(p.Quality))
		}
		s.close(a.span.start.Add(p.To))
	}
	a.span.outcome(outcome, word)
	a.span.close(end)
	a.span.rec.Attrs = nil
	a.call.run.busy--
	a.call.answered(a)
}

// outcomeOf says how an exchange ended, and the error's type.
func outcomeOf(x *proxy.Exchange) (traces.Outcome, string) {
	result := resultOf(x)
	outcome := x.Outcome
	if outcome == "" || outcome == traces.OutcomeUnknown {
		outcome = cmp.Or(result.Outcome, traces.OutcomeUnknown)
	}
	switch {
	case x.Status >= 400:
		return traces.Error, cmp.Or(x.Err, strconv.Itoa(x.Status))
	case outcome == traces.Error:
		return outcome, cmp.Or(x.Err, result.ErrorType, "_OTHER")
	}
	return outcome, cmp.Or(x.Err, string(outcome))
}

func resultOf(x *proxy.Exchange) *stream.Result {
	if x.Result != nil {
		return x.Result
	}
	return &stream.Result{}
}

// sinceStart returns the offset of a reading, 0 if there is none.
func sinceStart(x *proxy.Exchange, reading time.Time) time.Duration {
	if reading.IsZero() {
		return 0
	}
	return max(0, reading.Sub(x.Start))
}

// facts puts what the exchange tells so far on the span.
func (a *attempt) facts() *stream.Result {
	x, s, result := a.x, a.span, resultOf(a.x)
	sent := sinceStart(x, x.Sent)
	since := func(key string, t *time.Duration) {
		if t != nil {
			s.int(key, int64(max(0, *t-sent)))
		}
	}
	if x.Status != 0 {
		s.int(traces.KeyHTTPStatus, int64(x.Status))
	}
	if !x.Sent.IsZero() {
		s.int(traces.KeySentTime, int64(sent))
	}
	if !x.Headers.IsZero() {
		headers := sinceStart(x, x.Headers)
		since(traces.KeyHeadersTime, &headers)
	}
	since(traces.KeyFirstByteTime, result.FirstByte)
	since(traces.KeyFirstEventTime, result.FirstEvent)
	since(traces.KeyEndMarkerTime, result.End)
	if n := len(result.Chunks.List); n > 0 {
		s.int(traces.KeyChunkCount, int64(n))
		if !a.call.run.tracker.opt.NoChunks {
			s.set(traces.KeyChunks, result.Chunks.Encode())
		}
		if threshold := a.call.run.tracker.opt.StallThreshold; threshold > 0 {
			s.int(traces.KeyStallThreshold, int64(threshold))
		}
	}
	result.Chunks.GapFacts(s.int)
	if result.OutputChars > 0 {
		s.int(traces.KeyChars, int64(result.OutputChars))
	}
	if result.ReasoningChars > 0 {
		s.int(traces.KeyReasoningChars, int64(result.ReasoningChars))
	}
	s.text(traces.KeyVisibility, result.Visibility)
	s.truth(traces.KeyUsageDoubt, result.UsageInconsistent)
	s.truth(traces.KeyTimingsDoubt, result.TimingsInconsistent)
	if x.Facts.RetryAfter != nil {
		s.int(traces.KeyRetryAfter, int64(*x.Facts.RetryAfter))
	}
	if x.Paced {
		s.text(traces.KeyPaced, "consumer")
	}
	return result
}
