package tracer

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/traces"
)

// A Step is one turn of the loop being recorded. Its methods do nothing on nil.
type Step struct {
	run  *Run
	span trace.Span
}

// StartStep begins turn index, counted from 1, of the run of ctx.
func StartStep(ctx context.Context, index int) (context.Context, *Step) {
	run := runOf(ctx)
	if run == nil {
		return ctx, nil
	}
	f := fields{}
	f.role(traces.RoleStep)
	f.int(traces.KeyStepIndex, int64(index))
	ctx, span := run.start(ctx, "step "+strconv.Itoa(index), trace.SpanKindInternal, f)
	return ctx, &Step{run, span}
}

// End ends the step.
func (s *Step) End() {
	if s != nil {
		s.span.End(trace.WithTimestamp(s.run.clock.now()))
	}
}

// A Wait is a wait being recorded. Its methods do nothing on nil.
type Wait struct {
	run  *Run
	span trace.Span
}

// StartWait begins a wait for approval, rate_limit or other.
func StartWait(ctx context.Context, reason string) (context.Context, *Wait) {
	run := runOf(ctx)
	if run == nil {
		return ctx, nil
	}
	f := fields{}
	f.role(traces.RoleWait)
	f.text(traces.KeyWait, reason)
	ctx, span := run.start(ctx, "wait "+reason, trace.SpanKindInternal, f)
	return ctx, &Wait{run, span}
}

// End ends the wait.
func (w *Wait) End() {
	if w != nil {
		w.span.End(trace.WithTimestamp(w.run.clock.now()))
	}
}

// start begins a span of ours at the recorded present.
func (r *Run) start(ctx context.Context, name string, kind trace.SpanKind, attrs []attribute.KeyValue, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	opts = append(opts, trace.WithTimestamp(r.clock.now()), trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return r.tracer.otel.Start(ctx, name, opts...)
}
