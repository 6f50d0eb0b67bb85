package report_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/ceiling"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/pace"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// all are yardsticks of every kind, for made-up models.
func all(t *testing.T, prices string, claims ...string) report.Yardsticks {
	t.Helper()
	table, err := cost.Load(strings.NewReader(prices))
	if err != nil {
		t.Fatal(err)
	}
	hardware, err := ceiling.ParseHardware("h100")
	if err != nil {
		t.Fatal(err)
	}
	targets := pace.Default()
	y := report.Yardsticks{Targets: &targets, Prices: table,
		Ceiling: &ceiling.Setup{Model: ceiling.Model{Active: 70e9, BytesPerParam: 1, KVBytes: 327680}, Hardware: hardware}}
	for _, claim := range claims {
		f, err := ceiling.ParseClaim(claim)
		if err != nil {
			t.Fatal(err)
		}
		y.Claims = append(y.Claims, f)
	}
	return y
}

// What prices say of groups is in every format, not in text and JSON alone.
func TestComparisonWithPrices(t *testing.T) {
	runs := spending(t, 6, "1")
	runs[0].Open = true // high: something may come
	c := compare.Of(measure.GroupBy(runs, "effort"), compare.Options{})
	y := all(t, priced)
	for name, write := range map[string]func(io.Writer) error{
		"compare-prices.md":    func(w io.Writer) error { return y.WriteComparisonMarkdown(w, c) },
		"compare-prices.csv":   func(w io.Writer) error { return y.WriteComparisonCSV(w, c) },
		"compare-prices.bench": func(w io.Writer) error { return y.WriteBenchmarks(w, c.Groups) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, name, got.Bytes())
		})
	}
}

const (
	priced   = "date: 2026-11-01\ncurrency: USD\nmodels:\n  - model: glm-sim\n    input: 0.60\n    cached_input: 0.06\n    output: 2.20\n    batch_discount: 50%\n"
	unpriced = "date: 2026-01-01\ncurrency: EUR\nmodels:\n  - model: quill-2\n    input: 0.60\n    output: 2.20\n"
)

// spending is bench with input that was counted, and chars, by so many users at once.
func spending(t *testing.T, trials int, users ...string) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for i, n := range users {
		for trial := range trials {
			for _, effort := range []struct{ word, text string }{{"high", high}, {"low", low}, {"medium", medium}} {
				outcome := traces.OK
				if effort.word == "low" && trial%3 == 1 {
					outcome = traces.FailedCheck
				}
				input := 1000
				text := regexp.MustCompile(`gen_ai.usage.output`).ReplaceAllStringFunc(effort.text, func(key string) string {
					input += 1000 + 10*trial
					return fmt.Sprintf("%s=%d %s=%d %s", traces.KeyInputTokens, input, traces.KeyCachedTokens, input/2, key)
				})
				recs := slow(tracetest.Records(t, text), time.Duration(180+7*trial+40*i)*time.Millisecond)
				for k := range recs { // one setting after the other, one load after the other
					recs[k].Start += int64(i) * 1e12
					recs[k].End += int64(i) * 1e12
				}
				recs[0].Attrs = append(append(recs[0].Attrs, tags(effort.word, fmt.Sprint(trial), outcome)...), traces.Attr{Key: traces.KeyGroupPrefix + "concurrency", Value: n})
				built, problems := traces.Build(recs)
				if len(built) != 1 || len(problems) > 0 {
					t.Fatalf("got %d runs, problems %v", len(built), problems)
				}
				runs = append(runs, measure.Of(built[0]))
			}
		}
	}
	return runs
}

func TestYardsticks(t *testing.T) {
	claims := []string{"500", "40,batch=1,context=2000,hardware=h100"}
	for _, c := range []struct {
		name   string
		y      report.Yardsticks
		groups []measure.Group
		opt    report.TextOptions
		widths []int
	}{
		{name: "yardsticks-none", groups: measure.GroupBy(bench(t, 12), "effort"), widths: []int{80}},
		{name: "yardsticks", y: all(t, priced, claims...), groups: measure.GroupBy(spending(t, 12, "1", "8"), "effort"), widths: []int{60, 80, 140}},
		{name: "yardsticks-ascii", y: all(t, priced, claims...), groups: measure.GroupBy(spending(t, 7, "1"), "effort"), opt: report.TextOptions{ASCII: true}, widths: []int{80}},
		{name: "yardsticks-one", y: all(t, priced), groups: measure.GroupBy(one(t)), widths: []int{80}},
		{name: "yardsticks-unpriced", y: all(t, unpriced), groups: measure.GroupBy(bench(t, 2)), widths: []int{80}},
		{name: "yardsticks-no-groups", y: all(t, priced), widths: []int{80}},
	} {
		for _, width := range c.widths {
			t.Run(fmt.Sprint(c.name, " at ", width), func(t *testing.T) {
				c.opt.Width = width
				var got bytes.Buffer
				if err := c.y.WriteText(&got, c.groups, c.opt); err != nil {
					t.Fatal(err)
				}
				lines(t, got.Bytes(), width, false)
				golden(t, fmt.Sprintf("%s-%d.txt", c.name, width), got.Bytes())
				if c.opt.ASCII && strings.ContainsFunc(got.String(), func(r rune) bool { return r >= 0x80 }) {
					t.Errorf("not ASCII:\n%s", got.String())
				}
			})
		}
	}
}

// Whatever was recorded, the text keeps to its page and JSON can be written.
func TestYardsticksOfAnyRun(t *testing.T) {
	y := all(t, "date: 2026-11-01\ncurrency: USD\nmodels: [{model: '*', input: 1, cached_input: 0.1, output: 4, reasoning: 5}]", "500")
	for seed := range uint64(100) {
		built, problems := traces.Build(tracetest.Random(seed))
		var runs []*measure.Run
		for _, run := range built {
			runs = append(runs, measure.Of(run))
		}
		opt := report.TextOptions{Width: 60 + int(seed%81)}
		var text, doc bytes.Buffer
		if err := y.WriteRuns(&text, runs, opt); err != nil {
			t.Fatal(err)
		}
		lines(t, text.Bytes(), opt.Width, false)
		if err := y.WriteJSON(&doc, runs, problems); err != nil {
			t.Fatal(err)
		}
		if err := y.WriteGroupsJSON(&doc, measure.GroupBy(runs, "model"), problems); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text.String())
		}
	}
}

func TestYardsticksJSON(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"yardsticks.json", func(b *bytes.Buffer) error {
			return all(t, priced, "500").WriteGroupsJSON(b, measure.GroupBy(spending(t, 12, "1"), "effort"), nil)
		}},
		{"yardsticks-run.json", func(b *bytes.Buffer) error {
			return all(t, priced).WriteJSON(b, spending(t, 1, "1")[:1], nil)
		}},
		{"yardsticks-unpriced.json", func(b *bytes.Buffer) error {
			return report.Yardsticks{Prices: all(t, unpriced).Prices, Claims: all(t, unpriced, "500").Claims}.WriteGroupsJSON(b, measure.GroupBy(one(t)), nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := c.write(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, got.Bytes())
		})
	}
}
