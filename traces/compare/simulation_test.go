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

// An experiment is settings whose runs differ by a factor, on tasks that differ much more.
type experiment struct {
	tasks, trials int
	spread        float64   // of the logarithms of a task's runs
	heavy         bool      // some runs take many times as long
	factors       []float64 // of each setting's times
	limit         time.Duration
	wrong         float64 // share of wrong answers
}

func (e experiment) run(rng *rand.Rand) []measure.Group {
	var runs []*measure.Run
	for task := range e.tasks {
		usual := math.Exp(2 + 0.8*rng.NormFloat64())
		for i, factor := range e.factors {
			for range e.trials {
				log := e.spread * rng.NormFloat64()
				if e.heavy {
					log /= math.Sqrt(rng.ExpFloat64() + 0.05)
				}
				r := run(fmt.Sprint("setting ", i), fmt.Sprint("task ", task), time.Duration(1e9*usual*factor*math.Exp(log)), traces.OK)
				switch {
				case rng.Float64() < e.wrong:
					r.Outcome = traces.FailedCheck
				case e.limit > 0 && r.Wall > e.limit:
					r.Wall, r.Outcome = e.limit, traces.Timeout
				}
				runs = append(runs, r)
			}
		}
	}
	return measure.GroupBy(runs, "effort")
}

func times() int {
	if testing.Short() {
		return 60
	}
	return 160
}

// Where settings are the same, at most one comparison in twenty says that any of them differ in time, or in success, whichever pairs
// are shown.
func TestNoFalseAlarms(t *testing.T) {
	same2, same3 := []float64{1, 1}, []float64{1, 1, 1}
	for i, c := range []struct {
		name string
		experiment
	}{
		{"one task", experiment{tasks: 1, trials: 10, spread: 0.3, factors: same2}},
		{"three settings, three tasks", experiment{tasks: 3, trials: 4, spread: 0.3, factors: same3}},
		{"three settings, eight tasks", experiment{tasks: 8, trials: 4, spread: 0.3, factors: same3}},
		{"three settings, eight tasks, heavy tails", experiment{tasks: 8, trials: 3, spread: 0.3, heavy: true, factors: same3}},
		{"wrong answers and a limit", experiment{tasks: 8, trials: 4, spread: 0.5, heavy: true, factors: same2, limit: 20 * time.Second, wrong: 0.2}},
		{"wrong answers and a limit, one task", experiment{tasks: 1, trials: 20, spread: 0.5, heavy: true, factors: same3, limit: 8 * time.Second, wrong: 0.3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(51, uint64(i)))
			late, wrong, misses, clear := 0, 0, 0, 0
			for range times() {
				got := compare.Of(c.run(rng), compare.Options{Pairs: compare.All})
				var anyLate, anyWrong bool
				for _, p := range got.Pairs {
					anyLate = anyLate || p.Verdict == compare.Faster || p.Verdict == compare.Slower
					anyWrong = anyWrong || p.Success.P <= 0.05
				}
				late, wrong = late+count(anyLate), wrong+count(anyWrong)
				clear += count(got.Clear)
				p := got.Pairs[0]
				misses += count(p.RatioLow != nil && *p.RatioLow > 1 || p.RatioHigh != nil && *p.RatioHigh < 1)
			}
			n := float64(times())
			if most := int(0.05*n + 3.1*math.Sqrt(n*0.05*0.95)); late > most || wrong > most || misses > most || clear > 2*most {
				t.Errorf("of %d: %d found one faster, %d one right more often, %d intervals of one pair without the truth, %d a clear best; want at most %d of each",
					times(), late, wrong, misses, clear, most)
			}
		})
	}
}

// Effects that are there are found as often as promised, sized within their interval, and never turned round.
func TestPlantedEffects(t *testing.T) {
	for i, c := range []struct {
		name string
		experiment
		least, most float64 // share of comparisons that see it
	}{
		{"20 % slower, 8 tasks × 20", experiment{tasks: 8, trials: 20, spread: 0.3, factors: []float64{1, 1.2}}, 0.95, 1},
		{"20 % slower, one task × 40", experiment{tasks: 1, trials: 40, spread: 0.3, factors: []float64{1, 1.2}}, 0.65, 0.9},
		{"5 % slower, 8 tasks × 50", experiment{tasks: 8, trials: 50, spread: 0.1, factors: []float64{1, 1.05}}, 0.95, 1},
		{"5 % slower, 8 tasks × 5: mostly not seen", experiment{tasks: 8, trials: 5, spread: 0.3, factors: []float64{1, 1.05}}, 0, 0.25},
		{"20 % slower, heavy tails and a limit", experiment{tasks: 8, trials: 20, spread: 0.2, heavy: true, factors: []float64{1, 1.2}, limit: time.Minute}, 0.5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(52, uint64(i)))
			seen, turned, held, sized := 0, 0, 0, 0
			for range times() / 2 {
				p := compare.Groups(c.run(rng), compare.Options{Pairs: compare.First})[0]
				seen += count(p.Verdict == compare.Slower)
				turned += count(p.Verdict == compare.Faster)
				sized++
				held += count((p.RatioLow == nil || *p.RatioLow <= c.factors[1]) && (p.RatioHigh == nil || *p.RatioHigh >= c.factors[1]))
				if p.Verdict == compare.NoneSeen && p.Smallest == nil {
					t.Fatal("nothing seen, and the smallest difference that would have been is not said")
				}
			}
			n := float64(times() / 2)
			if share := float64(seen) / n; share < c.least || share > c.most {
				t.Errorf("seen in %.0f %% of comparisons, want %.0f to %.0f %%", 100*share, 100*c.least, 100*c.most)
			}
			if share := float64(held) / float64(sized); share < 0.95-3.1*math.Sqrt(0.05*0.95/n) {
				t.Errorf("the interval holds the true ratio in %.1f %% of comparisons", 100*share)
			}
			if turned > int(n)/40+1 {
				t.Errorf("called faster in %d of %.0f", turned, n)
			}
		})
	}
}

// One of the smallest size that would have been seen is, about four times in five, and so is the observed one with the runs that it needs.
func TestSmallestDifferenceIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	e := experiment{tasks: 1, trials: 20, spread: 0.3, factors: []float64{1, 1}}
	var smallest float64
	n := 0
	for range times() / 4 {
		if p := compare.Groups(e.run(rng), compare.Options{Pairs: compare.First})[0]; p.Smallest != nil {
			smallest, n = smallest+*p.Smallest, n+1
		}
	}
	e.factors[1] = 1 - smallest/float64(n)
	seen := 0
	for range times() {
		seen += count(compare.Groups(e.run(rng), compare.Options{Pairs: compare.First})[0].Verdict == compare.Faster)
	}
	if share := float64(seen) / float64(times()); share < 0.7 || share > 0.9 {
		t.Errorf("a setting %.0f %% faster is seen in %.0f %% of comparisons, want about 80 %%", 100*(1-e.factors[1]), 100*share)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
