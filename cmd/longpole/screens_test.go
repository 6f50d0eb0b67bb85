package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

func TestAnExportNeverOverwrites(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, want := range []string{"longpole-run.txt", "longpole-run-2.txt", "longpole-run-3.txt"} {
		path, err := exportView("run", "text "+string(rune('1'+i)))
		if err != nil || path != want {
			t.Fatalf("export %d went to %q, %v, want %s", i+1, path, err, want)
		}
	}
	if b, err := os.ReadFile("longpole-run.txt"); string(b) != "text 1" {
		t.Errorf("the first one holds %q, %v", b, err)
	}
}

func TestThatTheTourWasSeenIsNotedEvenBeforeThereIsAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", ".tour-seen")
	noteTour(path)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	noteTour(filepath.Join(path, "below a file")) // does nothing
}

// The recording must have what there is to see. Its size is part of that of the program.
func TestTheDemoHasEverythingThereIsToSee(t *testing.T) {
	if n := len(demoRuns); n > 300_000 {
		t.Errorf("%d bytes", n)
	}
	runs, problems, err := loadDemo(traces.Options{})
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %v", err, problems)
	}
	retries, stalls, parallel, streams, failed := 0, 0, 0, 0, 0
	efforts := map[string]int{}
	for _, r := range runs {
		efforts[r.Group["effort"]]++
		retries += r.Counts.Retries()
		if r.Outcome == traces.FailedCheck {
			failed++
		}
		for _, c := range r.Calls {
			stalls += len(c.Stalls)
			if c.Answer != nil && c.Answer.Chunks != nil {
				streams++
			}
		}
		for i := 1; i < len(r.ToolCalls); i++ {
			if r.ToolCalls[i].Span.Start < r.ToolCalls[i-1].Span.End {
				parallel++
			}
		}
	}
	if said := report.Verdict(measure.GroupBy(runs, "effort")); len(said) == 0 || !strings.HasPrefix(said[0], "Use medium: ") {
		t.Errorf("it does not tell which effort to use: %q", said)
	}
	if len(efforts) != 3 || retries == 0 || stalls == 0 || parallel == 0 || streams == 0 || failed == 0 {
		t.Errorf("efforts %v, %d retries, %d stalls, %d tools in parallel, %d streams, %d wrong answers", efforts, retries, stalls, parallel, streams, failed)
	}
}
