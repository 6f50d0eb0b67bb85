package whatif_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/dialect"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/otlp"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/traces/whatif"
)

// random returns measured runs with all that can be wrong with runs in them.
func random(seeds uint64) (runs []*measure.Run) {
	for seed := range seeds {
		built, _ := traces.Build(tracetest.Random(seed))
		for _, run := range built {
			runs = append(runs, measure.Of(run))
		}
	}
	built, _ := traces.Build(tracetest.Loop(20))
	return append(runs, measure.Of(built[0]))
}

// samples returns runs of real agents, as other packages keep them for their tests.
func samples(t *testing.T) (runs []*measure.Run) {
	t.Helper()
	files, err := filepath.Glob("../join/testdata/*/spans.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		records, _, err := otlp.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		records, _ = dialect.Normalise(records)
		built, _ := traces.Build(records)
		for _, run := range built {
			runs = append(runs, measure.Of(run))
		}
	}
	return runs
}

// everything is one edit of each kind and target.
func everything() (list []whatif.Edit) {
	for _, s := range []string{"wait", "TTFT", "reasoning", "output", "decode", "stalls", "tool", "tools", "approval", "retry", "agent", "startup",
		"response", "untraced", "tool[span 3]"} {
		for _, change := range []string{"*0.5", "*0", "*0.37", "*3", "=0", "=7ms", "=off"} {
			list = append(list, edit(s+change))
		}
	}
	return append(list, edit("wait=cached"), edit("prefill=cached"), edit("tool=cached"), edit("tool[span 3]=cached"), edit("decode.rate=50"), edit("decode.rate*2"))
}

func edit(s string) whatif.Edit {
	e, err := whatif.ParseEdit(s)
	if err != nil {
		panic(err)
	}
	return e
}

func TestNothingChangedIsTheRunAsItWas(t *testing.T) {
	for i, run := range append(random(300), samples(t)...) {
		for _, plan := range []whatif.Plan{{}, {Edits: []whatif.Edit{edit("output*1"), edit("tool*1"), edit("agent*1"), edit("decode.rate*1")}}} {
			a := whatif.Of(run, plan, nil)
			if a.After.Wall != run.Wall || a.Low != run.Wall || a.High != run.Wall {
				t.Fatalf("run %d: %v, from %v to %v; was %v", i, a.After.Wall, a.Low, a.High, run.Wall)
			}
			if diff := cmp.Diff(run.Components, a.After.Components); diff != "" {
				t.Fatalf("run %d: components (-want +got):\n%s", i, diff)
			}
			if diff := cmp.Diff(path(run), path(a.After)); diff != "" {
				t.Fatalf("run %d: path (-want +got):\n%s", i, diff)
			}
		}
	}
}

func path(r *measure.Run) (list []string) {
	for _, s := range r.Path.Segments {
		list = append(list, fmt.Sprint(s.Span.ID, s.From, s.To, s.Component, s.Tool))
	}
	return list
}

func TestWhatHoldsForAnyPlan(t *testing.T) {
	edits := everything()
	for i, run := range append(random(80), samples(t)...) {
		prepared := whatif.Prepare(run, nil)
		for k, e := range edits {
			plan := whatif.Plan{Edits: []whatif.Edit{e}}
			switch (i + k) % 5 {
			case 0:
				plan.Edits = append(plan.Edits, edits[(i*7+k*3)%len(edits)])
			case 1:
				plan.ParallelTools = whatif.AtOnce
			case 2:
				plan.ParallelTools = whatif.Early
			case 3:
				plan.Steps = -1
			}
			a := prepared.Answer(plan)
			name := fmt.Sprintf("run %d, %v", i, plan.Labels())
			var sum, saved time.Duration
			for _, c := range a.After.Components {
				sum += c.Time
			}
			for _, e := range a.Effects {
				saved += e.Saved
			}
			if sum != a.After.Wall {
				t.Fatalf("%s: the components are %v, the run %v", name, sum, a.After.Wall)
			}
			if saved != a.Saved() || len(a.Effects) != len(plan.Labels()) {
				t.Fatalf("%s: %d effects save %v, the run %v", name, len(a.Effects), saved, a.Saved())
			}
			if a.Low > a.After.Wall || a.After.Wall > a.High {
				t.Fatalf("%s: %v is not within %v and %v", name, a.After.Wall, a.Low, a.High)
			}
			if shrinks(plan) && a.After.Wall > run.Wall {
				t.Fatalf("%s: %v is longer than %v", name, a.After.Wall, run.Wall)
			}
		}
	}
}

// shrinks reports whether a plan makes nothing longer.
func shrinks(plan whatif.Plan) bool {
	for _, e := range plan.Edits {
		switch {
		case e.Target == whatif.DecodeRate && e.How == whatif.Set:
			return false
		case e.Target == whatif.DecodeRate && e.Factor < 1, e.Target != whatif.DecodeRate && e.How == whatif.Scale && e.Factor > 1:
			return false
		case e.How == whatif.Set && e.Time > 0:
			return false
		}
	}
	return true
}

func TestACurveFallsAndFlattens(t *testing.T) {
	for i, run := range append(random(100), samples(t)...) {
		p := whatif.Prepare(run, nil)
		for _, target := range []whatif.Target{whatif.Component(traces.Output), whatif.Component(traces.Tool), whatif.Component(traces.Agent), whatif.DecodeRate} {
			points := p.Curve(whatif.Plan{}, target)
			if points[0].Wall != run.Wall {
				t.Fatalf("run %d: the curve of %v begins at %v, the run is %v", i, target, points[0].Wall, run.Wall)
			}
			const rounding = 200 // nanoseconds, of parts on the way
			for k := 1; k < len(points); k++ {
				gain := points[k-1].Wall - points[k].Wall
				if gain < 0 || k > 1 && gain > points[k-2].Wall-points[k-1].Wall+rounding {
					t.Fatalf("run %d: the curve of %v is %v", i, target, points)
				}
			}
			last := 1.0
			for _, k := range p.Knees(whatif.Plan{}, target) {
				if k.Factor >= last || k.Factor <= 0 || k.After >= k.Before {
					t.Fatalf("run %d: knee %+v of %v after one at %v", i, k, target, last)
				}
				last = k.Factor
			}
		}
	}
}
