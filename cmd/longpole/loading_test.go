package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui"
)

const oneSpan = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"ID","spanId":"01","name":"invoke_agent","startTimeUnixNano":"START","endTimeUnixNano":"1800000003000000000"}]}]}]}` + "\n"

func keepSpans(t *testing.T, ids ...string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("LONGPOLE_HOME", dir)
	for i, id := range ids {
		start := "180000000" + string(rune('0'+len(ids)-i)) + "000000000"
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(strings.NewReplacer("ID", "0"+id, "START", start).Replace(oneSpan)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunsAreReadForTheScreensOldestFirstAndCounted(t *testing.T) {
	keepSpans(t, "a1", "a2", "b3")
	for _, c := range []struct {
		name    string
		sources []string
		want    int
		said    tui.Progress
	}{
		{"the whole store", nil, 3, tui.Progress{What: "kept runs", Done: 3, Total: 3}},
		{"the beginning of some ids", []string{"a"}, 2, tui.Progress{What: "kept runs", Done: 2, Total: 2}},
	} {
		list, err := places(c.sources)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var said tui.Progress
		runs, problems, err := loader(list, nil, traces.Options{})(t.Context(), func(p tui.Progress) { said = p })
		if err != nil || len(problems) > 0 || len(runs) != c.want || said != c.said {
			t.Errorf("%s: %d runs, %v, %v; said %+v", c.name, len(runs), problems, err, said)
		}
		for i := 1; i < len(runs); i++ {
			if runs[i].Start.Before(runs[i-1].Start) {
				t.Errorf("%s: run %d started before the one above it", c.name, i)
			}
		}
	}
	if _, err := places([]string{"nowhere"}); err == nil || !strings.Contains(err.Error(), "no file and no kept run") {
		t.Errorf("a source that is nothing: %v", err)
	}
}

func TestReadingEndsWithItsContextAndReturnsWhatItHas(t *testing.T) {
	keepSpans(t, "a1")
	list, err := places(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if runs, _, err := loader(list, nil, traces.Options{})(ctx, func(tui.Progress) {}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}
