package simmodel

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A generation is the answer to one request, in the making.
type generation struct {
	server  *Server
	ctx     context.Context
	api     api
	retries int               // that the client counts
	refuse  func(e *apiError) // answers with an error and nothing else
	waited  bool              // for an earlier request on the same connection

	asked  *request
	key    [sha256.Size]byte // of asked
	model  *model
	script Script
	turn   Turn

	pieces  []piece
	ids     *rand.Rand
	callIDs []string
	fault   *Fault // nil: none
	times   timetable
	pace    pace
	opened  bool // the headers are out
	said    said
	truth   Truth
}

// generation returns one that has yet to be prepared, and counts it.
func (s *Server) generation(ctx context.Context, a api, received time.Time) *generation {
	g := &generation{server: s, ctx: ctx, api: a, pace: pace{received: received, speed: s.cfg.Speed}}
	g.truth = Truth{API: a.name(), Request: int(s.requests.Add(1)), Attempt: 1, Received: received, Speed: s.cfg.Speed, Status: http.StatusOK}
	g.truth.RequestID = fmt.Sprintf("req_%06d", g.truth.Request)
	return g
}

// log hands out the truth.
func (g *generation) log() {
	g.truth.Late = g.pace.late
	if g.server.cfg.Truth != nil {
		g.server.cfg.Truth(g.truth)
	}
}

// prepare decides everything about the answer but its instants.
func (g *generation) prepare(asked *request) error {
	g.asked, g.key = asked, asked.key()
	if err := asked.check(); err != nil {
		return err
	}
	g.truth.Stream, g.truth.Asked = asked.stream, asked.effort
	if g.model = g.server.model(asked.model); g.model == nil {
		return g.server.unknownModel(asked.model)
	}
	if asked.model != g.model.Name {
		g.truth.AskedModel = asked.model
	}
	effort, factor, ok := g.model.effort(asked.effort)
	if !ok {
		return badRequest("", "the effort is %q; it can be none, minimal, low, medium, high, xhigh or max", asked.effort)
	}
	bare := false
	g.script, bare = g.server.script(asked.messages)
	g.turn = Turn{Index: turn(asked.messages), Effort: effort, Model: g.model.Name, Messages: asked.messages, Tools: asked.tools, Schema: asked.schema}
	g.turn.Rand, g.turn.Plan = g.rand("script", true), g.rand("plan", false)
	g.truth.Model, g.truth.Effort, g.truth.Script, g.truth.Turn = g.model.Name, effort, g.script.Name, g.turn.Index

	reply := g.script.Play(g.turn)
	if len(reply.Calls) > 0 && asked.aside(bare) {
		reply = aside(g.turn)
	}
	content := g.rand("content", true)
	reasoning := g.model.reasoningTokens(reply.ReasoningTokens, factor, content)
	g.ids = g.identities()
	if asked.idPrefix != "" {
		g.truth.ID = g.newID(asked.idPrefix)
	}
	g.plan(reply, reasoning, content)

	prompt, seen := asked.promptTokens()
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
	if g.script.Prompt == "" {
		prompt = firstUser(g.asked.messages)
	}
	return derive(purpose, g.server.cfg.Seed, g.asked.seed, g.model.Name, g.script.Name, prompt, g.turn.Effort, turn)
}

// identities returns the source of ids, which depend on all that the request says.
func (g *generation) identities() *rand.Rand {
	n := 0
	if g.server.cfg.FreshIDs {
		n = g.truth.Request
	}
	return derive("ids", g.server.cfg.Seed, g.api.name(), g.key, n)
}

func (g *generation) newID(prefix string) string {
	return fmt.Sprintf("%s%016x", prefix, g.ids.Uint64())
}

// serve generates the answer and sends it.
func (g *generation) serve(out output) {
	if f := g.fault; f != nil {
		switch f.Kind {
		case RateLimit:
			g.fail(rateLimited(f.For))
			return
		case ServerError:
			g.fail(broken())
			return
		}
	}
	err := g.generate(out)
	if err == nil {
		err = out.finish()
	}
	switch {
	case err == nil:
		g.server.forget(g.key)
	case errors.Is(err, errBreak):
		g.end(g.pace.elapsed())
		g.truth.Finish = "cut"
		if g.fault.Kind == StreamError {
			g.truth.Finish = "error"
		}
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
func (g *generation) generate(out output) error {
	ctx := g.ctx
	release, queued, err := g.model.admit(ctx)
	if err != nil {
		return err
	}
	defer release()
	var admitted time.Duration // without a queue, the timetable starts with the request
	if queued || g.waited {
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
		switch {
		case p.args != "":
			steps = g.model.steps(p.tokens, draft)
		case p.opens:
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
		g.say(p)
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
func (g *generation) fail(err error) {
	e := asAPIError(err)
	g.truth.Finish, g.truth.Status = "error", e.status
	g.truth.End = g.pace.elapsed()
	g.truth.Headers = g.truth.End
	g.refuse(e)
}

// hidden reports whether reasoning is not to be shown.
func (g *generation) hidden() bool { return g.asked.hidden || g.model.Reasoning == ReasoningHidden }
