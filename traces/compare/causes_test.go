package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// drawn measures runs, each a drawing with a millisecond a column, of the group called name.
func drawn(t *testing.T, name string, drawings ...string) measure.Group {
	t.Helper()
	var runs []*measure.Run
	for _, text := range drawings {
		recs := tracetest.Records(t, text)
		recs[0].Attrs = append(recs[0].Attrs, traces.Attr{Key: traces.KeyOutcome, Value: "ok"}, traces.Attr{Key: traces.KeyGroupPrefix + "setting", Value: name})
		built, problems := traces.Build(recs)
		if len(built) != 1 || len(problems) > 0 {
			t.Fatalf("%s: %d runs, problems %v", text, len(built), problems)
		}
		runs = append(runs, measure.Of(built[0]))
	}
	return measure.GroupBy(runs, "setting")[0]
}

// told lists causes as "name +3ms (2 → 5)".
func told(causes []compare.Cause) string {
	var list []string
	side := func(f *float64, inTime bool) string {
		switch {
		case f == nil:
			return "-"
		case inTime:
			return fmt.Sprint(time.Duration(*f))
		}
		return fmt.Sprintf("%.3g", *f)
	}
	for _, c := range causes {
		list = append(list, fmt.Sprintf("%s %s (%s → %s)", c.Name, signed(c.Time), side(c.A, c.InTime), side(c.B, c.InTime)))
	}
	return strings.Join(list, "\n")
}

func signed(d time.Duration) string {
	if d > 0 {
		return "+" + d.String()
	}
	return d.String()
}

func TestCauses(t *testing.T) {
	const tokens = "gen_ai.usage.output_tokens=%d gen_ai.usage.reasoning.output_tokens=%d"
	call := func(bar string, output, reasoning int) string {
		return " chat  " + bar + " " + fmt.Sprintf(tokens, output, reasoning)
	}
	for _, c := range []struct {
		name string
		a, b []string
		want string
	}{
		{"nothing differs", []string{"run    ====\n" + call("wwoo", 2, 0)}, []string{"run    ====\n" + call("wwoo", 2, 0)}, ""},
		{
			"twice the reasoning tokens at the same pace",
			[]string{"run    ========\n" + call("wwrrrroo", 6, 4)}, []string{"run    ============\n" + call("wwrrrrrrrroo", 10, 8)},
			"reasoning tokens per call +4ms (4 → 8)",
		},
		{
			"the same tokens at half the pace",
			[]string{"run    ========\n" + call("wwrrrroo", 6, 4)}, []string{"run    ============\n" + call("wwrrrrrrrroo", 6, 4)},
			"reasoning time per token +4ms (1ms → 2ms)",
		},
		{
			// 4 tokens × 1 ms → 8 × 2 ms: 12 ms more, 6 of them by tokens: (4 × 1 + 4 × 2) ÷ 2, and 6 by pace: (1 × 4 + 1 × 8) ÷ 2
			"both at once: each gets the mean of going first and going second",
			[]string{"run    ========\n" + call("wwrrrroo", 6, 4)}, []string{"run    ====================\n" + call("wwrrrrrrrrrrrrrrrroo", 10, 8)},
			"reasoning time per token +6ms (1ms → 2ms)\nreasoning tokens per call +6ms (4 → 8)",
		},
		{
			"one side never reasons: all of it is tokens",
			[]string{"run    ====\n" + call("wwoo", 2, 0)}, []string{"run    ========\n" + call("wwrrrroo", 6, 4)},
			"reasoning tokens per call +4ms (0 → 4)",
		},
		{
			"tokens that nobody counted leave the calls",
			[]string{"run    ========\n chat  wwrrrroo"}, []string{"run    ============\n chat  wwrrrrrrrroo"},
			"reasoning time per call +4ms (4ms → 8ms)",
		},
		{
			"a step more costs all that a step takes",
			[]string{"run    ====\n chat  wwoo"}, []string{"run    ========\n chat  wwoo\n chat2     wwoo"},
			"steps +4ms (1 → 2)",
		},
		{
			"a tool that only one side calls",
			[]string{"run    ====\n chat  wwoo"}, []string{"run    ======\n chat  wwoo\n grep      =="},
			"tool grep: calls per step +2ms (0 → 1)",
		},
		{
			"a slower tool, a quicker agent",
			[]string{"run    ==========\n chat  wwoo\n grep      ==  "}, []string{"run    ==========\n chat  wwoo\n grep      ===== "},
			"agent time per step -3ms (4ms → 1ms)\ntool grep: time per call +3ms (2ms → 5ms)",
		},
		{
			"a try that failed, and the wait after it",
			[]string{"run    ====\n chat  wwoo"}, []string{"run    =========\n chat  =========\n  try1 == error status:429\n  backoff ===\n  try2      wwoo"},
			"backoff +3ms (0s → 3ms)\nretries +2ms (0s → 2ms)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := drawn(t, "a", c.a...), drawn(t, "b", c.b...)
			p := compare.Groups([]measure.Group{a, b}, compare.Options{Pairs: compare.First})[0]
			if got := told(p.Causes); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Whatever the runs, causes add up to the difference of the means exactly, and turning the pair round turns every sign.
func TestCausesAddUpAndTurnRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	pairs := 0
	for seed := range uint64(150) {
		var runs []*measure.Run
		for i := range 2 + rng.IntN(4) {
			built, _ := traces.Build(tracetest.Random(seed*10 + uint64(i)))
			for _, run := range built {
				run.Outcome, run.Open = traces.OK, false
				run.Group["setting"] = fmt.Sprint(i % 2)
				runs = append(runs, measure.Of(run))
			}
		}
		groups := measure.GroupBy(runs, "setting")
		if len(groups) < 2 {
			continue
		}
		there := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
		back := compare.Groups([]measure.Group{groups[1], groups[0]}, compare.Options{Pairs: compare.First})[0]
		left := *groups[1].MeanWall - *groups[0].MeanWall
		if *there.MeanDifference != left || *back.MeanDifference != -left {
			t.Fatalf("seed %d: difference %v and %v, want %v", seed, *there.MeanDifference, *back.MeanDifference, left)
		}
		if len(there.Causes) != len(back.Causes) {
			t.Fatalf("seed %d: %d causes there, %d back", seed, len(there.Causes), len(back.Causes))
		}
		for i, c := range there.Causes {
			if d := back.Causes[i]; d.Name != c.Name || d.Time != -c.Time {
				t.Fatalf("seed %d: %s %v there, %s %v back", seed, c.Name, c.Time, d.Name, d.Time)
			}
			left -= c.Time
		}
		if left != 0 {
			t.Fatalf("seed %d: the causes miss the difference by %v:\n%s", seed, left, told(there.Causes))
		}
		pairs++
	}
	if pairs < 100 {
		t.Errorf("only %d pairs were tried", pairs)
	}
}

// In an open loop a run that waited for its turn was late; that is part of the difference, and of no component.
func TestALateStartIsACause(t *testing.T) {
	a := drawn(t, "a", "run    ====\n chat  wwoo", "run    ====\n chat  wwoo", "run    ====\n chat  wwoo", "run    ====\n chat  wwoo")
	b := drawn(t, "b", "run    =====\n chat  wwwoo", "run    =====\n chat  wwwoo", "run    =====\n chat  wwwoo", "run    =====\n chat  wwwoo")
	for i, r := range slices.Concat(a.Runs, b.Runs) {
		late := time.Duration(0)
		if i >= 4 {
			late = time.Duration(i) * time.Millisecond // 4, 5, 6, 7
		}
		r.Late = &late
	}
	groups := measure.GroupBy(slices.Concat(a.Runs, b.Runs), "setting")
	p := compare.Groups(groups, compare.Options{Pairs: compare.First})[0]
	const want = "late start +5.5ms (0s → 5.5ms)\nfirst-token time per call +1ms (2ms → 3ms)"
	if got := told(p.Causes); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if *p.MeanDifference != 6500*time.Microsecond || *p.Shift != 6500*time.Microsecond || *p.ShiftLow != 5*time.Millisecond || *p.ShiftHigh != 8*time.Millisecond || p.Verdict != compare.Slower {
		t.Errorf("mean difference %v, shift %v (%v to %v), %s", *p.MeanDifference, *p.Shift, *p.ShiftLow, *p.ShiftHigh, p.Verdict)
	}
}
