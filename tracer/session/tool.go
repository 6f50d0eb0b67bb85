package session

import (
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// mayWaitFrom is the length from which a round trip is marked as one that may hold a person's time. Permission checks that waited
// for someone took from a minute to hours; most tools take seconds.
const mayWaitFrom = 30 * time.Second

// A tool is one call of a tool: from when it was asked for to when its result is on its way back.
type tool struct {
	call   *call
	span   *span
	id     string
	passed time.Time // when the conversation went on without its result, zero if it did not
	agents []*agent  // that began while it was under way
}

// use starts the tools that an attempt asked for; with brought given, only those of its ids and those without.
func (c *call) use(a *attempt, brought []string) {
	result := resultOf(a.x)
	for i := range result.ToolCalls {
		asked := &result.ToolCalls[i]
		if brought != nil && asked.ID != "" && !slices.Contains(brought, asked.ID) {
			continue
		}
		c.start(a, asked)
	}
}

func (c *call) start(a *attempt, asked *stream.ToolCall) {
	start := a.span.end
	if startsEarly(a.x) {
		if last := a.span.start.Add(asked.Last); last.Before(start) && !last.Before(a.span.start) {
			start = last
		}
	}
	name := "execute_tool"
	if asked.Name != "" {
		name += " " + asked.Name
	}
	parent := c.run.root
	if c.step != nil {
		parent = c.step.span
	}
	s := c.run.span(parent, traces.RoleTool, traces.KindInternal, name, start)
	s.text(traces.KeyOperation, "execute_tool")
	s.text(traces.KeyToolName, asked.Name)
	s.text(traces.KeyToolType, "function")
	s.text(traces.KeyToolCallID, asked.ID)
	s.text(traces.KeyQuality, string(traces.Bound))
	s.link(c.span)
	t := &tool{call: c, span: s, id: asked.ID}
	c.tools = append(c.tools, t)
	s.write()
	if !c.moved.IsZero() {
		t.close(c.moved)
	}
}

// startsEarly reports whether the agent is known to start a tool when its call is complete, before the answer ends: codex was seen
// to do so up to 118 ms before. Others wait for the end.
func startsEarly(x *proxy.Exchange) bool { return strings.HasPrefix(x.Facts.UserAgent, "codex") }

func (t *tool) isOpen() bool { return t.span.end.IsZero() }

// close ends the round trip. Sub-agents that still work go on in the background; the others were part of it.
func (t *tool) close(at time.Time) {
	if !t.isOpen() {
		return
	}
	at = later(at, t.span.start)
	for _, a := range t.agents {
		if a.isBusy() {
			a.detach()
		} else {
			at = later(at, a.finish(at))
		}
	}
	if at.Sub(t.span.start) >= mayWaitFrom {
		t.span.truth(traces.KeyMayWait, true)
	}
	t.span.outcome(traces.OutcomeUnknown, "")
	t.span.close(at)
	if t.call.step != nil {
		t.call.step.settle()
	}
}

// pending returns the tools of the call that have not ended.
func (c *call) pending() []*tool {
	var open []*tool
	for _, t := range c.tools {
		if t.isOpen() {
			open = append(open, t)
		}
	}
	return open
}

// waiting returns those of them without which the conversation has not gone on.
func (c *call) waiting() []*tool {
	return slices.DeleteFunc(c.pending(), func(t *tool) bool { return !t.passed.IsZero() })
}

// giveUp closes a call from which nothing more will come. Tools whose results never came ended when the conversation went on without
// them, else at the given time.
func (c *call) giveUp(at time.Time) {
	for _, t := range c.pending() {
		if t.passed.IsZero() {
			t.close(at)
		} else {
			t.close(t.passed)
		}
	}
	c.settle()
}

// bring ends the tools whose results the request brings, and returns them. Tools without ids have all ended when the conversation goes on. One
// whose result does not come may still be under way; where the client has ids of its own, all have ended.
func (v *conversation) bring(x *proxy.Exchange, at time.Time) []*tool {
	r := &x.Request
	var open, ended []*tool
	for _, c := range v.calls {
		open = append(open, c.pending()...)
	}
	known := slices.ContainsFunc(open, func(t *tool) bool { return t.id != "" && slices.Contains(r.Results, t.id) })
	for _, t := range open {
		if t.id == "" || slices.Contains(r.Results, t.id) || !known && len(r.Fresh) > 0 {
			t.close(at)
			ended = append(ended, t)
		} else if t.passed.IsZero() {
			t.passed = at
		}
	}
	return ended
}
