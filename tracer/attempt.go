package tracer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// An attempt is one HTTP request of a model call being recorded. Times in it are durations since its start.
type attempt struct {
	call   *ModelCall
	ctx    context.Context // the caller's, of the request
	span   trace.Span
	number int
	start  time.Time // recorded
	once   sync.Once // finish

	mu         sync.Mutex
	decoder    stream.Decoder
	result     *stream.Result // the decoder's own, of which only the chunks are up to date
	broken     bool           // the decoder panicked: bytes go on without it
	known      int            // tool calls already made known
	sent       *time.Duration
	headers    *time.Duration
	status     int
	retryAfter *time.Duration
	retryable  bool
	paced      bool // the reader held up the network
	checkpoint *time.Timer
	stage      stage
	hurried    bool // the next checkpoint comes early, to tell of another stage
	done       bool
	err        error // that kept it from a response
	outcome    traces.Outcome
	word       string // error.type
	end        time.Duration
}

// startAttempt begins the next attempt of the call, and books the time since the failed one before as backoff.
func (c *ModelCall) startAttempt(req *http.Request, decoder stream.Decoder) *attempt {
	c.mu.Lock()
	a := &attempt{call: c, ctx: req.Context(), number: len(c.attempts) + 1, start: c.run.clock.now()}
	a.decodeWith(decoder)
	var before *attempt
	if len(c.attempts) > 0 {
		before = c.attempts[len(c.attempts)-1]
	}
	c.attempts = append(c.attempts, a)
	if c.expiry != nil {
		c.expiry.Stop()
	}
	c.mu.Unlock()
	if before != nil {
		c.backoff(before, a.start)
	}
	f := fields{}
	f.role(traces.RoleAttempt)
	f.text(traces.KeyOp, c.span.SpanContext().SpanID().String())
	f.int(traces.KeyAttempt, int64(a.number))
	f.text(traces.KeyHTTPMethod, cmp.Or(req.Method, http.MethodGet))
	f.text(traces.KeyServerAddr, req.URL.Hostname())
	if port, err := strconv.Atoi(req.URL.Port()); err == nil {
		f.int(traces.KeyServerPort, int64(port))
	}
	if a.number > 1 {
		f.int(traces.KeyResendCount, int64(a.number-1))
	}
	_, a.span = c.run.tracer.otel.Start(c.ctx, "attempt "+strconv.Itoa(a.number),
		trace.WithTimestamp(a.start), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(f...))
	a.mu.Lock()
	a.checkpoint = time.AfterFunc(checkpointEvery, a.writeCheckpoint)
	a.mu.Unlock()
	t := c.run.tracer
	t.mu.Lock()
	t.attempts[a] = true
	t.mu.Unlock()
	return a
}

// backoff makes the span of the wait between a failed attempt and the next one.
func (c *ModelCall) backoff(before *attempt, until time.Time) {
	before.mu.Lock()
	done, outcome, from := before.done, before.outcome, before.start.Add(before.end)
	planned, reason := before.retryAfter, before.word
	before.mu.Unlock()
	if !done || outcome == traces.OK || !until.After(from) {
		return
	}
	f := fields{}
	f.role(traces.RoleWait)
	f.text(traces.KeyWait, "backoff")
	if planned != nil {
		f.int(traces.KeyPlanned, int64(*planned))
	}
	f.text(traces.KeyReason, cmp.Or(reason, string(outcome)))
	_, span := c.run.tracer.otel.Start(c.ctx, "backoff", trace.WithTimestamp(from), trace.WithAttributes(f...))
	span.End(trace.WithTimestamp(until))
}

// checkpointEvery is how often an open attempt is written again: a kill loses no more of it. One that reaches another stage is
// written sooner, for whoever follows the run: once when its request has been sent, and at most four times a second after that.
const (
	checkpointEvery = time.Second
	checkpointSoon  = time.Second / 4
	checkpointSent  = time.Second / 40
)

// A stage is how far a response has come: the request was sent, it was answered, output of a kind comes.
type stage struct {
	sent, answered bool
	kind           traces.Component // of the last output
}

// reached notes the stage, and hurries the next checkpoint if it is another.
func (a *attempt) reached() {
	now := stage{sent: a.sent != nil, answered: a.headers != nil}
	if list := a.result.Chunks.List; len(list) > 0 {
		now.kind = list[len(list)-1].Kind
	}
	if now == a.stage {
		return
	}
	a.stage = now
	if !a.hurried && !a.done {
		a.hurried = true
		if now.answered {
			a.checkpoint.Reset(checkpointSoon)
		} else {
			a.checkpoint.Reset(checkpointSent)
		}
	}
}

func (a *attempt) offset() time.Duration { return a.call.run.clock.since(a.start) }

func (a *attempt) endTime() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.start.Add(a.end)
}

// told returns what the attempt's response said, once it is done.
func (a *attempt) told() answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return answer{a.decoder.Result(), a.sentOr0(), a.outcome, a.word}
}

// An answer is what a finished attempt has to say.
type answer struct {
	*stream.Result
	sent    time.Duration
	outcome traces.Outcome
	word    string // error.type
}

func (a *attempt) sentOr0() time.Duration {
	if a.sent == nil {
		return 0
	}
	return *a.sent
}

// wroteRequest notes that the request has been sent. A request that net/http sends again on another connection counts
// from the last time; one that the server answers early counts as sent then.
func (a *attempt) wroteRequest() {
	at := a.offset()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.headers == nil && !a.done {
		a.sent = &at
		a.reached()
	}
}

// gotHeaders notes the response's head.
func (a *attempt) gotHeaders(resp *http.Response) {
	at := a.offset()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.headers = &at
	a.status = resp.StatusCode
	a.retryAfter = retryAfter(resp.Header, a.call.run.clock.now())
	a.retryable = retryable(resp)
	a.span.SetAttributes(attribute.Int(traces.KeyHTTPStatus, resp.StatusCode))
	a.reached()
}

func (a *attempt) decodeWith(d stream.Decoder) { a.decoder, a.result = d, d.Result() }

// feed decodes what has arrived, and err if the body ended with it. It reports whether the response is complete. It
// never fails: a panic in a decoder costs the rest of its facts.
func (a *attempt) feed(at time.Duration, p []byte, err error) (complete bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done || a.broken {
		return false
	}
	defer func() {
		if recover() != nil {
			a.broken = true
			a.decodeWith(&stream.Opaque{})
			complete = false
		}
	}()
	a.decoder.Feed(at, p)
	if err != nil {
		a.decoder.Close(at, a.cause(err))
	}
	a.reached()
	if calls := a.decoder.ToolCalls(); len(calls) > a.known {
		a.known = len(calls)
		a.call.askedFor(calls)
	}
	return a.decoder.Ended()
}

// cause returns why a request or its body ended with err. Where the caller's context is over, that is why, whatever the
// transport says: net/http reports the context's cause, which may be any error.
func (a *attempt) cause(err error) error {
	if err == nil || errors.Is(err, io.EOF) || a.ctx.Err() == nil {
		return err
	}
	return a.ctx.Err()
}

// finish ends the attempt, once: err is how the body, or the request, ended. Whoever comes second waits for the first.
func (a *attempt) finish(at time.Duration, err error) {
	a.once.Do(func() {
		a.close(at, err)
		a.call.attemptDone(a)
		t := a.call.run.tracer
		t.mu.Lock()
		delete(t.attempts, a)
		t.mu.Unlock()
	})
}

// close settles how the attempt ended and makes its spans.
func (a *attempt) close(at time.Duration, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = true
	a.checkpoint.Stop()
	defer func() {
		if recover() != nil { // nothing here may reach the agent
			a.span.End(trace.WithTimestamp(a.start.Add(a.end)))
		}
	}()
	a.end = at
	result := a.decoder.Close(at, a.cause(err))
	if result.End != nil {
		a.end = min(*result.End, at)
	}
	switch {
	case a.err != nil:
		a.outcome = outcomeOf(a.cause(a.err))
		a.word = errorType(a.outcome, a.err)
	case a.status >= 400:
		a.outcome, a.word = traces.Error, strconv.Itoa(a.status)
	case result.Outcome == traces.Error:
		a.outcome, a.word = traces.Error, result.ErrorType
	default:
		a.outcome = result.Outcome
		a.word = errorType(a.outcome, nil)
	}
	a.write(result)
}

// write makes the spans of the phases and ends the attempt's own.
func (a *attempt) write(result *stream.Result) {
	threshold := a.call.run.threshold
	if threshold <= 0 {
		threshold = result.Chunks.StallThreshold()
	}
	t := a.call.run.tracer
	ctx := trace.ContextWithSpan(a.call.ctx, a.span)
	for _, p := range result.Phases(a.sentOr0(), a.end, threshold) {
		f := fields{}
		f.role(traces.RolePhase)
		f.text(traces.KeyPhase, string(p.Component))
		if p.Quality != traces.Measured {
			f.text(traces.KeyQuality, string(p.Quality))
		}
		_, span := t.otel.Start(ctx, string(p.Component), trace.WithTimestamp(a.start.Add(p.From)), trace.WithAttributes(f...))
		span.End(trace.WithTimestamp(a.start.Add(p.To)))
	}
	f := a.facts(result)
	if len(result.Chunks.List) > 0 {
		f.int(traces.KeyStallThreshold, int64(threshold))
		if !t.opt.NoChunks {
			t.recorder.attach(a.span.SpanContext(), traces.Attr{Key: traces.KeyChunks, Value: result.Chunks.Encode()})
		}
	}
	a.span.SetAttributes(f...)
	end(a.span, a.outcome, a.word, trace.WithTimestamp(a.start.Add(a.end)))
}

// facts are the attributes that an attempt has so far, or at its end.
func (a *attempt) facts(result *stream.Result) fields {
	f := fields{}
	since := func(key string, t *time.Duration) {
		if t != nil {
			f.int(key, int64(max(0, *t-a.sentOr0())))
		}
	}
	if a.sent != nil {
		f.int(traces.KeySentTime, int64(*a.sent))
	}
	since(traces.KeyHeadersTime, a.headers)
	since(traces.KeyFirstByteTime, result.FirstByte)
	since(traces.KeyFirstEventTime, result.FirstEvent)
	since(traces.KeyEndMarkerTime, result.End)
	if n := len(result.Chunks.List); n > 0 {
		f.int(traces.KeyChunkCount, int64(n))
	}
	result.Chunks.GapFacts(f.int)
	if result.OutputChars > 0 {
		f.int(traces.KeyChars, int64(result.OutputChars))
	}
	if result.ReasoningChars > 0 {
		f.int(traces.KeyReasoningChars, int64(result.ReasoningChars))
	}
	f.text(traces.KeyVisibility, result.Visibility)
	f.truth(traces.KeyUsageDoubt, result.UsageInconsistent)
	f.truth(traces.KeyTimingsDoubt, result.TimingsInconsistent)
	if a.retryAfter != nil {
		f.int(traces.KeyRetryAfter, int64(*a.retryAfter))
	}
	if a.paced {
		f.text(traces.KeyPaced, "consumer")
	}
	return f
}

// lately are the attributes that only an open attempt has: when what came last did.
func (a *attempt) lately(result *stream.Result) fields {
	f := fields{}
	at := func(key string, t time.Duration) { f.int(key, a.start.Add(t).UnixNano()) }
	if result.FirstByte != nil {
		at(traces.KeyLastByte, result.LastByte)
	}
	if result.FirstEvent != nil {
		at(traces.KeyLastEvent, result.LastEvent)
	}
	if n := len(result.Chunks.List); n > 0 {
		at(traces.KeyLastToken, result.Chunks.List[n-1].At)
		f.text(traces.KeyLastKind, string(result.Chunks.List[n-1].Kind))
	}
	if result.HiddenSince != nil {
		at(traces.KeyHiddenSince, *result.HiddenSince)
	}
	return f
}

// writeCheckpoint writes the open attempt again, and asks for the next time.
func (a *attempt) writeCheckpoint() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return
	}
	defer func() { _ = recover() }() // a sink or decoder that fails costs the checkpoint only
	a.checkpoint.Reset(checkpointEvery)
	a.hurried = false
	result := a.decoder.Result()
	extra := attrsOf(append(a.facts(result), a.lately(result)...))
	if len(result.Chunks.List) > 0 && !a.call.run.tracer.opt.NoChunks {
		extra = append(extra, traces.Attr{Key: traces.KeyChunks, Value: result.Chunks.Encode()})
	}
	if a.call.run.threshold > 0 {
		extra = append(extra, traces.Attr{Key: traces.KeyStallThreshold, Value: int64(a.call.run.threshold)})
	}
	extra = append(extra, traces.Attr{Key: traces.KeyCheckpoint, Value: a.call.run.clock.now().UnixNano()})
	a.call.run.tracer.recorder.checkpoint(a.span.SpanContext(), extra)
}
