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

// segment is a critpath.Segment that compares across builds of the same run.
type segment struct {
	Span      string
	From, To  time.Duration
	Component traces.Component
	Tool      string
	Quality   traces.Quality
}

func segments(p *critpath.Path) []segment {
	var list []segment
	for _, s := range p.Segments {
		list = append(list, segment{s.Span.ID, s.From, s.To, s.Component, s.Tool, s.Quality})
	}
	return list
}

func TestAnyRunIsTiledAsDefined(t *testing.T) {
	n := uint64(5_000)
	if testing.Short() {
		n = 1_000
	}
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 1))
		recs := wild(rng)
		run := build(t, recs)
		p := critpath.Find(run)
		checkTiling(t, p)
		b := bruteJoin(run)
		if diff := cmp.Diff(b.path(), stretches(p)); diff != "" {
			t.Fatalf("seed %d: path (-definition +got):\n%s\n%s", seed, diff, tracetest.String(run))
		}
		var sum time.Duration
		for _, s := range p.Segments {
			for _, at := range []time.Duration{s.From, s.From + s.Duration()/2, s.To - 1} {
				if want := b.component(b.spans[s.Span.Index], at); want != s.Component {
					t.Fatalf("seed %d: %s at %d is booked on %s, want %s\n%s", seed, s.Span.ID, at, s.Component, want, tracetest.String(run))
				}
			}
			if (s.Component == traces.Tool) != (s.Tool != "") {
				t.Fatalf("seed %d: %s is %s with tool name %q", seed, s.Span.ID, s.Component, s.Tool)
			}
		}
		for _, s := range run.Spans {
			sum += p.OnPath(s)
			if d, ok := p.Slack(s); ok && d < 0 {
				t.Fatalf("seed %d: slack of %s is %d", seed, s.ID, d)
			}
		}
		if sum != run.Wall || p.Below(run.Root) != run.Wall {
			t.Fatalf("seed %d: time on the path adds up to %d and %d, want %d", seed, sum, p.Below(run.Root), run.Wall)
		}
		again := critpath.Find(build(t, shuffled(rng, recs)))
		if diff := cmp.Diff(segments(p), segments(again)); diff != "" {
			t.Fatalf("seed %d: path depends on the order of records (-one +other):\n%s", seed, diff)
		}
		if diff := cmp.Diff(p.Problems, again.Problems); diff != "" {
			t.Fatalf("seed %d: problems depend on the order of records (-one +other):\n%s", seed, diff)
		}
	}
}

// jaeger returns the path as Jaeger's server finds it in a run whose spans lie within their parents: the child that returned
// last before an instant, that instant included.
func jaeger(run *traces.Run) []stretch {
	var list []stretch
	emit := func(s *traces.Span, from, to time.Duration) {
		if n := len(list); n > 0 && list[n-1].Span == s.ID {
			list[n-1].From = from
		} else if from < to {
			list = append(list, stretch{s.ID, from, to})
		}
	}
	var visit func(s *traces.Span, end time.Duration)
	visit = func(s *traces.Span, end time.Duration) {
		for {
			var last *traces.Span
			for _, k := range s.Kids {
				if k.End <= end && k.Start < end && (last == nil || k.End > last.End) {
					last = k
				}
			}
			if last == nil {
				emit(s, s.Start, end)
				return
			}
			emit(s, last.End, end)
			visit(last, last.End)
			end = last.Start
		}
	}
	visit(run.Root, run.Root.End)
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func TestNestedRunsAgreeWithJaeger(t *testing.T) {
	for seed := range uint64(1_000) {
		run := build(t, nested(rand.New(rand.NewPCG(seed, 2)), 99, true))
		if diff := cmp.Diff(jaeger(run), stretches(critpath.Find(run))); diff != "" {
			t.Fatalf("seed %d: path (-Jaeger +got):\n%s\n%s", seed, diff, tracetest.String(run))
		}
	}
}
