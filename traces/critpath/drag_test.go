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

// within reports whether s is below or is x.
func within(s, x *traces.Span) bool {
	for ; s != nil; s = s.Parent {
		if s == x {
			return true
		}
	}
	return false
}

func TestDragIsWhatTheReplaySays(t *testing.T) {
	drags := 0
	for seed := range uint64(3_000) {
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
			if want := run.Wall - without(r, func(part critpath.Part) bool { return within(part.Span, s) }); drag != want {
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
	if drags < 1000 {
		t.Errorf("only %d spans had a drag: too tame", drags)
	}
}
