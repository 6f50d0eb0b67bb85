package critpath_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// until returns the records of a run as they were at an instant, and the run that they make then.
func until(t *testing.T, recs []traces.Record, now int64) *traces.Run {
	t.Helper()
	var list []traces.Record
	for _, rec := range recs {
		if rec.Start > now {
			continue
		}
		if rec.End > now {
			rec.End = 0
		}
		list = append(list, rec)
	}
	runs, _ := traces.BuildWith(list, traces.Options{Now: time.Unix(0, now)})
	if len(runs) != 1 {
		t.Fatalf("%d runs, want one", len(runs))
	}
	return runs[0]
}

func TestAnOpenRunIsTakenAsOfNow(t *testing.T) {
	open := 0
	for seed := range uint64(1_000) {
		rng := rand.New(rand.NewPCG(seed, 10))
		var run *traces.Run
		if seed%2 == 0 {
			run = until(t, nested(rng, 2_000, false), epoch+1+rng.Int64N(2_000))
		} else {
			recs := wild(rng)
			run = until(t, recs, max(recs[0].Start, epoch+rng.Int64N(40)*1_000_000))
		}
		if run.Open {
			open++
		}
		p := critpath.Find(run)
		checkTiling(t, p)
		r := p.Replay(critpath.Edges{})
		if got := r.Play(r.Lengths()).Wall; got != run.Wall {
			t.Fatalf("seed %d: replayed unchanged, the run so far takes %d, want %d\n%s", seed, got, run.Wall, tracetest.String(run))
		}
		for _, s := range run.Spans {
			if d, ok := p.Slack(s); ok && d < 0 {
				t.Fatalf("seed %d: slack of %s is %d\n%s", seed, s.ID, d, tracetest.String(run))
			}
			drag, ok := p.Drag(s)
			if want := run.Wall - without(r, inside(run, s)); ok && drag != want {
				t.Fatalf("seed %d: drag of %s is %d, want %d\n%s", seed, s.ID, drag, want, tracetest.String(run))
			}
		}
	}
	if open < 500 {
		t.Errorf("%d runs were open: too few", open)
	}
}

func TestSlackAndDragOfAnOpenRun(t *testing.T) {
	run := tracetest.Parse(t, `
		run     ==========>
		 chat   www
		 grep      =======>
		 read      ===`)
	p := critpath.Find(run)
	for id, want := range map[string]struct{ slack, drag time.Duration }{
		"chat": {0, 3}, "grep": {0, 4}, "read": {4, 0}, "run": {0, 10},
	} {
		for _, s := range run.Spans {
			if s.ID != id {
				continue
			}
			slack, known := p.Slack(s)
			drag, told := p.Drag(s)
			if slack != want.slack*time.Millisecond || drag != want.drag*time.Millisecond || !known || !told {
				t.Errorf("%s has slack %v and drag %v, want %d ms and %d ms", id, slack, drag, want.slack, want.drag)
			}
		}
	}
}
