package critpath_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// without returns how long the run takes if some of its parts take no time.
func without(r *critpath.Replay, parts func(critpath.Part) bool) time.Duration {
	lengths := r.Lengths()
	for i, p := range r.Parts {
		if parts(p) {
			lengths[i] = 0
		}
	}
	return r.Play(lengths).Wall
}

// inside returns whether a part is of x or of anything below it.
func inside(run *traces.Run, x *traces.Span) func(critpath.Part) bool {
	below := make([]bool, len(run.Spans))
	for i, s := range run.Spans { // parents come before children
		below[i] = s == x || s.Parent != nil && below[s.Parent.Index]
	}
	return func(p critpath.Part) bool { return below[p.Span.Index] }
}

func TestDragIsWhatTheReplaySays(t *testing.T) {
	drags := 0
	for seed := range uint64(1_200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		recs := wild(rng)
		if seed%4 == 0 {
			recs = nested(rng, []int64{99, 50_000}[seed/4%2], false)
		}
		run := build(t, recs)
		p := critpath.Find(run)
		r := p.Replay(critpath.Edges{})
		known := map[*traces.Span]bool{}
		for _, part := range r.Parts {
			known[part.Span] = true
		}
		for _, s := range run.Spans {
			drag, ok := p.Drag(s)
			if ok != known[s] && s.Duration() > 0 {
				t.Fatalf("seed %d: drag of %s is known: %t\n%s", seed, s.ID, ok, tracetest.String(run))
			}
			if !ok {
				continue
			}
			if want := run.Wall - without(r, inside(run, s)); drag != want {
				t.Fatalf("seed %d: drag of %s is %d, without it the run is shorter by %d\n%s", seed, s.ID, drag, want, tracetest.String(run))
			}
			own, _ := p.OwnDrag(s)
			if want := run.Wall - without(r, func(part critpath.Part) bool { return part.Span == s && part.To > part.From }); own != want {
				t.Fatalf("seed %d: own drag of %s is %d, without it the run is shorter by %d\n%s", seed, s.ID, own, want, tracetest.String(run))
			}
			if drag > 0 {
				drags++
			}
		}
	}
	if drags < 500 {
		t.Errorf("only %d spans had a drag: too tame", drags)
	}
}

func TestDragAndSlackOfToolsAndComponents(t *testing.T) {
	run := tracetest.Parse(t, `
		run    ======================
		 chat  wwaa                      asks:a,b
		 grep      ======                call:a
		 read      ===                   call:b
		 chat            woaa            asks:c
		 read                =====       call:c`)
	p := critpath.Find(run)
	ms := time.Millisecond
	for name, want := range map[string]struct{ drag, slack time.Duration }{
		"grep": {3 * ms, 0}, // the first read takes its place
		"read": {5 * ms, 0}, // the second; the first could have taken 3 ms more
	} {
		slack, ok := p.ToolSlack(name)
		if got := p.ToolDrag(name); got != want.drag || slack != want.slack || !ok {
			t.Errorf("%s has a drag of %v and slack of %v (%t), want %v and %v", name, got, slack, ok, want.drag, want.slack)
		}
	}
	for component, want := range map[traces.Component]time.Duration{
		traces.Tool: 11 * ms, traces.Wait: 3 * ms, traces.ToolArgs: 4 * ms, traces.Agent: 3 * ms, traces.Reasoning: 0,
	} {
		if got := p.ComponentDrag(component); got != want {
			t.Errorf("%s has a drag of %v, want %v", component, got, want)
		}
	}
	if d, ok := p.ComponentSlack(traces.Tool); d != 0 || !ok {
		t.Errorf("the slack of tools is %v (%t), want 0", d, ok)
	}
	for _, known := range []bool{
		func() bool { _, ok := p.ToolSlack("rm"); return ok }(),
		func() bool { _, ok := p.ComponentSlack(traces.Reasoning); return ok }(),
		func() bool { _, ok := p.Drag(nil); return ok }(),
	} {
		if known {
			t.Error("slack or drag of what is not there is told")
		}
	}
}

func TestSlackOfAComponentIsThatOfItsTightestPart(t *testing.T) {
	for seed := range uint64(500) {
		run := build(t, wild(rand.New(rand.NewPCG(seed, 9))))
		p := critpath.Find(run)
		r := p.Replay(critpath.Edges{})
		for _, component := range []traces.Component{traces.Tool, traces.Response, traces.Agent, traces.Backoff} {
			slack, ok := p.ComponentSlack(component)
			longest := time.Duration(0) // that the run takes if one part is longer
			for i, part := range r.Parts {
				if part.Component == component && part.To > part.From {
					lengths := r.Lengths()
					lengths[i] += slack + 1
					longest = max(longest, r.Play(lengths).Wall)
				}
			}
			if ok && longest != run.Wall+1 || !ok && longest > run.Wall {
				t.Fatalf("seed %d: with 1 ns more than the slack of %d (%t), %s makes the run take %d, want %d\n%s",
					seed, slack, ok, component, longest, run.Wall+1, tracetest.String(run))
			}
		}
	}
}
