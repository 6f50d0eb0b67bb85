package cost_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

func prices(t testing.TB) *cost.Table {
	t.Helper()
	f, err := os.Open("testdata/prices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := cost.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// words puts tokens into the notes of a drawing: "in=… cached=… written=… out=… reasoning=…".
func words(notes string) string {
	return strings.NewReplacer("in=", traces.KeyInputTokens+"=", "cached=", traces.KeyCachedTokens+"=", "written=", traces.KeyCacheWriteTokens+"=",
		"out=", traces.KeyOutputTokens+"=", "reasoning=", traces.KeyReasoningTokens+"=", "answered:", traces.KeyResponseModel+"=").Replace(notes)
}

func drawn(t *testing.T, text string, attrs ...traces.Attr) *measure.Run {
	t.Helper()
	recs := tracetest.Records(t, words(text))
	recs[0].Attrs = append(recs[0].Attrs, attrs...)
	runs, _ := traces.Build(recs)
	if len(runs) != 1 {
		t.Fatalf("the drawing holds %d runs", len(runs))
	}
	return measure.Of(runs[0])
}

// bill writes what is known of a bill.
func bill(b cost.Bill) string {
	s := "unknown"
	if b.Total != nil {
		s = exact(b.Total)
	}
	if b.AtLeast {
		s = "at least " + s
	}
	if b.AtMost {
		s = "at most " + s
	}
	if b.Batch != nil {
		s += ", in batches " + exact(b.Batch)
	}
	s += fmt.Sprintf("; %d calls", b.Calls)
	if b.Charged < b.Calls {
		s += fmt.Sprintf(", %d unpriced (%d tokens), %d uncounted, the others %s", b.Unpriced, b.UnpricedTokens, b.Uncounted, exact(&b.Known))
	}
	for _, n := range b.Notes {
		s += fmt.Sprintf("; %s (%d)", n.Text, n.Calls)
	}
	return s
}

func exact(a *cost.Amount) string {
	text, _ := json.Marshal(a)
	return string(text)
}

func TestRun(t *testing.T) {
	for _, c := range []struct{ name, run, want string }{
		{"input and output have their prices", "run ====\n chat wwoo model:acme-7 in=1000000 out=500000", "3; 1 calls"},
		{"reasoning is output", "run ====\n chat wwoo model:acme-7 in=0 out=500000 reasoning=400000", "2; 1 calls"},
		{"unless it has a price of its own", "run ====\n chat wwoo model:quill-2 in=0 cached=0 out=500000 reasoning=400000", "1.08, in batches 0.81; 1 calls"},
		{"then it must have been counted", "run ====\n chat wwoo model:quill-2 in=0 out=500000",
			"unknown; 1 calls, 0 unpriced (0 tokens), 1 uncounted, the others 0; reasoning tokens, which have a price of their own, that nobody counted (1)"},
		{"cached input and cache writes are part of the input", "run ====\n chat wwoo model:acme-large-1 in=1000000 cached=600000 written=300000 out=0", "1.07, in batches 0.535; 1 calls"},
		{"a sum of single tokens is exact", "run ====\n chat wwoo model:acme-large-1 in=1 cached=1 written=0 out=1", "0.0000102, in batches 0.0000051; 1 calls"},
		{"without a price of its own, cached input has none", "run ====\n chat wwoo model:acme-7 in=100 cached=50 out=10",
			"unknown; 1 calls, 1 unpriced (110 tokens), 0 uncounted, the others 0; no price for cached input of acme-7 (1)"},
		{"if nobody counted what was cached, it is at most this", "run ====\n chat wwoo model:quill-2 in=1000000 out=0 reasoning=0", "at most 0.3, in batches 0.225; 1 calls"},
		{"if nobody counted what was put into the cache, at least this", "run ====\n chat wwoo model:acme-large-1 in=1000000 cached=0 out=0", "at least 2, in batches 1; 1 calls"},
		{"at least this too where cached input costs more", "run ====\n chat wwoo model:upside-down in=1000000 out=0", "at least 1; 1 calls"},
		{"if neither was counted, it cannot be told", "run ====\n chat wwoo model:acme-large-1 in=1000000 out=0",
			"unknown; 1 calls, 0 unpriced (0 tokens), 1 uncounted, the others 0; nobody counted what of the input was read from a cache and what written to it (1)"},
		{"a free model costs nothing, whatever was counted", "run ====\n chat wwoo model:tiny-local", "0, in batches 0; 1 calls"},
		{"a model that the table does not have has no price", "run ====\n chat wwoo model:zeta in=5 out=6", "unknown; 1 calls, 1 unpriced (11 tokens), 0 uncounted, the others 0; no price for zeta (1)"},
		{"nor has one without a name", "run ====\n chat wwoo in=5 out=6", "unknown; 1 calls, 1 unpriced (11 tokens), 0 uncounted, the others 0; a model that is not named (1)"},
		{"one call without a price makes the run unknown", "run ========\n chat1 wwoo     model:acme-7 in=1000000 out=0\n chat2     wwoo model:zeta in=5 out=6",
			"unknown; 2 calls, 1 unpriced (11 tokens), 0 uncounted, the others 1; no price for zeta (1)"},
		{"side calls cost too", "run ========\n chat1 wwoo     model:acme-7 in=1000000 out=0\n chat2     wwoo side model:acme-7 in=1000000 out=0", "2; 2 calls"},
		{"tokens that nobody counted make it unknown", "run ====\n chat wwoo model:acme-7", "unknown; 1 calls, 0 unpriced (0 tokens), 1 uncounted, the others 0; tokens that nobody counted (1)"},
		{"half a count too", "run ====\n chat wwoo model:acme-7 out=5", "unknown; 1 calls, 0 unpriced (0 tokens), 1 uncounted, the others 0; tokens that nobody counted (1)"},
		{"counts that cannot be are not charged", "run ====\n chat wwoo model:acme-large-1 in=5 cached=9 written=0 out=5",
			"unknown; 1 calls, 0 unpriced (0 tokens), 1 uncounted, the others 0; counts of tokens that contradict each other (1)"},
		{"a refused request is not charged", "run =======\n chat =======  model:acme-7 in=1000000 out=0\n  try1 ww      status:429 error\n  try2    wwoo status:200", "1; 1 calls"},
		{"nor is a call that was refused for good", "run ====\n chat ==== model:acme-7 error\n  try1 wwww status:401 error", "0, in batches 0; 1 calls"},
		{"one that broke off while it wrote may have been", "run =======\n chat =======  model:acme-7 in=1000000 out=0\n  try1 woo      outcome:truncated\n  try2    wwoo status:200",
			"at least 1; 1 calls; attempts that broke off may have been charged too (1)"},
		{"a run that is not over costs at least this", "run ====>\n chat wwoo model:acme-7 in=1000000 out=0", "at least 1; 1 calls"},
		{"tokens that were only counted as a whole are charged as a whole", "run ======== in=1000000 out=500000\n chat1 wwoo model:acme-7\n chat2     wwoo model:acme-7", "3; 2 calls"},
		{"but not those of several models", "run ======== in=1000000 out=500000\n chat1 wwoo model:acme-7\n chat2     wwoo model:acme-8",
			"unknown; 2 calls, 0 unpriced (0 tokens), 2 uncounted, the others 0; tokens that nobody counted (2)"},
		{"without a model call nothing is known", "run ====", "unknown; 0 calls; no model call was recorded (0)"},
		{"embeddings have no output", "run ====\n chat wwww model:acme-7 in=1000000 gen_ai.operation.name=embeddings", "1; 1 calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := bill(prices(t).Run(drawn(t, c.run))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, requested, answered, want string }{
		{"a name of its own", "acme-large-1", "", "acme-large-1"},
		{"that beats every pattern", "", "acme-large-1", "acme-large-1"},
		{"the pattern with the longest beginning", "acme-large-2", "", "acme-large-*"},
		{"of those the longest", "acme-3-mini", "", "acme-*-mini"},
		{"a pattern holds slashes too", "acme-3/x", "", "acme-*"},
		{"the name that answered counts", "acme-large-1", "quill-2", "quill-2"},
		{"with a date it is charged as what was asked for", "acme-large-1", "acme-large-1-20260101", "acme-large-1, acme-large-1-20260101 is charged as acme-large-1"},
		{"without its provider too", "tiny-local", "tiny-local", "tiny-local"},
		{"a date of another form", "quill-2", "quill-2@2026-01-01", "quill-2, quill-2@2026-01-01 is charged as quill-2"},
		{"another model is not charged as what was asked for", "quill-2", "quill-2-large", "nothing"},
		{"nor one that was routed to", "quill-2", "zeta", "nothing"},
		{"no name has no price", "", "", "nothing"},
		{"a beginning alone is no match", "quill-22", "", "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := "nothing"
			if p, note := prices(t).Find(c.requested, c.answered); p != nil {
				got = p.Model
				if note != "" {
					got += ", " + note
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	const head = "date: 2026-11-01\ncurrency: USD\nmodels:\n  - model: m\n    "
	for _, c := range []struct{ name, file, want string }{
		{"a table needs its day", "currency: USD\nmodels: [{model: m, free: true}]", `date "": want the day the prices are of, as 2026-11-01`},
		{"a day that is one", "date: 2026-02-30\ncurrency: USD\nmodels: [{model: m, free: true}]", `date "2026-02-30": want the day the prices are of, as 2026-11-01`},
		{"a currency", "date: 2026-11-01\nmodels: [{model: m, free: true}]", `currency "": want letters, as USD`},
		{"a currency that does not move the cursor", "date: 2026-11-01\ncurrency: \"\\e[2J\"\nmodels: [{model: m, free: true}]", `currency "\x1b[2J": want letters, as USD`},
		{"and models", "date: 2026-11-01\ncurrency: USD\n", "models: none has a price"},
		{"which have names", "date: 2026-11-01\ncurrency: USD\nmodels: [{free: true}]", "entry 1 of models: no model"},
		{"each once", head + "free: true\n  - model: m\n    input: 1\n    output: 1\n", `model "m": named twice`},
		{"a price needs both sides", head + "input: 1\n", `model "m": want input and output, or free: true`},
		{"a price of 0 must be meant", head + "input: 0\n    output: 0\n", `model "m": all prices are 0; if it costs nothing, say free: true instead`},
		{"free and a price is a contradiction", head + "free: true\n    input: 1\n", `model "m": free, and with a price`},
		{"a negative price is none", head + "input: -1\n    output: 1\n", `model "m": input: "-1" is no price: want a decimal number from 0, as 2.50`},
		{"a word neither", head + "input: cheap\n    output: 1\n", `model "m": input: "cheap" is no price: want a decimal number from 0, as 2.50`},
		{"nor a list", head + "input: [1]\n    output: 1\n", `model "m": input: "[1]" is no price: want a decimal number from 0, as 2.50`},
		{"nor a huge exponent", head + "input: 1e999999999\n    output: 1\n", `model "m": input: "1e999999999" is no price: want a decimal number from 0, as 2.50`},
		{"a discount takes off no more than all", head + "input: 1\n    output: 1\n    batch_discount: 150%\n", `model "m": batch_discount: "150%": want the share taken off, as 50% or 0.5`},
		{"a word misspelt is said with its line", head + "input: 1\n    outptu: 1\n", `line 6: unknown field "outptu"`},
		{"quotes around a number do no harm", head + "input: '1.5' # dear\n    output: \"2\"\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := cost.Load(strings.NewReader(c.file))
			if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAmountString(t *testing.T) {
	for _, c := range []struct{ price, want string }{
		{"0", "0"}, {"12.3", "12.30"}, {"1234.567", "1234.57"}, {"0.25", "0.25"}, {"0.375", "0.375"}, {"0.0123", "0.0123"}, {"0.012345", "0.0123"},
		{"0.00000249", "0.000002"}, {"0.0000004", "<0.000001"}, {"0.0000005", "0.000001"}, {"0.9999", "1.00"}, {"1", "1.00"}, {"0.1", "0.10"},
	} {
		file := "date: 2026-11-01\ncurrency: USD\nmodels: [{model: m, input: " + c.price + ", output: 1}]"
		table, err := cost.Load(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := table.Find("m", ""); p.Input.String() != c.want {
			t.Errorf("%s is written %s, want %s", c.price, p.Input, c.want)
		}
	}
}

// settings are 8 runs each of several settings, so long and of so many tokens; wrong of them are wrong.
func settings(t *testing.T, list ...string) []measure.Group {
	t.Helper()
	var runs []*measure.Run
	for _, setting := range list {
		var name, model string
		var length, tokens, wrong int
		if _, err := fmt.Sscan(setting, &name, &model, &length, &tokens, &wrong); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			outcome := traces.OK
			if i < wrong {
				outcome = traces.FailedCheck
			}
			text := fmt.Sprintf("run %s\n chat %s model:%s in=%d cached=0 out=0", strings.Repeat("=", length+i%2), strings.Repeat("o", length), model, tokens+i)
			runs = append(runs, drawn(t, text, traces.Attr{Key: traces.KeyGroupPrefix + "setting", Value: name}, traces.Attr{Key: traces.KeyOutcome, Value: string(outcome)}))
		}
	}
	return measure.GroupBy(runs, "setting")
}

func TestGroupAndFront(t *testing.T) {
	table := prices(t)
	for _, c := range []struct {
		name   string
		groups []string // name, model, length, tokens, wrong runs
		want   []string
	}{
		{"a wrong answer costs as much as a right one", []string{"a acme-7 10 1000000 4"}, []string{
			"a: 8.000028 for 8 runs, a run 1.0000035, a correct answer 2.000007, median 1.0000035 (1–1.000007), front"}},
		{"without a correct answer there is no cost of one", []string{"a acme-7 10 1000000 8"}, []string{
			"a: 8.000028 for 8 runs, a run 1.0000035, median 1.0000035 (1–1.000007)"}},
		{
			"cheaper, sooner or right more often is enough for the front", []string{"a acme-7 10 2000000 0", "b acme-7 20 1000000 0"},
			[]string{"a: 16.000028 for 8 runs, a run 2.0000035, a correct answer 2.0000035, median 2.0000035 (2–2.000007), front",
				"b: 8.000028 for 8 runs, a run 1.0000035, a correct answer 1.0000035, median 1.0000035 (1–1.000007), front"},
		},
		{
			"what is dearer and no better is beaten", []string{"a acme-7 10 1000000 0", "b acme-7 10 2000000 0"},
			[]string{"a: 8.000028 for 8 runs, a run 1.0000035, a correct answer 1.0000035, median 1.0000035 (1–1.000007), front",
				"b: 16.000028 for 8 runs, a run 2.0000035, a correct answer 2.0000035, median 2.0000035 (2–2.000007), beaten by a"},
		},
		{
			"a faster one is told by the test that compares times, which tells more than intervals of medians",
			[]string{"a acme-7 10 1000000 0", "b acme-7 11 1000000 0"},
			[]string{"a: 8.000028 for 8 runs, a run 1.0000035, a correct answer 1.0000035, median 1.0000035 (1–1.000007), front",
				"b: 8.000028 for 8 runs, a run 1.0000035, a correct answer 1.0000035, median 1.0000035 (1–1.000007), beaten by a"},
		},
		{
			"what may cost more than is known beats nothing", []string{"a acme-large-1 10 1000000 0", "b acme-7 10 9000000 0"},
			[]string{"a: 16.000056 for 8 runs, a run 2.000007, a correct answer 2.000007, median 2.000007 (2–2.000014), front",
				"b: 72.000028 for 8 runs, a run 9.0000035, a correct answer 9.0000035, median 9.0000035 (9–9.000007), front"},
		},
		{
			"an unknown cost is not compared", []string{"a zeta 10 1000000 0", "b acme-7 20 2000000 0"},
			[]string{"a: unknown for 8 runs, 8 of them unknown", "b: 16.000028 for 8 runs, a run 2.0000035, a correct answer 2.0000035, median 2.0000035 (2–2.000007), front"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups := settings(t, c.groups...)
			var bills []cost.GroupBill
			for i := range groups {
				bills = append(bills, table.Group(&groups[i]))
			}
			var got []string
			for i, standing := range cost.Front(compare.Of(groups, compare.Options{Pairs: compare.All}), bills) {
				got = append(got, groups[i].Label()+": "+groupBill(bills[i])+place(groups, standing))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
		})
	}
}

// A few runs of which not everything was counted do not hide what the others cost.
func TestRunsThatWereNotFullyCounted(t *testing.T) {
	table := prices(t)
	open := func(n int) []measure.Group {
		groups := settings(t, "a acme-7 10 1000000 0", "b acme-7 10 2000000 0")
		for _, r := range groups[0].Runs[:n] {
			r.Open = true
		}
		return groups
	}
	for _, c := range []struct {
		name string
		open int
		want string
	}{
		{"all counted", 0, "8 of 8 runs, a run 1.0000035, median 1.0000035 (1–1.000007), at least false"},
		{"the mean and the median are of the counted runs, in the interval the others lie above", 1, "7 of 8 runs, a run 1.000004, median 1.000004 (null–null), at least false"},
		{"half of them leave a bound", 4, "4 of 8 runs, a run 1.0000035, median 1.0000035 (1–1.000007), at least true"},
		{"as do all", 8, "0 of 8 runs, a run 1.0000035, median 1.0000035 (1–1.000007), at least true"},
	} {
		b := table.Group(&open(c.open)[0])
		if got := fmt.Sprintf("%d of %d runs, a run %s, median %s (%s–%s), at least %v", b.Counted, b.Runs, exact(b.PerRun), exact(b.Median), exact(b.Low), exact(b.High), b.RunAtLeast); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func groupBill(b cost.GroupBill) string {
	if b.Total == nil {
		return fmt.Sprintf("unknown for %d runs, %d of them unknown", b.Runs, b.Unknown)
	}
	s := fmt.Sprintf("%s for %d runs, a run %s", exact(b.Total), b.Runs, exact(b.PerRun))
	if b.PerCorrect != nil {
		s += ", a correct answer " + exact(b.PerCorrect)
	}
	return s + fmt.Sprintf(", median %s (%s–%s)", exact(b.Median), exact(b.Low), exact(b.High))
}

func place(groups []measure.Group, s cost.Standing) string {
	switch {
	case s.Front:
		return ", front"
	case s.Known:
		return ", beaten by " + groups[s.BeatenBy].Label()
	}
	return ""
}

// The case's prices and records give the case's costs.
func TestUnpricedModelIsNotFree(t *testing.T) {
	data, err := os.ReadFile("testdata/usage-cost-of-unpriced-model.json")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Input struct {
			Prices map[string]struct {
				Input, Output json.Number
				Free          bool `json:"declared_free"`
			} `json:"prices_usd_per_million"`
			Records []struct {
				ID        string
				Requested string `json:"request_model"`
				Answered  string `json:"response_model"`
				In        int    `json:"input_tokens"`
				Out       int    `json:"output_tokens"`
			}
		}
		Expected struct {
			Records  map[string]*float64
			Subtotal float64 `json:"priced_subtotal_usd"`
			Calls    int     `json:"unpriced_calls"`
			Tokens   int64   `json:"unpriced_tokens"`
		}
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	file := "date: 2026-11-01\ncurrency: USD\nmodels:\n"
	for name, p := range c.Input.Prices {
		if file += "  - model: " + name + "\n"; p.Free {
			file += "    free: true\n"
		} else {
			file += "    input: " + p.Input.String() + "\n    output: " + p.Output.String() + "\n"
		}
	}
	table, err := cost.Load(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	run := "run   " + strings.Repeat("=", 16)
	for i, r := range c.Input.Records {
		run += fmt.Sprintf("\n chat %swwoo model:%s answered:%s in=%d out=%d", strings.Repeat(" ", 4*i), r.Requested, r.Answered, r.In, r.Out)
	}
	r := drawn(t, run)
	for i := range r.Calls {
		got := table.Call(&r.Calls[i])
		want := c.Expected.Records[c.Input.Records[i].ID]
		switch {
		case (want == nil) != (got.Amount == nil):
			t.Errorf("record %s: got %v, want %v", c.Input.Records[i].ID, got.Amount, want)
		case want != nil && exact(got.Amount) != fmt.Sprint(*want):
			t.Errorf("record %s: got %s, want %v", c.Input.Records[i].ID, exact(got.Amount), *want)
		}
	}
	b := table.Run(r)
	if b.Total != nil || exact(&b.Known) != fmt.Sprint(c.Expected.Subtotal) || b.Unpriced != c.Expected.Calls || b.UnpricedTokens != c.Expected.Tokens {
		t.Errorf("got %s", bill(b))
	}
	if want := (cost.Note{Text: "acme-large-1-20260101 is charged as acme-large-1", Calls: 1}); !slices.Contains(b.Notes, want) {
		t.Errorf("notes %v lack %v", b.Notes, want)
	}
}

// A bill of several runs is the sum of theirs, to the last digit, and never known where one of them is not.
func TestSumsAreExact(t *testing.T) {
	table := prices(t)
	rapid.Check(t, func(rt *rapid.T) {
		var runs []*measure.Run
		sum, known := cost.Amount{}, true
		for range rapid.IntRange(1, 6).Draw(rt, "runs") {
			model := rapid.SampledFrom([]string{"acme-7", "acme-3-mini", "tiny-local", "zeta"}).Draw(rt, "model")
			r := drawn(t, fmt.Sprintf("run ====\n chat wwoo model:%s in=%d out=%d", model, rapid.Int64Range(0, 1<<40).Draw(rt, "in"), rapid.Int64Range(0, 1<<40).Draw(rt, "out")))
			runs = append(runs, r)
			if one := table.Run(r).Total; one != nil {
				sum = sum.Plus(*one)
			} else {
				known = false
			}
		}
		b := table.Group(&measure.GroupBy(runs)[0])
		if (b.Total != nil) != known || b.Known.Cmp(sum) != 0 {
			rt.Errorf("got %v of which %v is known, want %v", b.Total, b.Known, sum)
		}
	})
}

func FuzzLoad(f *testing.F) {
	data, err := os.ReadFile("testdata/prices.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{string(data), "date: 2026-11-01\ncurrency: USD\nmodels: [{model: '*', input: 1, output: 2}]", "models: *a", "models: &a [*a]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		table, err := cost.Load(strings.NewReader(file))
		if err != nil {
			return
		}
		if p, _ := table.Find("acme-large-1", "acme-large-1-2026"); p != nil && !p.Free && (p.Input == nil || p.Output == nil) {
			t.Errorf("a price without input or output: %+v", p)
		}
	})
}

func ExampleTable_Run() {
	table, err := cost.Load(strings.NewReader(`
date: 2026-11-01
currency: USD
models:
  - model: acme-large-1
    input: 2.00
    output: 10.00
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	price, _ := table.Find("acme-large-1", "")
	fmt.Println(table.Currency, price.Input.Times(100_000).Plus(price.Output.Times(5_000)).Over(1e6), "at prices of", table.Date.Format("2006-01-02"))
	// Output: USD 0.25 at prices of 2026-11-01
}
