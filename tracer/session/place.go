package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// besideFor is how long after its run was last heard of a request without a session is taken for the run's.
const besideFor = 10 * time.Second

// runOf returns the run that a request belongs to which goes on with nothing: the one run there is, that of its session, that of its
// connection, or a new one.
func (t *Tracker) runOf(x *proxy.Exchange) *run {
	if t.opt.OneRun {
		if len(t.runs) > 0 {
			return t.runs[0]
		}
		return t.newRun(x)
	}
	for _, r := range slices.Backward(t.runs) {
		switch session := x.Request.Session; {
		case session != "" && session == r.session:
			if r.holds(x) {
				return r
			}
			r.rest()
			return t.newRun(x)
		case session == "" && r.session == "" && r.conns[x.Conn] && x.Conn != 0 && r.agentName == agentName(x):
			if r.owns(x) {
				return r
			}
		}
	}
	return t.newRun(x)
}

// holds reports whether a conversation that begins in the run's session belongs to the run, and not to the user's next message or, since
// what is taken for a session may be shared, to another agent.
func (r *run) holds(x *proxy.Exchange) bool {
	v := r.main.current
	switch {
	case v == nil:
		return true
	case newConversation(&x.Request).repeats(v) && x.Request.Turns == 0:
		return false
	case r.main.isBusy(), r.main.isWaiting(), !v.last.isFinal(), x.Request.Agent != "":
		return true
	case isPlain(&x.Request):
		return r.sinceLast(x) < besideFor
	}
	return r.sinceLast(x) < personFrom // too soon for a person: the agent has shortened its history
}

// owns reports whether a conversation without a session that begins on one of the run's connections belongs to the run. Agents that look the
// same are runs of their own, as those that a server works off are.
func (r *run) owns(x *proxy.Exchange) bool {
	v := r.main.current
	plain := isPlain(&x.Request)
	switch {
	case !r.main.isBusy() && !r.main.isWaiting() && r.sinceLast(x) >= besideFor:
		return false
	case v == nil:
		return !plain && slices.ContainsFunc(r.conversations, func(o *conversation) bool { return differs(o.last, x) })
	case plain:
		return v.tools > 0 && differs(v.last, x)
	}
	return r.main.isWaiting() && (v.isRewrittenBy(&x.Request) || len(x.Request.Prefix) > 0 && v.system != x.Request.Prefix[0])
}

// differs reports whether a request was made for another purpose than a call, by how it was made.
func differs(c *call, x *proxy.Exchange) bool {
	r := &x.Request
	return c.request.Model != r.Model || c.request.HasSchema != r.HasSchema || c.request.Stream != r.Stream
}

// sinceLast returns the time since the run was last heard of.
func (r *run) sinceLast(x *proxy.Exchange) time.Duration {
	return r.tracker.clock.at(x.Start).Sub(r.latest())
}

// begin makes the first call of a conversation in the run, and finds its place.
func (r *run) begin(x *proxy.Exchange) *call {
	q := &x.Request
	v, main := r.conversation(x), r.main.current
	switch {
	case main == nil && isPlain(q): // a title, a router, or all there is: it will show
	case main == nil:
		v.becomeMain()
	case isPlain(q):
		v.side = true
	case r.passesTo(v, q):
		before := main.last
		main.goOn(x)
		v.takeTurn(r.main)
		if before.isFinal() {
			v.wait(before, x, "other")
		}
	default:
		v.takeTurn(r.subAgent(v, x))
	}
	c := v.call(x)
	r.overlap(c)
	return c
}

// passesTo reports whether a conversation that begins takes over the main chain: when nothing of that is going on, or if it is the same task
// with its history written anew.
func (r *run) passesTo(v *conversation, q *stream.Request) bool {
	main := r.main.current
	switch {
	case r.main.isBusy() || v.subagent != main.subagent:
		return false
	case !r.main.isWaiting():
		return true
	}
	return main.isRewrittenBy(q)
}

// branch makes a side call that uses the messages of another conversation.
func (r *run) branch(from *conversation, x *proxy.Exchange) *call {
	v := r.conversation(x)
	v.side, v.from = true, from
	c := v.call(x)
	r.overlap(c)
	return c
}

// overlap marks side calls that the main chain did not wait for: it was at work when they were asked for, or went on before they were
// answered.
func (r *run) overlap(c *call) {
	mark := func(side *call) {
		side.span.truth(traces.KeyBackground, true)
		side.span.write()
	}
	if c.step == nil {
		if c.conv.side && r.main.isBusy() {
			mark(c)
		}
		return
	}
	if c.step.agent != r.main {
		return
	}
	for _, o := range r.calls {
		if o.conv.side && o.isOpen() {
			mark(o)
		}
	}
}

// subAgent begins an agent beside the main chain: below the tool that is under way, else below the run. One at the same task is its equal, as
// when a command starts two, and so is one that looks like it but shares neither session nor connection.
func (r *run) subAgent(v *conversation, x *proxy.Exchange) *agent {
	a := &agent{run: r, side: true}
	main := r.main.current
	if main != nil && v.subagent == "" && v.beginsLike(main) {
		shared := v.session != "" && v.session == main.session || x.Conn != 0 && r.conns[x.Conn]
		a.side = shared && !v.repeats(main)
	}
	parent := r.root
	if t := r.host(); a.side && t != nil {
		parent = t.span
		t.agents = append(t.agents, a)
	}
	a.span = r.agentSpan(parent, v.subagent, r.tracker.clock.at(x.Start))
	r.agents = append(r.agents, a)
	a.span.write()
	return a
}

func (r *run) agentSpan(parent *span, name string, start time.Time) *span {
	full := "invoke_agent"
	if name != "" {
		full += " " + name
	}
	s := r.span(parent, traces.RoleAgent, traces.KindInternal, full, start)
	s.text(traces.KeyOperation, "invoke_agent")
	s.text(traces.KeyAgentName, name)
	return s
}

// host returns the tool that a sub-agent that begins now works for: of the outermost agent that has tools under way, one that has no
// sub-agent yet, by its name if that says so.
func (r *run) host() *tool {
	for _, a := range r.agents {
		var open []*tool
		for _, s := range a.steps {
			open = append(open, s.call.waiting()...)
		}
		if len(open) == 0 {
			continue
		}
		return slices.MinFunc(open, func(a, b *tool) int {
			return cmp.Or(cmp.Compare(len(a.agents), len(b.agents)), cmp.Compare(b.startsAgents(), a.startsAgents()))
		})
	}
	return nil
}

func (t *tool) startsAgents() int {
	name := strings.ToLower(t.span.rec.Name)
	if strings.Contains(name, "agent") || strings.Contains(name, "task") {
		return 1
	}
	return 0
}
