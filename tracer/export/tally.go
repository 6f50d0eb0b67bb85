package export

import (
	"context"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A Tally is an exporter that counts what it delivers. Its errors it keeps for itself: what is passed on, the SDK writes to
// the log, into the middle of a progress bar.
type Tally struct {
	exporter sdktrace.SpanExporter

	mu    sync.Mutex
	sent  int
	fault error // the first
}

// NewTally returns an exporter that hands spans to another and counts them.
func NewTally(exporter sdktrace.SpanExporter) *Tally { return &Tally{exporter: exporter} }

// Sent returns how many spans were delivered so far, and why the first that were not were not. It is safe to call while
// spans are still being sent.
func (t *Tally) Sent() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent, t.fault
}

// ExportSpans implements sdktrace.SpanExporter. It returns no error.
func (t *Tally) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := t.exporter.ExportSpans(ctx, spans)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		t.sent += len(spans)
	case t.fault == nil:
		t.fault = err
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (t *Tally) Shutdown(ctx context.Context) error { return t.exporter.Shutdown(ctx) }
