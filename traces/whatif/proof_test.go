package whatif_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tools"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
	"github.com/seed46266073/longpole/traces/whatif"
)

// A world is what a run of the simulator depends on: two worlds with the same seeds differ in what was set differently, and in
// nothing else.
type world struct {
	model    simmodel.Profile
	faults   simmodel.Faults
	parallel int                // of the agent's tools
	faster   map[string]float64 // factor on the time of a tool
	sitesNow bool               // sites answer at once
	seed     int64
}

// usual is a model with all that is random about real serving, on a network, with tools that take their time.
func usual() world {
	model := simmodel.Published()[0]
	model.Name, model.CacheMiss = "sim", 0
	model.Efforts = map[string]float64{"medium": 0.4} // less thinking, and fewer chunks to simulate
	return world{model: model, seed: 1}
}

// run makes one run of a task in this world, in fake time.
func (w world) run(t *testing.T, task tasks.Task) *measure.Run {
	t.Helper()
	if w.sitesNow && task.Site != nil {
		task.Site = &tasks.Site{Pages: task.Site.Pages}
	}
	sink := &kept{}
	synctest.Test(t, func(t *testing.T) {
		network := simnet.New()
		defer network.Close()
		network.SetLink("model.test", simnet.Link{Connect: 20 * time.Millisecond, Latency: 8 * time.Millisecond})
		network.Serve("model.test", simmodel.New(simmodel.Config{
			Profiles: []simmodel.Profile{w.model}, Scripts: tasks.Scripts([]tasks.Task{task}), Seed: w.seed, Faults: w.faults,
		}))
		tr := tracer.New(tracer.Options{Sink: sink})
		defer tr.Shutdown(context.Background())
		var port atomic.Int64
		place, err := task.Open(tasks.Options{
			Listen: func() (net.Listener, error) {
				return network.Listen(fmt.Sprintf("127.0.0.1:%d", 1000+port.Add(1))), nil
			},
			Dial: network.DialContext,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer place.Close()
		agent := &agentsim.Agent{
			Client: openai.NewClient(option.WithBaseURL("http://model.test/v1"), option.WithAPIKey("none"), option.WithHTTPClient(simnet.Client(network))),
			Model:  w.model.Name, Effort: "medium", Seed: 7 + w.seed, Parallel: w.parallel, Tracer: tr,
		}
		for _, tool := range place.Tools {
			agent.Tools = append(agent.Tools, w.slow(tool))
		}
		if _, err := agent.Do(t.Context(), agentsim.Task{Name: task.Name, Prompt: task.Prompt, Verify: place.Verify}, tracer.RunConfig{}); err != nil {
			t.Fatal(err)
		}
	})
	runs, problems := traces.Build(sink.recs)
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("%d runs, problems %v", len(runs), problems)
	}
	return measure.Of(runs[0])
}

// slow gives a tool a time of its own, which the arguments decide: from 0.2 to 2.2 seconds.
func (w world) slow(tool tools.Tool) tools.Tool {
	run := tool.Run
	tool.Run = func(ctx context.Context, args json.RawMessage) (string, error) {
		h := fnv.New32a()
		fmt.Fprint(h, tool.Name, siteless(args))
		took := 200*time.Millisecond + time.Duration(h.Sum32()%2000)*time.Millisecond
		if f, ok := w.faster[tool.Name]; ok {
			took = time.Duration(float64(took) * f)
		}
		time.Sleep(took)
		return run(ctx, args)
	}
	return tool
}

// kept is a sink in memory.
type kept struct {
	mu   sync.Mutex
	recs []traces.Record
}

func (k *kept) Write(recs ...traces.Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.recs = append(k.recs, recs...)
	return nil
}

// runnable returns the tasks for this machine, without pauses: programs do not sleep in fake time.
func runnable() []tasks.Task {
	all := slices.DeleteFunc(tasks.All(), func(t tasks.Task) bool { return t.Missing() != "" })
	for i := range all {
		all[i].Pause = 0
	}
	return all
}

// A prediction must agree with the simulator actually run that way: the same seeds, that one change. The agent takes the same steps in
// both worlds, which is checked: none of the changes is one that its scripts look at.
func TestPredictionsAgreeWithTheSimulatorRunThatWay(t *testing.T) {
	flaky := usual()
	flaky.faults = simmodel.Faults{RateLimit: 0.15, ServerError: 0.1, Cut: 0.1}
	serial := usual()
	serial.parallel = 1
	constant := usual()
	constant.model = simmodel.Profile{Name: "sim", Exact: &simmodel.Exact{Headers: 60 * time.Millisecond, TTFT: 350 * time.Millisecond, Rate: 40}}
	thinking := usual()
	thinking.model.Efforts = map[string]float64{"medium": 1}
	forgetful := usual()
	forgetful.model.CacheMiss, forgetful.model.FLOPS = 1, forgetful.model.FLOPS/4

	slow := forgetful
	slow.model.Overhead = 600 * time.Millisecond

	for n, c := range []struct {
		plan   string
		world  world
		change func(*world)
	}{
		{plan: "decode.rate*2", world: usual(), change: func(w *world) {
			w.model.Bandwidth *= 2
			w.model.StepOverhead /= 2
		}},
		{plan: "decode.rate=120", world: constant, change: func(w *world) {
			w.model.Exact = &simmodel.Exact{Headers: w.model.Exact.Headers, TTFT: w.model.Exact.TTFT, Rate: 120}
		}},
		{plan: "reasoning*0.5", world: thinking, change: func(w *world) { w.model.Efforts = map[string]float64{"medium": 0.5} }},
		{plan: "tool[read_file]*0.1", world: usual(), change: func(w *world) { w.faster = map[string]float64{"read_file": 0.1} }},
		{plan: "tool[run_command]*0.1", world: usual(), change: func(w *world) { w.faster = map[string]float64{"run_command": 0.1} }},
		{plan: "tool[fetch_url]=cached", world: usual(), change: func(w *world) {
			w.faster, w.sitesNow = map[string]float64{"fetch_url": 0}, true
		}},
		{plan: "retry=off", world: flaky, change: func(w *world) { w.faults = simmodel.Faults{} }},
		{plan: "wait*0.5", world: slow, change: func(w *world) {
			w.model.Overhead /= 2
			w.model.FLOPS *= 2
		}},
		{plan: "wait=cached", world: forgetful, change: func(w *world) { w.model.FLOPS *= 1e6 }}, // input that has all been read before
		{plan: "--tools", world: serial, change: func(w *world) { w.parallel = 0 }},
		{plan: "--tools decode.rate*2 tool[read_file]*0.1", world: serial, change: func(w *world) {
			w.parallel = 0
			w.faster = map[string]float64{"read_file": 0.1}
			w.model.Bandwidth *= 2
			w.model.StepOverhead /= 2
		}},
	} {
		plan := planOf(t, c.plan)
		t.Run(strings.Join(plan.Labels(), " "), func(t *testing.T) {
			t.Parallel()
			var errors, changes []float64
			for _, task := range runnable() {
				before, after := c.world, c.world
				before.seed, after.seed = int64(n), int64(n)
				c.change(&after)
				recorded, actual := before.run(t, task), after.run(t, task)
				if steps(recorded) != steps(actual) {
					t.Errorf("%s: other steps: %s, %s", task.Name, steps(recorded), steps(actual))
				}
				seen := []*measure.Run{recorded}
				if c.plan == "wait=cached" { // some calls must have been seen with cached input
					mindful := before
					mindful.model.CacheMiss = 0
					seen = append(seen, mindful.run(t, task))
				}
				a := whatif.Of(recorded, plan, seen)
				off, change := share(a.After.Wall, actual.Wall), share(actual.Wall, recorded.Wall)
				if math.Abs(change) < 0.005 && math.Abs(off) < 0.005 {
					continue // a task without such a tool or failure tells nothing
				}
				errors = append(errors, math.Abs(off))
				changes = append(changes, change)
				t.Logf("%-16s %8v → %8v, predicted %8v (%+.2f %%), range %v … %v", task.Name, round(recorded.Wall), round(actual.Wall),
					round(a.After.Wall), 100*off, round(a.Low), round(a.High))
			}
			if len(errors) == 0 {
				t.Fatal("no run tells anything")
			}
			median, _ := stats.Median(errors)
			changed, _ := stats.Median(changes)
			t.Logf("%s: %d runs, changed by %+.0f %% at the median; error %.2f %% at the median, %.2f %% at worst", strings.Join(plan.Labels(), " "),
				len(errors), 100*changed, 100*median, 100*slices.Max(errors))
			if median > 0.02 {
				t.Errorf("median error %.2f %% of the total, want at most 2 %%", 100*median)
			}
		})
	}
}

// share returns by how much of b a is more.
func share(a, b time.Duration) float64 { return float64(a-b) / float64(b) }

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// steps is what an agent did: its calls of tools, step by step.
func steps(r *measure.Run) string {
	var b strings.Builder
	for _, s := range r.Run.Steps {
		var names []string
		for _, c := range s.ToolCalls {
			names = append(names, c.Name)
		}
		slices.Sort(names)
		fmt.Fprint(&b, names)
	}
	return b.String()
}

// siteless is the arguments of a call without the address of the site, which differs between runs.
func siteless(args json.RawMessage) string {
	s := string(args)
	if i := strings.LastIndex(s, ":1"); i >= 0 {
		return s[strings.IndexByte(s[i:], '/')+i:]
	}
	return s
}
