package bench

import (
	"context"
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// constant makes a plan of one task that takes as long each time: a reply of one token, and its end a millisecond later.
func constant(p *Plan) {
	const prompt = "Say yes."
	task := tasks.Task{Name: "yes", Prompt: prompt,
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) { return answer == "yes", "yes" },
		Script: simmodel.Script{Name: "yes", Prompt: prompt, Play: simmodel.Linear(simmodel.Reply{Text: "yes"})}}
	p.Tasks, p.Models, p.Efforts = []tasks.Task{task}, []string{"exact"}, nil
	p.Sim = &simmodel.Config{Profiles: []simmodel.Profile{{Name: "exact", Exact: &simmodel.Exact{TTFT: length - time.Millisecond, Rate: 1000}}}}
}

const length = 3 * time.Second

func TestRunsComeAtTheirRateWhateverHasEnded(t *testing.T) {
	for _, c := range []struct {
		name  string
		load  Load
		speed float64
		late  func(i int) time.Duration // of the i-th run, from 0; recorded
	}{
		{"each begins when it should", Load{Rate: 2, Even: true}, 1, func(int) time.Duration { return 0 }},
		{"at ten times the speed ten times as often", Load{Rate: 2, Even: true}, 10, func(int) time.Duration { return 0 }},
		{"one at a time, each waits for those before it", Load{Rate: 2, Even: true, Users: 1}, 1,
			func(i int) time.Duration { return time.Duration(i) * (length - time.Second/2) }},
		{"the wait is recorded time too", Load{Rate: 2, Even: true, Users: 1}, 10,
			func(i int) time.Duration { return time.Duration(i) * (length - time.Second/2) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				constant(&p)
				p.Trials, p.Loads, p.Speed = 6, []Load{c.load}, c.speed
				var began time.Time
				p.Progress = func(at Progress) {
					if at.Done == 0 {
						began = time.Now()
					}
				}
				runs, err := p.Run(t.Context())
				if err != nil || len(runs) != 6 {
					t.Fatalf("%d runs, %v", len(runs), err)
				}
				for i, r := range runs {
					run := measure.Of(load(t, p.Store, r.ID))
					late := c.late(i)
					intended := began.Add(time.Duration(float64((i+1)*500*int(time.Millisecond)) / c.speed))
					if run.Late == nil || *run.Late != late || !run.Start.Equal(intended.Add(time.Duration(float64(late)/c.speed))) {
						t.Errorf("run %d began at %v, late by %v; want %v after %v", i, run.Start, run.Late, late, intended)
					}
					if run.Wall != r.Result.Wall || r.Time != late+run.Wall || run.Time() != r.Time || run.Wall < length || run.Group["rate"] != "2/s" {
						t.Errorf("run %d took %v, %v until its answer, tags %v", i, run.Wall, r.Time, run.Group)
					}
				}
			})
		})
	}
}

func TestRandomArrivalsAreThoseOfAPoissonProcess(t *testing.T) {
	const n = 20000
	l := Load{Rate: 4}
	var sum, squares float64
	for i := range n {
		gap := l.gap(1, i)
		if gap != l.gap(1, i) || gap == l.gap(2, i) || gap < 0 {
			t.Fatalf("gap %d is %v, then %v; with another seed %v", i, gap, l.gap(1, i), l.gap(2, i))
		}
		sum += gap.Seconds()
		squares += gap.Seconds() * gap.Seconds()
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	if math.Abs(mean-0.25) > 0.005 || math.Abs(deviation-0.25) > 0.01 { // an exponential distribution's are equal
		t.Errorf("gaps of %.4f s on average, deviating by %.4f s; want 0.25 and 0.25", mean, deviation)
	}
}

func TestALoadOfSeveralIsKeptUpUntilItsLastRun(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		constant(&p)
		p.Trials, p.Loads = 3, []Load{{Users: 1}, {Users: 4}}
		var mu sync.Mutex
		most, requests := map[string]int{}, 0
		p.Sim.FreshIDs = true // the same request comes under either load
		p.Sim.Truth = func(truth simmodel.Truth) {
			mu.Lock()
			defer mu.Unlock()
			requests++
			most[truth.ID] = truth.Streams
		}
		runs, err := p.Run(t.Context())
		if err != nil || len(runs) != 6 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		synctest.Wait() // requests of users that had no run left
		mu.Lock()
		defer mu.Unlock()
		byTrial := map[int][]string{}
		for _, r := range runs {
			byTrial[r.Trial] = append(byTrial[r.Trial], r.Group["concurrency"])
			run := load(t, p.Store, r.ID)
			id := run.ModelCalls[0].Span.Attrs().String(traces.KeyResponseID)
			if want := map[string]int{"1": 1, "4": 4}[r.Group["concurrency"]]; most[id] != want {
				t.Errorf("%s: with %s users %d streams were served, want %d", r.ID, r.Group["concurrency"], most[id], want)
			}
		}
		for trial, loads := range byTrial {
			if slices.Sort(loads); !slices.Equal(loads, []string{"1", "4"}) {
				t.Errorf("trial %d has loads %v", trial, loads)
			}
		}
		if entries, _ := p.Store.List(); len(entries) != 6 || requests <= 7 {
			t.Errorf("%d runs in the store, %d requests in all", len(entries), requests)
		}
	})
}

func TestWhatRemainsIsTold(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Plan)
		off  time.Duration // what is told may differ from what it was
	}{
		{"one user", func(p *Plan) { p.Loads = nil }, 0},
		{"one user, ten times as fast", func(p *Plan) { p.Loads, p.Speed = nil, 10 }, 0},
		{"two users, whose runs end together", func(p *Plan) { p.Loads = []Load{{Users: 2}} }, 8 * length},
		{"at a rate, that of arrivals", func(p *Plan) { p.Loads = []Load{{Rate: 0.1, Even: true}} }, 0},
		{"at a rate, ten times as fast", func(p *Plan) { p.Loads, p.Speed = []Load{{Rate: 0.1, Even: true}}, 10 }, 0},
		{"at a rate faster than runs are", func(p *Plan) { p.Loads = []Load{{Rate: 2, Even: true}} }, 0},
		{"in rounds, until the last one is done", func(p *Plan) { p.Loads, p.Trials, p.Rounds, p.Every = nil, 2, 4, time.Hour }, 0},
		{"under two loads", func(p *Plan) { p.Loads, p.Trials = []Load{{Users: 1}, {Rate: 0.1, Even: true}}, 4 }, 40 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				constant(&p)
				p.Trials = 8
				c.edit(&p)
				var reports []Progress
				var at []time.Time
				p.Progress = func(r Progress) { reports, at = append(reports, r), append(at, time.Now()) }
				if _, err := p.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				end := at[len(at)-1]
				for i, r := range reports {
					if r.Total != 8 || r.Elapsed != at[i].Sub(at[0]) || r.Done == 0 && r.Remaining != 0 {
						t.Errorf("report %d: %+v", i, r)
					}
					if was := end.Sub(at[i]); r.Done > 0 && (r.Remaining-was).Abs() > c.off+10*time.Nanosecond {
						t.Errorf("after %d runs %v were told to be left, it was %v", r.Done, r.Remaining, was)
					}
				}
			})
		})
	}
}
