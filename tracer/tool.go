package tracer

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/traces"
)

// A ToolCall is one execution of a tool being recorded. Its methods do nothing on nil.
type ToolCall struct {
	run  *Run
	span trace.Span
}

// StartTool begins the execution of a tool. callID is the model's id of the call, "" if there is none; by it the span is
// linked to the model call that asked, and the next model call to it.
func StartTool(ctx context.Context, name, callID string) (context.Context, *ToolCall) {
	run := runOf(ctx)
	if run == nil {
		return ctx, nil
	}
	f := fields{}
	f.role(traces.RoleTool)
	f.text(traces.KeyOperation, "execute_tool")
	f.text(traces.KeyToolName, name)
	f.text(traces.KeyToolType, "function")
	f.text(traces.KeyToolCallID, callID)
	var opts []trace.SpanStartOption
	if asked, ok := run.askedBy(callID); ok && asked.SpanID() != trace.SpanContextFromContext(ctx).SpanID() {
		opts = append(opts, trace.WithLinks(trace.Link{SpanContext: asked}))
	}
	ctx = context.WithValue(ctx, callKey{}, (*ModelCall)(nil)) // a model that the tool asks is another call
	ctx, span := run.start(ctx, "execute_tool "+name, trace.SpanKindInternal, f, opts...)
	if callID != "" {
		run.mu.Lock()
		run.ran[callID] = span.SpanContext()
		run.mu.Unlock()
	}
	return ctx, &ToolCall{run, span}
}

func (r *Run) askedBy(callID string) (trace.SpanContext, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sc, ok := r.asked[callID]
	return sc, ok
}

// End ends the execution. Of err only its type is kept: its text may quote arguments or results.
func (c *ToolCall) End(outcome traces.Outcome, err error) {
	if c == nil {
		return
	}
	end(c.span, outcome, errorType(outcome, err), trace.WithTimestamp(c.run.clock.now()))
}

// end sets how a span of ours ended, and ends it.
func end(span trace.Span, outcome traces.Outcome, errorType string, at trace.SpanEndOption) {
	span.SetAttributes(attribute.String(traces.KeyOutcome, string(outcome)))
	if outcome.Failed() {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String(traces.KeyErrorType, errorType))
	}
	span.End(at)
}

// errorType is a word for a failure: the outcome where that says it all, else the type of the innermost error.
func errorType(outcome traces.Outcome, err error) string {
	if outcome != traces.Error {
		return string(outcome)
	}
	if err == nil {
		return "_OTHER"
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}
