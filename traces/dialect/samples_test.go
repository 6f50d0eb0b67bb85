package dialect

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/otlp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestSamples reads what real agents and SDKs wrote while a scripted server answered them, with 300 ms to its first token. The
// golden files are what is made of it; beside them stands here what the server knew.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		name                          string
		steps, calls, attempts, tools int // as far as the spans hold them
		failed                        int // attempts that failed
		missing                       string
	}{
		{"ai7-chat-stream", 3, 3, 3, 3, 0, ""},
		{"ai7-chat-faults1", 6, 6, 6, 6, 0, "3 model calls start late in their step"}, // three attempts failed; the SDK records none
		{"opencode-base", 1, 2, 2, 1, 0, "stay open while the tools run"},             // of three steps the export holds one, and the title's call
		{"qwen-faults1", 6, 6, 9, 6, 3, ""},
		{"sdk-anthropic-faults1", 4, 4, 4, 3, 1, "2 model calls hold failed attempts"}, // two failed attempts are inside of spans
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, problems := read(t, filepath.Join("testdata", c.name, "spans.jsonl"))
			if len(runs) != 1 {
				t.Fatalf("got %d runs, want 1", len(runs))
			}
			run := runs[0]
			attempts, failed := 0, 0
			for _, call := range run.ModelCalls {
				attempts += len(call.Attempts)
				for _, a := range call.Attempts {
					if a.Span.Has(traces.FlagFailed) {
						failed++
					}
				}
			}
			got := []int{len(run.Steps), len(run.ModelCalls), attempts, len(run.ToolCalls), failed}
			if want := []int{c.steps, c.calls, c.attempts, c.tools, c.failed}; !slices.Equal(got, want) {
				t.Errorf("got %v steps, calls, attempts, tools, failed attempts, want %v", got, want)
			}
			if c.missing != "" && !slices.ContainsFunc(problems, func(p traces.Problem) bool { return strings.Contains(p.Message, c.missing) }) {
				t.Errorf("problems %v do not say %q", problems, c.missing)
			}
			var sum time.Duration
			for _, s := range critpath.Find(run).Segments {
				sum += s.To - s.From
			}
			if sum != run.Wall {
				t.Errorf("the components add up to %v, want %v", sum, run.Wall)
			}
			golden(t, filepath.Join("testdata", c.name, "run.golden"), summary(run, problems))
		})
	}
}

func read(t *testing.T, path string) ([]*traces.Run, []traces.Problem) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, unread, err := otlp.Read(f)
	if err != nil || len(unread) > 0 {
		t.Fatal(err, unread)
	}
	recs, problems := Normalise(recs)
	runs, more := traces.Build(recs)
	return runs, append(problems, more...)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// summary writes down what a run says of its calls and tools.
func summary(run *traces.Run, problems []traces.Problem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %v, outcome %s, %v\n", run.Name, run.Wall, run.Outcome, run.Group)
	for _, c := range run.ModelCalls {
		step := "no step"
		if c.Step != nil {
			step = fmt.Sprint("step ", c.Step.Index)
		}
		if c.Side {
			step += ", side call"
		}
		fmt.Fprintf(&b, "%s: %s %s, %v to %v, %s, finish %q\n", step, c.Provider, c.Model, c.Start(), c.End(), c.Outcome, c.FinishReason)
		fmt.Fprintf(&b, "  input %s, cached %s, output %s, reasoning %s\n",
			number(c.Usage.Input), number(c.Usage.Cached), number(c.Usage.Output), number(c.Usage.Reasoning))
		for _, a := range c.Attempts {
			fmt.Fprintf(&b, "  attempt %d: status %d, %s, %v to %v\n", a.Number, a.Status, a.Outcome, a.Span.Start, a.Span.End)
			for _, p := range a.Phases {
				fmt.Fprintf(&b, "    %s %v (%s)\n", p.Component, p.End-p.Start, p.Quality)
			}
		}
	}
	for _, c := range run.ToolCalls {
		fmt.Fprintf(&b, "tool %s %s: step %d, %v to %v, ran %v, %s\n", c.Name, c.CallID, c.Step.Index, c.Span.Start, c.Span.End, *c.Run, c.Outcome)
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Code, p.Message)
	}
	return b.String()
}

func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}
