package bench

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/traces"
)

func TestPrecision(t *testing.T) {
	// made are runs of two settings in as many trials: low takes 100 s, more or less by the spread; high always takes 50 s.
	made := func(trials int, spread float64) (runs []Run) {
		for trial := 1; trial <= trials; trial++ {
			off := spread * float64((trial*7)%11-5) / 5 // -spread to +spread
			for effort, seconds := range map[string]float64{"low": 100 * (1 + off), "high": 50} {
				runs = append(runs, Run{Trial: trial, Group: map[string]string{"model": "m", "effort": effort, "concurrency": "1"},
					Time: time.Duration(seconds * float64(time.Second)), Result: agentsim.Result{Outcome: traces.OK}})
			}
		}
		return runs
	}
	with := func(runs []Run, outcome traces.Outcome, trials ...int) []Run {
		for i := range runs {
			for _, trial := range trials {
				if runs[i].Trial == trial && runs[i].Group["effort"] == "high" {
					runs[i].Result.Outcome = outcome
				}
			}
		}
		return runs
	}
	for _, c := range []struct {
		name string
		runs []Run
		want string
	}{
		{"nothing is known of no runs", nil, "low +Inf after 0, -1 more"},
		{"nor of five correct ones", made(5, 0.1), "low +Inf after 5, -1 more"},
		{"six that are alike are enough", made(6, 0), "low 0 after 6, 0 more"},
		{"the setting known worst counts", made(11, 0.1), "low 0.08 after 11, 18 more"},
		{"a trial that is not complete does not", append(made(11, 0.1), Run{Trial: 12}), "low 0.08 after 11, 18 more"},
		{"a narrow one is enough", made(11, 0.05), "low 0.04 after 11, 0 more"},
		{"wrong answers have no time", with(made(11, 0.05), traces.FailedCheck, 1, 2, 3, 4, 5, 6), "high +Inf after 11, -1 more"},
		{"runs that were cut off took longer", with(made(11, 0.05), traces.Timeout, 1, 2, 3, 4), "high +Inf after 11, -1 more"},
		{"a few of them still leave an interval", with(made(11, 0.05), traces.Timeout, 1), "low 0.04 after 11, 0 more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Plan{Tasks: runnable()[:1], Grid: Grid{Models: []string{"m"}, Efforts: []string{"low", "high"}}, Until: 0.05, MaxTrials: 20}
			got := p.Precision(c.runs)
			if text := fmt.Sprintf("%s %.3g after %d, %d more", got.Setting, got.Width, got.Trials, got.More); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

func TestAWidthThatIsOutOfReachHasNoNumberOfTrials(t *testing.T) {
	var runs []Run
	for trial := 1; trial <= 11; trial++ {
		runs = append(runs, Run{Trial: trial, Group: map[string]string{"model": "m", "concurrency": "1"},
			Time: time.Duration(trial) * time.Second, Result: agentsim.Result{Outcome: traces.OK}})
	}
	p := Plan{Tasks: runnable()[:1], Grid: Grid{Models: []string{"m"}}, Until: 1e-12, MaxTrials: 20}
	if got := p.Precision(runs); got.More != -1 || got.Trials != 11 || !(got.Width < 1) {
		t.Errorf("got %+v", got)
	}
}

func TestTrialsGoOnUntilTheTimesAreKnown(t *testing.T) {
	for _, c := range []struct {
		name   string
		until  float64
		trials int
		more   bool
	}{
		{"six of a constant time", 0.001, 6, false},
		{"all of one that never gets so narrow", 0.00001, 8, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p Plan) {
				if c.more {
					few(&p)
					p.Tasks, p.Efforts = p.Tasks[:1], []string{"high"}
				} else {
					constant(&p)
				}
				p.Until, p.MaxTrials, p.Trials, p.Loads = c.until, 8, 0, nil
				var last Progress
				totals := map[int]bool{}
				p.Progress = func(at Progress) { last = at; totals[at.Total] = true }
				runs, err := p.Run(t.Context())
				if err != nil || len(runs) != c.trials {
					t.Fatalf("%d runs, %v; want %d trials", len(runs), err, c.trials)
				}
				got := p.Precision(runs)
				if got.Trials != c.trials || (got.More > 0) != c.more || math.IsInf(got.Width, 1) || (got.Width <= c.until) == c.more {
					t.Errorf("%+v", got)
				}
				if totals[1] || !last.Estimate {
					t.Errorf("totals told: %v; six runs are the least that tell; estimate: %v", totals, last.Estimate)
				}
				if last.Done != c.trials || last.Total != c.trials || last.Precision == nil || last.Precision.Trials != c.trials-1 {
					t.Errorf("the last report was %+v", last)
				}
			})
		})
	}
}
