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
// and one of 12 s ("10 unchecked": nobody checked its answer). A setting "… 2x3+5" makes two such calls a run.
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
			check := "checked"
			if outcome == "unchecked" {
				outcome, check = "ok", ""
			}
			trace := fmt.Sprint(effort, i)
			recs := []traces.Record{{TraceID: trace, SpanID: "run", Name: "run", Start: epoch, End: epoch + wall*1e9, Attrs: traces.Attrs{
				{Key: traces.KeyRole, Value: "agent"}, {Key: traces.KeyOutcome, Value: outcome}, {Key: traces.KeyAnswerCheck, Value: check},
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
			`Use high: right as often as low (100 %), and soonest right: 12.50 s in the median against 22.50 s (low).
			 low is 10.00 s slower than high (7.00–13.00 s); right as often within what 6 runs can show, 100 % of runs against 100 % (−39 to +39 points).`,
		},
		{
			"faster per call and sooner right",
			`low 1x1+5: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok
			 high 1x4+90: 20 ok, 21 ok, 22 ok, 23 ok, 24 ok, 25 ok`,
			`Use low: right as often as high (100 %), and soonest right: 12.50 s in the median against 22.50 s (high).
			 high is 10.00 s slower than low (7.00–13.00 s); right as often within what 6 runs can show, 100 % of runs against 100 % (−39 to +39 points).`,
		},
		{
			"the intervals overlap",
			`low 1x1+5: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 25 ok
			 high 1x4+90: 12 ok, 13 ok, 14 ok, 15 ok, 16 ok, 17 failed_check`,
			`Which to use cannot be told from so few runs: of low, 100 % were right, in the median after 12.50 s; of high, 83 % were right, in the median after 14.00 s.
			 No difference in time seen between high and low: one of 39 % would have been seen four times in five; the 12 % that it looks like would take about 89 runs of each; right as often within what 6 runs can show, 83 % of runs against 100 % (−56 to +25 points).`,
		},
		{
			"one setting is right more often",
			`low 1x1+5: 10 ok, 11 failed_check, 12 failed_check, 13 failed_check, 14 failed_check, 15 failed_check, 12 failed_check, 9 failed_check
			 high 1x4+90: 10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok, 16 ok, 17 ok`,
			`Use high: right in 100 % of its runs, more often than low (12 %); how soon does not tell them apart: 13.50 s in the median against 10.00 s (low).
			 Too few runs to compare low with high in time, 1 against 8: it takes at least 4 of each for any difference to be told; right less often, 12 % of runs against 100 % (−98 to −40 points).`,
		},
		{
			"only one setting was ever right",
			`low 1x1+5: 10 failed_check, 11 failed_check
			 high 1x4+90: 10 ok, 11 ok`,
			`Only runs of high were right, in the median after 10.50 s: too few runs to be sure that the others cannot.
			 low and high cannot be compared in time: 0 runs of low were right, 2 of high; right in 0 % of runs against 100 % (−100 to −7 points), which 2 runs do not settle.
			 Whether effort did anything cannot be told from so few runs: the reasoning tokens a call (low 5, high 90) show no trend beyond doubt.`,
		},
		{
			"none was ever right",
			`low 1x1+5: 10 failed_check
			 high 1x4+90: 10 error`,
			`Whether effort did anything cannot be told from so few runs: the reasoning tokens a call (low 5, high 90) show no trend beyond doubt.
			 No setting gave a correct answer, so none is to be recommended.`,
		},
		{
			"answers that nobody checked are finished, not right",
			`low 1x1+5: 10 unchecked, 11 unchecked, 12 unchecked, 13 unchecked, 14 unchecked, 15 unchecked
			 high 1x4+90: 20 unchecked, 21 unchecked, 22 unchecked, 23 unchecked, 24 unchecked, 25 unchecked`,
			`Best is low: finished as often as high (100 %), and soonest finished: 12.50 s in the median against 22.50 s (high).
			 Not every answer was checked: a run that finished may have been wrong.
			 high is 10.00 s slower than low (7.00–13.00 s); finished as often within what 6 runs can show, 100 % of runs against 100 % (−39 to +39 points).`,
		},
		{
			"an effort that changed nothing is said before any ranking",
			`low 1x1+50: 10 ok, 12 ok
			 high 1x1+50: 11 ok, 12 ok`,
			`Effort changed nothing: about 50 reasoning tokens a call at every setting.
			 Which to use cannot be told from so few runs: of low, 100 % were right, in the median after 11.00 s; of high, 100 % were right, in the median after 11.50 s.
			 Too few runs to compare high with low in time, 2 against 2: it takes at least 4 of each for any difference to be told; right as often within what 2 runs can show, 100 % of runs against 100 % (−66 to +66 points).`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := report.WriteGroups(&out, settings(t, c.settings), report.TextOptions{Width: 140}); err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(out.String(), "what it shows\n")
			got, _, _ = strings.Cut(got, "\nwhy ")
			if got, want := strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(c.want), " "); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}
