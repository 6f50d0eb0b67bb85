package critpath_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/otlp"
)

// readTrouble returns the run in a file of testdata that holds an OTLP document and what is expected of it.
func readTrouble(t *testing.T, file string, opt traces.Options) *traces.Run {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Input struct{ Body json.RawMessage }
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	recs, problems, err := otlp.Read(bytes.NewReader(c.Input.Body))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	runs, _ := traces.BuildWith(recs, opt)
	if len(runs) != 1 {
		t.Fatalf("%d runs, want one", len(runs))
	}
	return runs[0]
}

// byName adds up time on the path by the name of the recorded span; phases made for a span count as it.
func byName(p *critpath.Path) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Segments {
		span := s.Span
		for span.Has(traces.FlagVirtual) && span.Parent != nil {
			span = span.Parent
		}
		sums[span.Name] += s.Duration().Milliseconds()
	}
	return sums
}

func byComponent(p *critpath.Path) map[traces.Component]int64 {
	sums := map[traces.Component]int64{}
	for _, s := range p.Segments {
		sums[s.Component] += s.Duration().Milliseconds()
	}
	return sums
}

func codes(p *critpath.Path) map[traces.ProblemCode]int {
	sums := map[traces.ProblemCode]int{}
	for _, problem := range p.Problems {
		sums[problem.Code]++
	}
	return sums
}

func equal[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestWorkThatOutlivesTheRunIsDetached(t *testing.T) {
	p := critpath.Find(readTrouble(t, "cp-child-outlives-parent.json", traces.Options{}))
	checkTiling(t, p)
	equal(t, "path", map[string]int64{"turn": 1000}, byName(p))
	total, trailing, outside := map[string]int64{}, map[string]int64{}, []string{}
	for _, d := range p.Detached {
		total[d.Span.Name] = d.Total.Milliseconds()
		if d.Outside() {
			outside = append(outside, d.Span.Name)
		} else {
			trailing[d.Span.Name] = d.Trailing.Milliseconds()
		}
	}
	equal(t, "detached", map[string]int64{"summarise": 850, "embed": 800, "upload": 200}, total)
	equal(t, "trailing", map[string]int64{"summarise": 250, "embed": 400}, trailing)
	equal(t, "outside", []string{"upload"}, outside)
	equal(t, "problems", map[traces.ProblemCode]int{traces.Detached: 3}, codes(p))
}

func TestTimeBeforeTheFirstRequestIsStartup(t *testing.T) {
	p := critpath.Find(readTrouble(t, "cp-time-before-the-first-model-call.json", traces.Options{}))
	checkTiling(t, p)
	equal(t, "path", map[string]int64{"turn": 1010, "mcp tools/list slow-server": 15000, "chat": 3990}, byName(p))
	equal(t, "components", map[traces.Component]int64{traces.Startup: 15010, traces.Wait: 700, traces.Response: 3290, traces.Agent: 1000},
		byComponent(p))
}

func TestSkewedServerIsOnThePathOnceMoved(t *testing.T) {
	p := critpath.Find(readTrouble(t, "cp-clock-skew-between-hosts.json", traces.Options{}))
	checkTiling(t, p)
	equal(t, "path", map[string]int64{"turn": 200, "chat": 80, "serve": 250, "decode": 450, "parse": 20}, byName(p))
	equal(t, "problems", map[traces.ProblemCode]int{traces.StartClipped: 1}, codes(p))

	p = critpath.Find(readTrouble(t, "cp-clock-skew-between-hosts.json", traces.Options{NoSkewRepair: true}))
	checkTiling(t, p)
	equal(t, "path without repair", map[string]int64{"turn": 200, "chat": 780, "parse": 20}, byName(p))
	equal(t, "problems without repair", map[traces.ProblemCode]int{traces.StartClipped: 1, traces.ExcludedBefore: 1}, codes(p))
}

func TestRetriesSeenAsHTTPSpans(t *testing.T) {
	p := critpath.Find(readTrouble(t, "retry-nested-http-spans-under-one-llm-span.json", traces.Options{}))
	checkTiling(t, p)
	equal(t, "path", map[string]int64{"agent turn": 200, "chat acme-large-1": 2670, "POST": 1130}, byName(p))
	equal(t, "components", map[traces.Component]int64{traces.Startup: 100, traces.Response: 30 + 880, traces.Retry: 250, traces.Backoff: 2640,
		traces.Agent: 100}, byComponent(p))
}

// chain and fan make the shapes that break recursive and quadratic walks.
func chain(n int) []traces.Record {
	var spans []caseSpan
	for i := range int64(n) {
		s := caseSpan{ID: id(i), Name: "span", Kind: "internal", Start: i * 1000, End: (2*int64(n) - i) * 1000}
		if i > 0 {
			s.Parent = id(i - 1)
		}
		spans = append(spans, s)
	}
	return records(spans)
}

func fan(n int) []traces.Record {
	spans := []caseSpan{{ID: id(0), Name: "root", Kind: "agent", End: int64(n) * 1e6}}
	for k := range int64(n) {
		spans = append(spans, caseSpan{ID: id(k + 1), Parent: id(0), Name: "kid", Kind: "tool", Start: k * 1e6, End: (k + 1) * 1e6})
	}
	return records(spans)
}

func TestDeepAndWideRuns(t *testing.T) {
	p := critpath.Find(build(t, chain(50_000)))
	checkTiling(t, p)
	equal(t, "wall time of the chain", 100*time.Millisecond, p.Run.Wall)
	equal(t, "spans of the chain on the path", 50_000, onPath(p))

	p = critpath.Find(build(t, fan(100_000)))
	checkTiling(t, p)
	equal(t, "wall time of the fan", 100*time.Second, p.Run.Wall)
	equal(t, "spans of the fan on the path", 100_000, onPath(p))
	equal(t, "the root's own time in the fan", 0, p.OnPath(p.Run.Root))
}

func TestDeepAndWideRunsAreReplayed(t *testing.T) {
	for _, recs := range [][]traces.Record{chain(50_000), fan(100_000), relay(50_000), crowd(20_000), busy(20_000), beside(20_000), handOn(2_000), loop(20_000)} {
		run := build(t, recs)
		p := critpath.Find(run)
		r := p.Replay(critpath.Edges{})
		timing := r.Play(r.Lengths())
		equal(t, "wall time", run.Wall, timing.Wall)
		for i, s := range run.Spans {
			if timing.Start[i] != s.Start || timing.End[i] != s.End {
				t.Fatalf("%s is %d-%d, want %d-%d", s.ID, timing.Start[i], timing.End[i], s.Start, s.End)
			}
		}
		for i := 1; i < len(run.Spans); i += len(run.Spans) / 3 {
			s := run.Spans[i]
			drag, ok := p.Drag(s)
			if want := run.Wall - without(r, inside(run, s)); !ok || drag != want {
				t.Errorf("drag of %s, the %d-th of %d, is %d (%t), want %d", s.ID, i, len(run.Spans), drag, ok, want)
			}
		}
	}
}

func onPath(p *critpath.Path) (n int) {
	for _, s := range p.Run.Spans {
		if p.OnPath(s) > 0 {
			n++
		}
	}
	return n
}
