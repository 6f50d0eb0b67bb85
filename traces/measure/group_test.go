package measure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// ended returns runs of whole seconds: "420 ok", "900 timeout", …; each was checked.
func ended(t *testing.T, effort, text string) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for word := range strings.SplitSeq(text, ", ") {
		var seconds float64
		var outcome string
		if _, err := fmt.Sscan(word, &seconds, &outcome); err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		const epoch = 1_700_000_000_000_000_000
		built, _ := traces.Build([]traces.Record{{TraceID: fmt.Sprint("t", len(runs)), SpanID: "run", Name: "run", Start: epoch, End: epoch + int64(seconds*1e9),
			Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "agent"}, {Key: traces.KeyOutcome, Value: outcome},
				{Key: traces.KeyAnswerCheck, Value: "checked"}, {Key: traces.KeyGroupPrefix + "effort", Value: effort}}}})
		runs = append(runs, measure.Of(built[0]))
	}
	return runs
}

func times(x measure.Times) string {
	seconds := func(d *time.Duration) string {
		if d == nil {
			return "?"
		}
		return fmt.Sprint(d.Seconds())
	}
	more := ""
	if x.MoreThan {
		more = "more than "
	}
	return fmt.Sprintf("%s%s (%s-%s), %s-%s", more, seconds(x.Median), seconds(x.Low), seconds(x.High), seconds(x.Min), seconds(x.Max))
}

func TestTimeToCorrect(t *testing.T) {
	for _, c := range []struct {
		name, runs, want string
		k, n, cut        int
		notes            []string
	}{
		{
			"four of seven cut off: the median is more than the limit",
			"420 ok, 610 ok, 780 ok, 900 timeout, 900 timeout, 900 timeout, 900 timeout",
			"more than 900 (420-?), 420-780", 3, 7, 4,
			[]string{"4 runs cut off at the limit count as longer than 900 s"},
		},
		{
			"instant refusals do not make it faster",
			"300 ok, 350 ok, 400 ok, 520 ok, 700 ok, 5 error, 6 error",
			"400 (?-?), 300-700", 5, 7, 0,
			[]string{"5 correct runs: too few for an interval of the median, which needs 6"},
		},
		{
			"wrong answers count against the rate, not in the time",
			"1 failed_check, 10 ok, 20 ok, 30 ok, 40 ok, 50 ok, 60 ok",
			"35 (10-60), 10-60", 6, 7, 0, nil,
		},
		{
			"no correct answer has no time",
			"1 failed_check, 2 error",
			"? (?-?), ?-?", 0, 2, 0,
			[]string{"no run ended with a correct answer, so there is no time to one"},
		},
		{
			"a run that does not say how it ended is not a failure",
			"10 ok, 20 unknown",
			"10 (?-?), 10-10", 1, 2, 0,
			[]string{"1 correct run: too few for an interval of the median, which needs 6", "1 run does not say how it ended: left out of the success rate"},
		},
		{
			"runs that were interrupted say nothing of the setting",
			"10 ok, 20 ok, 30 ok, 40 ok, 50 ok, 60 ok, 5 cancelled, 6 cancelled",
			"35 (10-60), 10-60", 6, 8, 0,
			[]string{"2 runs were interrupted or have not ended, and do not count"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := measure.GroupBy(ended(t, "low", c.runs))[0]
			if got := times(g.TimeToCorrect); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if g.Succeeded != c.k || g.N != c.n || g.Censored != c.cut {
				t.Errorf("got %d of %d, %d cut off, want %d of %d, %d", g.Succeeded, g.N, g.Censored, c.k, c.n, c.cut)
			}
			if !slices.Equal(g.Notes, c.notes) {
				t.Errorf("got notes %q, want %q", g.Notes, c.notes)
			}
			if (g.MeanWall == nil) != (c.k == 0) {
				t.Errorf("mean wall %v of %d correct runs", g.MeanWall, c.k)
			}
		})
	}
}

func TestSuccessRateLeavesUnknownOut(t *testing.T) {
	g := measure.GroupBy(ended(t, "low", "1 ok, 2 unknown, 3 unknown"))[0]
	if g.Success == nil || g.Success.Rate != 1 || g.Unknown != 2 {
		t.Errorf("got %+v, %d unknown", g.Success, g.Unknown)
	}
	if g := measure.GroupBy(ended(t, "low", "2 unknown"))[0]; g.Success != nil {
		t.Errorf("without any outcome: got %+v, want none", g.Success)
	}
}

func TestSuccessRateLeavesInterruptedOut(t *testing.T) {
	runs := ended(t, "low", "1 ok, 2 cancelled, 3 failed_check, 4 timeout, 5 error, 6 error, 7 unknown")
	runs[4].Open = true
	g := measure.GroupBy(runs)[0]
	if got := fmt.Sprintf("%d of %d, %.2f; %d interrupted, %d unknown", g.Succeeded, g.Told(), g.Success.Rate, g.Interrupted, g.Unknown); got != "1 of 4, 0.25; 2 interrupted, 1 unknown" {
		t.Error("got", got)
	}
	if g := measure.GroupBy(ended(t, "low", "2 cancelled"))[0]; g.Success != nil || g.Calls.PerRun != nil {
		t.Errorf("of interrupted runs alone: got %+v, want none", g.Success)
	}
}

func TestGroupsAreOrdered(t *testing.T) {
	var runs []*measure.Run
	for _, effort := range []string{"max", "budget 1024", "high", "", "none", "Low", "xhigh", "budget 256", "medium", "minimal"} {
		runs = append(runs, ended(t, effort, "1 ok")...)
	}
	var got []string
	for _, g := range measure.GroupBy(runs, "effort") {
		got = append(got, g.Label())
	}
	want := []string{"none", "minimal", "Low", "medium", "high", "xhigh", "max", "budget 256", "budget 1024", "no effort"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if groups := measure.GroupBy(nil, "effort"); len(groups) != 0 {
		t.Errorf("no runs make %d groups", len(groups))
	}
	if g := measure.GroupBy(runs); len(g) != 1 || g[0].N != len(runs) || g[0].Label() != "all runs" {
		t.Errorf("without keys: got %d groups", len(g))
	}
}

func TestUncheckedAnswersAreSaid(t *testing.T) {
	runs := ended(t, "low", "1 ok, 2 ok, 3 ok, 4 ok, 5 ok, 6 ok")
	for _, r := range runs {
		r.Check = ""
	}
	want := []string{"no answer was checked: correct only means finished"}
	if got := measure.GroupBy(runs)[0].Notes; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGroupsAreNamedByTheirValues(t *testing.T) {
	for _, c := range []struct{ value, label, values string }{
		{"low", "low", "low"},
		{"16", "effort 16", "16"},
		{"", "no effort", "no effort"},
		{" \t", "(blank)", "(blank)"},
	} {
		g := measure.Group{By: []string{"effort"}, Key: map[string]string{"effort": c.value}}
		if g.Label() != c.label || g.Values() != c.values {
			t.Errorf("%q: got %q and %q, want %q and %q", c.value, g.Label(), g.Values(), c.label, c.values)
		}
	}
}
