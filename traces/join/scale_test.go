package join_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/join"
)

// Trees of any shape are joined in a time about proportional to their size.
func TestDeepAndWideTreesAreNoProblem(t *testing.T) {
	for _, c := range []struct {
		name  string
		above func(i int) string
	}{
		{"a chain of 50,000 spans", func(i int) string { return fmt.Sprint("code", i-1) }},
		{"50,000 siblings", func(int) string { return "run" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			wire, spans := large(100)
			for i := range 50_000 {
				code := span(fmt.Sprint("code", i), c.above(i), 0, traces.RoleInternal)
				code.End += 1e12
				spans = append(spans, code)
			}
			spans[0].ParentID = "code49999" // the agent lies below the last one
			start := time.Now()
			got, _ := join.Join(wire, spans)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
			if want := 1 + 100*2 + len(spans); len(got) != want { // of the wire the run, the attempts and their phases
				t.Errorf("%d spans are left, want %d", len(got), want)
			}
		})
	}
}
