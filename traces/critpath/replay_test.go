package critpath_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func TestReplayedUnchangedARunTakesAsLong(t *testing.T) {
	for seed := range uint64(3_000) {
		run := build(t, wild(rand.New(rand.NewPCG(seed, 4))))
		p := critpath.Find(run)
		for _, edges := range []critpath.Edges{{}, {Structural: true}} {
			r := p.Replay(edges)
			timing := r.Play(r.Lengths())
			if timing.Wall != run.Wall {
				t.Fatalf("seed %d: replayed unchanged, the run takes %d, want %d\n%s", seed, timing.Wall, run.Wall, tracetest.String(run))
			}
			for i, s := range run.Spans {
				if timing.Start[i] != s.Start || timing.End[i] != s.End {
					t.Fatalf("seed %d: replayed unchanged, %s is %d-%d, want %d-%d\n%s", seed, s.ID, timing.Start[i], timing.End[i], s.Start, s.End, tracetest.String(run))
				}
			}
		}
	}
}

func TestShorterPartsNeverMakeARunLonger(t *testing.T) {
	for seed := range uint64(1_200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		run := build(t, wild(rng))
		r := critpath.Find(run).Replay(critpath.Edges{Structural: seed%2 == 0})
		lengths := r.Lengths()
		before := run.Wall
		for range 5 {
			if len(lengths) == 0 {
				break
			}
			k := rng.IntN(len(lengths))
			if lengths[k] <= 0 {
				continue
			}
			cut := 1 + time.Duration(rng.Int64N(int64(lengths[k])))
			lengths[k] -= cut
			after := r.Play(lengths).Wall
			if after > before || before-after > cut {
				t.Fatalf("seed %d: %d less of part %d make the run take %d after %d\n%s", seed, cut, k, after, before, tracetest.String(run))
			}
			before = after
		}
	}
}

func TestPartsAreBookedLikeThePath(t *testing.T) {
	for seed := range uint64(2_000) {
		run := build(t, wild(rand.New(rand.NewPCG(seed, 6))))
		p := critpath.Find(run)
		booked := map[*traces.Span]map[traces.Component]bool{}
		for _, part := range p.Replay(critpath.Edges{}).Parts {
			if booked[part.Span] == nil {
				booked[part.Span] = map[traces.Component]bool{}
			}
			booked[part.Span][part.Component] = true
		}
		for _, s := range p.Segments {
			if !booked[s.Span][s.Component] {
				t.Fatalf("seed %d: %s is %s on the path, but not among the parts\n%s", seed, s.Span.ID, s.Component, tracetest.String(run))
			}
		}
	}
}

func TestToolsAtOnceAreNeverLater(t *testing.T) {
	earlier := 0
	for seed := range uint64(2_000) {
		run := build(t, wild(rand.New(rand.NewPCG(seed, 11))))
		p := critpath.Find(run)
		for _, edges := range []critpath.Edges{{ToolsAtOnce: true}, {ToolsEarly: true}} {
			r := p.Replay(edges)
			timing := r.Play(r.Lengths())
			for i, s := range run.Spans {
				if timing.Start[i] > s.Start || timing.End[i] > s.End {
					t.Fatalf("seed %d: with %+v, %s is %d-%d, later than %d-%d\n%s", seed, edges, s.ID, timing.Start[i], timing.End[i], s.Start, s.End, tracetest.String(run))
				}
				if timing.Start[i] < s.Start {
					earlier++
				}
			}
		}
	}
	if earlier < 50 {
		t.Errorf("%d spans were earlier: too few", earlier)
	}
}

func TestReplayDoesNotDependOnTheOrderOfRecords(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 12))
		recs := wild(rng)
		half := func(recs []traces.Record) critpath.Timing {
			r := critpath.Find(build(t, recs)).Replay(critpath.Edges{})
			lengths := r.Lengths()
			for i := range lengths {
				lengths[i] /= 2
			}
			return r.Play(lengths)
		}
		if diff := cmp.Diff(half(recs), half(shuffled(rng, recs))); diff != "" {
			t.Fatalf("seed %d: (-one order +other):\n%s", seed, diff)
		}
	}
}
