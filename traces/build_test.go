package traces_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// TestProperties checks what holds for any records whatever.
func TestProperties(t *testing.T) {
	for seed := range uint64(1500) {
		recs := tracetest.Random(seed)
		if err := check(recs); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func FuzzBuild(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := check(tracetest.Random(seed)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	})
}

func check(recs []traces.Record) error {
	ids := map[string]bool{}
	for _, r := range recs {
		if r.SpanID != "" {
			ids[r.TraceID+r.SpanID] = true
		}
	}
	runs, _ := traces.Build(recs)
	total := 0
	for _, run := range runs {
		if err := checkRun(run); err != nil {
			return fmt.Errorf("run %s: %w\n%s", run.ID, err, tracetest.String(run))
		}
		for _, s := range run.Spans {
			if s.Record != nil {
				total++
			}
		}
	}
	if total != len(ids) {
		return fmt.Errorf("%d spans in runs, %d recorded", total, len(ids))
	}
	want := describe(runs)
	shuffled := slices.Clone(recs)
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	again, _ := traces.Build(shuffled)
	if got := describe(again); got != want {
		return fmt.Errorf("the order of the records changes the runs from\n%s\nto\n%s", want, got)
	}
	return nil
}

func checkRun(run *traces.Run) error {
	if run.Root != run.Spans[0] || run.Root.Start != 0 || run.Root.End != run.Wall || run.Wall < 0 || run.Group == nil {
		return fmt.Errorf("root from %v to %v, wall %v", run.Root.Start, run.Root.End, run.Wall)
	}
	for i, s := range run.Spans {
		if int(s.Index) != i || s.End < s.Start || s.Trace == "" || s.Role == "" {
			return fmt.Errorf("span %s: index %d at %d, from %v to %v, role %q", s.ID, s.Index, i, s.Start, s.End, s.Role)
		}
		if (s.Parent == nil) != (s == run.Root) || s.Parent != nil && s.Parent.Index >= s.Index {
			return fmt.Errorf("span %s comes before its parent", s.ID)
		}
		if !slices.IsSortedFunc(s.Kids, func(a, b *traces.Span) int {
			if a.Start != b.Start {
				return int(max(-1, min(1, a.Start-b.Start)))
			}
			return strings.Compare(a.ID, b.ID)
		}) {
			return fmt.Errorf("kids of %s are out of order", s.ID)
		}
		for _, k := range s.Kids {
			if k.Parent != s {
				return fmt.Errorf("kid %s of %s has another parent", k.ID, s.ID)
			}
		}
	}
	for _, c := range run.ModelCalls {
		if len(c.Attempts) == 0 || c.Outcome == "" || c.Usage.Source == "" {
			return fmt.Errorf("call %s: %+v", c.Span.ID, c)
		}
		last := 0
		for _, a := range c.Attempts {
			if a.Number <= last || a.Sent < a.Span.Start || a.Sent > a.Span.End {
				return fmt.Errorf("attempt %s: %+v", a.Span.ID, a)
			}
			last = a.Number
			for i, p := range a.Phases {
				if p.End < p.Start || i > 0 && p.Start < a.Phases[i-1].Start {
					return fmt.Errorf("attempt %s: phases %v", a.Span.ID, a.Phases)
				}
			}
		}
		if c.Step != nil && !slices.Contains(c.Step.ModelCalls, c) {
			return fmt.Errorf("call %s is not in its step", c.Span.ID)
		}
	}
	for _, tool := range run.ToolCalls {
		if tool.Step != nil && !slices.Contains(tool.Step.ToolCalls, tool) || tool.Name == "" || tool.Approval < 0 {
			return fmt.Errorf("tool %s: %+v", tool.Span.ID, tool)
		}
	}
	for i, s := range run.Steps {
		if s.Index != i+1 || s.End < s.Start || i > 0 && s.Start < run.Steps[i-1].Start {
			return fmt.Errorf("step %d: %+v", i, s)
		}
	}
	return nil
}

// describe writes down all that Build found out, without pointers.
func describe(runs []*traces.Run) string {
	var b strings.Builder
	for _, run := range runs {
		fmt.Fprintln(&b, run.ID, run.Name, run.TraceIDs, run.Start, run.Wall, run.Outcome, run.Group, run.TimeScale, run.Open, len(run.Steps))
		for _, s := range run.Spans {
			fmt.Fprintln(&b, s.ID, s.Trace, s.Name, s.Start, s.End, s.Skew, s.Role, s.Phase, s.Flags, s.Parent != nil && s.Parent.ID != "", len(s.Link))
		}
		for _, c := range run.ModelCalls {
			fmt.Fprint(&b, c.Span.ID, c.Model, c.Outcome, c.Side, c.ToolCallIDs, c.Usage.Source, c.Step != nil)
			for _, a := range c.Attempts {
				fmt.Fprint(&b, " ", a.Span.ID, a.Number, a.Outcome, a.Sent, len(a.Phases))
			}
			fmt.Fprintln(&b)
		}
		for _, c := range run.ToolCalls {
			fmt.Fprintln(&b, c.Span.ID, c.Name, c.Outcome, c.Approval, c.Step != nil, c.Call != nil)
		}
		for _, p := range run.Problems {
			fmt.Fprintln(&b, p.Code, p.SpanID, p.Message)
		}
	}
	return b.String()
}

// TestDeepAndWideRuns would take minutes if anything took quadratic time, or a stack if anything called itself.
func TestDeepAndWideRuns(t *testing.T) {
	base := tracetest.Epoch.UnixNano()
	const deep, wide = 50_000, 20_000
	for _, role := range []traces.Role{traces.RoleInternal, traces.RoleModel, traces.RoleTool, traces.RoleAgent, traces.RoleStep, traces.RolePhase} {
		attrs := traces.Attrs{{Key: traces.KeyRole, Value: string(role)}, {Key: traces.KeyRequestModel, Value: "m"}}
		recs := make([]traces.Record, 0, deep+wide)
		for i := range int64(deep) {
			rec := traces.Record{TraceID: "chain", SpanID: fmt.Sprint(i), Name: "n", Start: base + i*1000, End: base + (2*deep-i)*1000, Attrs: attrs}
			if i > 0 {
				rec.ParentID = fmt.Sprint(i - 1)
			}
			recs = append(recs, rec)
		}
		for i := range int64(wide) {
			rec := traces.Record{TraceID: "fan", SpanID: fmt.Sprint(i), Name: "n", Start: base + i*1000, End: base + (i+1)*1000, Attrs: attrs, Status: traces.StatusError}
			if i > 0 {
				rec.ParentID = "0"
			}
			recs = append(recs, rec)
		}
		runs, _ := traces.Build(recs)
		if len(runs) != 2 || len(runs[0].Spans) != deep || len(runs[1].Spans) != wide {
			t.Errorf("%s: got %d runs", role, len(runs))
		}
	}
}

// BenchmarkBuild measures a run of 100,002 spans in the tracer's own shape: about 1 µs a span on one core.
func BenchmarkBuild(b *testing.B) {
	recs := tracetest.Loop(9091)
	b.ReportAllocs()
	for b.Loop() {
		if runs, _ := traces.Build(recs); len(runs) != 1 {
			b.Fatal(len(runs))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(recs)), "ns/span")
}

// TestSpansAreSmall measures what a run keeps beside the records: 288 bytes a span, of them 176 the Span itself, 32 of
// its phases and 50 of its calls and steps.
func TestSpansAreSmall(t *testing.T) {
	recs := tracetest.Loop(9091)
	before := liveBytes()
	runs, _ := traces.Build(recs)
	per := float64(liveBytes()-before) / float64(len(recs))
	t.Logf("%.0f bytes a span in a run of %d spans", per, len(recs))
	if per > 300 {
		t.Errorf("a span takes %.0f bytes, want less than 300", per)
	}
	if len(runs[0].Steps) != 9091 || !reflect.DeepEqual(runs[0].Group, map[string]string{"effort": "low", "model": "m"}) {
		t.Errorf("got %d steps, group %v", len(runs[0].Steps), runs[0].Group)
	}
	_ = recs[0]
}

func liveBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestWhatIsInDoubtIsListed(t *testing.T) {
	record := func(key string) traces.Record {
		return traces.Record{TraceID: "t", SpanID: key, Name: "attempt 1", Start: 1, End: 2, Attrs: traces.Attrs{{Key: key, Value: true}}}
	}
	for _, key := range []string{traces.KeyUsageDoubt, traces.KeyTimingsDoubt} {
		runs, _ := traces.Build([]traces.Record{record(key)})
		if len(runs) != 1 || len(runs[0].Problems) != 1 || runs[0].Problems[0].Code != traces.DoubtfulData || runs[0].Problems[0].SpanID != key {
			t.Errorf("%s: got %+v", key, runs)
		}
	}
}
