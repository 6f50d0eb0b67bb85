package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// few makes a plan of three tasks at two efforts, two trials each: 12 runs.
func few(p *Plan) {
	p.Tasks = slices.DeleteFunc(p.Tasks, func(t tasks.Task) bool {
		return !slices.Contains([]string{"csv-total", "fix-config", "compare-json"}, t.Name)
	})
	p.Efforts, p.Loads = []string{"low", "high"}, nil
}

// told says of each run what an experiment is about; exactly, or without the times, which depend on what else was going on.
func told(t *testing.T, p *Plan, runs []Run, exactly bool) (list []string) {
	t.Helper()
	for _, r := range runs {
		run := load(t, p.Store, r.ID)
		line := fmt.Sprintln(r.ID, r.Task, r.Model, r.Effort, r.Trial, r.Result.Outcome, r.Result.Steps, r.Result.ToolCalls, run.Outcome, run.Group)
		if exactly {
			line = fmt.Sprintln(line, r.Time, r.Result.Wall, run.Wall)
		}
		list = append(list, line)
	}
	if entries, err := p.Store.List(); err != nil || len(entries) != len(runs) {
		t.Errorf("%d runs in the store, want %d: %v", len(entries), len(runs), err)
	}
	return list
}

// snapshot copies a store as it is: what is left of it if the process is killed now.
func snapshot(t *testing.T, s *store.Store) *store.Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.Dir())); err != nil {
		t.Fatal(err)
	}
	killed, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return killed
}

// goOn finds the experiment in p's store, and goes on with it.
func goOn(ctx context.Context, t *testing.T, p Plan) ([]Run, error) {
	t.Helper()
	x, err := Find(p.Store, "")
	if err != nil {
		t.Fatal(err)
	}
	p.Resume = x
	return p.Run(ctx)
}

func TestAnExperimentThatIsGoneOnWithIsAsIfItHadNotBeenInterrupted(t *testing.T) {
	for i, c := range []struct {
		name    string
		edit    func(*Plan)
		exactly bool
	}{
		{"one run after the other", func(*Plan) {}, true},
		{"as often as it takes", func(p *Plan) { p.Until, p.MaxTrials = 0.9, 4 }, true},
		{"in rounds", func(p *Plan) { p.Trials, p.Rounds, p.Every = 1, 2, time.Second }, true},
		{"several at once", func(p *Plan) { p.Loads = []Load{{Users: 3}} }, false},
		{"at a rate", func(p *Plan) { p.Loads = []Load{{Rate: 0.2}} }, false},
		{"two servers", func(p *Plan) {
			sim := *p.Sim
			sim.Scripts, sim.Seed = tasks.Scripts(p.Tasks), 1
			for _, name := range []string{"a", "b"} {
				l, _ := p.listen()
				go http.Serve(l, simmodel.New(sim)) // until the network is closed
				p.Endpoints = append(p.Endpoints, Endpoint{Name: name, URL: "http://" + l.Addr().String() + "/v1"})
			}
			p.Sim, p.Efforts = nil, []string{"low"}
		}, true},
		{"under several loads", func(p *Plan) { p.Loads, p.Trials = []Load{{Users: 1}, {Users: 3}}, 1 }, false},
	} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var whole, interrupted, killed []string
			inBubble(t, func(t *testing.T, p Plan) {
				few(&p)
				p.Tasks = p.Tasks[:2]
				c.edit(&p)
				runs, err := p.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				whole = told(t, &p, runs, c.exactly)
			})
			inBubble(t, func(t *testing.T, p Plan) {
				few(&p)
				p.Tasks = p.Tasks[:2]
				c.edit(&p)
				var left *store.Store
				runs, err := []Run(nil), errors.New("not begun")
				for after := 3; err != nil; after += 3 { // interrupted again and again
					ctx, cancel := context.WithCancel(t.Context())
					p.Progress = func(at Progress) {
						if at.Done >= after && at.Last != nil {
							if left == nil {
								left = snapshot(t, p.Store)
							}
							cancel()
						}
					}
					if after == 3 {
						runs, err = p.Run(ctx)
					} else {
						runs, err = goOn(ctx, t, p)
					}
					cancel()
					if err != nil && !errors.Is(err, context.Canceled) || after > 100 {
						t.Fatal(err)
					}
				}
				interrupted = told(t, &p, runs, c.exactly)

				p.Progress, p.Store = nil, left
				runs, err = goOn(t.Context(), t, p)
				if err != nil {
					t.Fatal(err)
				}
				killed = told(t, &p, runs, c.exactly)
			})
			if diff := cmp.Diff(whole, interrupted); diff != "" {
				t.Errorf("interrupted (-whole +interrupted):\n%s", diff)
			}
			if diff := cmp.Diff(whole, killed); diff != "" {
				t.Errorf("killed (-whole +killed):\n%s", diff)
			}
		})
	}
}

func TestWhatCannotBeKeptStopsAnExperiment(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		few(&p)
		o := p.order(namePrefix + stamp(time.Now()))
		w, err := p.Store.Create(o.block(2)[0].cells[0].id)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(w.Path(), 0o700); err != nil { // no file can be written there
			t.Fatal(err)
		}
		runs, err := p.Run(t.Context())
		if !errors.Is(err, ErrNotKept) || len(runs) == 0 || len(runs) == o.size()*p.Trials {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		if err := os.Remove(w.Path()); err != nil {
			t.Fatal(err)
		}
		if p.Resume, err = Find(p.Store, ""); err != nil {
			t.Fatal(err)
		}
		runs, err = p.Run(t.Context())
		if kept, _ := p.Store.List(); err != nil || len(runs) != o.size()*p.Trials || len(kept) != len(runs) {
			t.Errorf("%d runs, %d kept, %v", len(runs), len(kept), err)
		}
	})
}

func TestARunThatCannotBeginIsNoResult(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		few(&p)
		p.NoWarmUp = true
		good := p.Tasks[2].Texts
		p.Tasks[2].Texts = map[string]string{"../out": "of the folder"}
		runs, err := p.Run(t.Context())
		if !errors.Is(err, errNotBegun) || !strings.Contains(err.Error(), p.Tasks[2].Name) {
			t.Fatal(err)
		}
		for _, r := range runs {
			if r.Task == p.Tasks[2].Name {
				t.Errorf("%s is counted", r.ID)
			}
		}
		p.Tasks[2].Texts = good
		if p.Resume, err = Find(p.Store, ""); err != nil {
			t.Fatal(err)
		}
		if runs, err = p.Run(t.Context()); err != nil || len(runs) != 3*2*p.Trials {
			t.Errorf("%d runs, %v", len(runs), err)
		}
	})
}

func TestFinishedRunsAreNotMadeAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		few(&p)
		p.Options = map[string][]string{"effort": {"low", "high"}}
		ctx, cancel := context.WithCancel(t.Context())
		p.Progress = func(at Progress) {
			if at.Done == 7 {
				cancel()
			}
		}
		if _, err := p.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		x, err := Find(p.Store, "")
		if err != nil || !slices.Equal(x.Options["effort"], p.Options["effort"]) || x.Plan["trials"] != "2" || !x.Over.IsZero() {
			t.Fatalf("kept %+v, %v", x, err)
		}
		p.Resume = x
		var reports []Progress
		p.Progress = func(at Progress) { reports = append(reports, at) }
		runs, err := p.Run(t.Context())
		if err != nil || len(runs) != 12 || len(reports) != 1+5 || reports[0].Done != 7 || reports[0].Total != 12 || reports[5].Done != 12 {
			t.Errorf("%d runs, %v, reports %+v", len(runs), err, reports)
		}
		for i, r := range runs {
			if r.Before != (i < 7) || r.Task == "" || r.Effort == "" || r.Trial == 0 || r.Result.Steps == 0 || r.Time != r.Result.Wall {
				t.Errorf("run %d: %+v", i, r)
			}
		}

		// And when all is done, nothing is.
		if _, err := Find(p.Store, ""); !errors.Is(err, ErrNoExperiment) {
			t.Errorf("what is over was found: %v", err)
		}
		reports = nil
		if p.Resume, err = Find(p.Store, x.Name); err != nil || p.Resume.Over.IsZero() {
			t.Fatalf("%+v, %v", p.Resume, err)
		}
		if again, err := p.Run(t.Context()); err != nil || len(again) != 12 || len(reports) != 0 {
			t.Errorf("%d runs, %v, %d reports", len(again), err, len(reports))
		}
	})
}

func TestAnotherPlanCannotGoOn(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		few(&p)
		ctx, cancel := context.WithCancel(t.Context())
		begun := p
		begun.Progress = func(at Progress) {
			if at.Done == 1 {
				cancel()
			}
		}
		if _, err := begun.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		x, err := Find(p.Store, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, want string
			edit       func(*Plan)
		}{
			{"with more trials", "trials 2, not 3", func(p *Plan) { p.Trials = 3 }},
			{"with a precision in place of trials", "max-trials none, not 9", func(p *Plan) { p.Until, p.MaxTrials = 0.1, 9 }},
			{"with other efforts", "effort low, high, not low", func(p *Plan) { p.Efforts = []string{"low"} }},
			{"with another seed", "seed 1, not 2", func(p *Plan) { p.Seed = 2 }},
			{"at another speed", "speed 1, not 10", func(p *Plan) { p.Speed = 10 }},
			{"with fewer tasks", "task compare-json, csv-total, fix-config, not compare-json", func(p *Plan) { p.Tasks = p.Tasks[:1] }},
			{"with a task that was changed", "task compare-json, csv-total, fix-config, not compare-json 1234, csv-total, fix-config", func(p *Plan) {
				p.Tasks = slices.Clone(p.Tasks)
				p.Tasks[0].Digest = "1234"
			}},
			{"with faults", "fault {RateLimit:0.04", func(p *Plan) { sim := *p.Sim; sim.Faults.Cut = 0.5; p.Sim = &sim }},
			{"with another server", "base-url none, not other=http://other.test/v1", func(p *Plan) {
				p.Sim, p.Endpoints = nil, []Endpoint{{Name: "other", URL: "http://me:secret@other.test/v1"}}
			}},
			{"with other tags", "group map[], not map[who:me]", func(p *Plan) { p.Group = map[string]string{"who": "me"} }},
			{"at a rate", "concurrency 1, not none", func(p *Plan) { p.Loads = []Load{{Rate: 2}} }},
		} {
			other := p
			other.Resume = x
			c.edit(&other)
			runs, err := other.Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || len(runs) > 0 {
				t.Errorf("%s: %d runs, %v; want %s", c.name, len(runs), err, c.want)
			}
		}

		p.Resume = x
		file, err := os.Open(filepath.Join(p.Store.Dir(), experimentFolder, x.Name+".json"))
		if err != nil || !store.Lock(file) {
			t.Fatal("the experiment could not be locked:", err)
		}
		if _, err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "is being run by another process") {
			t.Errorf("two processes at once: %v", err)
		}
		file.Close()
		if runs, err := p.Run(t.Context()); err != nil || len(runs) != 12 {
			t.Errorf("%d runs, %v", len(runs), err)
		}
	})
}

func TestFindingAnExperiment(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Find(s, ""); !errors.Is(err, ErrNoExperiment) {
		t.Errorf("in an empty store: %v", err)
	}
	keep := func(name string, over bool) {
		x := &Experiment{Schema: experimentSchema, Name: name, Plan: map[string]string{}}
		j, err := x.keep(s, true)
		if err != nil {
			t.Fatal(err)
		}
		if over {
			j.over()
		}
		j.close()
	}
	keep("bench-20260504T0930", false)
	keep("bench-20260504T1030", false)
	keep("bench-20260505T0930", true)
	broken := filepath.Join(s.Dir(), experimentFolder, "bench-2027.json")
	if err := os.WriteFile(broken, []byte(`{"schema":"longpole.experiment/v9"`), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(s.Dir(), experimentFolder, "mine.json") // its runs would be whatever begins so
	if err := os.WriteFile(foreign, []byte(`{"schema":"longpole.experiment/v1","experiment":"mine"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want, wrong string }{
		{"", "bench-20260504T1030", ""},
		{"bench-20260504T0930", "bench-20260504T0930", ""},
		{"20260504T0930", "bench-20260504T0930", ""},
		{"20260505", "bench-20260505T0930", ""},
		{"20260504", "", "is the beginning of 2 experiments"},
		{"2025", "", "no such experiment as"},
		{"2027", "", "this is no experiment that can be gone on with"},
	} {
		x, err := Find(s, c.name)
		if c.wrong == "" && (err != nil || x.Name != c.want) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q: %+v, %v; want %s%s", c.name, x, err, c.want, c.wrong)
		}
	}
}

func TestRoundsBeginOnTimeAndSayTheHour(t *testing.T) {
	for _, c := range []struct {
		name  string
		every time.Duration
		late  bool // rounds take longer than that
	}{
		{"each when it is time", time.Hour, false},
		{"at once where the one before took longer", time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				few(&p)
				p.Trials, p.Rounds, p.Every = 1, 3, c.every
				var began time.Time
				var waits []time.Time
				p.Progress = func(at Progress) {
					if began.IsZero() {
						began = time.Now()
					}
					if !at.Next.IsZero() {
						waits = append(waits, at.Next)
					}
				}
				runs, err := p.Run(t.Context())
				if err != nil || len(runs) != 18 {
					t.Fatalf("%d runs, %v", len(runs), err)
				}
				end := began
				for i, r := range runs {
					run := load(t, p.Store, r.ID)
					want := end
					if i%6 == 0 && !c.late {
						want = began.Add(time.Duration(i/6) * c.every)
					}
					if !run.Start.Equal(want) || run.Group["hour"] != run.Start.Local().Format("15") {
						t.Errorf("run %d began at %v, hour %s; want %v", i, run.Start, run.Group["hour"], want)
					}
					end = run.Start.Add(run.Wall)
				}
				if c.late && len(waits) > 0 || !c.late && (len(waits) != 2 || !waits[1].Equal(began.Add(2*time.Hour))) {
					t.Errorf("waited for %v", waits)
				}
			})
		})
	}
}

func TestOnlyResultsAreRemembered(t *testing.T) {
	for outcome, want := range map[traces.Outcome]bool{traces.OK: true, traces.FailedCheck: true, traces.Timeout: true, traces.Error: true, traces.Cancelled: false} {
		if ended(&traces.Run{Outcome: outcome}) != want || ended(&traces.Run{Outcome: outcome, Open: true}) {
			t.Errorf("%s: want %v, and never of an open run", outcome, want)
		}
	}
}
