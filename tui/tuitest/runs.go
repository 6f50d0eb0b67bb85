// Package tuitest makes runs to draw in tests of screens: one that has a bit of everything, many that differ in effort, and
// one with names that try to break the screen. They are the same each time.
package tuitest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// Epoch is when the first run starts.
var Epoch = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// A builder appends spans of one run; times are milliseconds since its start.
type builder struct {
	trace string
	epoch int64
	recs  []traces.Record
}

func (b *builder) span(parent, id, name string, from, to int, attrs ...traces.Attr) string {
	b.recs = append(b.recs, traces.Record{TraceID: b.trace, SpanID: id, ParentID: parent, Name: name,
		Start: b.epoch + int64(from)*1e6, End: b.epoch + int64(to)*1e6, Attrs: attrs})
	return id
}

func (b *builder) phases(parent string, at int, phases ...phase) int {
	for i, p := range phases {
		b.span(parent, fmt.Sprintf("%s.%d", parent, i), string(p.component), at, at+p.ms, role(traces.RolePhase),
			traces.Attr{Key: traces.KeyPhase, Value: string(p.component)})
		at += p.ms
	}
	return at
}

// A phase is a stretch of an attempt.
type phase struct {
	component traces.Component
	ms        int
}

func role(r traces.Role) traces.Attr { return traces.Attr{Key: traces.KeyRole, Value: string(r)} }

func text(key, value string) traces.Attr { return traces.Attr{Key: key, Value: value} }

func (b *builder) build() *measure.Run {
	runs, _ := traces.Build(b.recs)
	return measure.Of(runs[0])
}

// FixConfig returns a run of three steps with everything a waterfall can show: tools in parallel with slack, a 429 and the
// wait after it, a stall, a failed tool, an approval.
func FixConfig() *measure.Run {
	b := &builder{trace: "f1c0", epoch: Epoch.UnixNano()}
	chat := func(parent, id string, from, to int, attrs ...traces.Attr) string {
		return b.span(parent, id, "chat glm-sim", from, to, append(attrs, role(traces.RoleModel),
			text(traces.KeyRequestModel, "glm-sim"), text(traces.KeyEffort, "high"), text(traces.KeyOutcome, "ok"),
			traces.Attr{Key: traces.KeyOutputTokens, Value: int64(to-from) / 25},
			traces.Attr{Key: traces.KeyReasoningTokens, Value: int64(to-from) / 40})...)
	}
	attempt := func(parent, id string, number, from, to int, attrs ...traces.Attr) string {
		return b.span(parent, id, "POST", from, to, append(attrs, role(traces.RoleAttempt), text(traces.KeyOp, parent),
			traces.Attr{Key: traces.KeyAttempt, Value: int64(number)})...)
	}
	tool := func(parent, id, name string, from, to int, attrs ...traces.Attr) string {
		return b.span(parent, id, "execute_tool "+name, from, to, append(attrs, role(traces.RoleTool),
			text(traces.KeyToolName, name), traces.Attr{Key: traces.KeyRunTime, Value: int64(to-from) * 1e6})...)
	}
	step := func(id string, n, from, to int) string {
		return b.span("run", id, fmt.Sprintf("step %d", n), from, to, role(traces.RoleStep),
			traces.Attr{Key: traces.KeyStepIndex, Value: int64(n)})
	}
	b.span("", "run", "invoke_agent fix-config", 0, 14210, role(traces.RoleAgent), text(traces.KeyRunID, "run-7f3a"),
		text(traces.KeyRunName, "fix-config"), text(traces.KeyOutcome, "ok"), text("longpole.group.effort", "high"),
		text("longpole.group.model", "glm-sim"), text("longpole.group.task", "fix-config"), text(traces.KeyAnswerCheck, "config is valid"))

	s := step("step1", 1, 90, 4700)
	c := chat(s, "chat1", 110, 3130)
	a := attempt(c, "try1", 1, 110, 3130)
	b.phases(a, 110, phase{traces.Connect, 12}, phase{traces.Wait, 400}, phase{traces.Reasoning, 2050}, phase{traces.Output, 420}, phase{traces.ToolArgs, 130}, phase{traces.Tail, 8})
	tool(s, "read1", "read_file", 3140, 3520)
	tool(s, "find1", "search", 3140, 4690)

	s = step("step2", 2, 4720, 10230)
	c = chat(s, "chat2", 4740, 8400)
	a = attempt(c, "try2", 1, 4740, 4960, text(traces.KeyOutcome, "error"), traces.Attr{Key: traces.KeyHTTPStatus, Value: int64(429)})
	b.phases(a, 4740, phase{traces.Wait, 220})
	b.span(c, "back2", "backoff", 4960, 5960, role(traces.RoleWait), text(traces.KeyWait, "backoff"))
	a = attempt(c, "try3", 2, 5960, 8400)
	b.phases(a, 5960, phase{traces.Wait, 510}, phase{traces.Reasoning, 1200}, phase{traces.Stall, 640}, phase{traces.ToolArgs, 90})
	t := tool(s, "run2", "run_command", 8410, 10170)
	b.span(t, "ask2", "approval", 8410, 9010, role(traces.RoleWait), text(traces.KeyWait, "approval"))
	tool(s, "fetch2", "fetch_url", 8410, 9120, text(traces.KeyOutcome, "timeout"))

	s = step("step3", 3, 10260, 14160)
	c = chat(s, "chat3", 10280, 14140)
	a = attempt(c, "try4", 1, 10280, 14140)
	b.phases(a, 10280, phase{traces.Wait, 380}, phase{traces.Reasoning, 2600}, phase{traces.Output, 870}, phase{traces.Tail, 10})
	return b.build()
}

// Bench returns trials runs of each of three tasks at each of three efforts: higher efforts think longer, lower ones are wrong
// more often and take more steps.
func Bench(trials int) []*measure.Run {
	r := rand.New(rand.NewPCG(7, 7))
	var runs []*measure.Run
	start := Epoch
	for trial := range trials {
		for _, task := range []string{"fix-config", "csv-total", "follow-chain"} {
			for k, effort := range []string{"low", "medium", "high"} {
				b := &builder{trace: fmt.Sprintf("%s-%s-%d", task, effort, trial), epoch: start.UnixNano()}
				runs = append(runs, b.loop(r, task, effort, 1+k, trial))
				start = start.Add(time.Duration(5+r.IntN(20)) * time.Second)
			}
		}
	}
	return runs
}

// loop adds a run of a few steps whose reasoning is as long as thought times a second or so.
func (b *builder) loop(r *rand.Rand, task, effort string, thought, trial int) *measure.Run {
	at := 20 + r.IntN(30)
	around := func(ms int) int { return ms/2 + r.IntN(ms+1) }
	steps := 2 + r.IntN(2)
	if thought == 1 {
		steps += r.IntN(4)
	}
	outcome := "ok"
	if r.IntN(10) < 4-thought {
		outcome = "failed_check"
	}
	first := len(b.recs)
	b.span("", "run", "invoke_agent "+task, 0, 0)
	for n := range steps {
		s := fmt.Sprintf("s%d", n)
		from := at
		i := len(b.recs)
		b.span("run", s, fmt.Sprintf("step %d", n+1), from, 0, role(traces.RoleStep), traces.Attr{Key: traces.KeyStepIndex, Value: int64(n + 1)})
		at += 5
		c := b.span(s, s+"c", "chat glm-sim", at, 0, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"),
			text(traces.KeyEffort, effort), text(traces.KeyOutcome, "ok"), traces.Attr{Key: traces.KeyOutputTokens, Value: int64(around(300 * thought))})
		call := len(b.recs) - 1
		if r.IntN(12) == 0 {
			a := b.span(c, s+"x", "POST", at, at+180, role(traces.RoleAttempt), text(traces.KeyOp, c), text(traces.KeyOutcome, "error"),
				traces.Attr{Key: traces.KeyHTTPStatus, Value: int64(429)}, traces.Attr{Key: traces.KeyAttempt, Value: int64(1)})
			b.phases(a, at, phase{traces.Wait, 180})
			b.span(c, s+"b", "backoff", at+180, at+1180, role(traces.RoleWait), text(traces.KeyWait, "backoff"))
			at += 1180
		}
		a := b.span(c, s+"a", "POST", at, 0, role(traces.RoleAttempt), text(traces.KeyOp, c), traces.Attr{Key: traces.KeyAttempt, Value: int64(2)})
		try := len(b.recs) - 1
		at = b.phases(a, at, phase{traces.Wait, around(350)}, phase{traces.Reasoning, around(700 * thought)}, phase{traces.Output, around(400)}, phase{traces.ToolArgs, around(120)})
		b.recs[try].End, b.recs[call].End = b.epoch+int64(at)*1e6, b.epoch+int64(at)*1e6
		if n < steps-1 {
			name := []string{"read_file", "search", "run_command"}[r.IntN(3)]
			to := at + around(900)
			b.span(s, s+"t", "execute_tool "+name, at, to, role(traces.RoleTool), text(traces.KeyToolName, name))
			b.span(s, s+"u", "execute_tool list", at, at+around(200), role(traces.RoleTool), text(traces.KeyToolName, "list"))
			at = to + 10
		}
		b.recs[i].End = b.epoch + int64(at)*1e6
		at += 4
	}
	b.recs[first].End = b.epoch + int64(at)*1e6
	b.recs[first].Attrs = traces.Attrs{role(traces.RoleAgent), text(traces.KeyRunID, b.trace), text(traces.KeyRunName, task),
		text(traces.KeyOutcome, outcome), text("longpole.group.effort", effort), text("longpole.group.model", "glm-sim"),
		text("longpole.group.task", task), text("longpole.group.trial", fmt.Sprint(trial)), text(traces.KeyAnswerCheck, "checked")}
	return b.build()
}

// Hostile are names that try to break a screen: escape sequences, line breaks, marks of direction, wide and joined characters.
var Hostile = []string{
	"检索文件", "モデル呼び出し", "도구 실행", "👩\u200d💻 pair", "🇯🇵 lookup", "e\u0301tape 1", "tool\tls", "plain chat",
	"\x1b[31mred\x1b[0m", "two\nlines", "\u202egnirts", "bell\a\x00nul", "bad \xff\xfe utf8", "\x1b]0;title\x07after", "Z͑ͫ̓ͪ̂ͫ̽a̴l", "\u200b\u200b\u200bhidden", "한글 자모",
}

// WithHostileNames returns a run whose spans, tags and id are called so.
func WithHostileNames() *measure.Run {
	b := &builder{trace: "dead\x1b[2Jbeef", epoch: Epoch.UnixNano()}
	b.span("", "r\n1", Hostile[8], 0, len(Hostile)*100, role(traces.RoleAgent), text(traces.KeyRunName, Hostile[9]+Hostile[3]),
		text("longpole.group.model", Hostile[0]+Hostile[10]), text("longpole.group.effort", Hostile[4]))
	for i, name := range Hostile {
		b.span("r\n1", fmt.Sprint(i), name, i*100, i*100+100, role(traces.RoleTool), text(traces.KeyToolName, name))
	}
	return b.build()
}
