package session

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A call is one logical request of a conversation, retries included.
type call struct {
	run      *run
	conv     *conversation
	step     *step // nil for side calls, and while it is not known whether it is one
	span     *span
	attempts []*attempt
	tools    []*tool
	moved    time.Time // when the conversation went on, zero before that
	settled  bool      // nothing more is expected of it: its span is closed

	// What the last attempt asked for.
	request stream.Request // without its lists
	key     uint64         // hash of all its messages, 0 if it has none
	conn    int64
	indexed []string // ids by which the index knows it
	keys    []uint64 // hashes by which it does
	finish  string   // why the answer ended
}

// call begins the next call of the conversation, in a step if it has an agent.
func (v *conversation) call(x *proxy.Exchange) *call {
	r, start := v.run, v.run.tracker.clock.at(x.Start)
	c := &call{run: r, conv: v}
	parent := r.root
	if v.agent != nil {
		c.step = v.agent.step(c, start)
		parent = c.step.span
	}
	name := "chat"
	if x.Request.Model != "" {
		name += " " + x.Request.Model
	}
	c.span = r.span(parent, traces.RoleModel, traces.KindClient, name, start)
	c.span.text(traces.KeyOperation, "chat")
	c.span.text(traces.KeyProvider, providerOf(x.Request.API))
	c.span.truth(traces.KeySide, v.isSide())
	v.last = c
	v.calls = append(v.calls, c)
	r.calls = append(r.calls, c)
	return c
}

func providerOf(api stream.API) string {
	switch api {
	case stream.MessagesAPI:
		return "anthropic"
	case stream.OllamaChatAPI, stream.OllamaGenerateAPI:
		return "ollama"
	case stream.GeminiAPI:
		return "gcp.gemini"
	}
	return "openai"
}

// asks takes what an attempt asks for, and writes the call. Attempts may differ: retries with another model do.
func (c *call) asks(x *proxy.Exchange) {
	r := &x.Request
	c.key = 0
	if n := len(r.Prefix); n > 0 {
		c.key = r.Prefix[n-1]
	}
	c.conn = x.Conn
	c.request = *r
	c.request.Prefix, c.request.Calls, c.request.Results, c.request.Fresh = nil, nil, nil, nil
	s := c.span
	s.text(traces.KeyRequestModel, r.Model)
	s.text(traces.KeyEffort, r.Effort)
	s.truth(traces.KeyRequestStream, r.Stream)
	s.count(traces.KeyRequestMaxTokens, r.MaxTokens)
	s.count(traces.KeySeed, r.Seed)
	if r.Temperature != nil {
		s.set(traces.KeyTemperature, *r.Temperature)
	}
	c.run.tracker.index.add(c)
	s.write()
}

func (c *call) lastAttempt() *attempt { return c.attempts[len(c.attempts)-1] }

// isOpen reports whether an attempt waits for its answer.
func (c *call) isOpen() bool {
	return slices.ContainsFunc(c.attempts, func(a *attempt) bool { return a.outcome == "" })
}

// end returns when the last of the ended attempts ended.
func (c *call) end() time.Time {
	end := c.span.start
	for _, a := range c.attempts {
		end = later(end, a.span.end)
	}
	return end
}

// answered takes the end of an attempt. A call that got its answer is settled; one that did not is kept open for a retry.
func (c *call) answered(a *attempt) {
	c.run.tracker.index.minted(c, resultOf(a.x))
	if a.outcome == traces.OK && len(c.tools) == 0 { // of two that raced, the first is used
		c.use(a, nil)
	}
	if c.final().outcome == traces.OK || !c.moved.IsZero() {
		c.settle()
	}
}

// final returns the attempt whose answer counts: the last that succeeded, else the last.
func (c *call) final() *attempt {
	for _, a := range slices.Backward(c.attempts) {
		if a.outcome == traces.OK {
			return a
		}
	}
	return c.lastAttempt()
}

// settle closes the call, unless an attempt is still open, which then does it.
func (c *call) settle() {
	if c.settled || c.isOpen() {
		return
	}
	c.settled = true
	a := c.final()
	c.answer(resultOf(a.x), sinceStart(a.x, a.x.Sent))
	c.span.outcome(a.outcome, a.word)
	c.span.close(c.end())
	if c.step != nil {
		c.step.settle()
	}
	c.finish = resultOf(a.x).FinishReason
	for _, a := range c.attempts { // runs may be long
		a.x.Request, a.x.Result = stream.Request{}, nil
	}
}

// answer puts what the final answer says on the span.
func (c *call) answer(r *stream.Result, sent time.Duration) {
	s := c.span
	s.text(traces.KeyResponseModel, r.Model)
	s.text(traces.KeyResponseID, r.ID)
	if r.FinishReason != "" {
		s.list(traces.KeyFinishReasons, []string{r.FinishReason})
	}
	s.count(traces.KeyInputTokens, r.Usage.Input)
	s.count(traces.KeyCachedTokens, r.Usage.Cached)
	s.count(traces.KeyCacheCreation, r.CacheWrite)
	s.count(traces.KeyCacheWriteTokens, r.CacheWrite)
	s.count(traces.KeyOutputTokens, r.Usage.Output)
	s.count(traces.KeyReasoningTokens, r.Usage.Reasoning)
	var ids []string
	for _, asked := range r.ToolCalls {
		if asked.ID != "" {
			ids = append(ids, asked.ID)
		}
	}
	s.list(traces.KeyToolCallIDs, ids)
	if list := r.Chunks.List; len(list) > 0 {
		s.set(traces.KeyTTFT, (list[0].At - sent).Seconds())
	}
}

// The time in which a failed request is believed to be asked again where only its bytes say so, beyond what the server asked to wait.
const retryWindow = 2 * time.Minute

// askedAgain reports whether x asks for what the call did not get.
func (c *call) askedAgain(x *proxy.Exchange) bool {
	if c.settled {
		return false
	}
	r := &x.Request
	same := r.Body != 0 && r.Body == c.request.Body
	marked := x.Facts.RetryCount != nil && *x.Facts.RetryCount > 0
	if c.isOpen() {
		return same && marked // given up by the client, which the proxy has not noticed yet
	}
	before := c.lastAttempt()
	wait := c.run.tracker.clock.at(x.Start).Sub(before.span.end)
	if planned := before.x.Facts.RetryAfter; planned != nil {
		wait -= *planned
	}
	if wait > retryWindow && !c.run.tracker.opt.OneRun && !marked && c.conn != x.Conn && (r.Session == "" || r.Session != c.request.Session) {
		return false
	}
	switch {
	case same:
		return true
	case r.PreviousID != c.request.PreviousID || r.Turns != c.request.Turns:
		return false // with the partial answer, or with another answer before it: a new call
	case c.key != 0 && slices.Contains(r.Prefix, c.key):
		return true // the same messages with other settings, or with words added that ask for better
	}
	return marked && r.Model == c.request.Model && len(r.Prefix) > 0 && c.key != 0
}

// isFinal reports whether the call ended the turn: it was answered, asked for no tool, and was not cut short by a limit.
func (c *call) isFinal() bool {
	if !c.settled || len(c.tools) > 0 {
		return false
	}
	switch c.finish {
	case "length", "max_tokens", "max_output_tokens", "incomplete", "MAX_TOKENS", "pause_turn", "model_context_window_exceeded":
		return false
	}
	return c.final().outcome == traces.OK
}
