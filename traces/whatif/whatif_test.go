package whatif_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/traces/whatif"
)

const ms = time.Millisecond

func drawn(t testing.TB, text string) *measure.Run {
	t.Helper()
	return measure.Of(tracetest.Parse(t, text))
}

// planOf reads changes as they are typed on a command line, a word each.
func planOf(t testing.TB, text string) (plan whatif.Plan) {
	t.Helper()
	var err error
	for word := range strings.FieldsSeq(text) {
		switch value := strings.TrimPrefix(word, "--"); {
		case word == value:
			plan.Edits = append(plan.Edits, edit(word))
		case strings.HasPrefix(value, "steps"):
			if _, err = fmt.Sscanf(value, "steps%d", &plan.Steps); err != nil {
				t.Fatal(err)
			}
		default:
			if plan.ParallelTools, err = whatif.ParseParallel(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return plan
}

const (
	loop = `
		run     ===========================
		 step1  =============
		  chat  wwwrrrroa                    model:m asks:c1,c2
		  grep           ====                call:c1
		  read           ==                  call:c2
		 step2               ==============
		  chat2              wwwrroooootaaa  model:m
	`
	retried = `
		run      ===================
		 chat    ================    model:m
		  try1   wwx                 error
		  backoff   =====
		  try2           wwwrroot
	`
	guarded = `
		run        ==================
		 chat      wwoa                model:m asks:c1
		 bash          ==========      call:c1
		  approval     ======
		 chat2                   woot  model:m
	`
	serial = `
		run    ======================
		 chat  wwoa                    model:m asks:c1,c2,c3
		 a         ====                call:c1
		 b             ======          call:c2
		 c                   ==        call:c3
		 chat2                 wwoo    model:m
	`
)

func TestARunIsAsLongAsItsPlanSays(t *testing.T) {
	for _, c := range []struct {
		name, run, plan string
		want            time.Duration
		component       traces.Component // one that is looked at, and how long it is then
		is              time.Duration
	}{
		{"half the reasoning", loop, "reasoning*0.5", 24 * ms, traces.Reasoning, 3 * ms},
		{"no reasoning", loop, "reasoning=0", 21 * ms, traces.Reasoning, 0},
		{"a family", loop, "decode*0", 16 * ms, traces.Tail, 0},
		{"each call waits so long", loop, "wait=1ms", 23 * ms, traces.Wait, 2 * ms},
		{"each call writes so long, its parts in proportion", loop, "decode=4ms", 24 * ms, traces.Tail, 444445},
		{"a tool that is on the path", loop, "tool[grep]*0.75", 26 * ms, traces.Tool, 3 * ms},
		{"a tool that becomes shorter than the one beside it", loop, "tool[grep]*0.1", 25 * ms, traces.Tool, 2 * ms},
		{"a tool that is not on the path", loop, "tool[read]*0", 27 * ms, traces.Tool, 4 * ms},
		{"a tool that gets longer than the one beside it", loop, "tool[read]*3", 29 * ms, traces.Tool, 6 * ms},
		{"all tools", loop, "tools=0", 23 * ms, traces.Tool, 0},
		{"several edits", loop, "reasoning*0.5 wait=0 tool[grep]=2ms", 16 * ms, traces.Tool, 2 * ms},
		{"edits are made in order", loop, "wait=2ms wait*0.5", 23 * ms, traces.Wait, 2 * ms},
		{"twice the rate", loop, "decode.rate*2", 19 * ms, traces.Output, 3 * ms},
		{"no failures", retried, "retry=off", 11 * ms, traces.Backoff, 0},
		{"failures at once, after which it is waited as before", retried, "retry=0", 16 * ms, traces.Backoff, 5 * ms},
		{"the family of retries", retried, "retries=off", 11 * ms, traces.Retry, 0},
		{"nobody to ask", guarded, "approval=off", 12 * ms, traces.Approval, 0},
		{"a tool alone leaves its approval", guarded, "tool[bash]=0", 14 * ms, traces.Approval, 6 * ms},
		{"a tool that is not called needs no approval", guarded, "tool[bash]=off", 8 * ms, traces.Approval, 0},
		{"neither does one whose result is at hand", guarded, "tool=cached", 8 * ms, traces.Approval, 0},
		{"tools at once", serial, "--tools", 16 * ms, traces.Tool, 6 * ms},
		{"tools at once, the longest shorter", serial, "--tools tool[b]*0.5", 14 * ms, traces.Tool, 4 * ms},
		{"one step less", loop, "--steps-1", 14 * ms, traces.Tool, 0},
	} {
		run := drawn(t, c.run)
		a := whatif.Of(run, planOf(t, c.plan), nil)
		got := time.Duration(0)
		for _, component := range a.After.Components {
			if component.Component == c.component {
				got += component.Time
			}
		}
		if a.After.Wall != c.want || got != c.is {
			t.Errorf("%s: %v of which %s %v, want %v and %v; %v", c.name, a.After.Wall, c.component, got, c.want, c.is, a.Assumed)
		}
		if g := whatif.Prepare(run, nil).Glance(planOf(t, c.plan)); g.Wall != a.After.Wall {
			t.Errorf("%s: at a glance %v, want %v", c.name, g.Wall, a.After.Wall)
		} else if diff := cmp.Diff(a.After.Components, g.Components); diff != "" {
			t.Errorf("%s: at a glance (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestTheRateOfWritingIsTokensByTime(t *testing.T) {
	for _, c := range []struct {
		name, run, plan string
		want            []string // the phases then
		says            string
	}{
		{"a call's tokens, split by time where no lengths of texts are known", `
			run   ==========
			 chat wwrrrroooo  model:m gen_ai.usage.output_tokens=30 gen_ai.usage.reasoning.output_tokens=20
		`, "decode.rate=1000", []string{"wait 2ms", "reasoning 20ms", "output 10ms"}, "split over phases by time"},
		{"without a count of reasoning, all is one pool", `
			run   ==========
			 chat wwrrrroooo  model:m gen_ai.usage.output_tokens=16
		`, "decode.rate=1000", []string{"wait 2ms", "reasoning 8ms", "output 8ms"}, "split over phases by time"},
		{"fewer tokens take less time at any rate", `
			run   ==========
			 chat wwrrrroooo  model:m gen_ai.usage.output_tokens=30 gen_ai.usage.reasoning.output_tokens=20
		`, "reasoning*0.5 decode.rate=1000", []string{"wait 2ms", "reasoning 10ms", "output 10ms"}, ""},
		{"a call that nobody counted stays as it is", `
			run   ==========
			 chat wwrrrroooo  model:m
		`, "decode.rate=1000", []string{"wait 2ms", "reasoning 4ms", "output 4ms"}, "1 of 1 calls have no token counts"},
		{"counts that contradict each other are none", `
			run   ==========
			 chat wwrrrroooo  model:m gen_ai.usage.output_tokens=30 gen_ai.usage.reasoning.output_tokens=40
		`, "decode.rate=1000", []string{"wait 2ms", "reasoning 4ms", "output 4ms"}, "1 of 1 calls have no token counts"},
		{"hidden reasoning is somewhere in the wait", `
			run   ==========
			 chat wwwwwwoooo  model:m gen_ai.usage.output_tokens=30 gen_ai.usage.reasoning.output_tokens=20
		`, "decode.rate=1000", []string{"wait 6ms", "output 10ms"}, "the reasoning of 1 call was hidden"},
		{"what failed stays as it is", retried, "decode.rate=1000", []string{"wait 2ms", "wait 3ms", "reasoning 2ms", "output 2ms", "tail 1ms"}, "1 of 1 calls"},
	} {
		a := whatif.Of(drawn(t, c.run), planOf(t, c.plan), nil)
		var got []string
		for _, call := range a.After.ModelCalls {
			for _, attempt := range call.Attempts {
				for _, p := range attempt.Phases {
					got = append(got, fmt.Sprint(p.Component, " ", p.End-p.Start))
				}
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: phases (-want +got):\n%s", c.name, diff)
		}
		if !slices.ContainsFunc(a.Assumed, func(s string) bool { return strings.Contains(s, c.says) }) {
			t.Errorf("%s: assumed %q, want %q in it", c.name, a.Assumed, c.says)
		}
	}
}

// Chunks tell how much was written when: the first ends the wait, and takes its share of the tokens with it.
func TestTokensAreSplitByLengthOfText(t *testing.T) {
	recs := tracetest.Records(t, `
		run   ============
		 chat wwrrrrooooaa  model:m gen_ai.usage.output_tokens=100 gen_ai.usage.reasoning.output_tokens=50
	`)
	chunks := &traces.Chunks{}
	chunks.Add(2*ms, traces.Reasoning, 30) // the wait's end
	chunks.Add(4*ms, traces.Reasoning, 50)
	chunks.Add(6*ms, traces.Reasoning, 20)
	chunks.Add(8*ms, traces.Output, 40)
	chunks.Add(10*ms, traces.Output, 10)
	chunks.Add(12*ms, traces.ToolArgs, 50)
	recs[1].Attrs = recs[1].Attrs.With(traces.KeyChunks, chunks.Encode())
	runs, _ := traces.Build(recs)
	a := whatif.Of(measure.Of(runs[0]), planOf(t, "decode.rate=1000"), nil)
	got := map[traces.Component]time.Duration{}
	for _, c := range a.After.Components {
		got[c.Component] = c.Time
	}
	want := map[traces.Component]time.Duration{
		traces.Wait: 2 * ms, traces.Reasoning: 35 * ms, traces.Output: 25 * ms, traces.ToolArgs: 25 * ms, // 50 tokens × 70 of 100, × 50 of 100 twice
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("components (-want +got):\n%s\n%v", diff, a.Assumed)
	}
}

func TestTheShortestWaitWithCachedInputIsThatOfTheModel(t *testing.T) {
	run := drawn(t, `
		run    ======================
		 chat  wwwwwwoo                model:m
		 chat2         wwwooo          model:m gen_ai.usage.cache_read.input_tokens=10
		 chat3               qpppooot  model:other
	`)
	quick := drawn(t, `
		run    ====
		 chat  wwoo  model:m gen_ai.usage.cache_read.input_tokens=5
	`)
	for _, c := range []struct {
		name string
		seen []*measure.Run
		want time.Duration
		says string
	}{
		{"of the run itself", nil, (22 - 3 - 3) * ms, "no call of m waits longer than 3.0 ms"},
		{"of all that were seen", []*measure.Run{run, quick}, (22 - 4 - 1 - 3) * ms, "no call of m waits longer than 2.0 ms"},
	} {
		a := whatif.Of(run, planOf(t, "wait=cached"), c.seen)
		says := strings.Join(a.Assumed, "\n")
		if a.After.Wall != c.want || !strings.Contains(says, c.says) || !strings.Contains(says, "no call of other with cached input was seen: prefill takes no time") {
			t.Errorf("%s: %v, want %v; assumed\n%s", c.name, a.After.Wall, c.want, says)
		}
	}
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	hidden := `
		run   ====================
		 chat wwwwwwwwoot           model:m asks:c1 longpole.reasoning.visibility=hidden gen_ai.usage.output_tokens=40 gen_ai.usage.reasoning.output_tokens=30
		 ask             =======    call:c1 bound
	`
	for _, c := range []struct{ name, run, plan, says string }{
		{"an edit without anything to change", loop, "approval=0", "approval=0 changes nothing: no such time is in the run; there are wait, reasoning, output, tool_args, tail, tool"},
		{"a tool that is misspelt", loop, "tool[gerp]=0", "did you mean tool[grep]?"},
		{"a tool that is not there", loop, "tool[python]=0", "there is no such tool; there are grep, read"},
		{"hidden reasoning", hidden, "reasoning*0.5", "the reasoning of 1 call was hidden and is part of the wait"},
		{"an upper bound", hidden, "tool*0.5", "is an upper bound and changed whole"},
		{"a wait without a split and without a cached one", loop, "wait=cached", "nothing says how much of its wait is prefill"},
		{"no step to leave out", hidden, "--steps-1", "changes nothing: the run has no step before the last"},
		{"fewer steps than asked for", loop, "--steps-3", "the run has only 1 step before the last"},
		{"times beyond counting", loop, "wait=1000h wait*1000 wait*1000 wait*1000", "cut short"},
	} {
		a := whatif.Of(drawn(t, c.run), planOf(t, c.plan), nil)
		if !strings.Contains(strings.Join(a.Assumed, "\n"), c.says) {
			t.Errorf("%s: assumed %q, want %q in it", c.name, a.Assumed, c.says)
		}
	}
}

func TestAKneeIsWhereTheRunBeginsToWaitForSomethingElse(t *testing.T) {
	p := whatif.Prepare(drawn(t, `
		run    ======================
		 chat  wwoa                    model:m asks:c1,c2
		 grep      ============        call:c1
		 read      ====                call:c2
		 chat2                 wwoooo  model:m
	`), nil)
	knees := p.Knees(whatif.Plan{}, whatif.Tool("grep"))
	if len(knees) != 1 {
		t.Fatalf("%d knees %+v, want one", len(knees), knees)
	}
	if k := knees[0]; k.Factor < 0.33 || k.Factor > 0.34 || k.Then != whatif.Tool("read") || k.After != 0 || k.Before < 0.99 || k.Before > 1.01 {
		t.Errorf("knee %+v, want it at a third, then read", k)
	}
	for _, target := range []whatif.Target{whatif.Tool("read"), whatif.Component(traces.Wait), whatif.Component(traces.Stall)} {
		if knees := p.Knees(whatif.Plan{}, target); len(knees) > 0 {
			t.Errorf("knees of %v: %+v, want none", target, knees)
		}
	}
	// Where nearly nothing is left of a target, there is nothing to be gained by knowing that less helps less; so where it has just begun.
	for _, other := range []string{"=", "=======================================|"} {
		p := whatif.Prepare(drawn(t, fmt.Sprintf(`
			run    ================================================
			 chat  wwoa                                              model:m asks:c1,c2
			 grep      ========================================      call:c1
			 read      %-40s      call:c2
			 chat2                                             wwoo  model:m
		`, strings.TrimSuffix(other, "|"))), nil)
		if knees := p.Knees(whatif.Plan{}, whatif.Tool("grep")); len(other) == 1 && len(knees) > 0 || len(other) > 1 && len(knees) != 1 {
			t.Errorf("with another of %d ms: %+v", len(strings.TrimSuffix(other, "|")), knees)
		}
	}
	// With grep out of the way, read has none either: nothing else goes on beside it.
	if knees := p.Knees(planOf(t, "tool[grep]=0"), whatif.Tool("read")); len(knees) > 0 {
		t.Errorf("knees of read without grep: %+v", knees)
	}
}

func TestSeveralRunsHaveTheMedianOfTheirFirstKnees(t *testing.T) {
	read, list := whatif.Tool("read"), whatif.Tool("list")
	knees := func(list ...whatif.Knee) []whatif.Knee { return list }
	for _, c := range []struct {
		name string
		runs [][]whatif.Knee
		want whatif.Bend
	}{
		{"none", [][]whatif.Knee{nil, nil}, whatif.Bend{}},
		{"one of two", [][]whatif.Knee{nil, knees(whatif.Knee{Factor: 0.5, Then: read}, whatif.Knee{Factor: 0.2, Then: list})}, whatif.Bend{Runs: 1, Factor: 0.5, Then: read}},
		{"three", [][]whatif.Knee{knees(whatif.Knee{Factor: 0.9, Then: list}), knees(whatif.Knee{Factor: 0.25, Then: read}), knees(whatif.Knee{Factor: 0.5, Then: read})},
			whatif.Bend{Runs: 3, Factor: 0.5, Then: read}},
	} {
		if got := whatif.BendOf(c.runs); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestWhatWouldHelpMostComesFirst(t *testing.T) {
	o := whatif.Prepare(drawn(t, serial), nil).Outlook()
	var got []string
	for _, c := range o.Chances {
		got = append(got, fmt.Sprint(c.Target, " ", c.OnPath, " ", c.Halved, " ", c.Removed))
	}
	want := []string{"tool[b] 6ms 3ms 6ms", "tool[a] 4ms 2ms 4ms", "wait 4ms 2ms 4ms", "output 3ms 1.5ms 3ms", "agent 2ms 1ms 2ms", "tool[c] 2ms 1ms 2ms", "tool_args 1ms 500µs 1ms"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chances (-want +got):\n%s", diff)
	}
	var remedies []string
	for _, r := range o.Remedies {
		remedies = append(remedies, fmt.Sprint(r.Plan.Labels(), " ", r.Saved))
	}
	if diff := cmp.Diff([]string{"[--steps -1] 16ms", "[--parallel early] 6.333334ms", "[--parallel tools] 6ms"}, remedies); diff != "" {
		t.Errorf("remedies (-want +got):\n%s", diff)
	}
	pooled := whatif.Pool([]whatif.Outlook{o, whatif.Prepare(drawn(t, retried), nil).Outlook()})
	if c := pooled.Chances[0]; pooled.Runs != 2 || c.Target != whatif.Component(traces.Wait) || c.Removed != 3500*time.Microsecond || c.Runs != 2 {
		t.Errorf("pooled %d runs, first %+v", pooled.Runs, c)
	}
	if c := pooled.Chances[1]; c.Target != whatif.Tool("b") || c.Removed != 3*ms || c.Runs != 1 {
		t.Errorf("pooled, second %+v", c)
	}
}

func TestARangeAndWhatIsAssumedAreThoseOfTheAnswer(t *testing.T) {
	runs := []*measure.Run{measure.Of(tracetest.Parse(t, `
		run    ======================
		 chat  wwoa                    asks:c1,c2
		 test      ============        call:c1
		 lint      ====                call:c2
		 chat2                 wwoooo
	`))}
	plan := whatif.Plan{Edits: []whatif.Edit{edit("tool[test]*0.5"), edit("reasoning=0")}, ParallelTools: whatif.AtOnce, Steps: -1}
	p := whatif.PrepareAll(runs)[0]
	a := p.Answer(plan)
	if low, high := p.Range(plan); low != a.Low || high != a.High || low > high {
		t.Errorf("range %v to %v, want that of the answer, %v to %v", low, high, a.Low, a.High)
	}
	if diff := cmp.Diff(a.Assumed, p.Assumed(plan)); diff != "" || len(a.Assumed) != 3 {
		t.Errorf("assumed %q, want the answer's three sentences, %q", p.Assumed(plan), a.Assumed)
	}
}

// Where many runs are asked the same, each of them lacks other tools: what it is told must be the same sentence.
func TestAToolIsLookedForInAllRuns(t *testing.T) {
	runs := []*measure.Run{drawn(t, guarded), drawn(t, serial)} // bash; a, b and c
	for edit, want := range map[string]string{
		"tool[a]*0.5":   "tool[a]*0.5 changes nothing: no such time is in the run",
		"tool[bahs]=0":  "tool[bahs]=0 changes nothing: there is no such tool; did you mean tool[bash]? There are a, b, bash, c",
		"tool[fetch]=0": "tool[fetch]=0 changes nothing: there is no such tool; there are a, b, bash, c",
	} {
		if got := whatif.PrepareAll(runs)[0].Assumed(planOf(t, edit)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A trace whose tools are named after their arguments has one for each call.
func TestAnOutlookOfManyToolsIsOfTheLongest(t *testing.T) {
	const tools = 2000
	records := []traces.Record{{TraceID: "a", SpanID: "0", Name: "run"}}
	end := int64(0)
	for i := range tools {
		start := end
		end += int64(i + 1)
		name := fmt.Sprintf("t%d", i)
		records = append(records, traces.Record{TraceID: "a", SpanID: name, ParentID: "0", Name: name, Start: start, End: end,
			Attrs: traces.Attrs{{Key: traces.KeyRole, Value: string(traces.RoleTool)}, {Key: traces.KeyToolName, Value: name}}})
	}
	records[0].End = end
	runs, _ := traces.Build(records)
	o := whatif.Prepare(measure.Of(runs[0]), nil).Outlook()
	if n, first := len(o.Chances), o.Chances[0]; n != 200 || o.Untried != 1799 || first.Target != whatif.Tool("t1999") || first.Removed != tools {
		t.Errorf("%d chances and %d untried, %+v the first; want 200, 1799 and t1999 saving 2000 ns", n, o.Untried, first)
	}
}
