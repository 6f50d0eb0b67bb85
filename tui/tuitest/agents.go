package tuitest

import (
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Followed is a run that is followed.
type Followed struct {
	Key     string
	Run     *measure.Run
	Doing   *activity.Activity
	Writing bool
}

// Present is when Agents are seen.
var Present = Epoch.Add(time.Hour)

// An agent is being recorded; times are milliseconds before the present.
type agent struct {
	builder
	began int
}

// at is an attribute for the instant so many milliseconds before the present.
func at(key string, ms int) traces.Attr {
	return traces.Attr{Key: key, Value: Present.UnixNano() - int64(ms)*1e6}
}

// begin starts an agent's recording that long ago.
func begin(id, name string, ms int, attrs ...traces.Attr) *agent {
	a := &agent{builder: builder{trace: id, epoch: Present.UnixNano() - int64(ms)*1e6}, began: ms}
	a.open("", "run", "invoke_agent "+name, ms, append(attrs, role(traces.RoleAgent), text(traces.KeyRunID, id), text(traces.KeyRunName, name),
		text("longpole.group.model", "glm-sim"), text("longpole.group.effort", "high"))...)
	return a
}

// open adds a span that has not ended.
func (a *agent) open(parent, id, name string, ms int, attrs ...traces.Attr) string {
	a.span(parent, id, name, a.began-ms, 0, attrs...)
	a.recs[len(a.recs)-1].End = 0
	return id
}

// done adds steps of a call and a tool each, so that the next is step n; the last of them ended that long ago.
func (a *agent) done(n, ms int, tool string) *agent {
	each := (a.began - ms) / max(1, n-1)
	for i := range n - 1 {
		from := i * each
		s := a.span("run", fmt.Sprintf("s%d", i), fmt.Sprintf("step %d", i+1), from, from+each, role(traces.RoleStep))
		c := a.span(s, s+"c", "chat glm-sim", from, from+each*2/3, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"),
			traces.Attr{Key: traces.KeyTTFT, Value: 0.4})
		t := a.span(c, s+"a", "attempt 1", from, from+each*2/3, role(traces.RoleAttempt))
		a.phases(t, from, phase{traces.Wait, each / 6}, phase{traces.Reasoning, each / 3}, phase{traces.ToolArgs, each/3*2 - each/6 - each/3})
		a.span(s, s+"t", "execute_tool "+tool, from+each*2/3, from+each, role(traces.RoleTool), text(traces.KeyToolName, tool))
	}
	return a
}

// step opens a step that began that long ago, with a model call in it.
func (a *agent) step(ms int) (call string) {
	s := a.open("run", "s", "step", ms, role(traces.RoleStep))
	return a.open(s, "c", "chat glm-sim", ms, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"))
}

// attempt opens a request that was sent that long ago and was last looked at a quarter of a second ago.
func (a *agent) attempt(call string, ms int, attrs ...traces.Attr) {
	a.open(call, "a", "attempt 1", ms, append(attrs, role(traces.RoleAttempt), traces.Attr{Key: traces.KeySentTime, Value: int64(0)},
		at(traces.KeyCheckpoint, 250))...)
}

// stream are the attributes of a response whose tokens come since that long ago every 100 ms, chars at a time, the last one that long ago.
func stream(sent, since, last int, kind traces.Component, chars int) []traces.Attr {
	c := traces.Chunks{}
	for ms := since; ms >= last; ms -= 100 {
		c.Add(time.Duration(sent-ms)*time.Millisecond, kind, chars)
	}
	return []traces.Attr{{Key: traces.KeyChunks, Value: c.Encode()}, {Key: traces.KeyHTTPStatus, Value: int64(200)},
		at(traces.KeyLastByte, last), at(traces.KeyLastEvent, last), at(traces.KeyLastToken, last), text(traces.KeyLastKind, string(kind))}
}

// seen returns the agent's run as it is at the present; a dead one is written by nobody.
func (a *agent) seen(dead bool) Followed {
	opt := traces.Options{Now: Present}
	if dead {
		opt.Now = time.Time{}
	}
	runs, _ := traces.BuildWith(a.recs, opt)
	return Followed{a.trace, measure.Of(runs[0]), activity.Of(runs[0], 0), !dead}
}

// Agents returns one agent of each kind of doing, and two that have ended.
func Agents() []Followed {
	var all []Followed
	add := func(a *agent) { all = append(all, a.seen(false)) }

	a := begin("codex", "codex", 190_000).done(7, 25_000, "shell")
	a.attempt(a.step(25_000), 24_900, stream(24_900, 23_100, 300, traces.Reasoning, 16)...)
	add(a)

	a = begin("pi1", "pi", 15_000).done(2, 4000, "bash")
	a.attempt(a.step(4000), 3900, stream(3900, 2400, 290, traces.Output, 5)...)
	add(a)

	a = begin("pi2", "pi", 40_000).done(3, 20_000, "bash")
	s := a.open("run", "s", "step", 20_000, role(traces.RoleStep))
	a.span(s, "c", "chat glm-sim", 20_000, 31_900, role(traces.RoleModel))
	a.open(s, "t", "execute_tool bash", 8000, role(traces.RoleTool), text(traces.KeyToolName, "bash"))
	a.open(s, "u", "execute_tool read", 7000, role(traces.RoleTool), text(traces.KeyToolName, "read"))
	add(a)

	a = begin("pi3", "pi", 60_000)
	a.attempt(a.step(59_000), 58_900, stream(58_900, 40_000, 31_000, traces.Reasoning, 16)...)
	add(a)

	a = begin("opencode", "opencode", 70_000).done(2, 9000, "bash")
	c := a.step(9000)
	a.span(c, "a", "attempt 1", 61_000, 66_000, role(traces.RoleAttempt), text(traces.KeyOutcome, "error"),
		traces.Attr{Key: traces.KeyHTTPStatus, Value: int64(429)}, traces.Attr{Key: traces.KeyRetryAfter, Value: int64(20e9)})
	add(a)

	a = begin("claude", "claude", 30_000).done(3, 6000, "Bash")
	s = a.open("run", "s", "step", 6000, role(traces.RoleStep))
	t := a.open(s, "t", "execute_tool Bash", 5000, role(traces.RoleTool), text(traces.KeyToolName, "Bash"))
	a.open(t, "w", "approval", 4900, role(traces.RoleWait), text(traces.KeyWait, "approval"))
	add(a)

	a = begin("qwen", "qwen-code", 20_000).done(4, 1800, "shell")
	a.attempt(a.step(1800), 1700, traces.Attr{Key: traces.KeyHTTPStatus, Value: int64(200)}, at(traces.KeyLastByte, 400))
	add(a)

	a = begin("gemini", "gemini-cli", 21_000).done(3, 12_000, "search")
	a.attempt(a.step(12_000), 11_900, traces.Attr{Key: traces.KeyHTTPStatus, Value: int64(200)}, at(traces.KeyLastByte, 900),
		at(traces.KeyLastEvent, 900), at(traces.KeyHiddenSince, 11_000))
	add(a)

	a = begin("agents", "openai-agents", 9000).done(2, 700, "lookup")
	add(a)

	a = begin("vercel", "ai-sdk", 50_000).done(2, 30_000, "fetch")
	a.attempt(a.step(30_000), 29_900, stream(29_900, 29_000, 12_000, traces.ToolArgs, 9)...)
	a.recs[len(a.recs)-1].Attrs = a.recs[len(a.recs)-1].Attrs.With(traces.KeyCheckpoint, at("", 12_000).Value)
	all = append(all, a.seen(true))

	for i, outcome := range []string{"ok", "failed_check"} {
		a = begin(fmt.Sprintf("done%d", i), "langchain", 45_000-5000*i).done(4+i, 20_000+9000*i, "search")
		root := &a.recs[0]
		root.End = Present.UnixNano() - int64(20_000+9000*i)*1e6
		root.Attrs = append(root.Attrs, text(traces.KeyOutcome, outcome))
		add(a)
	}
	return all
}
