package report_test

import (
	"bytes"
	"testing"

	"github.com/seed46266073/longpole/traces/budget"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

// The broken come first, and the verdicts stand in one column.
func TestCheck(t *testing.T) {
	runs := measure.GroupBy(bench(t, 3))
	b, err := budget.Parse("max(run) < 1m")
	if err != nil {
		t.Fatal(err)
	}
	group := &runs[0]
	c := report.Check{Budgets: []budget.Result{b.Check(group)}, Baselines: []budget.Regression{
		{Group: group, Measure: "time", Verdict: budget.Kept, Text: "low: as fast"},
		{Group: group, Measure: "time", Verdict: budget.Untold, Text: "medium: too few runs"},
		{Group: group, Measure: "time", Verdict: budget.Broken, Text: "high: slower\x1b[31m, and so on, and so on, until the line is so long that it takes another"},
	}}
	var out bytes.Buffer
	if err := report.WriteCheck(&out, c, nil, report.TextOptions{Width: 60}); err != nil {
		t.Fatal(err)
	}
	lines(t, out.Bytes(), 60, false)
	golden(t, "check-60.txt", out.Bytes())
}
