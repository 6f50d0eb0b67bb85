package critpath_test

import (
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

// loop makes the records of an agent's run of about n spans as our tracer writes them: steps of a model call, every fifth
// with a failed attempt, with phases, and two parallel tools, the one of which makes an HTTP request; all linked.
func loop(n int) []traces.Record {
	var (
		recs   = make([]traces.Record, 0, n+20)
		now    = int64(epoch)
		tools  []string
		number int64
	)
	add := func(parent, name, role string, from, to int64, attrs ...traces.Attr) *traces.Record {
		number++
		attrs = append(traces.Attrs{{Key: traces.KeyRole, Value: role}}, attrs...)
		recs = append(recs, traces.Record{TraceID: "t", SpanID: id(number), ParentID: parent, Name: name, Kind: traces.KindInternal,
			Start: from, End: to, Attrs: attrs})
		return &recs[len(recs)-1]
	}
	const ms = 1_000_000
	root := add("", "invoke_agent fix", "agent", now, 0).SpanID
	for step := 0; len(recs) < n; step++ {
		from := now + ms
		s := add(root, fmt.Sprintf("step %d", step), "step", from, 0)
		at, stepID := len(recs)-1, s.SpanID
		m := add(stepID, "chat large", "model", from+1, 0, traces.Attr{Key: traces.KeyToolCallIDs, Value: []any{id(number), id(number + 1)}})
		for _, tool := range tools {
			m.Links = append(m.Links, traces.Link{TraceID: "t", SpanID: tool, Attrs: traces.Attrs{{Key: traces.KeyDep, Value: true}}})
		}
		mAt, modelID := len(recs)-1, m.SpanID
		t := from + 2
		if step%5 == 0 {
			add(modelID, "attempt 1", "attempt", t, t+80*ms, traces.Attr{Key: traces.KeyOp, Value: modelID}, traces.Attr{Key: traces.KeyAttempt, Value: int64(1)},
				traces.Attr{Key: traces.KeyOutcome, Value: "error"})
			add(modelID, "backoff", "wait", t+80*ms, t+580*ms, traces.Attr{Key: traces.KeyWait, Value: "backoff"})
			t += 580 * ms
		}
		a := add(modelID, "attempt 2", "attempt", t, t+2000*ms, traces.Attr{Key: traces.KeyOp, Value: modelID},
			traces.Attr{Key: traces.KeyAttempt, Value: int64(1 + (step+4)%5/4)}, traces.Attr{Key: traces.KeyOutcome, Value: "ok"}).SpanID
		for i, name := range []string{"connect", "wait", "reasoning", "output", "tool_args", "tail"} {
			lengths := []int64{30, 400, 700, 500, 360, 10}
			add(a, name, "phase", t, t+lengths[i]*ms, traces.Attr{Key: traces.KeyPhase, Value: name})
			t += lengths[i] * ms
		}
		recs[mAt].End = t + 1
		tools = tools[:0]
		for i := range int64(2) {
			tool := add(stepID, "execute_tool grep", "tool", t+2, t+(300+i*700)*ms, traces.Attr{Key: traces.KeyToolName, Value: "grep"},
				traces.Attr{Key: traces.KeyToolCallID, Value: id(number)}).SpanID
			tools = append(tools, tool)
		}
		recs = append(recs, traces.Record{TraceID: "t", SpanID: id(number + 1), ParentID: tools[1], Name: "GET", Kind: traces.KindClient,
			Start: t + 20*ms, End: t + 900*ms})
		number++
		now = t + 1001*ms
		recs[at].End = now
	}
	recs[0].End = now + ms
	return recs
}

// relay makes a chain in which every span hands on to the next and is outlived by it, so that all join the root.
func relay(n int) []traces.Record {
	spans := []caseSpan{{ID: id(0), Name: "root", Kind: "agent", End: int64(n+2) * 1e6}}
	for i := range int64(n) {
		spans = append(spans, caseSpan{ID: id(i + 1), Parent: id(i), Name: "agent", Kind: "agent", Start: i * 1e6, End: (i + 2) * 1e6})
	}
	return records(spans)
}

// handOn makes a chain in which every span starts the next once it has ended itself.
func handOn(n int) []traces.Record {
	spans := []caseSpan{{ID: id(0), Name: "root", Kind: "agent", End: int64(n+2) * 1e6}}
	for i := range int64(n) {
		spans = append(spans, caseSpan{ID: id(i + 1), Parent: id(i), Name: "agent", Kind: "agent", Start: i*1e6 + 1, End: (i + 1) * 1e6})
	}
	return records(spans)
}

// crowd makes siblings that all end within the tolerance, many of them at once.
func crowd(n int) []traces.Record {
	spans := []caseSpan{{ID: id(0), Name: "root", Kind: "agent", End: 1e9}}
	for i := range int64(n) {
		spans = append(spans, caseSpan{ID: id(i + 1), Parent: id(0), Name: "tool", Kind: "tool", Start: i * 9, End: i*9 + 10 + i%7})
	}
	return records(spans)
}

// busy makes a loop without steps beside a model call that is open all the time.
func busy(n int) []traces.Record {
	spans := []caseSpan{{ID: id(0), Name: "root", Kind: "agent", End: int64(n) * 1e6},
		{ID: id(1), Parent: id(0), Name: "chat", Kind: "model", End: int64(n)*1e6 - 1}}
	for i := range int64(n) {
		kind := []string{"model", "tool"}[i%2]
		spans = append(spans, caseSpan{ID: id(i + 2), Parent: id(0), Name: kind, Kind: kind, Start: i * 1e6, End: (i + 1) * 1e6})
	}
	return records(spans)
}

// beside makes model calls and tools in turn that all start one after another and are all open until the end.
func beside(n int) []traces.Record {
	spans := []caseSpan{{ID: id(0), Name: "root", Kind: "agent", End: int64(n) * 1e6}}
	for i := range int64(n) {
		kind := []string{"model", "tool"}[i%2]
		spans = append(spans, caseSpan{ID: id(i + 1), Parent: id(0), Name: kind, Kind: kind, Start: i * 1e3, End: int64(n)*1e6 - i*10})
	}
	return records(spans)
}

// Measured as processor time, garbage collection included, best of eight, on one core (GOMAXPROCS=1) of a shared two-core Xeon,
// in million spans a second: loop of 1k 6.0, 10k 3.9, 100k 3.7, 1M 3.2; chain 3.8, fan 6.5, relay 4.2, crowd 8.1, busy 12.5.
func BenchmarkFind(b *testing.B) {
	for _, shape := range []struct {
		name string
		recs func() []traces.Record
	}{
		{"loop of 1k", func() []traces.Record { return loop(1_000) }},
		{"loop of 10k", func() []traces.Record { return loop(10_000) }},
		{"loop of 100k", func() []traces.Record { return loop(100_000) }},
		{"loop of 1M", func() []traces.Record { return loop(1_000_000) }},
		{"chain of 50k", func() []traces.Record { return chain(50_000) }},
		{"fan of 100k", func() []traces.Record { return fan(100_000) }},
		{"relay of 50k", func() []traces.Record { return relay(50_000) }},
		{"crowd of 100k", func() []traces.Record { return crowd(100_000) }},
		{"busy 100k", func() []traces.Record { return busy(100_000) }},
	} {
		b.Run(shape.name, func(b *testing.B) {
			run := build(b, shape.recs())
			b.ReportAllocs()
			for b.Loop() {
				critpath.Find(run)
			}
			b.ReportMetric(float64(b.N)*float64(len(run.Spans))/b.Elapsed().Seconds()/1e6, "Mspans/s")
		})
	}
}

// BenchmarkReplay is of what follows the path: preparing the run to be played, playing it, and the slack and drag of every span, these
// two with Find. Measured as processor time with fifteen other jobs on two cores, loop of 100k: prepare 92 ms, play 20 ms, slack 159 ms, drag 169 ms.
func BenchmarkReplay(b *testing.B) {
	for _, shape := range []struct {
		name string
		recs func() []traces.Record
	}{
		{"loop of 100k", func() []traces.Record { return loop(100_000) }},
		{"chain of 50k", func() []traces.Record { return chain(50_000) }},
		{"fan of 100k", func() []traces.Record { return fan(100_000) }},
		{"relay of 50k", func() []traces.Record { return relay(50_000) }},
		{"crowd of 100k", func() []traces.Record { return crowd(100_000) }},
		{"beside of 100k", func() []traces.Record { return beside(100_000) }},
		{"hand-on of 50k", func() []traces.Record { return handOn(50_000) }},
	} {
		run := build(b, shape.recs())
		path := critpath.Find(run)
		perSpan := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run.Spans)), "ns/span")
		}
		b.Run("prepare/"+shape.name, func(b *testing.B) {
			for b.Loop() {
				path.Replay(critpath.Edges{})
			}
			perSpan(b)
		})
		b.Run("play/"+shape.name, func(b *testing.B) {
			r := path.Replay(critpath.Edges{})
			lengths := r.Lengths()
			for b.Loop() {
				r.Play(lengths)
			}
			perSpan(b)
		})
		b.Run("slack/"+shape.name, func(b *testing.B) {
			for b.Loop() {
				critpath.Find(run).Slack(run.Root)
			}
			perSpan(b)
		})
		b.Run("drag/"+shape.name, func(b *testing.B) {
			for b.Loop() {
				critpath.Find(run).Drag(run.Root)
			}
			perSpan(b)
		})
	}
}
