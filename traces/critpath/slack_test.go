package critpath_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// replay is the definition of slack: it plays a nested run forwards, each span after those that had finished before it.
type replay struct {
	run   *traces.Run
	delay map[*traces.Span]time.Duration // by how much longer a span takes
	ends  map[*traces.Span]time.Duration
}

// wall returns how long the run takes if s takes d longer.
func wall(run *traces.Run, s *traces.Span, d time.Duration) time.Duration {
	r := replay{run, map[*traces.Span]time.Duration{s: d}, map[*traces.Span]time.Duration{}}
	return r.play(run.Root, 0)
}

// play returns the new end of x, which starts anew at start.
func (r *replay) play(x *traces.Span, start time.Duration) time.Duration {
	if len(x.Kids) == 0 {
		return start + x.Duration() + r.delay[x]
	}
	tolerance := min(time.Millisecond, x.Duration()/100)
	var last, newLast time.Duration
	for _, c := range x.Kids { // by start, so those before it have been played
		var (
			latest, newLatest time.Duration
			found             bool
		)
		for _, b := range x.Kids {
			if b.Start < c.Start && b.End <= c.Start+tolerance {
				latest, newLatest = max(latest, b.End), max(newLatest, r.ends[b])
				found = true
			}
		}
		at := start + (c.Start - x.Start)
		if found {
			at = newLatest + (c.Start - latest)
		}
		r.ends[c] = r.play(c, at)
		last, newLast = max(last, c.End), max(newLast, r.ends[c])
	}
	return newLast + (x.End - last) + r.delay[x]
}

func TestSlackIsWhatTheReplaySays(t *testing.T) {
	n := uint64(600)
	if testing.Short() {
		n = 60
	}
	free, onPath := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 3))
		width := []int64{30, 99, 2_000, 50_000}[seed%4] // the latter two with a tolerance
		run := build(t, nested(rng, width, false))
		p := critpath.Find(run)
		if got := wall(run, run.Root, 0); got != run.Wall {
			t.Fatalf("seed %d: replayed unchanged, the run takes %d, want %d", seed, got, run.Wall)
		}
		for _, s := range run.Spans {
			slack, ok := p.Slack(s)
			if !ok {
				t.Fatalf("seed %d: slack of %s is unknown\n%s", seed, s.ID, tracetest.String(run))
			}
			if got := wall(run, s, slack); got != run.Wall {
				t.Fatalf("seed %d: with its slack of %d, %s makes the run take %d instead of %d\n%s", seed, slack, s.ID, got, run.Wall, tracetest.String(run))
			}
			if got := wall(run, s, slack+1); got != run.Wall+1 {
				t.Fatalf("seed %d: with 1 ns more than its slack of %d, %s makes the run take %d, want %d\n%s", seed, slack, s.ID, got, run.Wall+1, tracetest.String(run))
			}
			if p.OnPath(s) > 0 {
				onPath++
				if slack != 0 {
					t.Fatalf("seed %d: %s is on the path but has slack %d\n%s", seed, s.ID, slack, tracetest.String(run))
				}
			}
			if slack > 0 {
				free++
			}
		}
	}
	if free == 0 || onPath == 0 {
		t.Fatalf("%d spans had slack, %d were on the path: too tame", free, onPath)
	}
}

func TestSlack(t *testing.T) {
	const unknown = -time.Millisecond
	for _, test := range []struct {
		name string
		run  string
		want map[string]time.Duration // by span id, in columns
	}{
		{
			name: "a tool that finished early could have lasted until the slowest one",
			run: `
				run    ==============
				 chat  ====
				 read      ===
				 grep      ======
				 chat            ===`,
			want: map[string]time.Duration{"run": 0, "chat": 0, "read": 3, "grep": 0, "chat.2": 0},
		},
		{
			name: "what follows a span limits it before the end of the scope does",
			run: `
				run    ============
				 ls    ==
				 cat      ==
				 make  ==========`,
			want: map[string]time.Duration{"ls": 5, "cat": 5, "make": 0},
		},
		{
			name: "inside a span that has slack, its parts have that and their own",
			run: `
				run       ============
				 agent1   ========
				  fetch   ====
				  search  ======
				 agent2   ===========`,
			want: map[string]time.Duration{"agent1": 3, "fetch": 5, "search": 3, "agent2": 0},
		},
		{
			name: "a tool hidden under the decode has until the model ends",
			run: `
				run    ==============
				 chat  wwoooooooo
				 read      ===
				 chat             ===`,
			want: map[string]time.Duration{"chat": 0, "read": 3},
		},
		{
			name: "a tool that started while its model streamed does not wait for the model's end",
			run: `
				run    ==============
				 chat  wwooooo
				 read      =========`,
			want: map[string]time.Duration{"chat": 6, "chat/wait": 0, "chat/output": 6, "read": 0},
		},
		{
			name: "a declared dependency takes the place of what finished before",
			run: `
				run   ==============
				 ls   ===
				 cat  =====
				 wc        =======    link:ls`,
			want: map[string]time.Duration{"ls": 0, "cat": 7, "wc": 0},
		},
		{
			name: "background work has slack only if something waited for it",
			run: `
				run    ==============
				 index ======            background
				 push  ====              background
				 grep        =====       link:index
				 make  ============`,
			want: map[string]time.Duration{"index": 1, "push": unknown, "grep": 1, "make": 0},
		},
		{
			name: "nobody waits for work that outlives the run, or for anything in it",
			run: `
				run     =======
				 flush    =======
				  write    ===
				 ls     =====`,
			want: map[string]time.Duration{"flush": unknown, "write": unknown, "ls": 0},
		},
		{
			name: "the loser of a race has none that could be told",
			run: `
				run        ===========
				 chat      ==========
				  attempt1 ==========    cancelled longpole.attempt=1
				  attempt2     ======    longpole.attempt=2`,
			want: map[string]time.Duration{"attempt1": unknown, "attempt2": 0},
		},
		{
			name: "background work that other background work waits for is known by way of that",
			run: `
				run    ==============
				 a     ===               background
				 b        ===            background link:a
				 c           ===         link:b
				 d     ============`,
			want: map[string]time.Duration{"a": 3, "b": 3, "c": 3},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := tracetest.Parse(t, test.run)
			p := critpath.Find(run)
			got := map[string]time.Duration{}
			for _, s := range run.Spans {
				if _, ok := test.want[s.ID]; !ok {
					continue
				}
				d, ok := p.Slack(s)
				if !ok {
					d = unknown
				}
				got[s.ID] = d
			}
			for id, want := range test.want {
				if want != unknown {
					want *= time.Millisecond
				}
				if d, ok := got[id]; !ok || d != want {
					t.Errorf("slack of %s is %v (there: %t), want %v", id, d, ok, want)
				}
			}
		})
	}
}
