package blame_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
)

// row is a row as the table of a test writes it: times in milliseconds, "-" for what is not told.
func row(r blame.Row) string {
	ms := func(d *time.Duration) string {
		if d == nil {
			return "-"
		}
		return fmt.Sprint(float64(*d) / 1e6)
	}
	return fmt.Sprintf("%s: %v in %d, median %s, lasted %s, hidden %s", r.Name, float64(r.Mean)/1e6, r.Runs, ms(r.Time.Median), ms(r.Lasted), ms(r.Hidden))
}

func rowsOf(rows []blame.Row) []string {
	var list []string
	for _, r := range rows {
		list = append(list, row(r))
	}
	return list
}

func TestRows(t *testing.T) {
	b := blame.Of(drawn(t, `
		run     ============
		 step1  ============
		  chat  wwrr                model:big asks:a,b
		  slow      =======         call:a
		  quick     ===             call:b
	`, `
		run     ==========
		 step1  ====
		  chat  wwrr                model:big
		 step2      ======
		  chat      ww              model:small
		  slow        ====          call:a
	`))
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"components, the largest mean first", rowsOf(b.Components), []string{
			"tool: 5.5 in 2, median 5.5, lasted 7, hidden 1.5", "wait: 3 in 2, median 3, lasted 3, hidden 0",
			"reasoning: 2 in 2, median 2, lasted 2, hidden 0", "agent: 0.5 in 1, median 1, lasted -, hidden -",
		}},
		{"tools, also one that nothing waited for", rowsOf(b.Tools), []string{
			"slow: 5.5 in 2, median 5.5, lasted 5.5, hidden 0", "quick: 0 in 0, median -, lasted 1.5, hidden 1.5",
		}},
		{"models", rowsOf(b.Models), []string{"big: 4 in 2, median 4, lasted 4, hidden 0", "small: 1 in 1, median 2, lasted 1, hidden 0"}},
		{"steps, by index, the median of the runs that have it", rowsOf(b.Steps), []string{"1: 8 in 2, median 8, lasted -, hidden -", "2: 3 in 1, median 6, lasted -, hidden -"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if b.MeanWall != 11*time.Millisecond || b.Runs != 2 || b.Open != 0 {
		t.Errorf("got %v over %d runs, %d open", b.MeanWall, b.Runs, b.Open)
	}
	if empty := blame.Of(nil); len(empty.Components)+len(empty.Tools)+len(empty.Models)+len(empty.Steps) != 0 {
		t.Errorf("without runs: got %+v", empty)
	}
}

// Of any runs: the means of components add up to the mean wall time, those of tools to the component's, and order is nothing.
func TestRowsOfAnyRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(100) {
		runs := anyRuns(seed)
		b := blame.Of(runs)
		whole, tools := b.MeanWall, time.Duration(0)
		for _, r := range b.Components {
			whole -= r.Mean
			if r.Component == traces.Tool {
				tools = r.Mean
			}
			if r.Lasted != nil && (*r.Hidden < 0 || *r.Hidden > *r.Lasted) {
				t.Errorf("seed %d: %s: %v of %v hidden", seed, r.Name, *r.Hidden, *r.Lasted)
			}
		}
		for _, r := range b.Tools {
			tools -= r.Mean
		}
		if whole != 0 || tools != 0 {
			t.Errorf("seed %d: components miss the wall time by %d ns, tools theirs by %d ns", seed, whole, tools)
		}
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		if diff := cmp.Diff(b, blame.Of(runs), cmpopts.IgnoreUnexported(blame.Blame{})); diff != "" {
			t.Errorf("seed %d: the order of runs matters:\n%s", seed, diff)
		}
	}
}

// What is shown for a percentile is the mean of whole runs around it, so it adds up.
func TestAround(t *testing.T) {
	var texts []string
	for i := range 20 {
		bar := fmt.Sprintf("%.*s", i+2, "========================")
		texts = append(texts, "run  ="+bar+"\n t   ="+bar[1:])
	}
	runs := drawn(t, texts...)
	slices.Reverse(runs)
	if _, ok := blame.Of(runs[1:]).Around(0.5); ok {
		t.Error("nineteen runs told typical from slow")
	}
	for _, c := range []struct {
		q    float64
		want string
		ok   bool
	}{
		{0.5, "5 runs of 10ms to 14ms, mean 12ms", true}, // the tenth, and two to each side
		{0.95, "4 runs of 19ms to 22ms, mean 20.5ms", true},
		{0.99, "", false},
		{1, "3 runs of 20ms to 22ms, mean 21ms", true},
	} {
		got := ""
		a, ok := blame.Of(runs).Around(c.q)
		if ok {
			got = fmt.Sprintf("%d runs of %v to %v, mean %v", a.Runs, a.Low, a.High, a.MeanWall)
		}
		for _, m := range a.Components {
			a.MeanWall -= m.Mean
		}
		if got != c.want || ok != c.ok || a.MeanWall != 0 {
			t.Errorf("q %v: got %q, %v, want %q, %v; %d ns do not add up", c.q, got, ok, c.want, c.ok, a.MeanWall)
		}
	}
}

// Tails are told only where enough runs saw them.
func TestTails(t *testing.T) {
	for _, c := range []struct {
		n        int
		p95, p99 bool
	}{{19, false, false}, {20, true, false}, {99, true, false}, {100, true, true}} {
		runs := slices.Repeat(drawn(t, "run   ====\n chat ===   model:m"), c.n)
		got := blame.Of(runs).Components[0].Time
		if (got.P95 != nil) != c.p95 || (got.P99 != nil) != c.p99 || got.Median == nil {
			t.Errorf("%d runs: got %+v", c.n, got)
		}
	}
}

// Without the slow tool the quick one beside it would be waited for: both together take less than what each seems to cost.
func TestDrag(t *testing.T) {
	b := blame.Of(drawn(t, `
		run    ==========
		 chat  ww           model:big asks:a,b
		 slow    =======    call:a
		 quick   ===        call:b
	`, `
		run    ======
		 chat  wwww         model:big
	`))
	for _, c := range []struct {
		name      string
		got, want time.Duration
	}{
		{"slow", b.ToolDrag("slow"), 2 * time.Millisecond},
		{"quick", b.ToolDrag("quick"), 0},
		{"no such tool", b.ToolDrag("x"), 0},
		{"tools", b.ComponentDrag(traces.Tool), 3500 * time.Microsecond},
		{"wait", b.ComponentDrag(traces.Wait), 3 * time.Millisecond},
		{"retry", b.ComponentDrag(traces.Retry), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if got := blame.Of(nil).ComponentDrag(traces.Wait); got != 0 {
		t.Errorf("without runs: got %v", got)
	}
}

// An open run is counted, and said to be open.
func TestOpenRuns(t *testing.T) {
	b := blame.Of([]*measure.Run{drawn(t, "run   ====>\n chat ===> model:m")[0], drawn(t, "run   ====\n chat ===  model:m")[0]})
	if b.Open != 1 || b.Runs != 2 {
		t.Errorf("got %d open of %d, want 1 of 2", b.Open, b.Runs)
	}
}
