package tracer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

var asks = reply{writes: []write{
	event(100*msec, `"tool_calls":[{"index":0,"id":"t1","function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"t2","function":{"name":"cat","arguments":"{}"}}]`),
	finish(110*msec, "tool_calls"), done(110 * msec)}}

// loop runs a small agent: a call that asks for two tools, the tools at once, a call with their results.
func loop(ctx context.Context, w *world) {
	first, step := tracer.StartStep(ctx, 1)
	w.call(first)
	done := make(chan bool)
	for i, id := range []string{"t1", "t2"} {
		go func() {
			_, tool := tracer.StartTool(first, "ls", id)
			tracer.Sleep(first, time.Duration(i+1)*100*msec)
			tool.End(traces.OK, nil)
			done <- true
		}()
	}
	<-done
	<-done
	step.End()
	second, step := tracer.StartStep(ctx, 2)
	second, call := tracer.StartModelCall(second, tracer.ModelRequest{})
	call.End(w.read(second, `{"model":"m","reasoning_effort":"low","stream":true,"seed":3,"messages":[{"role":"assistant"},
		{"role":"tool","tool_call_id":"t1","content":"x"},{"role":"tool","tool_call_id":"t2","content":"x"}]}`))
	step.End()
}

func TestARunIsATree(t *testing.T) {
	simulate(t, tracer.Options{}, []reply{asks, good}, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "count files", tracer.RunConfig{ID: "r1", Group: map[string]string{"effort": "low"}, Conversation: "k"})
		loop(ctx, w)
		run.SetGroup("task", "count")
		run.SetCheck("right")
		run.End(traces.OK)
		w.expect(`
		invoke_agent count files 0-710 ok agent low count right
		  step 1 0-310 step
		    chat m 0-110 ok model
		      attempt 1 0-110 ok attempt
		        wait 0-100 phase
		        tail 100-110 phase
		    execute_tool ls 110-210 ok tool
		    execute_tool ls 110-310 ok tool
		  step 2 310-710 step
		    chat m 310-710 ok model low
		      attempt 1 310-710 ok attempt
		        wait 310-610 phase
		        output 610-710 phase
		`, traces.KeyRole, traces.KeyEffort, traces.KeyGroupPrefix+"effort", traces.KeyGroupPrefix+"task", traces.KeyAnswerCheck)

		runs, problems := traces.Build(w.sink.all())
		if len(runs) != 1 || len(problems) != 0 || len(runs[0].Problems) != 0 {
			t.Fatalf("got %d runs with problems %v %v", len(runs), problems, runs[0].Problems)
		}
		r := runs[0]
		if r.ID != "r1" || r.Name != "count files" || len(r.Steps) != 2 || len(r.ModelCalls) != 2 || len(r.ToolCalls) != 2 {
			t.Errorf("got run %s %q with %d steps, %d calls, %d tools", r.ID, r.Name, len(r.Steps), len(r.ModelCalls), len(r.ToolCalls))
		}
		for _, tool := range r.ToolCalls {
			if tool.Call != r.ModelCalls[0] {
				t.Errorf("tool %s is not linked to the call that asked for it", tool.CallID)
			}
			if !slices.Contains(r.ModelCalls[1].Span.Link, tool.Span) {
				t.Errorf("the second call does not depend on tool %s", tool.CallID)
			}
			if len(tool.Span.Link) != 0 {
				t.Errorf("tool %s depends on %v", tool.CallID, tool.Span.Link)
			}
		}
	})
}

func TestATimeScaleStretchesEverything(t *testing.T) {
	simulate(t, tracer.Options{}, []reply{asks, good}, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{TimeScale: 10})
		_, foreign := w.tracer.Provider().Tracer("other").Start(ctx, "other")
		time.Sleep(5 * msec)
		foreign.End()
		if got := tracer.Now(ctx).Sub(w.start); got != 50*msec {
			t.Errorf("now is %v, want 50ms", got)
		}
		loop(ctx, w)
		run.End(traces.OK)
		w.expect(`
		invoke_agent task 0-5350 ok 10
		  other 0-50
		  step 1 50-1350
		    chat m 50-1150 ok
		      attempt 1 50-1150 ok
		        wait 50-1050
		        tail 1050-1150
		    execute_tool ls 1150-1250 ok
		    execute_tool ls 1150-1350 ok
		  step 2 1350-5350
		    chat m 1350-5350 ok
		      attempt 1 1350-5350 ok
		        wait 1350-4350
		        output 4350-5350
		`, traces.KeyTimeScale)
	})
}

func TestCheckingTheAnswerIsNotTheRunsTime(t *testing.T) {
	simulate(t, tracer.Options{}, nil, func(w *world) {
		_, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{TimeScale: 10})
		time.Sleep(5 * msec)
		if got := run.Wall(); got != 50*msec {
			t.Errorf("the run has lasted %v so far, want 50ms", got)
		}
		run.Answered()
		time.Sleep(time.Second)
		run.Answered() // only the first one counts
		run.End(traces.OK)
		if got := run.Wall(); got != 50*msec {
			t.Errorf("the run lasted %v, want 50ms", got)
		}
		w.expect(`
		invoke_agent task 0-50 ok 10
		`, traces.KeyTimeScale)
	})
}

func TestALateRunSaysWhenItWasMeantToBegin(t *testing.T) {
	for _, scale := range []float64{1, 10} {
		simulate(t, tracer.Options{}, nil, func(w *world) {
			intended := time.Now()
			time.Sleep(7 * msec)
			began := time.Now()
			_, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{TimeScale: scale, Intended: intended})
			run.End(traces.OK)
			attrs := w.sink.all()[0].Attrs
			got, ok := attrs.Int(traces.KeyIntendedStart)
			if want := began.UnixNano() - int64(scale*float64(7*msec)); !ok || got != want {
				t.Errorf("at %gx: meant to begin at %d, %v; want %d", scale, got, ok, want)
			}
		})
	}
}

func TestAKilledRunIsReadableUpToItsLastSecond(t *testing.T) {
	slow := reply{writes: []write{event(300*msec, `"reasoning":"a"`), event(800*msec, `"reasoning":"b"`), event(1500*msec, `"content":"c"`), event(1900*msec, `"content":"d"`)}, end: time.Hour}
	simulate(t, tracer.Options{}, []reply{asks, slow}, func(w *world) {
		ctx, _ := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{StallThreshold: time.Second})
		go loop(ctx, w)
		time.Sleep(310*msec + 2500*msec)
		killed := w.sink.all()

		runs, _ := traces.Build(killed)
		run := runs[0]
		if !run.Open || run.Wall != 2060*msec {
			t.Errorf("got open %v, wall %v, want the last checkpoint at 2.06s, after the first text", run.Open, run.Wall)
		}
		var got []string
		for _, p := range run.ModelCalls[1].Final().Phases {
			got = append(got, fmt.Sprintf("%s %d-%d", p.Component, p.Start.Milliseconds(), p.End.Milliseconds()))
		}
		if want := []string{"wait 310-610", "reasoning 610-1110", "output 1110-1810", "tail 1810-2060"}; !slices.Equal(got, want) {
			t.Errorf("got phases %q, want %q", got, want)
		}
	})
}

func TestShutdownEndsEverySpanOnce(t *testing.T) {
	exported := tracetest.NewInMemoryExporter()
	simulate(t, tracer.Options{Exporters: []sdktrace.SpanExporter{keeping{exported}}}, []reply{good}, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
		ctx, step := tracer.StartStep(ctx, 1)
		_, tool := tracer.StartTool(ctx, "ls", "")
		_, wait := tracer.StartWait(ctx, "approval")
		_, foreign := w.tracer.Provider().Tracer("other").Start(ctx, "other")
		callCtx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
		resp, err := w.send(callCtx, request)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(350 * msec)
		w.tracer.Shutdown(context.Background())
		w.tracer.Shutdown(context.Background())
		resp.Body.Close()
		call.End(nil)
		tool.End(traces.OK, nil)
		wait.End()
		foreign.End()
		step.End()
		run.End(traces.OK)
		if _, late := w.tracer.StartRun(w.Context(), "late", tracer.RunConfig{}); late == nil {
			t.Error("a run after shutdown is nil")
		}
		w.expect(`
		invoke_agent task 0-350 cancelled
		  step 1 0-350
		    execute_tool ls 0-350 cancelled
		    wait approval 0-350
		    other 0-350
		    chat m 0-350 cancelled
		      attempt 1 0-350 cancelled
		        wait 0-300
		        tail 300-350`)
		ends := map[string]int{}
		for _, r := range w.sink.all() {
			if r.End != 0 {
				ends[r.SpanID]++
			}
		}
		for id, n := range ends {
			if n != 1 {
				t.Errorf("span %s ended %d times", id, n)
			}
		}
		if got := len(exported.GetSpans()); got != len(ends) {
			t.Errorf("%d spans exported, %d recorded", got, len(ends))
		}
		for _, s := range exported.GetSpans() {
			for _, kv := range s.Attributes {
				if kv.Key == traces.KeyChunks {
					t.Error("the chunk series was exported")
				}
			}
		}
	})
}

// keeping does not let a shutdown empty the exporter.
type keeping struct{ *tracetest.InMemoryExporter }

func (keeping) Shutdown(context.Context) error { return nil }

func TestAPanicEndsTheRunAndGoesOn(t *testing.T) {
	simulate(t, tracer.Options{}, []reply{good}, func(w *world) {
		func() {
			defer func() {
				if got := recover(); got != "boom" {
					t.Errorf("got panic %v, want boom", got)
				}
			}()
			ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
			defer run.End(traces.OK)
			defer run.Recover()
			ctx, _ = tracer.StartStep(ctx, 1)
			callCtx, _ := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
			resp, err := w.send(callCtx, request)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			time.Sleep(350 * msec)
			panic("boom")
		}()
		w.expect(`
		invoke_agent task 0-350 error
		  step 1 0-350
		    chat m 0-350 cancelled
		      attempt 1 0-350 cancelled
		        wait 0-300
		        tail 300-350`)
	})
}

func TestWithoutARunNothingHappens(t *testing.T) {
	simulate(t, tracer.Options{}, []reply{good}, func(w *world) {
		ctx := w.Context()
		for _, c := range []context.Context{first(tracer.StartStep(ctx, 1)), first(tracer.StartModelCall(ctx, tracer.ModelRequest{})),
			first(tracer.StartTool(ctx, "ls", "x")), first(tracer.StartWait(ctx, "other"))} {
			if c != ctx {
				t.Error("the context was changed")
			}
		}
		var run *tracer.Run
		run.End(traces.OK)
		run.SetGroup("a", "b")
		run.SetCheck("x")
		run.Recover()
		(*tracer.Step)(nil).End()
		(*tracer.ModelCall)(nil).End(nil)
		(*tracer.ToolCall)(nil).End(traces.OK, nil)
		(*tracer.Wait)(nil).End()
		var none *tracer.Tracer
		if c, r := none.StartRun(ctx, "x", tracer.RunConfig{}); c != ctx || r.ID() != "" {
			t.Error("a nil tracer made a run")
		}
		if err := tracer.Sleep(ctx, msec); err != nil || tracer.Now(ctx).Sub(w.start) != msec {
			t.Errorf("slept until %v, error %v", tracer.Now(ctx), err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if err := tracer.Sleep(cancelled, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
		if len(w.sink.all()) != 0 {
			t.Errorf("recorded\n%s", w.draw())
		}
		w.read(ctx, request) // but a request is a call of its own
		w.expect(`
		chat m 1-401 ok
		  attempt 1 1-401 ok
		    wait 1-301
		    output 301-401`)
	})
}

func first[T any](ctx context.Context, _ T) context.Context { return ctx }

func TestASubAgentIsPartOfTheRun(t *testing.T) {
	simulate(t, tracer.Options{}, []reply{good}, func(w *world) {
		var own memory
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{ID: "r", Sink: &own})
		ctx, tool := tracer.StartTool(ctx, "delegate", "")
		inner, sub := w.tracer.StartRun(ctx, "sub", tracer.RunConfig{})
		w.call(inner)
		sub.End(traces.OK)
		tool.End(traces.OK, nil)
		run.End(traces.OK)
		if sub.ID() != "r" || len(w.sink.all()) != 0 {
			t.Errorf("sub-agent %q, %d records in the tracer's sink", sub.ID(), len(w.sink.all()))
		}
		w.sink.Write(own.all()...)
		w.expect(`
		invoke_agent task 0-400 ok
		  execute_tool delegate 0-400 ok
		    invoke_agent sub 0-400 ok
		      chat m 0-400 ok
		        attempt 1 0-400 ok
		          wait 0-300
		          output 300-400`)
	})
}

func TestASpanAroundTheRunIsLinked(t *testing.T) {
	simulate(t, tracer.Options{}, nil, func(w *world) {
		ctx, outer := w.tracer.Provider().Tracer("other").Start(w.Context(), "request")
		_, run := w.tracer.StartRun(ctx, "task", tracer.RunConfig{})
		run.End(traces.OK)
		outer.End()
		rec := w.one("invoke_agent task")
		if rec.ParentID != "" || len(rec.Links) != 1 || rec.Links[0].SpanID != outer.SpanContext().SpanID().String() {
			t.Errorf("got parent %q, links %v", rec.ParentID, rec.Links)
		}
	})
}

type failing struct{}

func (failing) Write(...traces.Record) error { return errors.New("disk full") }

type panicking struct{}

func (panicking) Write(...traces.Record) error { panic("sink") }

func TestASinkThatFailsIsNotNoticed(t *testing.T) {
	for name, sink := range map[string]tracer.Sink{"with an error": failing{}, "with a panic": panicking{}} {
		t.Run(name, func(t *testing.T) {
			simulate(t, tracer.Options{Sink: sink}, []reply{asks, good}, func(w *world) {
				ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
				loop(ctx, w)
				run.End(traces.OK)
				synctest.Wait()
				if got := w.tracer.Lost(); got != 24 {
					t.Errorf("got %d records lost, want 24", got)
				}
			})
		})
	}
}

// A hole is an exporter whose endpoint never answers.
type hole struct{ stop chan bool }

func (h hole) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { <-h.stop; return nil }
func (h hole) Shutdown(context.Context) error                             { <-h.stop; return nil }

func TestAnExporterThatHangsDelaysTheEndByTwoSecondsAtMost(t *testing.T) {
	for name, end := range map[string]func(*tracer.Tracer, context.Context) error{"flush": (*tracer.Tracer).Flush, "shutdown": (*tracer.Tracer).Shutdown} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stop := make(chan bool)
				tr := tracer.New(tracer.Options{Exporters: []sdktrace.SpanExporter{hole{stop}}})
				_, run := tr.StartRun(t.Context(), "task", tracer.RunConfig{})
				run.End(traces.OK)
				start := time.Now()
				if err := end(tr, context.Background()); err == nil || time.Since(start) != 2*time.Second {
					t.Errorf("it took %v, error %v", time.Since(start), err)
				}
				close(stop)
				tr.Shutdown(context.Background())
			})
		})
	}
}

func TestASamplerThinsExportsButNotRecords(t *testing.T) {
	exported := tracetest.NewInMemoryExporter()
	opt := tracer.Options{Exporters: []sdktrace.SpanExporter{keeping{exported}}, Sampler: only("low")}
	simulate(t, opt, nil, func(w *world) {
		for _, effort := range []string{"low", "high"} {
			_, run := w.tracer.StartRun(w.Context(), effort, tracer.RunConfig{Group: map[string]string{"effort": effort}})
			run.End(traces.OK)
		}
		w.tracer.Flush(context.Background())
		if got := exported.GetSpans(); len(got) != 1 || got[0].Name != "invoke_agent low" {
			t.Errorf("exported %v", got)
		}
		w.expect("invoke_agent low 0-0 ok\ninvoke_agent high 0-0 ok")
	})
}

type only string

func (o only) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if slices.Contains(p.Attributes, attribute.String(traces.KeyGroupPrefix+"effort", string(o))) {
		return sdktrace.AlwaysSample().ShouldSample(p)
	}
	return sdktrace.NeverSample().ShouldSample(p)
}

func (o only) Description() string { return string(o) }

func TestNoContentIsKept(t *testing.T) {
	const secret = "sk-hunter2"
	secrets := reply{header: "X-Secret: " + secret, writes: []write{
		event(10*msec, `"reasoning":"`+secret+`"`), event(20*msec, `"content":"`+secret+`"`),
		event(30*msec, `"tool_calls":[{"index":0,"id":"t","function":{"name":"ls","arguments":"`+secret+`"}}]`),
		{40 * msec, `data: {"error":{"message":"` + secret + `","type":"the key ` + secret + ` is bad"}}` + "\n\n"}, done(50 * msec)}}
	simulate(t, tracer.Options{}, []reply{secrets}, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
		w.read(ctx, `{"model":"m","messages":[{"role":"user","content":"`+secret+`"}]}`, "Authorization", "Bearer "+secret)
		_, tool := tracer.StartTool(ctx, "ls", "t")
		tool.End(traces.Error, fmt.Errorf("ls: %w", errors.New(secret)))
		run.End(traces.OK)
		synctest.Wait()
		b, err := json.Marshal(w.sink.all())
		if err != nil || strings.Contains(string(b), secret) {
			t.Errorf("error %v, recorded %s", err, b)
		}
	})
}

func TestTheSeriesOfChunksCanBeLeftOut(t *testing.T) {
	simulate(t, tracer.Options{NoChunks: true}, []reply{good}, func(w *world) {
		w.read(w.Context(), request)
		synctest.Wait()
		if rec := w.one("attempt 1"); rec.Attrs.Has(traces.KeyChunks) || !rec.Attrs.Has(traces.KeyChunkCount) {
			t.Errorf("got %v", rec.Attrs)
		}
	})
}

func TestContentIsKeptOnRequestWithoutCredentials(t *testing.T) {
	join := func(parts ...string) string { return strings.Join(parts, "") } // in parts, so that scanners stay quiet
	secrets := []string{
		join("sk-", "proj-", "A1b2A1b2A1b2A1b2A1b2"), join("AK", "IA", "EXAMPLE0EXAMPLE0"), join("gh", "p_", "x9Y8x9Y8x9Y8x9Y8x9Y8x9Y8x9Y8x9Y8x9Y8"),
		join("eyJ", "hbGciOiJub25lIn0", ".eyJzdWIiOiJ4In0", ".c2lnbmF0dXJl"), join("Authorization: ", "Bearer ", "zz-", "q7q7q7q7q7q7q7q7"),
		join("-----BEGIN ", "PRIVATE KEY-----\n", "TUlJ\n", "-----END ", "PRIVATE KEY-----"), join("postgres://svc:", "hunter2pass", "@db.example.test/prod"),
	}
	var writes []write
	for i, s := range secrets {
		quoted, _ := json.Marshal(s)
		half := 1 + len(quoted)/2
		if quoted[half-1] == '\\' {
			half++
		}
		writes = append(writes, event(time.Duration(2*i)*msec, `"content":"ordinary `+string(quoted[1:half])+`"`),
			event(time.Duration(2*i+1)*msec, `"content":"`+string(quoted[half:len(quoted)-1])+` text"`))
	}
	writes = append(writes, event(50*msec, `"reasoning":"because"`),
		event(60*msec, `"tool_calls":[{"index":0,"id":"t","function":{"name":"ls","arguments":"{\"p\":1}"}}]`), finish(70*msec, "tool_calls"), done(70*msec))
	simulate(t, tracer.Options{Content: true}, []reply{{writes: writes}}, func(w *world) {
		w.read(w.Context(), request)
		synctest.Wait()
		got := w.one("chat m").Attrs.String(traces.KeyOutputMessages)
		for _, s := range secrets {
			if quoted, _ := json.Marshal(s); strings.Contains(got, strings.Trim(string(quoted), `"`)) {
				t.Errorf("%q was kept in %s", s, got)
			}
		}
		for _, want := range []string{"ordinary [masked] text", `{"type":"reasoning","content":"because"}`, `"id":"t","name":"ls","arguments":"{\"p\":1}"`, `"finish_reason":"tool_calls"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not in %s", want, got)
			}
		}
	})
}
