package export_test

import (
	"context"
	"errors"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/seed46266073/longpole/tracer/export"
)

// An unreliable exporter answers with one error after another.
type unreliable []error

func (u *unreliable) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	err := (*u)[0]
	*u = (*u)[1:]
	return err
}

func (u *unreliable) Shutdown(context.Context) error { return nil }

func TestATallyCountsWhatArrives(t *testing.T) {
	refused, reset := errors.New("refused"), errors.New("reset")
	for _, tc := range []struct {
		name    string
		answers unreliable // to batches of 1, 2, 3 … spans
		sent    int
		fault   error
	}{
		{"all of it", unreliable{nil, nil}, 3, nil},
		{"nothing, for the reason of the first", unreliable{refused, reset}, 0, refused},
		{"what went before and after a failure", unreliable{nil, reset, nil}, 4, reset},
	} {
		t.Run(tc.name, func(t *testing.T) {
			batches := len(tc.answers)
			tally := export.NewTally(&tc.answers)
			for n := range batches {
				if err := tally.ExportSpans(t.Context(), make([]sdktrace.ReadOnlySpan, n+1)); err != nil {
					t.Errorf("passed on %v, which the SDK would print", err)
				}
			}
			if sent, fault := tally.Sent(); sent != tc.sent || fault != tc.fault {
				t.Errorf("got %d sent and fault %v, want %d and %v", sent, fault, tc.sent, tc.fault)
			}
		})
	}
}
