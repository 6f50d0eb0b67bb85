package pace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/pace"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// times repeats a drawn run; a column is a millisecond.
func times(t *testing.T, n int, text string, outcome traces.Outcome) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for range n {
		recs := tracetest.Records(t, strings.NewReplacer("out=", traces.KeyOutputTokens+"=", "gap=", traces.KeyChunkGapMax+"=").Replace(text))
		recs[0].Attrs = append(recs[0].Attrs, traces.Attr{Key: traces.KeyOutcome, Value: string(outcome)})
		built, _ := traces.Build(recs)
		runs = append(runs, measure.Of(built[0]))
	}
	return runs
}

func load(t *testing.T, file string) pace.Targets {
	t.Helper()
	targets, err := pace.Load(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return targets
}

func describe(list []pace.Finding) string {
	var s []string
	for _, f := range list {
		words := f.Use.Name + " " + string(f.Verdict)
		for _, c := range f.Checks {
			words += fmt.Sprintf(", %s %s: %d of %d", c.Limit.What, c.Verdict, c.Kept, c.N)
			if c.N > 0 {
				words += fmt.Sprintf(", median %.4g", c.Median)
			}
			if c.Beyond {
				words += ", more than needed"
			}
		}
		s = append(s, words)
	}
	return strings.Join(s, "\n")
}

func TestJudge(t *testing.T) {
	const (
		quick   = "run   ==========\n chat wwoooooooo out=9" // first output after 2 ms, then 1,000 tokens/s
		slow    = "run   ==========\n chat wwwwwwoooo out=5" // after 6 ms, then 1,000 tokens/s
		thought = "run   ==========\n chat wwrrrroooo out=9 gen_ai.usage.reasoning.output_tokens=4"
		halting = "run   ==========\n chat wwoossssoo out=9 gap=4000000"
		retried = "run   ==========\n chat ==========  out=3\n  try1 www  status:429 error\n  try2     wwoo status:200"
	)
	for _, c := range []struct {
		name, targets string
		runs          []*measure.Run
		want          string
	}{
		{"forty quick calls meet what is asked", "uses: [{use: chat, first_output: 3ms, rate: 500}]", times(t, 40, quick, traces.OK),
			"chat meets, first output meets: 40 of 40, median 0.002, output rate meets: 40 of 40, median 1000"},
		{"forty slow ones miss it", "uses: [{use: chat, first_output: 3ms, rate: 500}]", times(t, 40, slow, traces.OK),
			"chat misses, first output misses: 0 of 40, median 0.006, output rate meets: 40 of 40, median 1000"},
		{"three tell nothing for sure", "uses: [{use: chat, first_output: 3ms}]", times(t, 3, quick, traces.OK), "chat unclear, first output unclear: 3 of 3, median 0.002"},
		{"a rate above the highest is more than needed", "uses: [{use: chat, rate: 20..50}]", times(t, 40, quick, traces.OK), "chat meets, output rate meets: 40 of 40, median 1000, more than needed"},
		{"reasoning is a sign of an answer, but no text", "uses: [{use: chat, first_output: 3ms}, {use: voice, first_text: 3ms}]", times(t, 40, thought, traces.OK),
			"chat meets, first output meets: 40 of 40, median 0.002\nvoice unknown, first text unknown: 0 of 0"},
		{"a wait counts from the first attempt", "uses: [{use: chat, first_output: 3ms}]", times(t, 40, retried, traces.OK), "chat misses, first output misses: 0 of 40, median 0.007"},
		{"silences are gaps, and time stalled", "uses: [{use: chat, worst_gap: 3ms, stalled: 5%}]", times(t, 40, halting, traces.OK),
			"chat misses, worst gap misses: 0 of 40, median 0.004, time stalled misses: 0 of 40, median 0.5"},
		{"what was not streamed is not judged", "uses: [{use: chat, first_output: 3ms}]", times(t, 40, "run   ==========\n chat eeeeeeeeee gen_ai.request.stream=false", traces.OK),
			"chat unknown, first output unknown: 0 of 0"},
		{"an agent is judged by its whole runs", "uses: [{use: agent, answer: 10ms}]", times(t, 40, quick, traces.OK), "agent meets, answer meets: 40 of 40, median 0.01"},
		{"wrong answers do not count", "uses: [{use: agent, answer: 10ms}]", times(t, 40, quick, traces.FailedCheck), "agent unknown, answer unknown: 0 of 0"},
		{"a run that was cut off later took too long", "uses: [{use: agent, answer: 9ms}]", times(t, 40, quick, traces.Timeout), "agent misses, answer misses: 0 of 40, median 0.01"},
		{"one that was cut off earlier tells nothing", "uses: [{use: agent, answer: 11ms}]", times(t, 40, quick, traces.Timeout), "agent unknown, answer unknown: 0 of 0"},
		{"a batch only costs", "uses: [{use: batch, cost_only: true}]", times(t, 40, slow, traces.OK), "batch cost only"},
		{"no runs are not judged", "uses: [{use: chat, first_output: 3ms}]", nil, "chat unknown, first output unknown: 0 of 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(load(t, c.targets).Judge(&measure.Group{Runs: c.runs})); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestSteadiness(t *testing.T) {
	for _, c := range []struct{ name, run, want string }{
		{"an even stream", "run   ==========\n chat wwoooooooo gap=1000000", "1 streams, 0 stalled, 0 stalls, worst 1ms, 0 %"},
		{"a stall is a part of the stream", "run   ==========\n chat wwoossoooo gap=2000000", "1 streams, 1 stalled, 1 stalls, worst 2ms, 25 %"},
		{"gaps may not have been recorded", "run   ==========\n chat wwoossoooo", "1 streams, 1 stalled, 1 stalls, worst unknown, 25 %"},
		{"what came at once is no stream", "run   =============\n chat wwwwwwwwwwwwo out=5000", "0 streams, 0 stalled, 0 stalls, worst unknown, unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pace.SteadinessOf(times(t, 1, c.run, traces.OK))
			gap, share := "unknown", "unknown"
			if s.WorstGap != nil {
				gap = s.WorstGap.String()
			}
			if v := s.Share(); v != nil {
				share = fmt.Sprintf("%.0f %%", *v*100)
			}
			if got := fmt.Sprintf("%d streams, %d stalled, %d stalls, worst %s, %s", s.Calls, s.Stalled, s.Stalls, gap, share); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestDefault(t *testing.T) {
	var names []string
	for _, use := range pace.Default().Uses {
		names = append(names, use.Name)
		if !use.CostOnly && use.Source == "" {
			t.Errorf("%s: limits without a source", use.Name)
		}
	}
	if got := strings.Join(names, " "); got != "chat voice agent batch" {
		t.Errorf("got %s", got)
	}
}

func TestLoad(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"a table needs uses", "uses: []", "uses: there are none"},
		{"which have names", "uses: [{answer: 1s}]", `entry 1 of uses: use "": want a name of at most 20 letters, digits and dashes`},
		{"that do not move the cursor", `uses: [{use: "\e[2J", answer: 1s}]`, `entry 1 of uses: use "\x1b[2J": want a name of at most 20 letters, digits and dashes`},
		{"each once", "uses: [{use: a, answer: 1s}, {use: a, answer: 1s}]", `use "a": named twice`},
		{"and limits", "uses: [{use: a}]", `use "a": no limits; want first_output, first_text, rate, worst_gap, stalled or answer, or cost_only: true`},
		{"or none at all", "uses: [{use: a, cost_only: true, answer: 1s}]", `use "a": cost_only, and with limits`},
		{"a time has a unit", "uses: [{use: a, answer: 10}]", `use "a": answer: "10": want a time above 0, as 1.5s or 500ms`},
		{"a rate has an order", "uses: [{use: a, rate: 50..20}]", `use "a": rate: "50..20": want tokens per second, as 20.. or 20..50`},
		{"a rate is a number", "uses: [{use: a, rate: NaN}]", `use "a": rate: "NaN": want tokens per second, as 20.. or 20..50`},
		{"a share is at most all", "uses: [{use: a, stalled: 150%}]", `use "a": stalled: "150%": want a share, as 5% or 0.05`},
		{"all of infinitely many cannot be shown", "uses: [{use: a, answer: 1s, share: 100%}]", `use "a": share: "100%": want a share between 0 and 100 %, as 90%`},
		{"a word misspelt is said with its line", "uses:\n  - use: a\n    anwser: 1s", `line 3: unknown field "anwser"`},
		{"a rate without a highest", "uses: [{use: a, rate: 20..}]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := pace.Load(strings.NewReader(c.file))
			if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// The published arithmetic: what an agent waits for is all tokens of all calls.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		calls, tokens, rate float64
		want                time.Duration
	}{{5, 600, 40, 75 * time.Second}, {5, 600, 120, 25 * time.Second}, {0, 600, 40, 0}, {5, 600, 0, 1<<63 - 1}, {0, 0, 0, 1<<63 - 1}} {
		if got := pace.Chain(c.calls, c.tokens, c.rate); got != c.want {
			t.Errorf("%v calls of %v tokens at %v tokens/s take %v, want %v", c.calls, c.tokens, c.rate, got, c.want)
		}
	}
}

func TestReadingSpeedIsFourToFiveWordsASecond(t *testing.T) {
	got := fmt.Sprintf("%.1f words, %.0f characters, %.1f tokens a second", pace.ReadingWordsPerSecond, pace.ReadingCharsPerSecond, pace.ReadingTokensPerSecond)
	if want := "4.0 words, 24 characters, 5.3 tokens a second"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(string(pace.DefaultTargets))
	f.Add("uses: [{use: a, rate: 1e308..1e309}]")
	f.Add("uses: &a [*a]")
	f.Fuzz(func(t *testing.T, file string) {
		targets, err := pace.Load(strings.NewReader(file))
		if err != nil {
			return
		}
		for _, finding := range targets.Judge(&measure.Group{}) {
			if !finding.Use.CostOnly && finding.Verdict != pace.Unknown {
				t.Errorf("without runs, %s is %s", finding.Use.Name, finding.Verdict)
			}
		}
	})
}

func ExampleChain() {
	fmt.Println(pace.Chain(5, 600, 40), "at 40 tokens/s,", pace.Chain(5, 600, 120), "at 120")
	// Output: 1m15s at 40 tokens/s, 25s at 120
}
