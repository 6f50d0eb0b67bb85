package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// thinking makes a run of two calls that reasoned about so many tokens each; -1 was not counted.
func thinking(effort, sent, task string, tokens float64) *measure.Run {
	r := run(effort, task, 10*time.Second, traces.OK)
	for range 2 {
		c := &traces.ModelCall{Effort: sent, Outcome: traces.OK}
		if tokens >= 0 {
			n := int64(tokens)
			c.Usage.Reasoning = &n
		}
		r.ModelCalls = append(r.ModelCalls, c)
		r.Calls = append(r.Calls, measure.Call{ModelCall: c, Answer: &traces.Attempt{Span: &traces.Span{}}})
	}
	return r
}

// dial makes runs of each effort on some tasks: amounts are the mean tokens of a call at low, medium, high.
func dial(rng *rand.Rand, tasks, trials int, amounts ...float64) []measure.Group {
	var runs []*measure.Run
	for task := range tasks {
		hard := math.Exp(rng.NormFloat64())
		for i, effort := range []string{"low", "medium", "high"}[:len(amounts)] {
			for range trials {
				tokens := amounts[i]
				if tokens > 0 {
					tokens *= hard * math.Exp(0.15*rng.NormFloat64())
				}
				runs = append(runs, thinking(effort, effort, fmt.Sprint("task ", task), tokens))
			}
		}
	}
	return measure.GroupBy(runs, "effort")
}

func TestKnob(t *testing.T) {
	for _, c := range []struct {
		name    string
		amounts []float64
		tasks   int
		trials  int
		want    compare.Effect
		least   float64 // share of simulated experiments that say so
	}{
		{"more effort, more reasoning", []float64{100, 300, 900}, 4, 4, compare.Works, 1},
		{"ignored", []float64{400, 400, 400}, 8, 8, compare.Ignored, 0.85},
		{"no reasoning at any effort", []float64{0, 0, 0}, 2, 2, compare.Ignored, 1},
		{"clamped: high is medium", []float64{100, 400, 400}, 8, 8, compare.Clamped, 0.85},
		{"clamped: medium is low", []float64{100, 100, 400}, 8, 8, compare.Clamped, 0.85},
		{"inverted", []float64{900, 300, 100}, 4, 4, compare.Inverted, 1},
		{"inverted at the top", []float64{100, 900, 300}, 4, 6, compare.Inverted, 1},
		{"not counted", []float64{-1, -1, -1}, 4, 4, compare.Untold, 1},
		{"too few to tell", []float64{100, 110, 125}, 1, 2, compare.Untold, 0.7},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(71, 72))
			const experiments = 24
			said := map[compare.Effect]int{}
			for range experiments {
				knobs := compare.Of(dial(rng, c.tasks, c.trials, c.amounts...), compare.Options{}).Knobs
				if len(knobs) != 1 {
					t.Fatalf("got %d knobs", len(knobs))
				}
				said[knobs[0].Effect]++
			}
			if share := float64(said[c.want]) / experiments; share < c.least {
				t.Errorf("called %s in %.0f %% of experiments, want %.0f %%: %v", c.want, 100*share, 100*c.least, said)
			}
		})
	}
}

func TestKnobText(t *testing.T) {
	of := func(list ...*measure.Run) []measure.Group { return measure.GroupBy(list, "effort") }
	for _, c := range []struct {
		name   string
		groups []measure.Group
		want   string
	}{
		{"the same", of(thinking("low", "low", "", 50), thinking("high", "high", "", 50)), "Effort changed nothing: about 50 reasoning tokens a call at every setting."},
		{"none", of(thinking("low", "low", "", 0), thinking("high", "high", "", 0)), "Effort changed nothing: no reasoning tokens at any setting."},
		{"not counted", of(thinking("low", "low", "", 50), thinking("high", "high", "", -1)), "Whether effort did anything cannot be told: the reasoning tokens were not counted in every call."},
		{
			"requests carried another effort", of(thinking("low", "medium", "", 50), thinking("high", "high", "", 50)),
			"Effort changed nothing: about 50 reasoning tokens a call at every setting. What was sent is not what the runs are called by: at low the requests asked for medium.",
		},
		{"one effort has no knob", of(thinking("low", "low", "", 50)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, k := range compare.Of(c.groups, compare.Options{}).Knobs {
				got += k.Text
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Each model has its own knob.
func TestKnobOfEachModel(t *testing.T) {
	var runs []*measure.Run
	for _, model := range []string{"a", "b"} {
		for _, effort := range []string{"low", "high"} {
			r := thinking(effort, effort, "", 50)
			r.Group["model"] = model
			runs = append(runs, r)
		}
	}
	knobs := compare.Of(measure.GroupBy(runs, "model", "effort"), compare.Options{}).Knobs
	if len(knobs) != 2 || knobs[1].Setting != "b" || knobs[1].Text != "Effort of b changed nothing: about 50 reasoning tokens a call at every setting." {
		t.Errorf("got %+v", knobs)
	}
}
