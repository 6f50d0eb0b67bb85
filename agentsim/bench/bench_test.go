package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/store"
)

// inBubble runs f with a plan of all tasks on the simulated model, in fake time and on a network in memory.
func inBubble(t *testing.T, f func(t *testing.T, p Plan)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := simnet.New()
		defer network.Close()
		kept, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		tr := tracer.New(tracer.Options{})
		defer tr.Shutdown(context.Background())
		var port atomic.Int64
		model := terse()
		f(t, Plan{
			Tasks: runnable(), Trials: 2, Seed: 1,
			Grid:   Grid{Models: []string{model.Name}, Efforts: []string{"low", "medium", "high"}, Loads: []Load{{Users: 3}}},
			Sim:    &simmodel.Config{Profiles: []simmodel.Profile{model}, Faults: simmodel.Faults{RateLimit: 0.04, Cut: 0.02, Stall: 0.02}},
			Tracer: tr, Store: kept,
			listen: func() (net.Listener, error) {
				return network.Listen(fmt.Sprintf("127.0.0.1:%d", 1000+port.Add(1))), nil
			},
			dial: network.DialContext,
		})
	})
}

// terse is a model that thinks a tenth of what is usual, in a tenth of the chunks.
func terse() simmodel.Profile {
	model := simmodel.Published()[0]
	model.Name, model.Efforts = "terse", map[string]float64{"low": 0.03, "medium": 0.1, "high": 0.24}
	return model
}

// runnable returns the tasks for this machine, without pauses: programs do not sleep in fake time.
func runnable() []tasks.Task {
	all := slices.DeleteFunc(tasks.All(), func(t tasks.Task) bool { return t.Missing() != "" })
	for i := range all {
		all[i].Pause = 0
	}
	return all
}

// load returns what the store has of a run.
func load(t testing.TB, s *store.Store, id string) *traces.Run {
	t.Helper()
	records, problems, err := s.Load(id)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v, %v", id, err, problems)
	}
	runs, problems := traces.Build(records)
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("%s: %d runs, problems %v", id, len(runs), problems)
	}
	return runs[0]
}

func TestEveryCombinationIsRunAndRecordedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		var seen []Progress
		p.Progress = func(at Progress) { seen = append(seen, at) }
		runs, err := p.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		total := len(p.Tasks) * 3 * 2
		if len(runs) != total || len(seen) != total+1 || seen[0].Last != nil {
			t.Fatalf("%d runs and %d reports, want %d runs", len(runs), len(seen), total)
		}
		entries, err := p.Store.List()
		if err != nil || len(entries) != total {
			t.Errorf("%d runs in the store, %v", len(entries), err)
		}
		combinations := map[string]bool{}
		right, retries := map[string]int{}, 0
		for i, r := range runs {
			combination := fmt.Sprint(r.Task, r.Model, r.Effort, r.Trial)
			if combinations[combination] || r.Trial != i/(total/2)+1 {
				t.Errorf("run %d: %s again, or not in its block", i, combination)
			}
			combinations[combination] = true
			run := load(t, p.Store, r.ID)
			group := map[string]string{"task": r.Task, "model": r.Model, "effort": r.Effort, "trial": fmt.Sprint(r.Trial), "concurrency": "3", "experiment": run.Group["experiment"]}
			if diff := cmp.Diff(group, run.Group); diff != "" || run.Group["experiment"] == "" {
				t.Errorf("%s: tags (-want +got):\n%s", r.ID, diff)
			}
			if run.Open || run.Outcome != r.Result.Outcome || len(run.Steps) != r.Result.Steps || len(run.ToolCalls) != r.Result.ToolCalls || len(run.Problems) > 0 {
				t.Errorf("%s: recorded open %v, %s, %d steps, problems %v; was %+v", r.ID, run.Open, run.Outcome, len(run.Steps), run.Problems, r.Result)
			}
			var sum time.Duration
			for _, s := range critpath.Find(run).Segments {
				sum += s.To - s.From
			}
			if sum != run.Wall {
				t.Errorf("%s: the parts are %v, the run is %v", r.ID, sum, run.Wall)
			}
			for _, c := range run.ModelCalls {
				retries += len(c.Attempts) - 1
			}
			switch r.Result.Outcome {
			case traces.OK:
				right[r.Effort]++
			case traces.FailedCheck:
			default:
				t.Errorf("%s: %s, %v", r.ID, r.Result.Outcome, r.Err)
			}
		}
		last := seen[len(seen)-1]
		if last.Done != total || last.Total != total || last.Failed != total-right["low"]-right["medium"]-right["high"] || last.Remaining != 0 || last.Last == nil {
			t.Errorf("last report %+v", last)
		}
		if retries == 0 || right["low"] == total/3 || right["high"] < total/3-2 {
			t.Errorf("%d retries, right answers %v of %d", retries, right, total/3)
		}
	})
}

func TestTheSamePlanGivesTheSameRuns(t *testing.T) {
	play := func(seed int64, scale float64) (list []string) {
		inBubble(t, func(t *testing.T, p Plan) {
			p.Seed, p.Speed, p.Loads, p.Trials = seed, scale, nil, 1
			p.Tasks = slices.DeleteFunc(p.Tasks, func(t tasks.Task) bool { return t.Site == nil && t.Name != "csv-total" && t.Name != "fix-config" })
			runs, err := p.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				wall := load(t, p.Store, r.ID).Wall.Round(time.Millisecond)
				list = append(list, fmt.Sprintln(r.Task, r.Effort, r.Trial, r.Result.Outcome, r.Result.Steps, r.Result.ToolCalls, wall))
			}
		})
		return list
	}
	first := play(1, 1)
	if diff := cmp.Diff(first, play(1, 1)); diff != "" {
		t.Errorf("the same seed gave other runs:\n%s", diff)
	}
	if diff := cmp.Diff(first, play(1, 10)); diff != "" {
		t.Errorf("ten times the speed changed what was recorded:\n%s", diff)
	}
	if slices.Equal(first, play(2, 1)) {
		t.Error("another seed gave the same runs")
	}
}

func TestACancelledPlanLeavesFinishedRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		stopped := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		p.Progress = func(at Progress) {
			if at.Done == 10 {
				cancel(stopped)
			}
		}
		runs, err := p.Run(ctx)
		if !errors.Is(err, stopped) {
			t.Errorf("error %v", err)
		}
		cancelled := 0
		for _, r := range runs {
			run := load(t, p.Store, r.ID)
			if run.Open || run.Outcome != r.Result.Outcome {
				t.Errorf("%s: open %v, recorded as %s, was %s", r.ID, run.Open, run.Outcome, r.Result.Outcome)
			}
			if r.Result.Outcome == traces.Cancelled {
				cancelled++
			}
		}
		if len(runs) != 10+cancelled || cancelled == 0 || cancelled > 3 {
			t.Errorf("%d runs, %d of them cancelled", len(runs), cancelled)
		}
	})
}

func TestAPlanThatCannotBeRunSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Plan)
		want string
	}{
		{"without tasks", func(p *Plan) { p.Tasks = nil }, "no tasks"},
		{"without models", func(p *Plan) { p.Models = nil }, "no models"},
		{"without a server", func(p *Plan) { p.Sim = nil }, "exactly one of Endpoints and Sim"},
		{"with two servers", func(p *Plan) { p.Endpoints = []Endpoint{{URL: "http://x/v1"}} }, "exactly one of Endpoints and Sim"},
		{"without a tracer", func(p *Plan) { p.Tracer = nil }, "no tracer"},
		{"with a negative number", func(p *Plan) { p.Trials = -1 }, "must not be negative"},
		{"with a task that needs a program", func(p *Plan) { p.Tasks = []tasks.Task{{Name: "odd", Commands: []string{"no-such-program"}}} },
			`task odd needs the program "no-such-program"`},
		{"with a task that the simulated model cannot play", func(p *Plan) { p.Tasks = []tasks.Task{{Name: "own"}} }, "task own has no script, so the simulated model cannot play it"},
		{"with two tasks of one prompt", func(p *Plan) { p.Tasks = append(p.Tasks, p.Tasks[0]) }, "have the same name or prompt"},
		{"with a tag that runs have already", func(p *Plan) { p.Group = map[string]string{"trial": "7"} }, `runs have a tag "trial" already`},
		{"with a field that is set otherwise", func(p *Plan) { p.Fields = []Field{{"messages", []any{1}}} }, `the field "messages" of requests is set otherwise`},
		{"with a field that hides a tag", func(p *Plan) { p.Fields = []Field{{"rate", []any{1}}} }, `"rate" cannot be the name of a field`},
		{"with two settings that are one", func(p *Plan) { p.Fields = []Field{{"top_p", []any{1, 1.0}}} }, "two settings have the same tags"},
		{"with a load that is none", func(p *Plan) { p.Loads = []Load{{Rate: -1}} }, "must not be negative"},
		{"with a rate too low to wait for", func(p *Plan) { p.Loads = []Load{{Rate: 1e-300}} }, "from one run a day to a million a second"},
		{"with a rate that is no number", func(p *Plan) { p.Loads = []Load{{Rate: math.NaN()}} }, "from one run a day to a million a second"},
		{"with a temperature that is no number", func(p *Plan) { p.Temperatures = []float64{0, math.NaN()} }, "a temperature is a finite number"},
		{"with more runs than can be laid out", func(p *Plan) { p.Trials, p.Rounds = 1<<62, 1<<62 }, "more than 1000000 runs"},
		{"with more settings than can be laid out", func(p *Plan) {
			p.Temperatures, p.Parallel = make([]float64, 1<<20), make([]int, 1<<20)
		}, "more than 1000000 runs"},
		{"with rounds until something is known", func(p *Plan) { p.Until, p.Rounds = 0.1, 2 }, "rounds have a number of trials"},
		{"with a model that the server does not have", func(p *Plan) { p.Models = []string{"other"} }, "got no reply from model other"},
		{"with a server that is not there", func(p *Plan) { p.Sim, p.Endpoints = nil, []Endpoint{{URL: "http://nowhere.test/v1"}} }, "got no reply"},
		{"with a server that is not there and a limit shorter than the retries", func(p *Plan) {
			p.Sim, p.Endpoints, p.Limit = nil, []Endpoint{{URL: "http://nowhere.test/v1"}}, 3*time.Second
		}, `step 1: the run's time limit is over; the last attempt had failed: Post "http://nowhere.test/v1/chat/completions"`},
		{"with a server that takes longer than the limit", func(p *Plan) {
			p.Sim.Faults, p.Limit = simmodel.Faults{SlowHeaders: 1, HeaderDelay: time.Minute}, 5*time.Second
		}, "got no reply from model terse: task "},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				c.edit(&p)
				runs, err := p.Run(t.Context())
				if err == nil || !strings.Contains(err.Error(), c.want) || len(runs) != 0 {
					t.Errorf("%d runs, error %v, want %q", len(runs), err, c.want)
				}
				if entries, _ := p.Store.List(); len(entries) != 0 {
					t.Errorf("%d runs were recorded", len(entries))
				}
			})
		})
	}
}

func TestALimitThatCutsRepliesOffIsAResult(t *testing.T) {
	inBubble(t, func(t *testing.T, p Plan) {
		p.Sim.Faults = simmodel.Faults{}
		p.Limit = 500 * time.Millisecond
		runs, err := p.Run(t.Context())
		if err != nil || len(runs) != len(p.Tasks)*3*2 {
			t.Errorf("%d runs, %v", len(runs), err)
		}
		for _, r := range runs {
			if r.Result.Outcome != traces.Timeout || !r.Result.Replied {
				t.Errorf("%s: %+v, %v", r.ID, r.Result, r.Err)
			}
		}
	})
}

func TestNamesOfRunsSortInTheOrderOfTheirBeginning(t *testing.T) {
	p := Plan{Tasks: tasks.All(), Grid: Grid{Models: []string{"a", "b"}}, Trials: 6, Seed: 3}
	o := p.order("bench-" + stamp(time.Date(2026, 5, 4, 9, 30, 0, 7e6, time.UTC)))
	var ids []string
	for trial := 1; trial <= 6; trial++ {
		for _, b := range o.block(trial) {
			for _, c := range b.cells {
				ids = append(ids, c.id)
			}
		}
	}
	if !slices.IsSorted(ids) || len(ids) != 9*2*6 || !strings.HasPrefix(ids[4], "bench-20260504T093000007-005-") || !strings.HasSuffix(ids[4], "-default-1") {
		t.Errorf("%q", ids)
	}
}

func TestATrialHasTheSameSeedInEverySetting(t *testing.T) {
	p := Plan{Seed: 5}
	a := p.seed("csv-total", 1)
	if a != p.seed("csv-total", 1) || a == p.seed("csv-total", 2) || a == p.seed("first-error", 1) || a <= 0 {
		t.Errorf("seed %d", a)
	}
	p.Seed = 6
	if a == p.seed("csv-total", 1) {
		t.Error("the plan's seed does not matter")
	}
}
