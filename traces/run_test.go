package traces_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// calls writes down each model call with its attempts: model(1:ok 2:error).
func calls(run *traces.Run) string {
	var list []string
	for _, c := range run.ModelCalls {
		var attempts []string
		for _, a := range c.Attempts {
			note := ""
			if a.Span.Has(traces.FlagFailed) {
				note = "!"
			}
			attempts = append(attempts, fmt.Sprintf("%s:%s%s", a.Span.ID, a.Outcome, note))
		}
		list = append(list, fmt.Sprintf("%s %s (%s)", c.Span.ID, c.Outcome, strings.Join(attempts, " ")))
	}
	return strings.Join(list, "; ")
}

func TestModelCalls(t *testing.T) {
	for _, c := range []struct{ name, run, want string }{
		{"a call without attempts is its own attempt", `
			run     ====
			 model  ===`,
			"model ok (model:ok)"},
		{"attempts that failed or were given up are flagged", `
			run        =====================
			 model     ====================
			  attempt1 ===x
			  attempt2     ===              cancelled
			  attempt3          ==========`,
			"model ok (attempt1:error! attempt2:cancelled! attempt3:ok)"},
		{"the last of failed attempts has failed too", `
			run        ==========
			 model     =========x
			  attempt1 ===              outcome:truncated
			  attempt2     =====        outcome:timeout`,
			"model error (attempt1:truncated! attempt2:timeout!)"},
		{"a cancelled call that was not repeated keeps its time", `
			run        ==========
			 model     =====
			  attempt1 =====       cancelled`,
			"model cancelled (attempt1:cancelled)"},
		{"the winner of a race may be the first", `
			run        ==========
			 model     ==========
			  attempt1 =========
			  attempt2     =====   cancelled`,
			"model ok (attempt1:ok attempt2:cancelled!)"},
		{"an attempt that another followed was given up though it shows no error", `
			run        ==========
			 model     ==========
			  attempt1 ====
			  attempt2     =====`,
			"model ok (attempt1:ok! attempt2:ok)"},
		{"HTTP requests below a model are its attempts", `
			run              ==========
			 model           ==========
			  POST1:client   ==           status:429
			  wrap:internal      ======
			   POST2:client      =====    status:200 http.request.resend_count=1`,
			"model ok (POST1:error! POST2:ok)"},
		{"an HTTP request inside an attempt is a detail", `
			run             ==========
			 model          ==========
			  attempt1      =======
			   POST:client  ======     status:200`,
			"model ok (attempt1:ok)"},
		{"attempts without a model around them go together by their operation", `
			run        ==========
			 attempt1  ==x           op:a
			 attempt2     =======    op:a
			 attempt3          =     op:b`,
			"attempt1 ok (attempt1:error! attempt2:ok); attempt3 ok (attempt3:ok)"},
		{"a model span inside a model span is the same call", `
			run        ==========
			 model     ==========    model:big
			  chat      ========     model:big-2026`,
			"model ok (chat:ok)"},
		{"inside a recorded attempt it is a detail", `
			run        ==========
			 model     ==========    model:big
			  attempt1 ====
			   chat1    ==           model:big
			  attempt2     =====
			   chat2        ==       model:big`,
			"model ok (attempt1:ok! attempt2:ok)"},
		{"below the same call the lowest layer shows the attempts", `
			run             ==========
			 model          ==========    model:big
			  chat           ========     model:big
			   POST1:client  ==           status:500
			   POST2:client     =====     status:200`,
			"model ok (POST1:error! POST2:ok)"},
		{"a model span with several good calls inside is none", `
			run        ==========
			 model     ==========    model:big
			  chat1     ===          model:big
			  chat2         ===      model:big`,
			"chat1 ok (chat1:ok); chat2 ok (chat2:ok)"},
		{"another model inside a model is another call", `
			run        ==========
			 model     ==========    model:big
			  chat1     ===          model:small`,
			"model ok (model:ok); chat1 ok (chat1:ok)"},
		{"the server's view of a call is not a call", `
			run             ==========
			 model          ==========    model:big
			  serve:server    =====       model:big gen_ai.operation.name=chat`,
			"model ok (model:ok)"},
		{"a failed call and the next one of the same model are attempts of one", `
			run       ====================
			 step     ====================
			  chat1   ===x                    model:big
			  chat2        ==x                model:big
			  chat3              ======       model:big`,
			"chat3 ok (chat1:error! chat2:error! chat3:ok)"},
		{"not if a tool ran between", `
			run       ====================
			 step     ====================
			  chat1   ===x                    model:big
			  grep        ==
			  chat2          ======           model:big`,
			"chat1 error (chat1:error!); chat2 ok (chat2:ok)"},
		{"nor if the first went well, or the model is another, or the steps are", `
			run       ======================
			 step1    ============
			  chat1   ===                       model:big
			  chat2       ==x                   model:big
			  chat3          ==x                model:small
			 step2               =========
			  chat4              ===            model:small`,
			"chat1 ok (chat1:ok); chat2 error (chat2:error!); chat3 error (chat3:error!); chat4 ok (chat4:ok)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := calls(tracetest.Parse(t, c.run)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPhases(t *testing.T) {
	series := func(at ...int) []byte {
		c := &traces.Chunks{}
		for i, ms := range at {
			kind := traces.Reasoning
			if i > 1 {
				kind = traces.Output
			}
			c.Add(time.Duration(ms)*time.Millisecond, kind, 1)
		}
		return c.Encode()
	}
	for _, c := range []struct {
		name, run string
		chunks    []byte // of the attempt
		opt       traces.Options
		want      string // id from-to quality, in ms
	}{
		{name: "phase spans count", run: `
			run       ==========
			 model    ==========
			  attempt cwwroott=       ttft:3`,
			want: "attempt/connect 0-1 measured, attempt/wait 1-3 measured, attempt/reasoning 3-4 measured, attempt/output 4-6 measured, attempt/tail 6-8 measured"},
		{name: "phases below the model go to the attempt of their time", run: `
			run        ==========
			 model     ==========
			  attempt1 ==x
			  attempt2    ======
			  wait        ===
			  output         ===    inferred`,
			want: "wait 3-6 measured, output 6-9 inferred"},
		{name: "the reported first chunk splits what has no phases", run: `
			run    ==========
			 model ==========  ttft:4`,
			want: "model#wait 0-4 measured, model#response 4-10 measured"},
		{name: "it counts from the start of the span that reports it", run: `
			run            ==============
			 model         ==============   ttft:8
			  POST1:client  ==              status:429
			  POST2:client      =========   status:200`,
			want: "POST2#wait 5-8 measured, POST2#response 8-14 measured"},
		{name: "an HTTP span may end with the headers", run: `
			run           ==============
			 model        ==============  ttft:8
			  POST:client  ==             status:200`,
			want: "POST#wait 1-3 measured, model#wait 3-8 measured, model#response 8-14 measured"},
		{name: "a time longer than the span is not believed", run: `
			run    ==========
			 model ==========  ttft:12`,
			want: ""},
		{name: "without any of these nothing is split", run: `
			run    ==========
			 model ==========`,
			want: ""},
		{name: "attempts that hide in a wait make it a bound", run: `
			run    ==========
			 model ==========  ttft:4 http.request.resend_count=1`,
			want: "model#wait 0-4 bound, model#response 4-10 measured"},
		{name: "so does hidden reasoning", run: `
			run       ==========
			 model    ==========
			  attempt ==========  ttft:4 longpole.reasoning.visibility=hidden`,
			want: "attempt#wait 0-4 bound, attempt#response 4-10 measured"},
		{name: "an attempt that was killed has the phases of its chunks", run: `
			run       ==========>
			 model    ==========>
			  attempt ======>       longpole.sent_ns=1000000`,
			chunks: series(3, 4, 5),
			want:   "attempt#connect 0-1 measured, attempt#wait 1-3 measured, attempt#reasoning 3-4 measured, attempt#output 4-5 measured, attempt#tail 5-10 measured"},
		{name: "one that was killed before the first chunk waited", run: `
			run       ==========>
			 model    ==========>
			  attempt ======>       longpole.sent_ns=1000000`,
			want: "attempt#connect 0-1 measured, attempt#wait 1-10 measured"},
		{name: "another threshold splits a recorded series anew", run: `
			run       ==========
			 model    ==========
			  attempt wwrroooooo`,
			chunks: series(2, 4, 9),
			opt:    traces.Options{StallThreshold: 3 * time.Millisecond},
			want:   "attempt#wait 0-2 measured, attempt#reasoning 2-4 measured, attempt#stall 4-9 measured, attempt#tail 9-10 measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			recs := tracetest.Records(t, c.run)
			for i := range recs {
				if c.chunks != nil && recs[i].SpanID == "attempt" {
					recs[i].Attrs = recs[i].Attrs.With(traces.KeyChunks, c.chunks)
				}
			}
			runs, _ := traces.BuildWith(recs, c.opt)
			var got []string
			for _, call := range runs[0].ModelCalls {
				for _, a := range call.Attempts {
					for _, p := range a.Phases {
						got = append(got, fmt.Sprintf("%s %d-%d %s", p.Span.ID, p.Start.Milliseconds(), p.End.Milliseconds(), p.Quality))
					}
				}
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if err := checkRun(runs[0]); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStepsAndTools(t *testing.T) {
	for _, c := range []struct{ name, run, want string }{
		{"marked steps hold what is below them", `
			run      =====================
			 step1   =========
			  model1 ====                    asks:a,b
			  grep       ====                call:a
			  read       =====               call:b
			 step2             ===========
			  model2           ==========`,
			"1 0-9 model1 grep<model1 read<model1; 2 10-21 model2"},
		{"without marks each call of the main chain begins one", `
			run     =====================
			 title  ======                   longpole.role=model side
			 model1 ====
			 grep       ====
			 read       ======
			 model2           ========`,
			"1 0-10 model1 grep<model1 read<model1; 2 10-18 model2"},
		{"an id beats the time", `
			run     =====================
			 model1 ====                     asks:a
			 model2     ====                 asks:b
			 grep           ====             call:a`,
			"1 0-12 model1 grep<model1; 2 4-8 model2"},
		{"a call that announced others did not ask for this one", `
			run     =====================
			 model1 ====                     asks:a
			 grep       ====                 call:z`,
			"1 0-8 model1 grep"},
		{"a sub-agent belongs to the step of the tool that it is", `
			run        =====================
			 model1    ====
			 task          =========
			  agent        =========
			   model2      ===
			   grep           ===
			 model3                 ====`,
			"1 0-13 model1 model2 task<model1 grep<model2; 2 13-17 model3"},
		{"a tool that a tool of the same call wraps is one", `
			run     ==========
			 model1 ==
			 grep     =======     call:a
			  mcp:tool =====      call:a gen_ai.tool.name=grep`,
			"1 0-9 model1 grep<model1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := tracetest.Parse(t, c.run)
			var steps []string
			for _, s := range run.Steps {
				line := fmt.Sprintf("%d %d-%d", s.Index, s.Start.Milliseconds(), s.End.Milliseconds())
				for _, c := range s.ModelCalls {
					line += " " + c.Span.ID
				}
				for _, tool := range s.ToolCalls {
					line += " " + tool.Span.ID
					if tool.Call != nil {
						line += "<" + tool.Call.Span.ID
					}
				}
				steps = append(steps, line)
			}
			if got := strings.Join(steps, "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestToolTimes(t *testing.T) {
	for _, c := range []struct {
		name, run     string
		run_, approve string
	}{
		{"the whole span, if nothing else is known", `
			run   ======
			 grep =====`, "5ms", "0s"},
		{"without the waits for approval, each counted once", `
			run        ==========
			 grep      ==========
			  approval  ===
			  approval    ===`, "5ms", "5ms"},
		{"what the source measured", `
			run   ==========
			 grep ==========  longpole.tool.run_ns=3000000`, "3ms", "0s"},
		{"nothing, where the span is known to hold more", `
			run   ==========
			 grep ==========  bound`, "<nil>", "0s"},
		{"nothing, where the tool has not ended", `
			run   ==========
			 grep ===>`, "<nil>", "0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool := tracetest.Parse(t, c.run).ToolCalls[0]
			got := "<nil>"
			if tool.Run != nil {
				got = tool.Run.String()
			}
			if got != c.run_ || tool.Approval.String() != c.approve {
				t.Errorf("got %s, approval %v; want %s, %s", got, tool.Approval, c.run_, c.approve)
			}
		})
	}
}

func TestRepairs(t *testing.T) {
	for _, c := range []struct {
		name, run string
		edit      func([]traces.Record) []traces.Record
		want      string // spans: id from-to
		problems  []traces.ProblemCode
	}{
		{name: "an orphan is put below the root", run: `
			run   =====
			 grep  ==     parent:gone`,
			want: "run 0-5, grep 1-3", problems: []traces.ProblemCode{traces.OrphanAdopted}},
		{name: "an orphan alone is the root", run: `
			grep   ===  parent:gone
			 read   =`,
			want: "grep 0-3, read 1-2", problems: []traces.ProblemCode{traces.OrphanAdopted}},
		{name: "several roots get one above them", run: `
			run   ====
			more       ====`,
			want: "@trace 0-9, run 0-4, more 5-9", problems: []traces.ProblemCode{traces.SeveralRoots}},
		{name: "a cycle is cut at its first member", run: `
			run   ======
			 a     ===   parent:b
			 b    ==     parent:a`,
			want: "run 0-6, b 0-2, a 1-4", problems: []traces.ProblemCode{traces.ParentCycle}},
		{name: "a span that is its own parent is put below the root", run: `
			run   ======
			 a     ===   parent:a`,
			want: "run 0-6, a 1-4", problems: []traces.ProblemCode{traces.ParentCycle}},
		{name: "a missing end is the parent's", run: `
			run   ======
			 a     ==
			  b    >`,
			want: "run 0-6, a 1-3, b 1-3", problems: []traces.ProblemCode{traces.Unfinished}},
		{name: "unless the span was seen alive later", run: `
			run   ======
			 a     ==
			  b    ===>`,
			want: "run 0-6, a 1-3, b 1-4", problems: []traces.ProblemCode{traces.Unfinished}},
		{name: "a missing end of the root is the last instant of the trace", run: `
			run   >
			 a     ====>
			 b     ==`,
			want: "run 0-5, a 1-5, b 1-3", problems: []traces.ProblemCode{traces.Unfinished, traces.Unfinished}},
		{name: "an end before the start is the start", run: `
			run   ======
			 a     ==`,
			edit: func(r []traces.Record) []traces.Record { r[1].End = r[1].Start - 5; return r },
			want: "run 0-6, a 1-1", problems: []traces.ProblemCode{traces.NegativeDuration}},
		{name: "of two spans with one id the one that ends last is kept", run: `
			run   ======
			 a     ==`,
			edit: func(r []traces.Record) []traces.Record {
				again := r[1]
				again.End += 1e6
				return append(r, again)
			},
			want: "run 0-6, a 1-4", problems: []traces.ProblemCode{traces.DuplicateID}},
		{name: "a span that is written at its start, while open and at its end is one", run: `
			run   ======
			 a     ==`,
			edit: func(r []traces.Record) []traces.Record {
				start, open := r[1], r[1]
				start.End, open.End = 0, 0
				open.Attrs = append(slices.Clone(open.Attrs), traces.Attr{Key: traces.KeyCheckpoint, Value: r[1].Start + 1})
				return append([]traces.Record{open, start}, r...)
			},
			want: "run 0-6, a 1-3"},
		{name: "of an open span the latest snapshot counts", run: `
			run   ======
			 a     >`,
			edit: func(r []traces.Record) []traces.Record {
				open := r[1]
				open.Attrs = append(slices.Clone(open.Attrs), traces.Attr{Key: traces.KeyCheckpoint, Value: fmt.Sprint(r[1].Start + 7e6)})
				return append(r, open)
			},
			want: "run 0-6, a 1-8", problems: []traces.ProblemCode{traces.Unfinished}},
		{name: "an unknown start is the end", run: `
			run   ======
			 a     ==`,
			edit: func(r []traces.Record) []traces.Record { r[1].Start = 0; return r },
			want: "run 0-6, a 3-3", problems: []traces.ProblemCode{traces.NoStart}},
		{name: "children outside their parent stay where they were recorded", run: `
			run     ====
			 a     ========
			  b  =`,
			want: "run 0-4, a -1-7, b -3--2"},
		{name: "a server with a skewed clock is centred in its client", run: `
			run             ==========
			 ask:client      ========                           host:here
			  serve:server                        ====          host:there
			   work                                 ==          host:there`,
			want: "run 0-10, ask 1-9, serve 3-7, work 5-7", problems: []traces.ProblemCode{traces.ClockSkew}},
		{name: "not one of the same host", run: `
			run             ==========
			 ask:client      ========                           host:here
			  serve:server                  ====                host:here`,
			want: "run 0-10, ask 1-9, serve 16-20"},
		{name: "not one of an unknown host", run: `
			run             ==========
			 ask:client      ========                           host:here
			  serve:server                  ====`,
			want: "run 0-10, ask 1-9, serve 16-20"},
		{name: "a link to a span that is not there is listed", run: `
			run   ======
			 a     ==     link:gone`,
			want: "run 0-6, a 1-3", problems: []traces.ProblemCode{traces.UnusableLink}},
	} {
		t.Run(c.name, func(t *testing.T) {
			recs := tracetest.Records(t, c.run)
			if c.edit != nil {
				recs = c.edit(recs)
			}
			runs, more := traces.Build(recs)
			if len(runs) != 1 || len(more) > 0 {
				t.Fatalf("got %d runs, problems %v", len(runs), more)
			}
			var spans []string
			for _, s := range runs[0].Spans {
				spans = append(spans, fmt.Sprintf("%s %d-%d", s.ID, s.Start.Milliseconds(), s.End.Milliseconds()))
			}
			if got := strings.Join(spans, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var codes []traces.ProblemCode
			for _, p := range runs[0].Problems {
				codes = append(codes, p.Code)
			}
			if !slices.Equal(codes, c.problems) {
				t.Errorf("got problems %v, want %v", runs[0].Problems, c.problems)
			}
		})
	}
}

func TestSkewRepairCanBeTurnedOff(t *testing.T) {
	runs, _ := traces.BuildWith(tracetest.Records(t, `
		run             ==========
		 ask:client      ========                 host:here
		  serve:server               ====         host:there`), traces.Options{NoSkewRepair: true})
	if s := runs[0].Spans[2]; s.Start != 13*time.Millisecond || s.Skew != 0 || len(runs[0].Problems) != 0 {
		t.Errorf("got start %v, skew %v, problems %v", s.Start, s.Skew, runs[0].Problems)
	}
}

// TestRuns checks which traces make one run.
func TestRuns(t *testing.T) {
	for _, c := range []struct{ name, traces, want string }{
		{"each trace is a run", `
			a:agent ==
			b:agent   ==   trace:u`, "t(a) u(b)"},
		{"one run id joins traces", `
			a:agent ==     longpole.run.id=r
			b:agent   ==   longpole.run.id=r trace:u`, "r(@trace a b)"},
		{"only roots carry it", `
			a:agent ==
			 b:agent =     longpole.run.id=r
			c:agent   ==   longpole.run.id=r trace:u`, "t(a b) r(c)"},
		{"a conversation joins what are fragments of a turn", `
			m:model ==     gen_ai.conversation.id=c
			x:tool    ==   gen_ai.conversation.id=c trace:u
			n:model     == gen_ai.conversation.id=c trace:v`, "c(@trace m x n)"},
		{"and fragments around one turn", `
			b:internal ==    gen_ai.conversation.id=c
			a:agent     ==   trace:u
			 m:model    =    gen_ai.conversation.id=c
			x:internal    == gen_ai.conversation.id=c trace:v`, "c(@trace b a m x)"},
		{"several turns of a conversation are several runs", `
			a:agent ==           gen_ai.conversation.id=c
			 m:model =
			b:agent       ==     gen_ai.conversation.id=c trace:u
			 n:model      =
			x:tool          ==   gen_ai.conversation.id=c trace:v`, "t(a m) u(@trace b n x)"},
		{"a trace with two conversations is not joined", `
			a:agent ==
			 m:model =     gen_ai.conversation.id=c
			 n:model  =    gen_ai.conversation.id=d
			x:tool    ==   gen_ai.conversation.id=c trace:u`, "t(a m n) c(x)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, _ := traces.Build(tracetest.Records(t, c.traces))
			var got []string
			for _, run := range runs {
				var ids []string
				for _, s := range run.Spans {
					ids = append(ids, s.ID)
				}
				got = append(got, fmt.Sprintf("%s(%s)", run.ID, strings.Join(ids, " ")))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRunDescription(t *testing.T) {
	run := tracetest.Parse(t, `
		run:agent  ========   longpole.run.id=7f3a longpole.run.name=fix-it outcome:failed_check longpole.check=wrong longpole.group.task=t1 longpole.time_scale=10
		 model1    ===        model:big gen_ai.usage.input_tokens=100 gen_ai.usage.output_tokens=20 gen_ai.request.reasoning.level=low
		 model2       ===     model:big gen_ai.usage.input_tokens=150 gen_ai.request.reasoning.level=low
		 title:model  ===     model:tiny side`)
	if run.ID != "7f3a" || run.Name != "fix-it" || run.Outcome != traces.FailedCheck || run.Check != "wrong" || run.TimeScale != 10 {
		t.Errorf("got %q %q %s %q %v", run.ID, run.Name, run.Outcome, run.Check, run.TimeScale)
	}
	if got, want := fmt.Sprint(run.Group), "map[effort:low model:big task:t1]"; got != want {
		t.Errorf("got group %s, want %s", got, want)
	}
	if u := run.Usage; *u.Input != 250 || *u.Output != 20 || u.Reasoning != nil || u.Source != traces.UsageProvider {
		t.Errorf("got usage %+v", u)
	}
}
