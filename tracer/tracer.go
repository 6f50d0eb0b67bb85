package tracer

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

const scopeName = "github.com/seed46266073/longpole/tracer"

// exportTimeout bounds how long a flush or shutdown waits for exporters: an endpoint that swallows everything must not
// hold up the end of a program.
const exportTimeout = 2 * time.Second

// A Sink keeps records; traces/store's Writer is one. Write is called while the agent runs, from several goroutines: it
// must not block for long. Its errors are counted, not acted on.
type Sink interface {
	Write(recs ...traces.Record) error
}

// Options configure a Tracer. The zero value records nothing.
type Options struct {
	Sink      Sink                    // where records go, unless a run names its own
	Exporters []sdktrace.SpanExporter // get every finished span, in batches
	Sampler   sdktrace.Sampler        // decides what exporters get; nil: all. Sinks get everything
	Resource  []attribute.KeyValue    // added to what the environment says of the process
	Think     stream.ThinkTags        // whether text between <think> tags is reasoning
	Content   bool                    // keep generated text and tool arguments in the spans
	NoChunks  bool                    // leave the series of chunks out of the records
	Now       func() time.Time        // nil: time.Now
}

// A Tracer makes spans of runs. It is safe for concurrent use.
type Tracer struct {
	opt      Options
	provider *sdktrace.TracerProvider
	otel     trace.Tracer
	recorder *recorder
	loose    *Run // stands in for the run where there is none

	mu       sync.Mutex
	runs     map[*Run]bool
	attempts map[*attempt]bool // open ones
}

// New returns a tracer with a provider of its own. Call Shutdown before the program ends.
func New(opt Options) *Tracer {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	res, err := resource.Merge(resource.Default(), resource.NewSchemaless(opt.Resource...))
	if err != nil {
		res = resource.NewSchemaless(opt.Resource...)
	}
	t := &Tracer{
		opt:      opt,
		recorder: newRecorder(opt.Sink, res),
		runs:     map[*Run]bool{},
		attempts: map[*attempt]bool{},
	}
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(res),
		sdktrace.WithSampler(recordAll{opt.Sampler}),
		sdktrace.WithSpanProcessor(t.recorder),
	}
	for _, e := range opt.Exporters {
		options = append(options, sdktrace.WithBatcher(e, sdktrace.WithMaxQueueSize(1<<14)))
	}
	t.provider = sdktrace.NewTracerProvider(options...)
	t.otel = t.provider.Tracer(scopeName)
	t.loose = &Run{tracer: t, clock: newClock(1, opt.Now), sink: opt.Sink}
	return t
}

// Provider returns the tracer provider, for other instrumentations: their spans are recorded with the run's.
func (t *Tracer) Provider() trace.TracerProvider { return t.provider }

// Spans returns how many spans were made so far.
func (t *Tracer) Spans() int {
	t.recorder.mu.Lock()
	defer t.recorder.mu.Unlock()
	return t.recorder.n
}

// Lost returns how many records sinks refused.
func (t *Tracer) Lost() int { return int(t.recorder.lost.Load()) }

// Flush sends what exporters have not sent yet. It waits for ctx, and two seconds at most.
func (t *Tracer) Flush(ctx context.Context) error {
	return bounded(ctx, t.provider.ForceFlush)
}

// Shutdown ends every span that is still open, with the outcome cancelled, and flushes like Flush. The tracer makes no
// spans after that; a second Shutdown does nothing.
func (t *Tracer) Shutdown(ctx context.Context) error {
	t.mu.Lock()
	var runs []*Run
	for r := range t.runs {
		runs = append(runs, r)
	}
	var attempts []*attempt
	for a := range t.attempts {
		attempts = append(attempts, a)
	}
	t.mu.Unlock()
	for _, a := range attempts {
		a.finish(a.offset(), context.Canceled)
	}
	for _, r := range append(runs, t.loose) {
		r.settle()
	}
	t.recorder.endAll(t.loose)
	return bounded(ctx, t.provider.Shutdown)
}

// bounded runs f, which may ignore its context, and gives up on it in time.
func bounded(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	done := make(chan error, 1)
	go func() {
		defer cancel()
		done <- f(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		select {
		case err := <-done:
			return err
		default:
			return errors.New("flush spans: the exporters did not finish in time; some spans were not sent")
		}
	}
}

// recordAll keeps spans that a sampler drops, for the sinks, but marks them so that exporters do not get them.
type recordAll struct{ sampler sdktrace.Sampler }

func (s recordAll) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if s.sampler == nil {
		return sdktrace.AlwaysSample().ShouldSample(p)
	}
	r := s.sampler.ShouldSample(p)
	if r.Decision == sdktrace.Drop {
		r.Decision = sdktrace.RecordOnly
	}
	return r
}

func (s recordAll) Description() string { return "longpole record all" }
