package report

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/seed46266073/longpole/traces/measure"
)

// WriteBenchmarks writes the finished, correct runs of groups in Go's benchmark format (golang.org/design/14313-benchmark-format), one
// line a run, so that benchstat compares them by any tag; ns/op is the time from a run's intended start, late-ns/op how much of it went by
// before it began:
//
//	BenchmarkAnswer/effort=low/task=csv-total 1 11900000000 ns/op 220 output-tokens/op …
//
// The name carries the groups' keys and the other tags that differ between runs, except those that tell single runs apart. Runs that did
// not end with a right answer have no time to one: a comment counts them.
func WriteBenchmarks(w io.Writer, groups []measure.Group) error {
	return Yardsticks{}.WriteBenchmarks(w, groups)
}

// WriteBenchmarks is the function of that name with what each run cost, if there are prices and all of it was counted: USD/op, or another
// currency's.
func (y Yardsticks) WriteBenchmarks(w io.Writer, groups []measure.Group) error {
	var b strings.Builder
	keys := benchmarkKeys(groups)
	b.WriteString("Unit ns/op better=lower\nUnit output-tokens/op better=lower\nUnit reasoning-tokens/op better=lower\n")
	unit := ""
	if y.Prices != nil {
		unit = benchmarkWord(y.Prices.Currency) + "/op"
		fmt.Fprintf(&b, "Unit %s better=lower\n", unit)
	}
	for i := range groups {
		g := &groups[i]
		for _, r := range g.Runs {
			if r.Correct() {
				b.WriteString(benchmarkLine(g, r, keys))
				if y.Prices != nil {
					if bill := y.Prices.Run(r); bill.Total != nil && !bill.AtLeast && !bill.AtMost {
						fmt.Fprintf(&b, " %s %s", decimalAmount(bill.Total), unit)
					}
				}
				b.WriteByte('\n')
			}
		}
		if n := g.N - g.Succeeded; n > 0 {
			fmt.Fprintf(&b, "# %s: %d of %d runs without a correct answer are left out\n", Clean(g.Label()), n, g.N)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// singleRun are the tags that differ between runs of one setting.
var singleRun = []string{"trial", "experiment", "seed", "time", "hour"}

// benchmarkKeys returns the groups' keys and what else differs between their runs.
func benchmarkKeys(groups []measure.Group) []string {
	var keys []string
	values := map[string]map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Runs {
			for k, v := range r.Group {
				if values[k] == nil {
					values[k] = map[string]bool{}
				}
				values[k][v] = true
			}
		}
	}
	if len(groups) > 0 {
		keys = slices.Clone(groups[0].By)
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if len(values[k]) > 1 && !slices.Contains(keys, k) && !slices.Contains(singleRun, k) || k == "task" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func benchmarkLine(g *measure.Group, r *measure.Run, keys []string) string {
	name := "BenchmarkAnswer"
	for _, k := range keys {
		v := r.Group[k]
		if inKey, ok := g.Key[k]; ok {
			v = inKey
		}
		if v != "" {
			name += "/" + benchmarkWord(k) + "=" + benchmarkWord(v)
		}
	}
	if endsInProcs.MatchString(name) { // would be taken for GOMAXPROCS; so the last one is
		name += "-1"
	}
	line := fmt.Sprintf("%s 1 %d ns/op", name, r.Time().Nanoseconds())
	if r.Late != nil {
		line += fmt.Sprintf(" %d late-ns/op", r.Late.Nanoseconds())
	}
	if u := r.Usage; u.Uncounted == 0 {
		if u.Output != nil {
			line += fmt.Sprintf(" %d output-tokens/op", *u.Output)
		}
		if u.Reasoning != nil {
			line += fmt.Sprintf(" %d reasoning-tokens/op", *u.Reasoning)
		}
	}
	return line + fmt.Sprintf(" %d steps/op %d calls/op %d tool-calls/op %d retries/op", r.Counts.Steps, r.Counts.ModelCalls, r.Counts.ToolCalls, r.Counts.Retries())
}

var endsInProcs = regexp.MustCompile(`-[0-9]+$`)

// benchmarkWord makes a tag's key or value a part of a benchmark's name: no space, slash or equals sign.
func benchmarkWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' || r == '=' {
			return '_'
		}
		return r
	}, Clean(s))
}
