package compare_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tools"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// usual is a model with all that is random about real serving, brief and in few chunks so that many runs can be made.
func usual(name string) simmodel.Profile {
	model := simmodel.Published()[1]
	model.Name, model.Efforts = name, map[string]float64{"low": 0.25, "medium": 0.5, "high": 1}
	return model
}

// slowed is a model whose prefill, decoding and overhead all take factor times as long.
func slowed(model simmodel.Profile, factor float64) simmodel.Profile {
	model.Name = fmt.Sprintf("%s × %g", model.Name, factor)
	model.Bandwidth /= factor
	model.FLOPS /= factor
	model.StepOverhead = scaled(model.StepOverhead, factor)
	model.Overhead = scaled(model.Overhead, factor)
	return model
}

func scaled(d time.Duration, factor float64) time.Duration {
	return time.Duration(math.Round(float64(d) * factor))
}

// jobs are tasks that a simulated model does in three and in two turns.
var jobs = []simmodel.Script{
	{Name: "look", Prompt: "look twice", Play: simmodel.Linear(
		simmodel.Reply{ReasoningTokens: 24, Calls: []simmodel.Call{{Name: "look", Args: `{"at":"notes"}`}}},
		simmodel.Reply{ReasoningTokens: 30, Calls: []simmodel.Call{{Name: "look", Args: `{"at":"logs"}`}}},
		simmodel.Reply{ReasoningTokens: 12, Text: "the answer is 42"},
	)},
	{Name: "ask", Prompt: "look once", Play: simmodel.Linear(
		simmodel.Reply{ReasoningTokens: 60, Calls: []simmodel.Call{{Name: "look", Args: `{"at":"calendar"}`}}},
		simmodel.Reply{ReasoningTokens: 40, Text: "it is due on the 7th of May, a Thursday"},
	)},
}

// A laboratory makes runs of real agents against simulated models, in fake time.
type laboratory struct {
	agentsim.Agent
	made int
}

// inLaboratory lets f make runs of models.
func inLaboratory(t *testing.T, models []simmodel.Profile, f func(*testing.T, *laboratory)) {
	synctest.Test(t, func(t *testing.T) {
		network := simnet.New()
		defer network.Close()
		network.Serve("model.test", simmodel.New(simmodel.Config{Profiles: models, Scripts: jobs, Seed: 1}))
		tr := tracer.New(tracer.Options{})
		defer tr.Shutdown(context.Background())
		lab := &laboratory{Agent: agentsim.Agent{
			Client: openai.NewClient(option.WithBaseURL("http://model.test/v1"), option.WithAPIKey("none"), option.WithHTTPClient(simnet.Client(network))),
			Tools:  []tools.Tool{{Name: "look", Run: func(context.Context, json.RawMessage) (string, error) { return "nothing of note", nil }}},
			Tracer: tr,
		}}
		f(t, lab)
	})
}

// group makes runs of one model at one effort: so many of each task, no two with the same seed.
func (l *laboratory) group(t *testing.T, model simmodel.Profile, effort string, trials int) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for _, job := range jobs {
		for range trials {
			sink := &kept{}
			l.made++
			l.Model, l.Effort, l.Seed = model.Name, effort, int64(l.made)
			check := func(context.Context, string) (bool, string) { return true, "checked" }
			_, err := l.Do(t.Context(), agentsim.Task{Name: job.Name, Prompt: job.Prompt, Verify: check}, tracer.RunConfig{
				Sink: sink, Group: map[string]string{"model": model.Name, "effort": effort, "task": job.Name},
			})
			if err != nil {
				t.Fatal(err)
			}
			built, problems := traces.Build(sink.recs)
			if len(built) != 1 || len(problems) > 0 {
				t.Fatalf("%d runs, problems %v", len(built), problems)
			}
			runs = append(runs, measure.Of(built[0]))
		}
	}
	return runs
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

// An effect that was planted in the simulated model's speed is found in the times of real agents' runs: as often as the statistics promise,
// and of the planted size within the interval.
func TestEffectsPlantedInTheModel(t *testing.T) {
	experiments := 24
	if testing.Short() {
		experiments = 8
	}
	n := float64(experiments)
	chance := func(share float64) float64 { return 3.1 * math.Sqrt(n*share*(1-share)) }
	base := usual("base")
	for _, c := range []struct {
		factor      float64
		least, most float64 // share of experiments in which it is seen
	}{
		{1, 0, 0.05}, {1.05, 0.05, 0.75}, {1.2, 0.9, 1},
	} {
		t.Run(fmt.Sprintf("× %g", c.factor), func(t *testing.T) {
			t.Parallel()
			other := slowed(base, c.factor)
			inLaboratory(t, []simmodel.Profile{base, other}, func(t *testing.T, lab *laboratory) {
				slower, faster, held, promised := 0, 0, 0, 0.0
				for range experiments {
					groups := measure.GroupBy(append(lab.group(t, base, "medium", 6), lab.group(t, other, "medium", 6)...), "model")
					p := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
					slower += count(p.Verdict == compare.Slower)
					faster += count(p.Verdict == compare.Faster)
					held += count(*p.RatioLow <= c.factor && c.factor <= *p.RatioHigh)
					promised += *p.Smallest / n
				}
				t.Logf("of %d experiments %d show it slower, %d faster; the interval holds the factor in %d; %.1f %% would have been seen four times in five",
					experiments, slower, faster, held, 100*promised)
				if seen := float64(slower); seen < n*c.least-chance(c.least) || seen > n*c.most+chance(c.most) {
					t.Errorf("seen in %d, want %.0f to %.0f %%", slower, 100*c.least, 100*c.most)
				}
				if float64(faster) > n*0.025+chance(0.025) {
					t.Errorf("called faster in %d", faster)
				}
				if float64(held) < n*0.95-chance(0.95) {
					t.Errorf("the interval holds the planted factor in %d", held)
				}
				if promised < 0.05 || promised > 0.2 {
					t.Errorf("%.1f %% would have been seen, which is not between what was planted and found, and planted and mostly missed", 100*promised)
				}
			})
		})
	}
}

// A dial that does nothing is called so, one that does something never is, and one that stops at some point is called clamped.
func TestDialsOfTheModel(t *testing.T) {
	works, deaf, two := usual("works"), usual("deaf"), usual("two")
	deaf.Efforts = map[string]float64{"medium": 0.5}
	two.Efforts = map[string]float64{"low": 0.25, "high": 1}
	experiments := 4
	if testing.Short() {
		experiments = 2
	}
	inLaboratory(t, []simmodel.Profile{works, deaf, two}, func(t *testing.T, lab *laboratory) {
		for _, c := range []struct {
			model simmodel.Profile
			want  compare.Effect
		}{{works, compare.Works}, {deaf, compare.Ignored}, {two, compare.Clamped}} {
			got := map[compare.Effect]int{}
			for range experiments {
				var runs []*measure.Run
				for _, effort := range []string{"low", "medium", "high"} {
					runs = append(runs, lab.group(t, c.model, effort, 6)...)
				}
				comparison := compare.Of(measure.GroupBy(runs, "effort"), compare.Options{})
				got[comparison.Knobs[0].Effect]++
			}
			if got[c.want] < experiments-1 {
				t.Errorf("the dial of %q: %v in %d experiments, want %s", c.model.Name, got, experiments, c.want)
			}
		}
	})
}

// Calls that find the conversation in the server's cache and calls that do not fall into two humps; where the cache always fails there is
// one.
func TestWarmAndColdCachesAreToldApart(t *testing.T) {
	mixed, cold := usual("mixed"), usual("cold")
	mixed.CacheMiss, cold.CacheMiss = 0.3, 1
	inLaboratory(t, []simmodel.Profile{mixed, cold}, func(t *testing.T, lab *laboratory) {
		lab.System = strings.Repeat("These are the rules of the house. ", 400)
		for _, c := range []struct {
			model simmodel.Profile
			want  bool
		}{{mixed, true}, {cold, false}} {
			g := measure.GroupBy(lab.group(t, c.model, "medium", 8))[0]
			said := slices.ContainsFunc(g.Notes, func(note string) bool { return strings.Contains(note, "a cache that is sometimes cold") })
			if said != c.want {
				t.Errorf("%s: notes %q", c.model.Name, g.Notes)
			}
		}
	})
}
