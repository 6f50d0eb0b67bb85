package measure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// components writes entries in whole milliseconds: "wait 2, tool 6 bound".
func components(list []measure.ComponentTime) string {
	var words []string
	for _, c := range list {
		word := fmt.Sprintf("%s %d", c.Component, c.Time.Milliseconds())
		if c.Quality != traces.Measured {
			word += " " + string(c.Quality)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func toolTimes(r *measure.Run) string {
	var words []string
	for _, x := range r.Tools {
		run := "?"
		if x.Run != nil {
			run = fmt.Sprint(x.Run.Milliseconds())
		}
		words = append(words, fmt.Sprintf("%s %dx ran %s waited %d", x.Name, x.Calls, run, x.Critical.Milliseconds()))
	}
	return strings.Join(words, ", ")
}

func toolCalls(r *measure.Run) string {
	var words []string
	for _, c := range r.ToolCalls {
		slack := "?"
		if d := c.Slack(); d != nil {
			slack = fmt.Sprint(d.Milliseconds())
		}
		words = append(words, fmt.Sprintf("%s waited %d slack %s", c.Span.ID, c.Critical.Milliseconds(), slack))
	}
	return strings.Join(words, ", ")
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, run, components, tools, calls string
		counts                              measure.Counts
	}{
		{
			name: "phases, parallel tools and the agent's own time",
			run: `
				run      ====================
				 chat1    wwrrro                asks:c1,c2
				 read           ==              call:c1
				 grep           =====           call:c2
				 chat2               wwoot
			`,
			components: "wait 4, reasoning 3, output 3, tail 1, tool 5, startup 1, agent 3",
			tools:      "grep 1x ran 5 waited 5, read 1x ran 2 waited 0",
			calls:      "grep waited 5 slack 0, read waited 0 slack 3",
			counts:     measure.Counts{Steps: 2, ModelCalls: 2, Attempts: 2, ToolCalls: 2},
		},
		{
			name: "one entry per component and quality",
			run: `
				run      ==============
				 chat1   wwo
				 fetch      ====
				 ask            ===    bound
				 fetch2            ====   gen_ai.tool.name=fetch
			`,
			components: "wait 2, output 1, tool 8, tool 3 bound",
			tools:      "ask 1x ran ? waited 3, fetch 2x ran 8 waited 8",
			calls:      "fetch waited 4 slack 0, ask waited 3 slack 0, fetch2 waited 4 slack 0",
			counts:     measure.Counts{Steps: 1, ModelCalls: 1, Attempts: 1, ToolCalls: 3},
		},
		{
			name: "approval is neither run time nor tool time",
			run: `
				run         ============
				 chat1      wwo
				 bash          =======
				  approval     =====
			`,
			components: "wait 2, output 1, tool 2, approval 5, agent 2",
			tools:      "bash 1x ran 2 waited 2",
			calls:      "bash waited 2 slack 0",
			counts:     measure.Counts{Steps: 1, ModelCalls: 1, Attempts: 1, ToolCalls: 1},
		},
		{
			name: "a failed attempt with all its phases is retry",
			run: `
				run        ============
				 chat1     =========
				  try1     ww             status:429 error
				  backoff    ===
				  try2          wwoo      status:200
			`,
			components: "wait 2, output 2, retry 2, backoff 3, agent 3",
			counts:     measure.Counts{Steps: 1, ModelCalls: 1, Attempts: 2},
		},
		{
			name: "what is below a nested tool is that tool's",
			run: `
				run       ==========
				 outer    ==========
				  inner     =====
			`,
			components: "tool 10",
			tools:      "inner 1x ran 5 waited 5, outer 1x ran 10 waited 5",
			calls:      "outer waited 5 slack 0, inner waited 5 slack 0",
			counts:     measure.Counts{ToolCalls: 2},
		},
		{name: "a run without length has no components", run: "run |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := measure.Of(tracetest.Parse(t, c.run))
			for _, x := range []struct{ what, got, want string }{
				{"components", components(r.Components), c.components},
				{"tools", toolTimes(r), c.tools},
				{"tool calls", toolCalls(r), c.calls},
				{"counts", fmt.Sprint(r.Counts), fmt.Sprint(c.counts)},
			} {
				if x.got != x.want {
					t.Errorf("%s: got %s, want %s", x.what, x.got, x.want)
				}
			}
		})
	}
}

func TestSteps(t *testing.T) {
	r := measure.Of(tracetest.Parse(t, `
		run       ====================
		 step1    =========
		  chat1   wwrro
		  read         ==
		  grep         ====
		 step2              =======
		  chat2             wwooo
	`))
	want := []string{"wait 2, reasoning 2, output 1, tool 4", "wait 2, output 3, agent 2"}
	var got []string
	for _, s := range r.Steps {
		got = append(got, components(s.Components))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUsage(t *testing.T) {
	count := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	for _, c := range []struct{ name, run, want string }{
		{"calls add up; copies on the spans around them do not count again", `
			run      ========= gen_ai.usage.input_tokens=2400 gen_ai.usage.output_tokens=200
			 step1   ========= gen_ai.usage.input_tokens=2400 gen_ai.usage.output_tokens=200
			  chat1  ====      gen_ai.usage.input_tokens=1000 gen_ai.usage.output_tokens=120
			  chat2      ====  gen_ai.usage.input_tokens=1400 gen_ai.usage.output_tokens=80
		`, "2400 in, 200 out, ? reasoning, 0 uncounted, provider"},
		{"where no call is counted the whole counts", `
			run      ========= gen_ai.usage.input_tokens=55 gen_ai.usage.output_tokens=6
			 chat1   ====
		`, "55 in, 6 out, ? reasoning, 0 uncounted, provider"},
		{"calls that nobody counted are said", `
			run      =========
			 chat1   ====       gen_ai.usage.input_tokens=10 gen_ai.usage.output_tokens=5 gen_ai.usage.reasoning.output_tokens=0
			 chat2       ===
		`, "10 in, 5 out, 0 reasoning, 1 uncounted, provider"},
		{"unknown is not 0", `
			run      =========
			 chat1   ====
		`, "? in, ? out, ? reasoning, 1 uncounted, unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := measure.Of(tracetest.Parse(t, c.run)).Usage
			got := fmt.Sprintf("%s in, %s out, %s reasoning, %d uncounted, %s", count(u.Input), count(u.Output), count(u.Reasoning), u.Uncounted, u.Source)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Whatever was recorded, the parts add up: of a run to its wall time, of a step to what of it lies within the run, and of
// a group's means to its mean wall time.
func TestPartsAddUp(t *testing.T) {
	var all []*measure.Run
	for seed := range uint64(1000) {
		built, _ := traces.Build(tracetest.Random(seed))
		for _, run := range built {
			run.Outcome = traces.OK
			run.Open = false
			r := measure.Of(run)
			all = append(all, r)
			if sum := total(r.Components); sum != r.Wall {
				t.Fatalf("seed %d: components add up to %d of %d ns", seed, sum, r.Wall)
			}
			var families, critical time.Duration
			for _, f := range r.Families {
				families += f.Time
			}
			if families != r.Wall {
				t.Fatalf("seed %d: families add up to %d of %d ns", seed, families, r.Wall)
			}
			for _, s := range r.Steps {
				if within := max(0, min(s.End, r.Wall)-max(s.Start, 0)); total(s.Components) != within {
					t.Fatalf("seed %d: step %d adds up to %d of %d ns", seed, s.Index, total(s.Components), within)
				}
			}
			for _, x := range r.Tools {
				critical += x.Critical
			}
			for _, c := range r.Components {
				if c.Component == traces.Tool {
					critical -= c.Time
				}
			}
			if critical != 0 {
				t.Fatalf("seed %d: tools differ from the component by %d ns", seed, critical)
			}
		}
	}
	for n := 1; n < len(all); n += 1 + n/2 {
		g := measure.GroupBy(all[:n])[0]
		if g.Succeeded == 0 {
			continue
		}
		var sum, families time.Duration
		for _, c := range g.Components {
			sum += c.Mean
		}
		for _, f := range g.Families {
			families += f.Mean
		}
		if sum != *g.MeanWall || families != *g.MeanWall {
			t.Fatalf("means of %d runs: components %d, families %d, wall %d ns", n, sum, families, *g.MeanWall)
		}
	}
}

func total(list []measure.ComponentTime) (sum time.Duration) {
	for _, c := range list {
		sum += c.Time
	}
	return sum
}

func ExampleOf() {
	runs, _ := traces.Build(tracetest.Loop(2))
	r := measure.Of(runs[0])
	for _, f := range r.Families {
		fmt.Println(f.Family, f.Time)
	}
	fmt.Println("sum", r.Wall)
	// Output:
	// TTFT 40ms
	// reasoning 28ms
	// decode 50ms
	// tools 68ms
	// agent 14ms
	// sum 200ms
}
