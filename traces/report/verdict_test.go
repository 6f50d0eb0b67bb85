package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

// settings measures runs of one model call: "low 3+5: 10 ok, 12 ok" is effort low, calls of 3 s with 5 reasoning tokens, one run of 10 s
// and one of 12 s. A setting "… 2x3+5" makes two such calls a run.
func settings(t *testing.T, text string) []measure.Group {
	t.Helper()
	const epoch = 1_700_000_000_000_000_000
	var runs []*measure.Run
	for line := range strings.Lines(strings.TrimSpace(text)) {
		head, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var effort string
		var calls, seconds, reasoning int64
		if _, err := fmt.Sscanf(head, "%s %dx%d+%d", &effort, &calls, &seconds, &reasoning); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		for i, word := range strings.Split(list, ", ") {
			var wall int64
			var outcome string
			if _, err := fmt.Sscan(word, &wall, &outcome); err != nil {
				t.Fatalf("%q: %v", word, err)
			}
			trace := fmt.Sprint(effort, i)
			recs := []traces.Record{{TraceID: trace, SpanID: "run", Name: "run", Start: epoch, End: epoch + wall*1e9, Attrs: traces.Attrs{
				{Key: traces.KeyRole, Value: "agent"}, {Key: traces.KeyOutcome, Value: outcome}, {Key: traces.KeyAnswerCheck, Value: "checked"},
				{Key: traces.KeyGroupPrefix + "effort", Value: effort}}}}
			for c := range calls {
				from := epoch + (c*seconds)*1e9
				recs = append(recs, traces.Record{TraceID: trace, SpanID: fmt.Sprint("chat", c), ParentID: "run", Name: "chat", Start: from, End: from + seconds*1e9, Attrs: traces.Attrs{
					{Key: traces.KeyRole, Value: "model"}, {Key: traces.KeyOutputTokens, Value: reasoning + 10}, {Key: traces.KeyReasoningTokens, Value: reasoning}}})
			}
			built, _ := traces.Build(recs)
			runs = append(runs, measure.Of(built[0]))
		}
	}
	return measure.GroupBy(runs, "effort")
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct{ name, settings, want string }{
		{
			"faster per call, later right",
			`low 3x1+5: 20 ok, 21 ok, 22 ok, 23 ok, 24 ok, 25 ok
			 high 1x4+90: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok`,
			`low answers faster per call (1.00 s against 4.00 s), but high is sooner right, in the median 12.50 s against 22.50 s; on average 11.00 s more went to agent with low and it took 3.0 model calls a run against 1.0.
			 all were right equally often (100 %).`,
		},
		{
			"faster per call and sooner right",
			`low 1x1+5: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok
			 high 1x4+90: 20 ok, 21 ok, 22 ok, 23 ok, 24 ok, 25 ok`,
			`low is right soonest, in the median 12.50 s against 22.50 s for high; on average 7.00 s more went to agent with high.
			 all were right equally often (100 %).`,
		},
		{
			"the intervals overlap",
			`low 1x1+5: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 25 ok
			 high 1x4+90: 12 ok, 13 ok, 14 ok, 15 ok, 16 ok, 17 failed_check`,
			`no clear difference in so few runs between low and high: in the median 12.50 s against 14.00 s (too few correct runs for an interval).
			 which is right more often cannot be told from so few runs (high 83 %, low 100 %).`,
		},
		{
			"one setting is right more often",
			`low 1x1+5: 10 ok, 11 failed_check, 12 failed_check, 13 failed_check, 14 failed_check, 15 failed_check, 12 failed_check, 9 failed_check
			 high 1x4+90: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok, 16 ok, 17 ok`,
			`no clear difference in so few runs between low and high: in the median 10.00 s against 13.50 s (too few correct runs for an interval).
			 high is right more often: 100 % against 12 % for low.`,
		},
		{
			"only one setting was ever right",
			`low 1x1+5: 10 failed_check, 11 failed_check
			 high 1x4+90: 10 ok, 11 ok`,
			`only high gave correct answers, in the median after 10.50 s.`,
		},
		{
			"none was ever right",
			`low 1x1+5: 10 failed_check
			 high 1x4+90: 10 error`,
			`no setting gave a correct answer, so none is faster.`,
		},
		{
			"an effort that changed nothing is said before any ranking",
			`low 1x1+50: 10 ok, 12 ok
			 high 1x1+50: 11 ok, 12 ok`,
			`effort changed nothing: about 50 reasoning tokens a run at every setting.
			 no clear difference in so few runs between low and high: in the median 11.00 s against 11.50 s (too few correct runs for an interval).
			 all were right equally often (100 %).`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := report.WriteGroups(&out, settings(t, c.settings), report.TextOptions{Width: 140}); err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(out.String(), "what it shows\n")
			if got, want := strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(c.want), " "); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}
