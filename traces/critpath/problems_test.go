package critpath_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func TestWhatDidNotFitIsListed(t *testing.T) {
	for _, test := range []struct {
		name string
		run  string
		want map[string]traces.ProblemCode // by span id
	}{
		{
			name: "nothing, in a run in which everything fits",
			run: `
				run    ==========
				 chat  wwoo          asks:c
				 grep      ===       call:c
				 chat         ===    link:grep`,
			want: map[string]traces.ProblemCode{},
		},
		{
			name: "a span that starts before its parent",
			run: `
				run       ==========
				 step       =======
				  grep    =====`,
			want: map[string]traces.ProblemCode{"grep": traces.StartClipped},
		},
		{
			name: "a span that ends before its parent starts, once for all below it",
			run: `
				run       ==========
				 step         =====
				  grep    ===
				   open    =`,
			want: map[string]traces.ProblemCode{"grep": traces.ExcludedBefore},
		},
		{
			name: "a server that runs on after its client, and one that starts only then",
			run: `
				run             ==============
				 post:client    ====
				  serve:server    ====
				  late:server       ====`,
			want: map[string]traces.ProblemCode{"serve": traces.EndClipped, "late": traces.ExcludedAfter},
		},
		{
			name: "a span that outlives its parent, and one that outlives the run",
			run: `
				run       ==========
				 step1    ===
				  fetch     ====
				 step2        =====
				  flush           =====`,
			want: map[string]traces.ProblemCode{"fetch": traces.Promoted, "flush": traces.Detached},
		},
		{
			name: "declared dependencies that their times rule out; not those that hold without being looked at",
			run: `
				run       ==========
				 step1    =====
				  ls      ==
				  cat     =====
				 step2        ======
				  wc          ===      link:ls link:late
				  late           ==
				  sort        ===      link:cat`,
			want: map[string]traces.ProblemCode{"wc": traces.UnusableLink, "sort": traces.UnusableLink},
		},
		{
			name: "a tool that any of several open model calls may have asked for",
			run: `
				run       ==========
				 chat     =======
				 chat     ======
				 grep        =======`,
			want: map[string]traces.ProblemCode{"grep": traces.AmbiguousStream},
		},
		{
			name: "but not where an id tells which",
			run: `
				run       ==========
				 chat     =======      asks:c
				 chat     ======
				 grep        =======   call:c`,
			want: map[string]traces.ProblemCode{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := critpath.Find(tracetest.Parse(t, test.run))
			got := map[string]traces.ProblemCode{}
			for _, problem := range p.Problems {
				got[problem.SpanID] = problem.Code
			}
			equal(t, "problems", test.want, got)
		})
	}
}

func TestManyProblemsOfOneKindAreCounted(t *testing.T) {
	spans := []caseSpan{{ID: "r", Name: "run", Kind: "agent", Start: 0, End: 10}}
	for i := range int64(50) {
		spans = append(spans, caseSpan{ID: id(i), Parent: "r", Name: "flush", Kind: "tool", Start: 5, End: 20})
	}
	p := critpath.Find(build(t, records(spans)))
	if n := len(p.Problems); n != 21 {
		t.Fatalf("%d problems, want 20 and a count", n)
	}
	equal(t, "the last problem", traces.MoreProblems(traces.Detached, 30), p.Problems[20])
	equal(t, "detached spans", 50, len(p.Detached))
}

func TestWorkInTheBackground(t *testing.T) {
	run := tracetest.Parse(t, `
		run        ========
		 index     =====      background
		  fetch     ===       background
		 upload        =====  background`)
	p := critpath.Find(run)
	type work struct {
		Span                    string
		Total, Within, Trailing int64
	}
	var got []work
	for _, d := range p.Background {
		got = append(got, work{d.Span.ID, d.Total.Milliseconds(), d.Within.Milliseconds(), d.Trailing.Milliseconds()})
	}
	equal(t, "background", []work{{"index", 5, 5, 0}, {"upload", 5, 4, 1}}, got)
	equal(t, "problems", 0, len(p.Problems))
	equal(t, "the run's own time", run.Wall, p.OnPath(run.Root))
}

func TestFindOfAnEmptyRun(t *testing.T) {
	p := critpath.Find(&traces.Run{})
	if len(p.Segments) > 0 || p.OnPath(nil) != 0 || p.Below(nil) != 0 || p.Tool("x") != 0 {
		t.Errorf("the path of an empty run has %d segments", len(p.Segments))
	}
	if _, ok := p.Slack(&traces.Span{}); ok {
		t.Error("a span of no run has slack")
	}
}

func TestTimeOfSpansOnThePath(t *testing.T) {
	p := critpath.Find(tracetest.Parse(t, `
		run        ============
		 delegate  ========
		  chat     ww
		  grep       ====
		 grep              ==`))
	own, below := map[string]time.Duration{}, map[string]time.Duration{}
	for _, s := range p.Run.Spans {
		own[s.ID], below[s.ID] = p.OnPath(s)/time.Millisecond, p.Below(s)/time.Millisecond
	}
	equal(t, "own time", map[string]time.Duration{"run": 2, "delegate": 2, "chat": 0, "chat/wait": 2, "grep": 4, "grep.2": 2}, own)
	equal(t, "time below", map[string]time.Duration{"run": 12, "delegate": 8, "chat": 2, "chat/wait": 2, "grep": 4, "grep.2": 2}, below)
	equal(t, "time of grep", 6*time.Millisecond, p.Tool("grep"))
}

func TestPathIsSafeForConcurrentUse(t *testing.T) {
	p := critpath.Find(build(t, wild(rand.New(rand.NewPCG(5, 5)))))
	done := make(chan struct{})
	for range 4 {
		go func() {
			for _, s := range p.Run.Spans {
				p.OnPath(s)
				p.Slack(s)
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
}
