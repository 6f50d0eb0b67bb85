package blame_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// A loop is how the calls of synthetic runs get slower. Times without growth have noise that is far from normal, and each run has a level
// of its own, much wider than the growth.
type loop struct {
	runs, steps  int
	waitPerStep  time.Duration // added to the wait for the first token, each step; a step adds 500 input tokens
	tokenPerStep time.Duration // added to the time of each of 40 output tokens
	toolPerStep  time.Duration
}

func (l loop) measure(rng *rand.Rand) []*measure.Run {
	var runs []*measure.Run
	noise := func(d time.Duration) time.Duration {
		return time.Duration(float64(d) * math.Exp(0.2*rng.NormFloat64()))
	}
	for k := range l.runs {
		level := math.Exp(rng.NormFloat64())
		base := tracetest.Epoch.UnixNano()
		trace := fmt.Sprint("t", k)
		recs := []traces.Record{{TraceID: trace, SpanID: "run", Name: "run", Start: base, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "agent"}}}}
		at := base
		add := func(parent, name string, role traces.Role, from int64, lasts time.Duration, attrs ...traces.Attr) string {
			id := fmt.Sprint(len(recs))
			recs = append(recs, traces.Record{TraceID: trace, SpanID: id, ParentID: parent, Name: name, Start: from, End: from + int64(lasts),
				Attrs: append(traces.Attrs{{Key: traces.KeyRole, Value: string(role)}}, attrs...)})
			return id
		}
		for step := range l.steps {
			wait := noise(time.Duration(300*level)*time.Millisecond) + time.Duration(step)*l.waitPerStep
			token := noise(20*time.Millisecond) + time.Duration(step)*l.tokenPerStep
			decode := 39 * token
			tool := noise(time.Duration(500*level)*time.Millisecond) + time.Duration(step)*l.toolPerStep
			turn := add("run", "step", traces.RoleStep, at, wait+decode+tool)
			call := add(turn, "chat", traces.RoleModel, at, wait+decode, traces.Attr{Key: traces.KeyRequestModel, Value: "m"},
				traces.Attr{Key: traces.KeyInputTokens, Value: int64(2000 + 500*step)}, traces.Attr{Key: traces.KeyOutputTokens, Value: int64(40)})
			phase := func(c traces.Component, from, lasts time.Duration) {
				add(call, string(c), traces.RolePhase, at+int64(from), lasts, traces.Attr{Key: traces.KeyPhase, Value: string(c)})
			}
			phase(traces.Wait, 0, wait)
			phase(traces.Output, wait, decode)
			add(turn, "tool", traces.RoleTool, at+int64(wait+decode), tool)
			at += int64(wait + decode + tool)
		}
		recs[0].End = at
		built, _ := traces.Build(recs)
		runs = append(runs, measure.Of(built[0]))
	}
	return runs
}

// A planted drift is found where it was planted, and its size is in the interval.
func TestDriftIsFound(t *testing.T) {
	for _, c := range []struct {
		name string
		loop loop
		want map[string]time.Duration // true slopes; the others are not looked at
	}{
		{"waiting grows with the context", loop{runs: 12, steps: 8, waitPerStep: 60 * time.Millisecond},
			map[string]time.Duration{"time to first token per step": 60e6, "time to first token per 1,000 input tokens": 120e6}},
		{"tokens come slower", loop{runs: 12, steps: 8, tokenPerStep: 2 * time.Millisecond}, map[string]time.Duration{"time per output token per 1,000 input tokens": 4e6}},
		{"tools get slower, and the steps with them", loop{runs: 12, steps: 8, toolPerStep: 200 * time.Millisecond}, map[string]time.Duration{"step time per step": 200e6}},
		{"one long run is enough", loop{runs: 1, steps: 40, waitPerStep: 100 * time.Millisecond}, map[string]time.Duration{"time to first token per step": 100e6}},
		{"it may get faster", loop{runs: 20, steps: 6, waitPerStep: -20 * time.Millisecond}, map[string]time.Duration{"time to first token per step": -20e6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range blame.Of(c.loop.measure(rand.New(rand.NewPCG(11, 12)))).Drifts {
				want, planted := c.want[fmt.Sprintf("%s per %s", d.Of, d.Over)]
				if planted && (!d.Seen || d.Low > want || want > d.High) {
					t.Errorf("%s per %s: got %v to %v, seen %v, want %v", d.Of, d.Over, d.Low, d.High, d.Seen, want)
				}
			}
		})
	}
}

// Without a drift, any of the four is seen in at most one of twenty blames.
func TestNoDriftIsNotFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const trials = 300
	seen := 0
	for range trials {
		for _, d := range blame.Of(loop{runs: 6, steps: 6}.measure(rng)).Drifts {
			if !d.Told {
				t.Fatalf("%s per %s: not told from %d", d.Of, d.Over, d.N)
			}
			if d.Seen {
				seen++
				break
			}
		}
	}
	if share := float64(seen) / trials; share > 0.05 {
		t.Errorf("a drift was seen in %.1f %% of blames without one, want at most 5 %%", 100*share)
	}
}

// Runs of different levels and lengths look like a drift to whoever throws them together: the slow ones are the long ones.
func TestLevelsAreNoDrift(t *testing.T) {
	var runs []*measure.Run
	for k := range 12 {
		text := "run    ========================"
		for step := range 3 + k/2 {
			text += fmt.Sprintf("\n chat  %*s%s  model:m", 2*step, "", []string{"w", "ww"}[k/6])
		}
		runs = append(runs, drawn(t, text)...)
	}
	for _, d := range blame.Of(runs).Drifts {
		if d.Seen {
			t.Errorf("%s per %s: saw %v to %v", d.Of, d.Over, d.Low, d.High)
		}
	}
}

// Side calls, failed calls and calls of other agents have contexts of their own.
func TestOnlyCallsOfOneContextAreCompared(t *testing.T) {
	d := blame.Of(drawn(t, `
		run       ========================
		 chat     wo                          model:big gen_ai.usage.input_tokens=1000
		 title    wo                          side model:big gen_ai.usage.input_tokens=10
		 chat       ww                        model:big gen_ai.usage.input_tokens=1500 status:500 error
		 chat           wwo                   model:big gen_ai.usage.input_tokens=1500
		 ask               =====
		  agent2           =====
		   chat            wo                 model:big gen_ai.usage.input_tokens=100
		   chat              wo               model:big gen_ai.usage.input_tokens=200
		 chat                    wo           model:small gen_ai.usage.input_tokens=1500
	`)).Drifts
	if got, want := fmt.Sprint(d[2].N, " of ", d[2].Runs), "4 of 2"; got != want {
		t.Errorf("%s per %s: compared %s, want %s", d[2].Of, d[2].Over, got, want)
	}
}
