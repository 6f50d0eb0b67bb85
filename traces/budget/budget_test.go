package budget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/budget"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// group returns n runs that take 1, 2, … n times as long as drawn, the last few of which were cut off.
func group(t *testing.T, n, cutOff int) *measure.Group {
	t.Helper()
	var runs []*measure.Run
	for i := range n {
		width := i + 1
		chart := fmt.Sprintf("run  %s\n chat %s%s\n grep %s%s", strings.Repeat("=", 10*width),
			strings.Repeat("w", 2*width), strings.Repeat("o", 3*width), strings.Repeat(" ", 5*width), strings.Repeat("=", 4*width))
		run := tracetest.Parse(t, chart)
		run.Outcome = traces.OK
		if i >= n-cutOff {
			run.Outcome = traces.Timeout
		}
		runs = append(runs, measure.Of(run))
	}
	g := measure.GroupBy(runs)
	return &g[0]
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name    string
		n       int // runs of 10, 20, … 10n ms
		cutOff  int // of them
		budget  string
		verdict budget.Verdict
		seen    string
		why     string
	}{
		{"a median below its limit is kept", 5, 0, "p50(run) < 31ms", budget.Kept, "30 ms", "of 5 runs"},
		{"a limit that is reached is not below", 5, 0, "p50(run) < 30ms", budget.Broken, "30 ms", "of 5 runs"},
		{"but is at most itself", 5, 0, "run.p50<=30ms", budget.Kept, "30 ms", "of 5 runs"},
		{"a tail cannot be told from a few runs", 19, 0, "p95(run) < 1h", budget.Untold, "", "it takes 20 runs, there are 19"},
		{"and can from twenty", 20, 0, "p95(run) < 1h", budget.Kept, "191 ms", "of 20 runs"},
		{"a run that was cut off counts as longer than its limit", 5, 1, "max(run) < 1h", budget.Untold, "more than 50 ms", "of 5 runs, 1 cut off by a time limit"},
		{"which breaks what is broken at the limit already", 5, 1, "max(run) < 40ms", budget.Broken, "more than 50 ms", "of 5 runs, 1 cut off by a time limit"},
		{"and does not touch a median below it", 5, 2, "median(run) < 31ms", budget.Kept, "30 ms", "of 5 runs, 2 cut off by a time limit"},
		{"but leaves the mean open", 5, 1, "mean(run) < 31ms", budget.Untold, "more than 30 ms", "of 5 runs, 1 cut off by a time limit"},
		{"a floor is kept however much longer it was", 5, 1, "max(run) > 40ms", budget.Kept, "more than 50 ms", "of 5 runs, 1 cut off by a time limit"},
		{"success is of the runs that say how they ended", 10, 1, "success >= 90%", budget.Kept, "90 %", "of 10 runs (finished; no answer was checked)"},
		{"and may be written as a number", 10, 2, "success >= 0.9", budget.Broken, "80 %", "of 10 runs (finished; no answer was checked)"},
		{"shares are of all run time", 4, 0, "share(tool) <= 40%", budget.Kept, "40 %", "of the time of 4 runs"},
		{"shares of families", 4, 0, "share(ttft) < 20%", budget.Broken, "20 %", "of the time of 4 runs"},
		{"shares of one tool", 4, 0, "share(tool[grep]) < 0.5", budget.Kept, "40 %", "of the time of 4 runs"},
		{"a component that takes no time has a share of none", 4, 0, "share(retry) < 5%", budget.Kept, "0 %", "of the time of 4 runs"},
		{"times of a component are per run", 5, 0, "mean(output) < 10ms", budget.Kept, "9.0 ms", "of 5 runs"},
		{"executions are per call", 5, 0, "max(exec[grep]) < 21ms", budget.Kept, "20 ms", "of 5 measured grep calls"},
		{"a tool that never ran cannot be told", 5, 0, "max(exec[ls]) < 21ms", budget.Untold, "", "there is no measured ls call to tell it from"},
		{"a tool that nobody called takes no time, which is said", 5, 0, "share(tool[ls]) < 5%", budget.Kept, "0 %", "of the time of 5 runs, without a call of ls"},
		{"also of its time", 5, 0, "tool[ls].max < 1s", budget.Kept, "0 s", "of 5 runs, without a call of ls"},
		{"any percentile in either form", 5, 0, "run.p99.9 < 1s", budget.Untold, "", "it takes 1,000 runs, there are 5"},
		{"a tool's name may hold what limits are made of", 5, 0, "max(tool[a<b]) <= 1s", budget.Kept, "0 s", "of 5 runs, without a call of a<b"},
		{"numbers", 5, 0, "max(steps) <= 3", budget.Kept, "1", "of 5 runs"},
		{"tokens that nobody counted cannot be told", 5, 0, "mean(output_tokens) < 1000", budget.Untold, "", "there is no counted run to tell it from"},
		{"the number of runs", 5, 0, "runs >= 6", budget.Broken, "5", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := budget.Parse(test.budget)
			if err != nil {
				t.Fatal(err)
			}
			r := b.Check(group(t, test.n, test.cutOff))
			if r.Verdict != test.verdict || r.Seen != test.seen || r.Why != test.why {
				t.Errorf("%s: got %s, seen %q, %q; want %s, %q, %q", b, r.Verdict, r.Seen, r.Why, test.verdict, test.seen, test.why)
			}
		})
	}
}

// What a run had taken when it was interrupted, or has taken so far, says nothing about a limit.
func TestInterruptedRunsAreLeftOut(t *testing.T) {
	runs := group(t, 3, 0).Runs
	runs[2].Open = true
	open := measure.GroupBy(runs)[0]
	runs = group(t, 3, 0).Runs
	runs[2].Outcome = traces.Cancelled
	cancelled := measure.GroupBy(runs)[0]
	for _, test := range []struct{ budget, seen, why string }{
		{"max(run) < 1s", "20 ms", "of 2 runs, 1 interrupted left out"},
		{"max(tool) < 1s", "8.0 ms", "of 2 runs, 1 interrupted left out"},
		{"max(steps) < 2", "1", "of 2 runs, 1 interrupted left out"},
		{"success >= 1", "100 %", "of 2 runs, 1 interrupted left out (finished; no answer was checked)"},
		{"runs >= 2", "2", "1 interrupted left out"},
		{"p95(run) < 1s", "", "it takes 20 runs, there are 2, 1 interrupted left out"},
	} {
		b, err := budget.Parse(test.budget)
		if err != nil {
			t.Fatal(err)
		}
		for name, g := range map[string]*measure.Group{"open": &open, "cancelled": &cancelled} {
			if r := b.Check(g); r.Seen != test.seen || r.Why != test.why {
				t.Errorf("%s, %s: got %q, %q; want %q, %q", name, b, r.Seen, r.Why, test.seen, test.why)
			}
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ budget, want string }{
		{"", "want a limit"},
		{"p50(run)", "want a limit"},
		{"< 3s", "nothing before"},
		{"run < 3s", "run needs to say which of many values: p50(run), p95(run), mean(run)"},
		{"walls < 3s", `no quantity "walls"; there are run, answer`},
		{"p50(walls) < 3s", `no quantity "walls"; there are run, answer`},
		{"p100(run) < 3s", `no aggregate "p100"`},
		{"p0(run) < 3s", `no aggregate "p0"`},
		{"sum(run) < 3s", `no aggregate "sum"`},
		{"p50(run) < 3", `"3" is no duration`},
		{"p50(run) < ", `"" is no duration`},
		{"share(retry) < 105%", "no percentage"},
		{"share(retry) < 5", "is no share"},
		{"share(run) < 5%", `no part "run" to have a share of; there are`},
		{"success >= NaN", "is no share"},
		{"max(steps) < Inf", "is no number"},
		{"max(exec[]) < 3s", `no quantity "exec[]"`},
	} {
		if b, err := budget.Parse(test.budget); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", test.budget, b, err, test.want)
		}
	}
}

// FuzzBudget: whatever is written, it is refused in one line or can be held against runs.
func FuzzBudget(f *testing.F) {
	for _, s := range []string{"p95(ttft) < 1.5s", "run.p50 <= 2m", "share(retry) < 5%", "success >= 0.9", "max(exec[a.b]) < 1s", "p99.9(tool[x(y)]) > 0s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := budget.Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is more than a line: %q", err)
			}
			return
		}
		switch r := b.Check(group(t, 3, 1)); r.Verdict {
		case budget.Kept, budget.Broken, budget.Untold:
		default:
			t.Errorf("%q is %q", text, r.Verdict)
		}
	})
}

func ExampleBudget_Check() {
	b, err := budget.Parse("p95(run) < 30s")
	if err != nil {
		panic(err)
	}
	var runs []*measure.Run
	for range 8 {
		runs = append(runs, measure.Of(&traces.Run{Wall: 12 * time.Second, Outcome: traces.OK, Root: &traces.Span{}}))
	}
	r := b.Check(&measure.GroupBy(runs)[0])
	fmt.Printf("%s: %s, %s", b, r.Verdict, r.Why)
	// Output: p95(run) < 30s: cannot be told, it takes 20 runs, there are 8
}
