package session

import (
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// personFrom is how long a person takes at least to read an answer and write the next message.
const personFrom = time.Second

// A conversation is calls of which each goes on with the one before.
type conversation struct {
	run   *run
	agent *agent        // whose steps its calls are; nil for side calls, and while that is not known
	side  bool          // known to be outside the main chain
	from  *conversation // that it branched off, if it did
	calls []*call
	last  *call

	system, user uint64 // hashes of its first message, and of the user's first
	tools        int    // offered at first
	model        string
	session      string
	subagent     string // what the request calls the agent
}

// newConversation returns the conversation that a request begins, without a place.
func newConversation(q *stream.Request) *conversation {
	v := &conversation{user: q.FirstUser, tools: q.Tools, model: q.Model, session: q.Session, subagent: q.Agent}
	if len(q.Prefix) > 0 {
		v.system = q.Prefix[0]
	}
	return v
}

func (r *run) conversation(x *proxy.Exchange) *conversation {
	v := newConversation(&x.Request)
	v.run = r
	r.conversations = append(r.conversations, v)
	return v
}

func (v *conversation) isSide() bool { return v.side || v.agent != nil && v.agent.side }

// beginsLike reports whether both were begun by agents of the same kind.
func (v *conversation) beginsLike(o *conversation) bool {
	return v.system == o.system && v.tools == o.tools && v.model == o.model
}

// repeats reports whether v begins with the same task as o. Side calls and sub-agents do not: they are another agent at the same task.
func (v *conversation) repeats(o *conversation) bool { return v.beginsLike(o) && v.user == o.user }

// isRewrittenBy reports whether a request that shares neither ids nor messages with the conversation goes on with it all the same: it asks
// the same model about the same task, and the model has spoken in it before. Agents shorten their history, or begin it with the time.
func (v *conversation) isRewrittenBy(q *stream.Request) bool {
	return q.Model == v.model && q.FirstUser == v.user && v.user != 0 && q.Turns > 0
}

// callOf returns the logical call that an exchange is an attempt of: one that it asks for again, or a new one.
func (t *Tracker) callOf(x *proxy.Exchange) *call {
	before := t.index.find(x)
	if before == nil {
		return t.runOf(x).begin(x)
	}
	v := before.conv
	switch {
	case v.last.askedAgain(x):
		return v.last
	case before.askedAgain(x):
		return before
	case v.isLeftBy(x):
		return v.run.branch(v, x)
	case v.isOver(x):
		v.run.rest()
		return t.newRun(x).begin(x)
	}
	return v.next(x)
}

// isLeftBy reports whether x uses the conversation for something beside it, say a summary or a title: it offers no tools where the
// conversation does, and brings nothing.
func (v *conversation) isLeftBy(x *proxy.Exchange) bool {
	r := &x.Request
	return !v.side && v.last.request.Tools > 0 && r.Tools == 0 && r.PreviousID == "" && len(r.Fresh) == 0 && len(v.last.waiting()) == 0
}

// isOver reports whether x is the user's next message, and so the beginning of another run. Where no tools are offered, agents may run
// what is asked for in the text, so that only the time tells.
func (v *conversation) isOver(x *proxy.Exchange) bool {
	if v.run.tracker.opt.OneRun || !v.last.isFinal() || len(x.Request.Fresh) > 0 || v.isSide() {
		return false
	}
	return x.Request.Tools > 0 || v.gap(x) >= personFrom
}

// gap returns the time since the last answer of the conversation.
func (v *conversation) gap(x *proxy.Exchange) time.Duration {
	return v.run.tracker.clock.at(x.Start).Sub(v.last.end())
}

// next makes the call that goes on with the conversation.
func (v *conversation) next(x *proxy.Exchange) *call {
	r, before := v.run, v.last
	brought := v.goOn(x)
	switch {
	case v.agent == nil && !v.side && r.main.current == nil:
		v.becomeMain()
	case v.agent == nil && v.from != nil && v.from.agent != nil && !v.from.agent.ended && x.Request.Tools > 0:
		v.takeTurn(v.from.agent) // it was the main chain after all
	}
	if a := v.agent; a != nil && (a.ended || a.current != v && a.isBusy()) {
		v.takeTurn(r.subAgent(v, x))
	}
	if v.agent != nil {
		v.agent.current = v
	}
	if before.isFinal() && x.Request.Tools > 0 {
		v.wait(before, x, "approval")
	}
	c := v.call(x)
	for _, t := range brought {
		c.span.link(t.span, traces.Attr{Key: traces.KeyDep, Value: true})
	}
	r.overlap(c)
	return c
}

// goOn leaves the last call behind, and returns the tools whose results x brings. A call that broke off may have asked for them all the same.
func (v *conversation) goOn(x *proxy.Exchange) []*tool {
	at, c := v.run.tracker.clock.at(x.Start), v.last
	brought := v.bring(x, at)
	c.moved = at
	if !c.settled && !c.isOpen() {
		had := len(c.tools)
		c.use(c.lastAttempt(), append([]string{}, x.Request.Results...))
		brought = append(brought, c.tools[had:]...)
	}
	c.settle()
	return brought
}

// wait books the time between an answer of the main chain and what follows on a person, if it is long enough for one.
func (v *conversation) wait(before *call, x *proxy.Exchange, reason string) {
	at, from := v.run.tracker.clock.at(x.Start), before.end()
	if v.agent != v.run.main || at.Sub(from) < personFrom {
		return
	}
	s := v.run.span(v.agent.span, traces.RoleWait, traces.KindInternal, "wait "+reason, from)
	s.text(traces.KeyWait, reason)
	s.text(traces.KeyQuality, string(traces.Bound))
	s.close(at)
}

// becomeMain makes the conversation the main chain; others that could not be told apart from it were side calls.
func (v *conversation) becomeMain() {
	r := v.run
	v.takeTurn(r.main)
	for _, o := range r.conversations {
		if o.agent == nil && !o.side && o != v {
			o.becomeSide()
		}
	}
}

func (v *conversation) becomeSide() {
	v.side = true
	for _, c := range v.calls {
		c.span.truth(traces.KeySide, true)
		c.span.truth(traces.KeyBackground, c.isOpen())
		c.span.write()
	}
}

// takeTurn makes the conversation the agent's. Calls that have no step yet get one, but for those from before the agent began.
func (v *conversation) takeTurn(a *agent) {
	v.agent, v.side = a, false
	a.current = v
	for _, c := range v.calls {
		if c.step != nil || c.span.start.Before(a.span.start) {
			continue
		}
		c.step = a.step(c, c.span.start)
		c.span.correct(traces.KeySide, a.side)
		c.span.correct(traces.KeyBackground, false)
		c.span.below(c.step.span)
		for _, t := range c.tools {
			t.span.below(c.step.span)
		}
		c.step.settle()
	}
}

// correct changes an attribute that was written, or sets it if it is true.
func (s *span) correct(key string, value bool) {
	if value || s.rec.Attrs.Has(key) {
		s.set(key, value)
	}
}

// below puts a span that was written already below another one.
func (s *span) below(parent *span) {
	s.rec.ParentID = parent.rec.SpanID
	s.write()
}
