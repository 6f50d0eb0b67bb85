package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/whatif"
)

// planOf reads changes as they are typed.
func planOf(t *testing.T, edits ...string) whatif.Plan {
	t.Helper()
	var plan whatif.Plan
	for _, s := range edits {
		e, err := whatif.ParseEdit(s)
		if err != nil {
			t.Fatal(err)
		}
		plan.Edits = append(plan.Edits, e)
	}
	return plan
}

// answered answers a plan for each run; an empty plan with an outlook.
func answered(runs []*measure.Run, plan whatif.Plan) ([]whatif.Answer, *whatif.Outlook) {
	var answers []whatif.Answer
	var outlooks []whatif.Outlook
	for _, r := range runs {
		p := whatif.Prepare(r, runs)
		answers = append(answers, p.Answer(plan))
		outlooks = append(outlooks, p.Outlook())
	}
	if !plan.Empty() || len(runs) == 0 {
		return answers, nil
	}
	pooled := whatif.Pool(outlooks)
	return answers, &pooled
}

func TestWhatIf(t *testing.T) {
	several := planOf(t, "reasoning*0.5", "tool[run_tests]*0.1", "retry=off", "wait=cached", "tool[serach]=0", "decode.rate=120")
	several.ParallelTools, several.Steps = whatif.AtOnce, -1
	for _, c := range []struct {
		name string
		runs []*measure.Run
		plan whatif.Plan
		opt  report.TextOptions
		wide bool // at each width
	}{
		{"nothing is changed in one run", tidy(t), whatif.Plan{}, report.TextOptions{}, true},
		{"nothing is changed in several runs", bench(t, 3), whatif.Plan{}, report.TextOptions{}, true},
		{"one change", tidy(t), planOf(t, "reasoning*0.25"), report.TextOptions{}, false},
		{"a tool whose place another takes", []*measure.Run{drawn(t, racing)}, planOf(t, "tool[fetch]*0.5"), report.TextOptions{}, false},
		{"a rate", tidy(t), planOf(t, "decode.rate=120"), report.TextOptions{}, false},
		{"several changes", tidy(t), several, report.TextOptions{}, true},
		{"longer", tidy(t), planOf(t, "tool*2"), report.TextOptions{}, false},
		{"several runs", bench(t, 3), planOf(t, "reasoning*0.5", "retry=off"), report.TextOptions{}, true},
		{"hidden reasoning and a bound", []*measure.Run{drawn(t, hidden)}, planOf(t, "reasoning*0.5", "tool*0.5", "wait=cached"), report.TextOptions{}, false},
		{"an open run", []*measure.Run{drawn(t, open)}, planOf(t, "output*0.5"), report.TextOptions{}, false},
		{"nothing is changed in an open run", []*measure.Run{drawn(t, open)}, whatif.Plan{}, report.TextOptions{}, false},
		{"several runs that a change leaves as they are", bench(t, 3), planOf(t, "approval=0"), report.TextOptions{}, false},
		{"a run that took no time", []*measure.Run{instant()}, planOf(t, "output*0.5"), report.TextOptions{}, false},
		{"no runs", nil, planOf(t, "output*0.5"), report.TextOptions{}, false},
		{"ascii", tidy(t), several, report.TextOptions{ASCII: true}, false},
		{"colour", tidy(t), planOf(t, "reasoning*0.25"), report.TextOptions{Colour: true}, false},
	} {
		for _, width := range []int{60, 80, 140} {
			if width != 80 && !c.wide {
				continue
			}
			t.Run(fmt.Sprint(c.name, " ", width), func(t *testing.T) {
				var out bytes.Buffer
				opt := c.opt
				opt.Width = width
				answers, outlook := answered(c.runs, c.plan)
				if err := report.WriteWhatIf(&out, answers, outlook, nil, opt); err != nil {
					t.Fatal(err)
				}
				lines(t, out.Bytes(), width, opt.Colour)
				golden(t, fmt.Sprintf("whatif/%s-%d.txt", strings.ReplaceAll(c.name, " ", "-"), width), out.Bytes())
			})
		}
	}
}

// instant is a run that begins and ends at once.
func instant() *measure.Run {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	runs, _ := traces.Build([]traces.Record{{TraceID: "a", SpanID: "1", Name: "invoke_agent", Start: at, End: at}})
	return measure.Of(runs[0])
}

// tidy is a run with a bit of everything, in which all ends where it should.
func tidy(t *testing.T) []*measure.Run {
	t.Helper()
	return []*measure.Run{drawn(t, `
	run       =====================================================================
	 step1     ===================
	  chat1    cwwrrrrrrrrrroaa                                                      model:glm-sim asks:c1,c2 gen_ai.usage.input_tokens=2048 gen_ai.usage.output_tokens=310 gen_ai.usage.reasoning.output_tokens=250
	  read_file                ==                                                    call:c1
	  search                   ===                                                   call:c2
	 step2                         =============================
	  chat2                        =================                                 model:glm-sim asks:c3 gen_ai.usage.input_tokens=2400 gen_ai.usage.cache_read.input_tokens=2048 gen_ai.usage.output_tokens=190 gen_ai.usage.reasoning.output_tokens=120
	   try1                        cw                                                status:429 error
	   backoff                       =====
	   try2                               cwwrrrraat                                 status:200
	  run_tests                                      ===========                     call:c3
	   approval                                      ===
	 step3                                                      ===========
	  chat3                                                     wwoossssoot          model:glm-sim gen_ai.usage.input_tokens=2700 gen_ai.usage.cache_read.input_tokens=2400 gen_ai.usage.output_tokens=64 gen_ai.usage.reasoning.output_tokens=0
`, tags("high", "1", traces.OK)...)}
}

// racing is a run in which the slowest of three tools hides two others.
const racing = `
	run    ==========================
	 chat  wwoaaa                     model:glm-sim asks:c1,c2,c3
	 fetch       ==============       call:c1
	 query       =========            call:c2
	 read        =====                call:c3
	 chat2                     wwoot  model:glm-sim
`

func TestWhatIfJSON(t *testing.T) {
	for name, plan := range map[string]whatif.Plan{"changed": planOf(t, "reasoning*0.5", "tool[search]=0"), "unchanged": {}} {
		var out bytes.Buffer
		answers, outlook := answered(tidy(t), plan)
		if err := report.WriteWhatIfJSON(&out, plan, answers, outlook, lost()); err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("whatif/%s.json", name), out.Bytes())
		var doc struct {
			Schema string
			Runs   []struct {
				Before     time.Duration    `json:"before_ns"`
				After      time.Duration    `json:"after_ns"`
				Range      [2]time.Duration `json:"range_ns"`
				Components []struct {
					Before time.Duration `json:"before_ns"`
					After  time.Duration `json:"after_ns"`
				}
				Path []struct {
					Start time.Duration `json:"start_ns"`
					End   time.Duration `json:"end_ns"`
				} `json:"critical_path"`
			}
		}
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		for _, r := range doc.Runs {
			var before, after, at time.Duration
			for _, c := range r.Components {
				before, after = before+c.Before, after+c.After
			}
			for _, s := range r.Path {
				if s.Start != at {
					t.Errorf("%s: a stretch of the path begins at %v, the one before ended at %v", name, s.Start, at)
				}
				at = s.End
			}
			if before != r.Before || after != r.After || at != r.After || r.Range[0] > r.After || r.After > r.Range[1] {
				t.Errorf("%s: parts are %v → %v, the path ends at %v; the run is %v → %v in %v", name, before, after, at, r.Before, r.After, r.Range)
			}
		}
	}
}
