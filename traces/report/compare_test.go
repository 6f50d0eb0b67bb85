package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func TestComparison(t *testing.T) {
	c := compare.Of(measure.GroupBy(bench(t, 12), "effort"), compare.Options{Pairs: compare.All})
	for _, f := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"compare-100.txt", func(b *bytes.Buffer) error {
			return report.WriteComparison(b, c, nil, report.TextOptions{Width: 100})
		}},
		{"compare-colour-80.txt", func(b *bytes.Buffer) error {
			return report.WriteComparison(b, c, nil, report.TextOptions{Width: 80, Colour: true})
		}},
		{"compare.md", func(b *bytes.Buffer) error { return report.WriteComparisonMarkdown(b, c) }},
		{"compare.csv", func(b *bytes.Buffer) error { return report.WriteComparisonCSV(b, c) }},
		{"compare.bench", func(b *bytes.Buffer) error { return report.WriteBenchmarks(b, c.Groups) }},
	} {
		t.Run(f.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := f.write(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, f.name, got.Bytes())
		})
	}
}

// Groups of which nothing can be told leave their places empty: in JSON all fields are there, null where they cannot be computed.
func TestComparisonOfWhatCannotBeTold(t *testing.T) {
	var runs []*measure.Run
	for i, outcome := range []traces.Outcome{traces.OK, traces.FailedCheck, traces.Timeout, traces.OutcomeUnknown} {
		for trial := range 4 {
			runs = append(runs, drawn(t, "run =====\n chat wwooo", tags([]string{"=1+1", "-5", "medium", "high"}[i], fmt.Sprint(trial), outcome)...))
		}
	}
	runs = append(runs, drawn(t, "run ======\n chat wwoooo", tags("=1+1", "5", traces.OK)...))
	c := compare.Of(measure.GroupBy(runs, "effort"), compare.Options{Pairs: compare.All})
	var text, table, doc bytes.Buffer
	for _, err := range []error{
		report.WriteComparison(&text, c, nil, report.TextOptions{Width: 100}),
		report.WriteComparisonCSV(&table, c),
		report.Yardsticks{}.WriteComparisonJSON(&doc, c, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "compare-untold.txt", text.Bytes())
	golden(t, "compare-untold.csv", table.Bytes())
	golden(t, "compare-untold.json", doc.Bytes())
}

// benchmarks reads text as benchstat does, and returns the names of its results, values by unit behind them.
func benchmarks(t *testing.T, text string) []string {
	t.Helper()
	var results []string
	reader := benchfmt.NewReader(strings.NewReader(text), "bench")
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			line := "Benchmark" + string(record.Name) + fmt.Sprintf(" %d", record.Iters)
			for _, v := range record.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" { // benchfmt turns ns/op into sec/op
					value, unit = v.OrigValue, v.OrigUnit
				}
				line += fmt.Sprintf(" %.0f %s", value, unit)
			}
			results = append(results, line)
		case *benchfmt.UnitMetadata:
		default:
			t.Errorf("no benchmark line: %v", record)
		}
	}
	if err := reader.Err(); err != nil {
		t.Error(err)
	}
	return results
}

func TestBenchmarkNames(t *testing.T) {
	runs := bench(t, 12)
	for _, r := range runs {
		r.Group["task"] = "csv total/v-2"
	}
	groups := measure.GroupBy(runs, "effort")
	var out bytes.Buffer
	if err := report.WriteBenchmarks(&out, groups); err != nil {
		t.Fatal(err)
	}
	correct := 0
	for _, g := range groups {
		correct += g.Succeeded
	}
	results := benchmarks(t, out.String())
	if len(results) != correct {
		t.Errorf("%d lines of %d correct runs", len(results), correct)
	}
	const want = "BenchmarkAnswer/effort=low/task=csv_total_v-2-1 1 10440000000 ns/op 220 output-tokens/op 60 reasoning-tokens/op 3 steps/op 3 calls/op 3 tool-calls/op 1 retries/op"
	if results[0] != want {
		t.Errorf("got  %s\nwant %s", results[0], want)
	}
}

// Whatever was recorded, all forms keep theirs: text its page, CSV its columns, benchmarks and JSON their syntax; and causes add up.
func TestAnyComparison(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for seed := range uint64(60) {
		var runs []*measure.Run
		for i := range 1 + rng.IntN(12) {
			built, _ := traces.Build(tracetest.Random(seed*20 + uint64(i)))
			for _, run := range built {
				if i%5 > 0 {
					run.Outcome, run.Open = traces.OK, false
				}
				run.Group["effort"] = []string{"low", "high", "a|b \x1b[31m<b>", "", "x=1, \"y\""}[i%5]
				runs = append(runs, measure.Of(run))
			}
		}
		c := compare.Of(measure.GroupBy(runs, "effort"), compare.Options{Pairs: compare.All})
		width := 60 + int(seed%81)
		var text, table, doc, marks, bench bytes.Buffer
		for _, err := range []error{
			report.WriteComparison(&text, c, lost(), report.TextOptions{Width: width}),
			report.WriteComparisonCSV(&table, c),
			report.Yardsticks{}.WriteComparisonJSON(&doc, c, nil),
			report.WriteComparisonMarkdown(&marks, c),
			report.WriteBenchmarks(&bench, c.Groups),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		lines(t, text.Bytes(), width, false)
		if _, err := csv.NewReader(&table).ReadAll(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		var parsed struct {
			Pairs []struct {
				Difference *int64 `json:"mean_difference_ns"`
				Causes     []struct{ NS int64 }
			}
		}
		if err := json.Unmarshal(doc.Bytes(), &parsed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, p := range parsed.Pairs {
			for _, cause := range p.Causes {
				*p.Difference -= cause.NS
			}
			if p.Difference != nil && *p.Difference != 0 {
				t.Errorf("seed %d: causes miss the difference by %d ns", seed, *p.Difference)
			}
		}
		benchmarks(t, bench.String())
		if strings.ContainsRune(marks.String(), '\x1b') || t.Failed() {
			t.Fatalf("seed %d at %d columns:\n%s\n%s", seed, width, text.String(), marks.String())
		}
	}
}

// Runs of an open loop are judged from when they were meant to begin, in every form.
func TestLateRunsAreJudgedFromTheirIntendedStart(t *testing.T) {
	var runs []*measure.Run
	for i := range 8 {
		for _, effort := range []string{"low", "high"} {
			r := drawn(t, "run =====\n chat wwooo", tags(effort, fmt.Sprint(i), traces.OK)...)
			late := time.Duration(i) * time.Second
			if effort == "low" {
				late = 0
			}
			r.Late = &late
			runs = append(runs, r)
		}
	}
	c := compare.Of(measure.GroupBy(runs, "effort"), compare.Options{Pairs: compare.First})
	var text, table, doc, marks, bench bytes.Buffer
	for _, err := range []error{
		report.WriteComparison(&text, c, nil, report.TextOptions{Width: 100}),
		report.WriteComparisonCSV(&table, c),
		report.Yardsticks{}.WriteComparisonJSON(&doc, c, nil),
		report.WriteComparisonMarkdown(&marks, c),
		report.WriteBenchmarks(&bench, c.Groups),
		report.WriteJSON(&doc, runs[3:4], nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const note = "runs began 3.50 s later than meant on average: times to an answer count that, the parts of the mean do not"
	for _, x := range []struct {
		form, got string
		want      []string
	}{
		{"text", strings.Join(strings.Fields(text.String()), " "), []string{"4.50 s 1.00–8.00 s 1.00–8.00 s", "high: " + note, "why high − low = +3.50 s in the mean", "late start +3.50 s"}},
		{"Markdown", marks.String(), []string{"| high | 8 | 100 % | 68–100 % | 4.50 s | 1.00 s – 8.00 s | 1.00 s |", "- high: " + note, "| late start | +3.50 s | 0 s | 3.50 s |"}},
		{"CSV", table.String(), []string{"high,8,8,0,0,0,1,0.675592,1,4500000000,1000000000,8000000000,,1000000000,3500000000,low,"}},
		{"JSON", doc.String(), []string{`"mean_late_ns": 3500000000`, `"mean_difference_ns": 3500000000`, `"late_ns": 1000000000`}},
		{"benchmarks", strings.Join(benchmarks(t, bench.String()), "\n"), []string{"8000000000 ns/op 7000000000 late-ns/op"}},
	} {
		for _, want := range x.want {
			if !strings.Contains(x.got, want) {
				t.Errorf("%s lacks %q:\n%s", x.form, want, x.got)
			}
		}
	}
}

// More groups than fit a page are counted.
func TestComparisonOfManyGroups(t *testing.T) {
	var runs []*measure.Run
	for i := range 45 {
		runs = append(runs, drawn(t, "run =====\n chat wwooo", tags(fmt.Sprint("setting ", i), "1", traces.OK)...))
	}
	var out bytes.Buffer
	c := compare.Of(measure.GroupBy(runs, "effort"), compare.Options{})
	if err := report.WriteComparison(&out, c, nil, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "… and 5 more; --format json lists all") || strings.Contains(got, "setting 40 ") {
		t.Error(got)
	}
}
