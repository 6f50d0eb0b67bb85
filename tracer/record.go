package tracer

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/traces"
)

// A recorder is the span processor that writes records to sinks: each span when it starts, so that a kill loses little,
// and again when it ends. Phases, and waits that are made after the fact, are written once.
type recorder struct {
	fallback Sink
	resource *traces.Resource
	lost     atomic.Int64

	mu   sync.Mutex
	open map[spanKey]*openSpan
	n    int // spans started
}

type spanKey struct {
	trace trace.TraceID
	span  trace.SpanID
}

func keyOf(sc trace.SpanContext) spanKey { return spanKey{sc.TraceID(), sc.SpanID()} }

type openSpan struct {
	span  sdktrace.ReadWriteSpan
	run   *Run
	extra traces.Attrs // what the record has and the span has not
	order int
}

func newRecorder(fallback Sink, res *resource.Resource) *recorder {
	return &recorder{fallback: fallback, resource: &traces.Resource{Attrs: attrsOf(res.Attributes())}, open: map[spanKey]*openSpan{}}
}

// OnStart writes the span with end 0.
func (r *recorder) OnStart(parent context.Context, s sdktrace.ReadWriteSpan) {
	run, _ := parent.Value(runKey{}).(*Run)
	r.mu.Lock()
	r.n++
	o := &openSpan{span: s, run: run, order: r.n}
	r.open[keyOf(s.SpanContext())] = o
	r.mu.Unlock()
	if rec := r.record(s, o); rec.Attrs.String(traces.KeyRole) != string(traces.RolePhase) && rec.Attrs.String(traces.KeyWait) != "backoff" {
		r.write(o.run, rec)
	}
}

// OnEnd writes the finished span.
func (r *recorder) OnEnd(s sdktrace.ReadOnlySpan) {
	key := keyOf(s.SpanContext())
	r.mu.Lock()
	o := r.open[key]
	delete(r.open, key)
	r.mu.Unlock()
	if o == nil {
		o = &openSpan{}
	}
	rec := r.record(s, o)
	rec.Attrs = append(rec.Attrs, o.extra...)
	r.write(o.run, rec)
}

// Shutdown does nothing: sinks belong to whoever opened them.
func (r *recorder) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing: records are written at once.
func (r *recorder) ForceFlush(context.Context) error { return nil }

// attach adds attributes to the record of an open span that exporters do not get.
func (r *recorder) attach(sc trace.SpanContext, extra ...traces.Attr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.open[keyOf(sc)]; o != nil {
		o.extra = append(o.extra, extra...)
	}
}

// checkpoint writes an open span again.
func (r *recorder) checkpoint(sc trace.SpanContext, extra traces.Attrs) {
	r.mu.Lock()
	o := r.open[keyOf(sc)]
	r.mu.Unlock()
	if o == nil {
		return
	}
	rec := r.record(o.span, o)
	rec.Attrs = append(rec.Attrs, extra...)
	r.write(o.run, rec)
}

// endAll ends what is open, children before their parents, as cancelled. With a run given, only that run's.
func (r *recorder) endAll(loose *Run, only ...*Run) {
	r.mu.Lock()
	var open []*openSpan
	for _, o := range r.open {
		if len(only) == 0 || slices.Contains(only, o.run) {
			open = append(open, o)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(open, func(a, b *openSpan) int { return cmp.Compare(b.order, a.order) })
	for _, o := range open {
		run := o.run
		if run == nil {
			run = loose
		}
		attrs := attrsOf(o.span.Attributes())
		switch traces.Role(attrs.String(traces.KeyRole)) {
		case traces.RoleAgent, traces.RoleModel, traces.RoleAttempt, traces.RoleTool:
			if !attrs.Has(traces.KeyOutcome) {
				o.span.SetAttributes(attribute.String(traces.KeyOutcome, string(traces.Cancelled)))
			}
		}
		o.span.End(trace.WithTimestamp(run.clock.now()))
	}
}

// write hands records to the sink of their run. Whatever the sink does, the agent goes on.
func (r *recorder) write(run *Run, recs ...traces.Record) {
	sink := r.fallback
	if run != nil && run.sink != nil {
		sink = run.sink
	}
	if sink == nil {
		return
	}
	defer func() {
		if recover() != nil {
			r.lost.Add(int64(len(recs)))
		}
	}()
	if err := sink.Write(recs...); err != nil {
		r.lost.Add(int64(len(recs)))
	}
}

// record converts a span. Spans of other instrumentations have real times and get recorded ones here.
func (r *recorder) record(s sdktrace.ReadOnlySpan, o *openSpan) traces.Record {
	rec := traces.Record{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		Name: s.Name(), Kind: traces.Kind(s.SpanKind()),
		Start: s.StartTime().UnixNano(), Status: statusOf(s.Status().Code), Message: s.Status().Description,
		Attrs: attrsOf(s.Attributes()), Resource: r.resource, Scope: s.InstrumentationScope().Name,
		Dropped: traces.Dropped{Attrs: uint32(s.DroppedAttributes()), Events: uint32(s.DroppedEvents()), Links: uint32(s.DroppedLinks())},
	}
	if s.Parent().IsValid() {
		rec.ParentID = s.Parent().SpanID().String()
	}
	if !s.EndTime().IsZero() {
		rec.End = s.EndTime().UnixNano()
	}
	for _, e := range s.Events() {
		rec.Events = append(rec.Events, traces.Event{Name: e.Name, Time: e.Time.UnixNano(), Attrs: attrsOf(e.Attributes)})
	}
	for _, l := range s.Links() {
		rec.Links = append(rec.Links, traces.Link{
			TraceID: l.SpanContext.TraceID().String(), SpanID: l.SpanContext.SpanID().String(), Attrs: attrsOf(l.Attributes)})
	}
	if rec.Scope != scopeName && o.run != nil && o.run.clock.scale != 1 {
		rec.Start = o.run.clock.at(s.StartTime()).UnixNano()
		if rec.End != 0 {
			rec.End = o.run.clock.at(s.EndTime()).UnixNano()
		}
		for i, e := range s.Events() {
			rec.Events[i].Time = o.run.clock.at(e.Time).UnixNano()
		}
	}
	return rec
}
