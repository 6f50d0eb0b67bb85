package tracer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/traces"
)

// RunConfig says what a run is. The zero value will do.
type RunConfig struct {
	ID             string            // "": a random one
	Group          map[string]string // tags
	TimeScale      float64           // recorded time ÷ real time; 0: 1
	StallThreshold time.Duration     // silence that counts as a stall; 0: the larger of 500 ms and 20 × the median gap
	Sink           Sink              // where this run's records go; nil: the tracer's
	Conversation   string            // id of the conversation it belongs to, if it has one of its own
	Intended       time.Time         // real instant at which an open-loop load meant it to begin; zero: whenever it begins
}

// A Run is a task being recorded. Its methods are safe for concurrent use and do nothing on nil.
type Run struct {
	tracer    *Tracer
	id        string
	clock     clock
	sink      Sink
	threshold time.Duration
	span      trace.Span

	began time.Time // recorded, like the next

	mu      sync.Mutex
	over    time.Time                    // zero: it is not
	asked   map[string]trace.SpanContext // tool call id → the model call that asked for it
	ran     map[string]trace.SpanContext // tool call id → the span that executed it
	pending map[uint64]*ModelCall        // by hash of the request: implicit calls that may yet be retried
}

type runKey struct{}

func runOf(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// StartRun begins a run, named after its task. The context returned carries it to everything that happens in it. Within another run it
// is a sub-agent of that run: on its clock, in its file, below its span. A span of someone else's in ctx is linked to, since
// a run is a trace of its own.
func (t *Tracer) StartRun(ctx context.Context, name string, cfg RunConfig) (context.Context, *Run) {
	if t == nil {
		return ctx, nil
	}
	r := &Run{tracer: t, id: cfg.ID, sink: cfg.Sink, threshold: cfg.StallThreshold,
		asked: map[string]trace.SpanContext{}, ran: map[string]trace.SpanContext{}}
	var start []trace.SpanStartOption
	outer := runOf(ctx)
	if outer != nil && outer.tracer == t {
		r.clock, r.sink = outer.clock, outer.sink
		if r.id == "" {
			r.id = outer.id
		}
		if r.threshold == 0 {
			r.threshold = outer.threshold
		}
	} else {
		r.clock = newClock(cfg.TimeScale, t.opt.Now)
		start = append(start, trace.WithNewRoot())
		if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
			start = append(start, trace.WithLinks(trace.Link{SpanContext: sc}))
		}
	}
	if r.sink == nil {
		r.sink = t.opt.Sink
	}
	if r.id == "" {
		r.id = newID()
	}
	f := fields{}
	f.role(traces.RoleAgent)
	f.text(traces.KeyOperation, "invoke_agent")
	f.text(traces.KeyAgentName, name)
	f.text(traces.KeyRunID, r.id)
	f.text(traces.KeyRunName, name)
	f.text(traces.KeyConversation, cfg.Conversation)
	if r.clock.scale != 1 {
		f = append(f, attribute.Float64(traces.KeyTimeScale, r.clock.scale))
	}
	if !cfg.Intended.IsZero() {
		f = append(f, attribute.Int64(traces.KeyIntendedStart, r.clock.at(cfg.Intended).UnixNano()))
	}
	keys := make([]string, 0, len(cfg.Group))
	for k := range cfg.Group {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		f = append(f, attribute.String(traces.KeyGroupPrefix+k, cfg.Group[k]))
	}
	ctx = context.WithValue(ctx, runKey{}, r)
	ctx = context.WithValue(ctx, callKey{}, (*ModelCall)(nil))
	r.began = r.clock.now()
	start = append(start, trace.WithTimestamp(r.began), trace.WithAttributes(f...))
	spanName := "invoke_agent"
	if name != "" {
		spanName += " " + name
	}
	ctx, r.span = t.otel.Start(ctx, spanName, start...)
	t.mu.Lock()
	t.runs[r] = true
	t.mu.Unlock()
	return ctx, r
}

func newID() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// ID returns the run's id.
func (r *Run) ID() string {
	if r == nil {
		return ""
	}
	return r.id
}

// SetGroup adds or changes a tag.
func (r *Run) SetGroup(key, value string) {
	if r != nil {
		r.span.SetAttributes(attribute.String(traces.KeyGroupPrefix+key, value))
	}
}

// SetCheck keeps what the verifier said of the answer, one line.
func (r *Run) SetCheck(said string) {
	if r != nil {
		r.span.SetAttributes(attribute.String(traces.KeyAnswerCheck, said))
	}
}

// Answered says that the run's work is done: whatever comes before End, such as checking the answer, is not the run's time.
func (r *Run) Answered() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over.IsZero() {
		r.over = r.clock.now()
	}
}

// Wall returns how long the run lasted, in recorded time; so far, if it is not over.
func (r *Run) Wall() time.Duration {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.over
	if end.IsZero() {
		end = r.clock.now()
	}
	return end.Sub(r.began)
}

// End ends the run. Only the first End counts. Work still going on keeps its spans, which end by themselves or by Shutdown.
func (r *Run) End(outcome traces.Outcome) {
	if r == nil {
		return
	}
	r.settle()
	r.span.SetAttributes(attribute.String(traces.KeyOutcome, string(outcome)))
	if outcome.Failed() {
		r.span.SetStatus(codes.Error, "")
		r.span.SetAttributes(attribute.String(traces.KeyErrorType, string(outcome)))
	}
	r.Answered()
	r.span.End(trace.WithTimestamp(r.over))
	r.tracer.mu.Lock()
	delete(r.tracer.runs, r)
	r.tracer.mu.Unlock()
}

// Recover is for defer: if the goroutine is panicking, it ends the run as an error and everything open in it as
// cancelled, and panics on with the same value.
func (r *Run) Recover() {
	p := recover()
	if p == nil {
		return
	}
	if r != nil {
		r.span.SetAttributes(attribute.String(traces.KeyOutcome, string(traces.Error)), attribute.String(traces.KeyErrorType, "panic"))
		r.span.SetStatus(codes.Error, "")
		r.tracer.abandon(r)
		r.End(traces.Error)
	}
	panic(p)
}

// abandon ends everything open in a run but its own span.
func (t *Tracer) abandon(r *Run) {
	t.mu.Lock()
	var open []*attempt
	for a := range t.attempts {
		if a.call.run == r {
			open = append(open, a)
		}
	}
	t.mu.Unlock()
	for _, a := range open {
		a.finish(a.offset(), context.Canceled)
	}
	r.settle()
	t.recorder.endAll(t.loose, r)
}

// settle ends the implicit calls that were kept open for a retry that did not come.
func (r *Run) settle() {
	r.mu.Lock()
	var calls []*ModelCall
	for _, c := range r.pending {
		calls = append(calls, c)
	}
	clear(r.pending)
	r.mu.Unlock()
	for _, c := range calls {
		c.endImplicit()
	}
}

// Now returns the present instant as it would be recorded in the run of ctx.
func Now(ctx context.Context) time.Time {
	if r := runOf(ctx); r != nil {
		return r.clock.now()
	}
	return time.Now()
}

// Sleep waits for d of recorded time, or until ctx is done, whose error it then returns.
func Sleep(ctx context.Context, d time.Duration) error {
	if r := runOf(ctx); r != nil {
		d = time.Duration(float64(d) / r.clock.scale)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
