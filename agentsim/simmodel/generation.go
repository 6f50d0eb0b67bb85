package simmodel

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A generation is the answer to one request, in the making.
type generation struct {
	server  *Server
	request *http.Request
	body    [sha256.Size]byte // its sum
	chat    *chatRequest
	model   *model
	script  Script
	prompt  string // the first user message
	turn    Turn

	pieces  []piece
	callIDs []string
	fault   *Fault // nil: none
	times   timetable
	pace    pace
	opened  bool // the headers are out
	truth   Truth
}

// A piece is what is generated in one go: a token, but for the opening of a call, which comes as a whole.
type piece struct {
	kind   traces.Component
	text   string
	call   int  // index of the tool call
	opens  bool // text is the name of a tool
	tokens int
}

// prepare reads the request and decides everything about the answer but its instants.
func (g *generation) prepare(body []byte) (err error) {
	g.body = sha256.Sum256(body)
	if g.chat, err = parse(body); err != nil {
		return err
	}
	g.truth.Stream, g.truth.Asked = g.chat.Stream, g.chat.Effort
	if g.model = g.server.model(g.chat.Model); g.model == nil {
		return g.server.unknownModel(g.chat.Model)
	}
	effort, factor, ok := g.model.effort(g.chat.Effort)
	if !ok {
		return badRequest("reasoning_effort", "reasoning_effort is %q; it can be none, minimal, low, medium, high, xhigh or max", g.chat.Effort)
	}
	messages, index := g.chat.messages()
	g.prompt = firstUser(messages)
	if g.script, ok = g.server.scripts[g.prompt]; !ok {
		g.script = unscripted
	}
	g.turn = Turn{Index: index, Effort: effort, Model: g.model.Name, Messages: messages}
	g.turn.Rand, g.turn.Plan = g.rand("script", true), g.rand("plan", false)
	g.truth.Model, g.truth.Effort, g.truth.Script, g.truth.Turn = g.model.Name, effort, g.script.Name, index

	reply := g.script.Play(g.turn)
	content := g.rand("content", true)
	reasoning := g.model.reasoningTokens(reply.ReasoningTokens, factor, content)
	g.truth.ID = fmt.Sprintf("chatcmpl-%016x", content.Uint64())
	g.plan(reply, reasoning, content)

	prompt, seen := g.chat.promptTokens(messages)
	timing := g.rand("timing", true)
	if timing.Float64() < g.model.CacheMiss {
		seen = 0
	}
	g.truth.Prompt, g.truth.Cached = prompt, seen
	g.times = g.model.timetable(prompt-seen, prompt, timing)
	g.fault, g.truth.Attempt = g.server.fault(g)
	if g.fault != nil {
		g.truth.Fault = g.fault.Kind
	}
	return nil
}

// rand returns the source of randomness for one purpose, of this turn or of the whole conversation.
func (g *generation) rand(purpose string, ofTurn bool) *rand.Rand {
	turn := -1
	if ofTurn {
		turn = g.turn.Index
	}
	prompt := ""
	if g.script.Name == "" {
		prompt = g.prompt
	}
	return derive(purpose, g.server.cfg.Seed, g.chat.Seed, g.model.Name, g.script.Name, prompt, g.turn.Effort, turn)
}

// plan cuts the reply into pieces, as many as the client's limit allows.
func (g *generation) plan(reply Reply, reasoning int, r *rand.Rand) {
	add := func(kind traces.Component, texts []string, call int) {
		for _, t := range texts {
			g.pieces = append(g.pieces, piece{kind: kind, text: t, call: call, tokens: 1})
		}
	}
	add(traces.Reasoning, thought(reasoning, r), 0)
	add(traces.Output, tokens(strings.ToValidUTF8(reply.Text, "\uFFFD")), 0)
	g.truth.Finish = "stop"
	for i, c := range reply.Calls {
		g.truth.Finish = "tool_calls"
		g.callIDs = append(g.callIDs, fmt.Sprintf("call_%016x", r.Uint64()))
		g.pieces = append(g.pieces, piece{kind: traces.ToolArgs, text: c.Name, call: i, opens: true, tokens: Tokens(c.Name)})
		add(traces.ToolArgs, tokens(strings.ToValidUTF8(c.arguments(), "\uFFFD")), i)
	}
	limit, total := g.chat.limit(), 0
	for i, p := range g.pieces {
		if total += p.tokens; limit > 0 && total > limit {
			g.pieces, g.truth.Finish = g.pieces[:i], "length"
			return
		}
	}
}

// serve generates the answer and sends it.
func (g *generation) serve(w http.ResponseWriter) {
	if f := g.fault; f != nil {
		switch f.Kind {
		case RateLimit:
			g.fail(w, rateLimited(w.Header(), f.For))
			return
		case ServerError:
			g.fail(w, &apiError{status: http.StatusInternalServerError, Type: "server_error", Message: "the simulated server had an error, as it was told to"})
			return
		}
	}
	out := output(&whole{g: g, w: w})
	if g.chat.Stream {
		out = newStream(w, g)
	}
	err := g.generate(g.request.Context(), out)
	if err == nil {
		err = out.finish()
	}
	switch {
	case err == nil:
		g.server.forget(g.body)
	case errors.Is(err, errBreak):
		g.end(g.pace.elapsed())
		g.truth.Finish = "cut"
		out.interrupt(g.fault.Kind)
	default:
		g.end(g.pace.elapsed())
		g.truth.Finish = "cancelled"
	}
}

// errBreak ends a generation at a fault that breaks off the response.
var errBreak = errors.New("the response breaks off here")

// generate goes through the timetable and hands out the pieces as they are due. The error is errBreak, or that the client
// has gone.
func (g *generation) generate(ctx context.Context, out output) error {
	release, queued, err := g.model.admit(ctx)
	if err != nil {
		return err
	}
	defer release()
	var admitted time.Duration // without a queue, the timetable starts with the request
	if queued {
		admitted = g.pace.now()
	}
	if g.fault != nil && g.fault.Kind == SlowHeaders {
		g.times.delay(g.fault.For)
	}
	now, err := g.pace.wait(ctx, admitted+g.times.headers())
	if err != nil {
		return err
	}
	g.opened, g.truth.Headers = true, now
	g.truth.phase(traces.Queue, now, 0)
	if err := out.open(); err != nil {
		return err
	}
	draft, faulty := g.rand("draft", true), g.faulty()
	for i := 0; i < len(g.pieces); {
		stalls := false
		if i >= faulty {
			if g.fault.Kind != Stall {
				return errBreak
			}
			g.times.delay(g.fault.For)
			stalls, faulty = true, math.MaxInt
		}
		p, n := g.chunk(i, g.model.drafted(draft))
		i += n
		steps := 1
		if p.opens {
			steps = p.tokens
		}
		var due time.Duration
		for range steps {
			due = g.times.step(p.kind, g.streams())
		}
		if now, err = g.pace.wait(ctx, admitted+due); err != nil {
			return err
		}
		g.generated(p, now, stalls)
		if err := out.write(p); err != nil {
			return err
		}
	}
	if faulty == len(g.pieces) {
		if g.fault.Kind != Stall {
			return errBreak
		}
		g.times.delay(g.fault.For)
	}
	if now, err = g.pace.wait(ctx, admitted+g.times.step(traces.Output, g.streams())); err != nil {
		return err
	}
	g.end(now)
	return nil
}

// faulty returns the number of pieces before the fault in mid-stream; without one it is out of reach.
func (g *generation) faulty() int {
	if g.fault == nil || g.fault.Kind == SlowHeaders {
		return math.MaxInt
	}
	after := g.fault.After
	if after == 0 {
		after = len(g.pieces) / 2
	}
	return min(max(after, 1), len(g.pieces))
}

// chunk joins the pieces that go into one event, from i on and at most so many, and returns how many these are.
func (g *generation) chunk(i, most int) (p piece, n int) {
	p, n = g.pieces[i], 1
	for ; n < most && i+n < len(g.pieces); n++ {
		next := g.pieces[i+n]
		if p.opens || next.opens || next.kind != p.kind || next.call != p.call {
			break
		}
		p.text += next.text
		p.tokens += next.tokens
	}
	return p, n
}

// streams returns how many streams the model serves now, and notes the most.
func (g *generation) streams() int {
	n := int(g.model.active.Load())
	g.truth.Streams = max(g.truth.Streams, n)
	return n
}

// generated books a piece in the truth; stalls: after a pause that the fault made.
func (g *generation) generated(p piece, now time.Duration, stalls bool) {
	kind := p.kind
	switch {
	case g.truth.Reasoning+g.truth.Output == 0:
		kind = traces.Prefill
	case stalls:
		kind = traces.Stall
	}
	g.truth.phase(kind, now, p.tokens)
	if p.kind == traces.Reasoning {
		g.truth.Reasoning += p.tokens
	} else {
		g.truth.Output += p.tokens
	}
	if g.server.cfg.Chunks {
		g.truth.Chunks = append(g.truth.Chunks, TruthChunk{now, p.kind, p.tokens})
	}
}

// end books the rest, until now.
func (g *generation) end(now time.Duration) {
	g.truth.End = now
	switch {
	case !g.opened:
		g.truth.phase(traces.Queue, now, 0)
	case g.truth.Reasoning+g.truth.Output == 0:
		g.truth.phase(traces.Prefill, now, 0)
	default:
		g.truth.phase(traces.Tail, now, 0)
	}
}

// fail answers with an error.
func (g *generation) fail(w http.ResponseWriter, err error) {
	g.truth.Finish = "error"
	g.truth.Status = http.StatusInternalServerError
	var e *apiError
	if errors.As(err, &e) {
		g.truth.Status = e.status
	}
	g.truth.End = g.pace.elapsed()
	g.truth.Headers = g.truth.End
	writeError(w, err)
}

// rateLimited sets the headers that ask for a pause of d and returns the error that goes with them.
func rateLimited(h http.Header, d time.Duration) error {
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	if d%time.Second != 0 {
		h.Set("Retry-After-Ms", strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64))
	}
	code := "rate_limit_exceeded"
	return &apiError{status: http.StatusTooManyRequests, Type: "requests", Code: &code,
		Message: fmt.Sprintf("the simulated rate limit is reached; try again in %v", d)}
}
