package tuitest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// Streamed returns a run whose first call streamed reasoning, text and tool arguments with a stall of 1.2 s, after a first attempt that was
// refused; whose second came whole; and whose third came at once.
func Streamed() *measure.Run {
	b := &builder{trace: "57ea", epoch: Epoch.UnixNano()}
	b.span("", "run", "invoke_agent follow-chain", 0, 12_500, role(traces.RoleAgent), text(traces.KeyRunID, "run-57ea"),
		text(traces.KeyRunName, "follow-chain"), text(traces.KeyOutcome, "ok"), text("longpole.group.model", "glm-sim"))
	r := rand.New(rand.NewPCG(3, 3))
	c := traces.Chunks{}
	at := 380 * time.Millisecond
	for _, part := range []struct {
		n     int
		kind  traces.Component
		pause time.Duration
	}{{60, traces.Reasoning, 0}, {40, traces.Output, 0}, {30, traces.Output, 1200 * time.Millisecond}, {25, traces.ToolArgs, 90 * time.Millisecond}} {
		at += part.pause
		for range part.n {
			c.Add(at, part.kind, 2+r.IntN(6))
			at += time.Duration(18+r.IntN(18)) * time.Millisecond
		}
	}
	whole := int(at/time.Millisecond) + 30
	b.span("run", "call1", "chat glm-sim", 100, 700+whole, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"),
		text(traces.KeyOutcome, "ok"), traces.Attr{Key: traces.KeyRequestStream, Value: true},
		traces.Attr{Key: traces.KeyOutputTokens, Value: int64(180)}, traces.Attr{Key: traces.KeyFinishReasons, Value: []any{"tool_calls"}})
	b.attempt("call1", "try1", 1, 100, 200, text(traces.KeyOutcome, "error"), traces.Attr{Key: traces.KeyHTTPStatus, Value: int64(429)})
	b.attempt("call1", "try2", 2, 700, 700+whole, traces.Attr{Key: traces.KeyChunks, Value: c.Encode()},
		traces.Attr{Key: traces.KeySentTime, Value: int64(12e6)})

	from := 1000 + whole
	b.span("run", "call2", "chat glm-sim", from, from+2000, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"),
		traces.Attr{Key: traces.KeyRequestStream, Value: false}, traces.Attr{Key: traces.KeyOutputTokens, Value: int64(90)})
	b.attempt("call2", "try3", 1, from, from+2000)

	burst := traces.Chunks{}
	for i := range 40 {
		burst.Add(1900*time.Millisecond+time.Duration(i)*40*time.Microsecond, traces.Output, 4)
	}
	from += 2200
	b.span("run", "call3", "chat glm-sim", from, from+1950, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"),
		traces.Attr{Key: traces.KeyRequestStream, Value: true}, traces.Attr{Key: traces.KeyOutputTokens, Value: int64(40)})
	b.attempt("call3", "try4", 1, from, from+1950, traces.Attr{Key: traces.KeyChunks, Value: burst.Encode()})
	return b.build()
}

func (b *builder) attempt(call, id string, number, from, to int, attrs ...traces.Attr) {
	b.span(call, id, "POST", from, to, append(attrs, role(traces.RoleAttempt), text(traces.KeyOp, call),
		traces.Attr{Key: traces.KeyAttempt, Value: int64(number)})...)
}

// Overnight returns a run that did a minute's work and waited hours for a person in between, twice.
func Overnight() *measure.Run {
	b := &builder{trace: "0e17", epoch: Epoch.UnixNano()}
	const hour = 3_600_000
	end := 60_000 + 9*hour
	b.span("", "run", "invoke_agent migrate", 0, end, role(traces.RoleAgent), text(traces.KeyRunID, "run-0e17"),
		text(traces.KeyRunName, "migrate"), text(traces.KeyOutcome, "ok"))
	at := 0
	for i, wait := range []int{hour, 8 * hour, 0} {
		b.span("run", fmt.Sprintf("call%d", i), "chat glm-sim", at, at+12_000, role(traces.RoleModel), text(traces.KeyRequestModel, "glm-sim"))
		at += 12_000
		id := b.span("run", fmt.Sprintf("tool%d", i), "execute_tool deploy", at, at+8000+wait, role(traces.RoleTool), text(traces.KeyToolName, "deploy"))
		if wait > 0 {
			b.span(id, fmt.Sprintf("ask%d", i), "approval", at, at+wait, role(traces.RoleWait), text(traces.KeyWait, "approval"))
		}
		at += 8000 + wait
	}
	return b.build()
}
