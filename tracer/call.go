package tracer

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A ModelRequest says what is known of a model call before it is made. What is left out is taken from the first
// request that is sent for it.
type ModelRequest struct {
	Model    string
	Provider string // gen_ai.provider.name; "": openai, whose API it is
	Effort   string // the provider's own word
	Stream   bool
	Side     bool // outside the main chain: a title, a router
}

// A ModelCall is a logical request being recorded, retries included. Its methods do nothing on nil.
type ModelCall struct {
	run      *Run
	ctx      context.Context
	span     trace.Span
	parent   trace.SpanID
	implicit bool

	mu        sync.Mutex
	request   ModelRequest // what the span already says
	described bool
	attempts  []*attempt
	hash      uint64
	expiry    *time.Timer // ends an implicit call whose retry does not come
	ended     bool
}

type callKey struct{}

func callOf(ctx context.Context) *ModelCall {
	c, _ := ctx.Value(callKey{}).(*ModelCall)
	return c
}

// StartModelCall begins a logical model call. Requests that go through Middleware with the context returned are its
// attempts.
func StartModelCall(ctx context.Context, req ModelRequest) (context.Context, *ModelCall) {
	run := runOf(ctx)
	if run == nil {
		return ctx, nil
	}
	c := run.startCall(ctx, req)
	return c.ctx, c
}

func (r *Run) startCall(ctx context.Context, req ModelRequest) *ModelCall {
	if req.Provider == "" {
		req.Provider = "openai"
	}
	f := fields{}
	f.role(traces.RoleModel)
	f.text(traces.KeyOperation, "chat")
	f.text(traces.KeyProvider, req.Provider)
	f.text(traces.KeyRequestModel, req.Model)
	f.text(traces.KeyEffort, req.Effort)
	f.truth(traces.KeyRequestStream, req.Stream)
	f.truth(traces.KeySide, req.Side)
	name := "chat"
	if req.Model != "" {
		name += " " + req.Model
	}
	c := &ModelCall{run: r, parent: trace.SpanContextFromContext(ctx).SpanID(), request: req}
	c.ctx, c.span = r.start(context.WithValue(ctx, callKey{}, c), name, trace.SpanKindClient, f)
	return c
}

// End ends the call; err is what the caller got from it. Usage, finish reason and ids come from the observed response.
func (c *ModelCall) End(err error) {
	if c == nil {
		return
	}
	at := c.run.clock.now()
	c.mu.Lock()
	attempts := c.attempts
	c.mu.Unlock()
	for _, a := range attempts {
		a.finish(a.offset(), context.Canceled)
	}
	c.end(at, err)
}

// endImplicit ends a call that was made for a request found outside any, at the end of its last attempt.
func (c *ModelCall) endImplicit() {
	c.mu.Lock()
	last := c.attempts[len(c.attempts)-1]
	c.mu.Unlock()
	c.end(last.endTime(), nil)
}

func (c *ModelCall) end(at time.Time, err error) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.ended = true
	if c.expiry != nil {
		c.expiry.Stop()
	}
	attempts := c.attempts
	c.mu.Unlock()
	outcome := outcomeOf(err)
	word := errorType(outcome, err)
	if len(attempts) > 0 {
		final := finalOf(attempts)
		if final.outcome != traces.OK {
			outcome, word = final.outcome, final.word
		}
		f := final.facts()
		if c.run.tracer.opt.Content {
			f.text(traces.KeyOutputMessages, outputMessages(final.Result))
		}
		c.span.SetAttributes(f...)
	}
	end(c.span, outcome, word, trace.WithTimestamp(at))
}

// finalOf returns the answer of the last attempt that succeeded, else of the last.
func finalOf(attempts []*attempt) answer {
	for _, a := range slices.Backward(attempts) {
		if told := a.told(); told.outcome == traces.OK {
			return told
		}
	}
	return attempts[len(attempts)-1].told()
}

// facts are the attributes that a call takes from its final answer.
func (a answer) facts() fields {
	f := fields{}
	f.text(traces.KeyResponseModel, a.Model)
	f.text(traces.KeyResponseID, a.ID)
	if a.FinishReason != "" {
		f.list(traces.KeyFinishReasons, []string{a.FinishReason})
	}
	f.count(traces.KeyInputTokens, a.Usage.Input)
	f.count(traces.KeyCachedTokens, a.Usage.Cached)
	f.count(traces.KeyCacheCreation, a.CacheWrite)
	f.count(traces.KeyCacheWriteTokens, a.CacheWrite)
	f.count(traces.KeyOutputTokens, a.Usage.Output)
	f.count(traces.KeyReasoningTokens, a.Usage.Reasoning)
	f.list(traces.KeyToolCallIDs, callIDs(a.Result))
	if list := a.Chunks.List; len(list) > 0 {
		f = append(f, attribute.Float64(traces.KeyTTFT, (list[0].At-a.sent).Seconds()))
	}
	return f
}

func callIDs(r *stream.Result) []string {
	var ids []string
	for _, call := range r.ToolCalls {
		if call.ID != "" {
			ids = append(ids, call.ID)
		}
	}
	return ids
}

// outcomeOf says how an operation ended that returned err.
func outcomeOf(err error) traces.Outcome {
	var netErr net.Error
	switch {
	case err == nil:
		return traces.OK
	case errors.Is(err, context.Canceled):
		return traces.Cancelled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return traces.Timeout
	}
	return traces.Error
}

// describe completes the span with what the request says, and links it to the tool results that it brings.
func (c *ModelCall) describe(req stream.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.described || c.ended {
		return
	}
	c.described = true
	f := fields{}
	if c.request.Model == "" && req.Model != "" {
		f.text(traces.KeyRequestModel, req.Model)
		c.span.SetName("chat " + req.Model)
	}
	if c.request.Effort == "" {
		f.text(traces.KeyEffort, req.Effort)
	}
	f.truth(traces.KeyRequestStream, req.Stream && !c.request.Stream)
	f.count(traces.KeyRequestMaxTokens, req.MaxTokens)
	f.count(traces.KeySeed, req.Seed)
	if req.Temperature != nil {
		f = append(f, attribute.Float64(traces.KeyTemperature, *req.Temperature))
	}
	c.span.SetAttributes(f...)
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	for _, id := range req.Fresh {
		if sc, ok := c.run.ran[id]; ok && sc.SpanID() != c.parent {
			c.span.AddLink(trace.Link{SpanContext: sc, Attributes: []attribute.KeyValue{attribute.Bool(traces.KeyDep, true)}})
		}
	}
}

// askedFor notes tool calls of the response, so that their executions can be linked to the call.
func (c *ModelCall) askedFor(calls []stream.ToolCall) {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	if c.run.asked == nil {
		return
	}
	for _, call := range calls {
		if call.ID != "" {
			c.run.asked[call.ID] = c.span.SpanContext()
		}
	}
}
