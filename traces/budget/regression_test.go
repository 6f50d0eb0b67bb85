package budget_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/budget"
	"github.com/seed46266073/longpole/traces/measure"
)

// made returns n runs around a median time, right times out of n of them correct.
func made(rng *rand.Rand, n, right int, median time.Duration) []measure.Group {
	var runs []*measure.Run
	for i := range n {
		outcome := traces.OK
		if i >= right {
			outcome = traces.FailedCheck
		}
		wall := time.Duration(float64(median) * math.Exp(0.2*rng.NormFloat64()))
		runs = append(runs, measure.Of(&traces.Run{Wall: wall, Outcome: outcome, Root: &traces.Span{}}))
	}
	return measure.GroupBy(runs)
}

func TestRegressions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name          string
		before, now   []measure.Group
		time, success budget.Verdict
		text          string
	}{
		{"twice as long is broken", made(rng, 30, 30, time.Second), made(rng, 30, 30, 2*time.Second), budget.Broken, budget.Untold, "at most 1.10 allowed"},
		{"half as long is kept", made(rng, 30, 30, 2*time.Second), made(rng, 30, 30, time.Second), budget.Kept, budget.Untold, "0.5"},
		{"a few runs that look slower break nothing", made(rng, 5, 5, time.Second), made(rng, 5, 5, 1150*time.Millisecond), budget.Untold, budget.Untold, "runs of each would tell"},
		{"less often right is broken by itself", made(rng, 60, 60, 2*time.Second), made(rng, 60, 20, time.Second), budget.Kept, budget.Broken, ""},
		{"no correct run to compare with cannot be told", made(rng, 5, 0, time.Second), made(rng, 5, 5, time.Second), budget.Untold, budget.Kept, "cannot be compared"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := budget.Regressions(test.before, test.now, 0.1)
			if len(list) != 2 || list[0].Verdict != test.time || list[1].Verdict != test.success || !strings.Contains(list[0].Text, test.text) {
				t.Errorf("got %+v; want %s and %s, with %q", list, test.time, test.success, test.text)
			}
		})
	}
}

func TestASettingThatOneSideLacksCannotBeTold(t *testing.T) {
	runs := made(rand.New(rand.NewPCG(1, 2)), 5, 5, time.Second)
	for _, test := range []struct {
		name          string
		baseline, now []measure.Group
		text          string
	}{
		{"the baseline", nil, runs, "all runs: the baseline holds no runs of it"},
		{"what is checked", runs, nil, "all runs: only the baseline holds runs of it"},
	} {
		list := budget.Regressions(test.baseline, test.now, 0.05)
		if len(list) != 1 || list[0].Verdict != budget.Untold || !list[0].Alone || list[0].Text != test.text {
			t.Errorf("%s lacks it: got %+v, want %q", test.name, list, test.text)
		}
	}
}

// Runs needed are those that would bring the interval to one side of what is allowed, not those that would tell a difference from none.
func TestRunsNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	before, now := made(rng, 20, 20, time.Second), made(rng, 20, 20, time.Second)
	r := budget.Regressions(before, now, 0.05)[0]
	if r.Verdict != budget.Untold || r.Needed == nil || *r.Needed < 21 || *r.Needed > 1000 {
		t.Errorf("got %+v", r)
	}
	r = budget.Regressions(before, now, *r.Change-1+1e-9)[0]
	if r.Needed != nil || !strings.HasSuffix(r.Text, "; it would take more than 10,000 runs of each to tell") {
		t.Errorf("right at the limit: got %+v", r)
	}
}

// The promise to whoever puts this into a build: the same software breaks it hardly ever.
func TestNoiseBreaksNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const builds = 400
	broken := 0
	for range builds {
		for _, r := range budget.Regressions(made(rng, 12, 11, time.Second), made(rng, 12, 11, time.Second), 0.05) {
			if r.Verdict == budget.Broken {
				broken++
			}
		}
	}
	if broken > builds/40 { // half of 5 %, as only one side of the interval counts
		t.Errorf("%d of %d builds broken by noise", broken, builds)
	}
}
