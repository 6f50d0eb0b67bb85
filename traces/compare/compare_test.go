package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// run is a finished run without anything in it.
func run(setting, task string, wall time.Duration, outcome traces.Outcome) *measure.Run {
	return &measure.Run{
		Run: &traces.Run{Wall: wall, Outcome: outcome, Check: "checked", TimeScale: 1, Group: map[string]string{"effort": setting, "task": task}},
	}
}

// listed makes runs of whole seconds: "low: 10 11 12x 900t" is effort low, three runs of which one was wrong, and one cut off; "low csv: 10" is of task csv.
func listed(t *testing.T, text string) []measure.Group {
	t.Helper()
	var runs []*measure.Run
	for line := range strings.Lines(strings.TrimSpace(text)) {
		head, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		setting, task, _ := strings.Cut(head, " ")
		for _, word := range strings.Fields(list) {
			outcome := traces.OK
			switch {
			case strings.HasSuffix(word, "x"):
				outcome = traces.FailedCheck
			case strings.HasSuffix(word, "t"):
				outcome = traces.Timeout
			}
			wall, err := time.ParseDuration(strings.TrimRight(word, "xt") + "s")
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, run(setting, task, wall, outcome))
		}
	}
	return measure.GroupBy(runs, "effort")
}

func TestPair(t *testing.T) {
	eight := func(setting string, factor float64) string {
		var b strings.Builder
		for i := range 8 {
			fmt.Fprintf(&b, "%s task%d: %.2f %.2f\n", setting, i, float64(10*(i+1))*factor, float64(11*(i+1))*factor)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, runs string
		verdict    compare.Verdict
		method     compare.Method
		text       string
	}{
		{
			"apart beyond doubt", "low: 10 11 12 13 14\nhigh: 20 21 22 23 24", compare.Slower, compare.Ranks,
			"high is 10.00 s slower than low (7.00–13.00 s); right as often within what 5 runs can show, 100 % of runs against 100 % (−43 to +43 points).",
		},
		{
			"three a side never tell", "low: 10 11 12\nhigh: 20 21 22", compare.TooFew, compare.Ranks,
			"Too few runs to compare high with low in time, 3 against 3: it takes at least 4 of each for any difference to be told; right as often within what 3 runs can show, 100 % of runs against 100 % (−56 to +56 points).",
		},
		{
			"inside the noise", "low: 10 11 12 13 14 15\nhigh: 10.5 11.5 12.5 13.5 14.5 15.5", compare.NoneSeen, compare.Ranks,
			"No difference in time seen between high and low: one of 24 % would have been seen four times in five; the 4 % that it looks like would take about 240 runs of each; right as often within what 6 runs can show, 100 % of runs against 100 % (−39 to +39 points).",
		},
		{
			"times that do not vary", "low: 10 10 10 10\nhigh: 10 10 10 10", compare.NoneSeen, compare.Ranks,
			"No difference in time seen between high and low, nor within them: any would have been; right as often within what 4 runs can show, 100 % of runs against 100 % (−49 to +49 points).",
		},
		{
			"eight tasks are the sample", eight("low", 1) + eight("high", 1.5), compare.Slower, compare.TaskMeans,
			"high is 23.63 s slower than low over 8 tasks (10.50–36.75 s); right as often within what 16 runs can show, 100 % of runs against 100 % (−19 to +19 points).",
		},
		{
			"two tasks: runs within each", "low a: 1 1.1 1.2 1.3\nlow b: 100 110 120 130\nhigh a: 2 2.1 2.2 2.3\nhigh b: 200 210 220 230", compare.Slower, compare.RanksByTask,
			"high is 87 % slower than low within 2 tasks (67 to 110 %); right as often within what 8 runs can show, 100 % of runs against 100 % (−32 to +32 points).",
		},
		{
			"cut off is longer, not left out", "low: 300 350 400 420 450\nhigh: 600 650 700 900t 900t", compare.Slower, compare.Ranks,
			"high is 5m 50s slower than low (at least 3m 20s); right as often within what 5 runs can show, 60 % of runs against 100 % (−77 to +12 points).",
		},
		{
			"right more often", "low: 10 11x 12x 13x 14x 15x 16x 17x\nhigh: 20 21 22 23 24 25 26 27", compare.TooFew, compare.Ranks,
			"Too few runs to compare high with low in time, 8 against 1: it takes at least 4 of each for any difference to be told; right more often, 100 % of runs against 12 % (+40 to +98 points).",
		},
		{
			"all cut off tell nothing, and nothing would have been seen", "low: 900t 900t 900t 900t 900t 900t\nhigh: 900t 900t 900t 900t 900t 900t", compare.TooFew, compare.Ranks,
			"high and low cannot be told apart in time: too many runs were cut off; right as often within what 6 runs can show, 0 % of runs against 0 % (−39 to +39 points).",
		},
		{
			"most cut off in most tasks tell nothing", "low a: 10\nlow b: 9\nlow c: 8\nlow d: 900t\nlow e: 900t\nlow f: 900t\nhigh a: 11\nhigh b: 900t\nhigh c: 900t\nhigh d: 9\nhigh e: 9\nhigh f: 8",
			compare.TooFew, compare.TaskMeans,
			"high and low cannot be told apart in time over 6 tasks: too many runs were cut off; right as often within what 6 runs can show, 67 % of runs against 50 % (−32 to +56 points).",
		},
		{
			"a task that takes the same in each", eight("low", 1) + eight("high", 1), compare.NoneSeen, compare.TaskMeans,
			"No difference in time seen between high and low over 8 tasks: it is the same in each; right as often within what 16 runs can show, 100 % of runs against 100 % (−19 to +19 points).",
		},
		{
			"no time at all", "low: 0 0 0 0\nhigh: 10 11 12 13", compare.Slower, compare.Ranks,
			"high is 11.50 s slower than low (10.00–13.00 s); right as often within what 4 runs can show, 100 % of runs against 100 % (−49 to +49 points).",
		},
		{
			"none right on a side", "low: 10x 11x\nhigh: 20 21", compare.TooFew, "",
			"high and low cannot be compared in time: 2 runs of high were right, 0 of low; right in 100 % of runs against 0 % (+7 to +100 points), which 2 runs do not settle.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups := listed(t, c.runs)
			p := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
			if p.Verdict != c.verdict || p.Method != c.method || p.Text != c.text {
				t.Errorf("got %s by %s\n%s\nwant %s by %s\n%s", p.Verdict, p.Method, p.Text, c.verdict, c.method, c.text)
			}
		})
	}
}

// Turning a pair round inverts the ratio, negates the shift and keeps the p.
func TestPairTurnsRound(t *testing.T) {
	groups := listed(t, "low a: 3 5 7 8\nlow b: 9 9 14x\nhigh a: 5 6 7 20t\nhigh b: 9 12 13 14\nhigh c: 1")
	there := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
	slices.Reverse(groups)
	back := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
	if *there.P != *back.P || *there.Shift != -*back.Shift || math.Abs(*there.Ratio**back.Ratio-1) > 1e-12 || *there.ShiftLow != -*back.ShiftHigh {
		t.Errorf("there %v %v %v, back %v %v %v", *there.P, *there.Shift, *there.Ratio, *back.P, *back.Shift, *back.Ratio)
	}
	want := []string{"1 run of tasks that only one of them got right or ran into the limit in: left out of the comparison of times"}
	if !slices.Equal(there.Notes, want) {
		t.Errorf("got notes %q", there.Notes)
	}
}

// Whatever was seen, b against a is a against b the other way round.
func TestAnyPairTurnsRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	opposite := map[compare.Verdict]compare.Verdict{compare.Faster: compare.Slower, compare.Slower: compare.Faster, compare.NoneSeen: compare.NoneSeen, compare.TooFew: compare.TooFew}
	negated := func(x, y *time.Duration) bool { return (x == nil) == (y == nil) && (x == nil || *x == -*y) }
	inverse := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || math.Abs(*x**y-1) < 1e-9) }
	alike := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || math.Abs(*x-*y) < 1e-9) }
	same := func(x, y *int) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	for range 400 {
		var runs []*measure.Run
		tasks, limit, longest := 1+rng.IntN(9), rng.IntN(12), 1+rng.IntN(12)
		for i := range 2 + rng.IntN(40) {
			wall := rng.IntN(longest) // with ties, and runs that took no time
			outcome := traces.OK
			switch {
			case rng.IntN(8) == 0:
				outcome = traces.FailedCheck
			case wall > limit:
				wall, outcome = limit, traces.Timeout
			}
			runs = append(runs, run(fmt.Sprint(i%2), fmt.Sprint(rng.IntN(tasks)), time.Duration(wall)*time.Second, outcome))
		}
		groups := measure.GroupBy(runs, "effort")
		there := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
		slices.Reverse(groups)
		back := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
		if !negated(there.Shift, back.Shift) || !negated(there.ShiftLow, back.ShiftHigh) || !negated(there.ShiftHigh, back.ShiftLow) || !negated(there.MeanDifference, back.MeanDifference) ||
			!inverse(there.Ratio, back.Ratio) || !inverse(there.RatioLow, back.RatioHigh) || !inverse(there.RatioHigh, back.RatioLow) || !alike(there.P, back.P) ||
			!alike(there.Smallest, back.Smallest) || !same(there.RunsNeeded, back.RunsNeeded) || back.Verdict != opposite[there.Verdict] ||
			there.Success.Low != -back.Success.High || math.Abs(there.Success.P-back.Success.P) > 1e-9 || there.Method != back.Method {
			t.Fatalf("%d tasks, limit %d s:\n%s %s\n%s %s", tasks, limit, there.Verdict, there.Text, back.Verdict, back.Text)
		}
	}
}

// What was compared with itself is said to be.
func TestRunsOnBothSidesAreSaid(t *testing.T) {
	groups := listed(t, "low: 10 11 12 13")
	for i, r := range groups[0].Runs {
		r.ID = fmt.Sprint("run ", i)
	}
	p := compare.Groups([]measure.Group{groups[0], groups[0]}, compare.Options{Pairs: compare.First})[0]
	want := []string{"4 runs of both are the same: no difference between these is one between settings"}
	if !slices.Equal(p.Notes, want) || p.Verdict != compare.NoneSeen || *p.Shift != 0 {
		t.Errorf("got %s, %v, notes %q", p.Verdict, *p.Shift, p.Notes)
	}
}

// Sums that cannot be counted are not split, and quickly so.
func TestRunsOfAges(t *testing.T) {
	var runs []*measure.Run
	for i := range 8 {
		runs = append(runs, run([]string{"low", "high"}[i%2], "", time.Duration(80+i%2)*365*24*time.Hour, traces.OK))
	}
	p := compare.Groups(measure.GroupBy(runs, "effort"), compare.Options{Pairs: compare.First})[0]
	if len(p.Causes) != 1 || p.Causes[0].Time != 365*24*time.Hour || p.Causes[0].Name != "not split" || len(p.CauseNotes) != 1 {
		t.Errorf("got causes %+v, notes %q", p.Causes, p.CauseNotes)
	}
}

func BenchmarkGroups(b *testing.B) {
	e := experiment{tasks: 8, trials: 250, spread: 0.3, factors: []float64{1, 1.05, 1.1}}
	groups := e.run(rand.New(rand.NewPCG(81, 82)))
	for b.Loop() {
		compare.Groups(groups, compare.Options{Pairs: compare.All})
	}
}

func TestWhichPairs(t *testing.T) {
	groups := listed(t, `low: 10 11 12 13 14 15 16 17
		medium: 20 21 22 23 24 25 26 27
		high: 20.5 21.5 22.5 23.5 24.5 25.5 26.5 27.5x`)
	for _, c := range []struct {
		pairs compare.Pairs
		want  string
	}{
		{compare.All, "medium−low high−low high−medium"},
		{compare.First, "medium−low high−low"},
		{compare.Best, "medium−low high−low"},
		{"", "medium−low high−low"},
	} {
		var got []string
		for _, p := range compare.Groups(groups, compare.Options{Pairs: c.pairs}) {
			got = append(got, p.B.Label()+"−"+p.A.Label())
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q: got %s, want %s", c.pairs, text, c.want)
		}
	}
	c := compare.Of(groups, compare.Options{})
	if c.Best != 0 || !c.Clear || !slices.Equal(c.Unbeaten, []int{0}) {
		t.Errorf("best %d, clear %v, unbeaten %v", c.Best, c.Clear, c.Unbeaten)
	}
	if c := compare.Of(nil, compare.Options{}); c.Best != -1 || len(c.Pairs) > 0 {
		t.Errorf("without groups: %+v", c)
	}
	if c := compare.Of(groups[:1], compare.Options{}); c.Best != 0 || c.Clear || len(c.Pairs) > 0 {
		t.Errorf("one group: %+v", c)
	}
}

// More groups than all pairs are computed for: the first or the best against all others.
func TestManyGroups(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "e%02d: %d %d %d %d %d %d\n", i, 100+i, 101+i, 102+i, 103+i, 104+i, 105+i)
	}
	groups := listed(t, text.String())
	for _, pairs := range []compare.Pairs{compare.Best, compare.First} {
		if got := compare.Groups(groups, compare.Options{Pairs: pairs}); len(got) != 29 || got[28].B.Label() != "e29" || *got[28].P > 1 {
			t.Errorf("%s: got %d pairs", pairs, len(got))
		}
	}
	if c := compare.Of(groups, compare.Options{}); c.Best != 0 {
		t.Errorf("best is %d", c.Best)
	}
}

func TestAnyPair(t *testing.T) {
	for _, n := range []int{3, 20} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "s%02d: %d %d %d %d %d %d %dx\n", i, 10+3*i, 11+3*i, 12+3*i, 13+3*i, 14+3*i, 15+3*i, 16)
		}
		c := compare.Of(listed(t, b.String()), compare.Options{})
		for _, shown := range c.Pairs {
			at := slices.IndexFunc(c.Groups, func(g measure.Group) bool { return g.Label() == shown.B.Label() })
			if p := c.Pair(c.Best, at); p.Text != shown.Text || *p.P != *shown.P {
				t.Errorf("of %d groups: the pair that is shown has p %g, %q; the same one asked for %g, %q", n, *shown.P, shown.Text, *p.P, p.Text)
			}
		}
		p, back := c.Pair(1, n-1), c.Pair(n-1, 1)
		if *p.P != *back.P || *p.Shift != -*back.Shift || *p.MeanDifference != -*back.MeanDifference || p.A.Label() != back.B.Label() {
			t.Errorf("of %d groups: p %g and %g, shift %v and %v for the same pair turned round", n, *p.P, *back.P, *p.Shift, *back.Shift)
		}
	}
}

func TestBest(t *testing.T) {
	for _, c := range []struct {
		name, runs string
		best       int
		clear      bool
	}{
		{"alike", "low: 10 11 12 13\nhigh: 10 11 12 13", 0, false},
		{"as often right and sooner", "low: 20 21 22 23 24\nhigh: 10 11 12 13 14", 1, true},
		{"a wrong answer is never soon", "low: 1x 2x 3x 4x 5x 6\nhigh: 10 11 12 13 14 15", 1, true},
		{"sooner but perhaps less often right is no clear choice", "low: 1 1.1 1.2 1.3 1.4 1.5 1.6 2x\nhigh: 10 11 12 13 14 15 16 17", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := compare.Of(listed(t, c.runs), compare.Options{}); got.Best != c.best || got.Clear != c.clear {
				t.Errorf("got %d, %v, want %d, %v", got.Best, got.Clear, c.best, c.clear)
			}
		})
	}
}
