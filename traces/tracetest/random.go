package tracetest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Random returns up to some forty records, the same ones for the same seed, with all that can be wrong with records in it: cycles,
// repeated ids, missing parents, starts and ends, ends before starts, skewed clocks, several roots and traces, links to
// nowhere, attributes of wrong types. Times lie on a coarse grid, so that many of them are equal.
func Random(seed uint64) []traces.Record {
	r := rand.New(rand.NewPCG(seed, 1))
	n := 1 + r.IntN(40)
	calm := r.IntN(3) == 0 // a third of the runs are in order
	hosts := []*traces.Resource{nil, hostNamed("a"), hostNamed("b")}
	roles := []traces.Role{"", traces.RoleAgent, traces.RoleStep, traces.RoleModel, traces.RoleModel, traces.RoleAttempt, traces.RolePhase,
		traces.RolePhase, traces.RoleTool, traces.RoleTool, traces.RoleWait, "nonsense"}
	recs := make([]traces.Record, 0, n)
	told := rand.New(rand.NewPCG(seed, 2)) // apart from r, so that a seed's records stay as they are but for their events
	for i := range n {
		rec := traces.Record{TraceID: "t", SpanID: fmt.Sprintf("%02x", i), Name: fmt.Sprintf("span %d", i), Kind: traces.Kind(r.IntN(6)),
			Start: at(r.IntN(20)), Status: traces.Status(r.IntN(5) / 2)}
		rec.End = rec.Start + ms(r.IntN(20))
		if i > 0 {
			p := &recs[r.IntN(i)]
			rec.ParentID, rec.TraceID = p.SpanID, p.TraceID
			if calm || r.IntN(2) == 0 {
				rec.Start = p.Start + int64(r.IntN(4))*(p.End-p.Start)/4
				rec.End = rec.Start + int64(r.IntN(4))*(p.End-rec.Start)/4
			}
		}
		if role := roles[r.IntN(len(roles))]; role != "" {
			rec.Attrs = rec.Attrs.With(traces.KeyRole, string(role))
		}
		rec.Attrs = append(rec.Attrs, randomAttrs(r)...)
		rec.Resource = hosts[r.IntN(len(hosts))]
		rec.Events = randomEvents(told)
		if !calm {
			spoil(&rec, r, i, n)
		}
		recs = append(recs, rec)
		if !calm && r.IntN(12) == 0 {
			again := rec
			again.End = at(r.IntN(40)) * int64(r.IntN(2))
			recs = append(recs, again)
		}
	}
	r.Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
	return recs
}

// spoil breaks a record in one of the known ways, mostly in none.
func spoil(rec *traces.Record, r *rand.Rand, i, n int) {
	switch r.IntN(24) {
	case 0:
		rec.ParentID = "gone"
	case 1:
		rec.ParentID = fmt.Sprintf("%02x", r.IntN(n)) // perhaps a cycle
	case 2:
		rec.ParentID = ""
	case 3:
		rec.End = 0
	case 4:
		rec.Start = 0
	case 5:
		rec.End = rec.Start - ms(r.IntN(10))
	case 6:
		rec.TraceID, rec.ParentID = fmt.Sprint("u", i%3), ""
	case 7:
		rec.Start += int64(time.Hour)
	case 8:
		rec.Start, rec.End = -1<<63, 1<<63-1
	case 9:
		rec.SpanID = ""
	case 10:
		rec.Dropped.Events = 3
	}
}

func randomAttrs(r *rand.Rand) traces.Attrs {
	values := []any{int64(r.IntN(5)), int64(-1), r.Float64() / 50, "x", "", true, nil, []any{"x", "y", int64(1)}, []byte{1, 2, 3}, randomChunks(r)}
	keys := []string{traces.KeyOperation, traces.KeyTTFT, traces.KeyChunks, traces.KeySentTime, traces.KeyOp, traces.KeyAttempt, traces.KeyPhase,
		traces.KeyWait, traces.KeyQuality, traces.KeyBackground, traces.KeyCancelled, traces.KeyOutcome, traces.KeyToolCallID,
		traces.KeyToolCallIDs, traces.KeyInputTokens, traces.KeyHTTPStatus, traces.KeyResendCount, traces.KeyCheckpoint, traces.KeyRunID,
		traces.KeyConversation, traces.KeyTimeScale, traces.KeyRunTime, traces.KeySide, traces.KeyOpen, traces.KeyGroupPrefix + "effort"}
	words := []string{"chat", "execute_tool", "invoke_agent", "embeddings", "error", "ok", "cancelled", "approval", "backoff", "bound", "wait"}
	var attrs traces.Attrs
	for range r.IntN(4) {
		a := traces.Attr{Key: keys[r.IntN(len(keys))], Value: values[r.IntN(len(values))]}
		if r.IntN(2) == 0 {
			a.Value = words[r.IntN(len(words))]
		}
		attrs = append(attrs, a)
	}
	return attrs
}

// randomEvents are mostly none, else some that tell phases, in any order.
func randomEvents(r *rand.Rand) []traces.Event {
	var events []traces.Event
	for range max(0, r.IntN(16)-11) {
		phase := []string{"wait", "reasoning", "output", "tool_args", "tail", "nonsense"}[r.IntN(6)]
		events = append(events, traces.Event{Name: traces.EventPhase, Time: at(r.IntN(40)), Attrs: traces.Attrs{{Key: traces.KeyPhase, Value: phase}}})
	}
	return events
}

func randomChunks(r *rand.Rand) []byte {
	kinds := []traces.Component{traces.Reasoning, traces.Output, traces.ToolArgs}
	c := &traces.Chunks{}
	t := time.Duration(0)
	for range r.IntN(5) {
		t += time.Duration(r.IntN(5)) * time.Millisecond
		c.Add(t, kinds[r.IntN(len(kinds))], r.IntN(9))
	}
	return c.Encode()
}

func hostNamed(name string) *traces.Resource {
	return &traces.Resource{Attrs: traces.Attrs{{Key: traces.KeyHostName, Value: name}}}
}

// Loop returns the records of an orderly run of the given number of steps, eleven spans a step, as the tracer writes them: the
// shape that size and speed are measured on.
func Loop(steps int) []traces.Record {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	recs := make([]traces.Record, 0, 1+11*steps)
	next := 0
	add := func(parent, name string, kind traces.Kind, from, to int, attrs ...traces.Attr) string {
		next++
		id := fmt.Sprintf("%016x", next)
		recs = append(recs, traces.Record{TraceID: trace, SpanID: id, ParentID: parent, Name: name, Kind: kind, Start: at(from), End: at(to), Attrs: attrs})
		return id
	}
	attr := func(key string, value any) traces.Attr { return traces.Attr{Key: key, Value: value} }
	role := func(r traces.Role) traces.Attr { return attr(traces.KeyRole, string(r)) }
	root := add("", "invoke_agent loop", traces.KindInternal, 0, 100*steps, role(traces.RoleAgent), attr(traces.KeyOperation, "invoke_agent"),
		attr(traces.KeyRunID, "loop"), attr(traces.KeyOutcome, "ok"), attr(traces.KeyGroupPrefix+"effort", "low"))
	for i := range steps {
		t := 100 * i
		call := [2]string{fmt.Sprint("call_a", i), fmt.Sprint("call_b", i)}
		step := add(root, fmt.Sprint("step ", i+1), traces.KindInternal, t, t+98, role(traces.RoleStep), attr(traces.KeyStepIndex, int64(i+1)))
		model := add(step, "chat m", traces.KindClient, t+1, t+60, role(traces.RoleModel), attr(traces.KeyOperation, "chat"),
			attr(traces.KeyRequestModel, "m"), attr(traces.KeyRequestStream, true), attr(traces.KeyTTFT, 0.02),
			attr(traces.KeyInputTokens, int64(1000+i)), attr(traces.KeyOutputTokens, int64(50)), attr(traces.KeyReasoningTokens, int64(20)),
			attr(traces.KeyFinishReasons, []any{"tool_calls"}), attr(traces.KeyToolCallIDs, []any{call[0], call[1]}))
		attempt := add(model, "attempt 1", traces.KindClient, t+1, t+60, role(traces.RoleAttempt), attr(traces.KeyOp, model),
			attr(traces.KeyAttempt, int64(1)), attr(traces.KeyHTTPStatus, int64(200)))
		bounds := []int{1, 3, 21, 35, 50, 58, 60}
		for k, phase := range []traces.Component{traces.Connect, traces.Wait, traces.Reasoning, traces.Output, traces.ToolArgs, traces.Tail} {
			add(attempt, string(phase), traces.KindInternal, t+bounds[k], t+bounds[k+1], role(traces.RolePhase), attr(traces.KeyPhase, string(phase)))
		}
		for k, name := range []string{"grep", "read_file"} {
			add(step, "execute_tool "+name, traces.KindInternal, t+61, t+75+20*k, role(traces.RoleTool), attr(traces.KeyOperation, "execute_tool"),
				attr(traces.KeyToolName, name), attr(traces.KeyToolCallID, call[k]))
		}
	}
	return recs
}
