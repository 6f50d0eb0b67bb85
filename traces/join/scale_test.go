package join_test

import (
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/join"
)

func TestDeepAndWideTreesAreNoProblem(t *testing.T) {
	for _, c := range []struct {
		name  string
		above func(i int) string
	}{
		{"a chain of 50,000 spans", func(i int) string { return fmt.Sprint("code", i-1) }},
		{"50,000 siblings", func(int) string { return "run" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			wire, spans := large(50)
			for i := range 50_000 {
				code := span(fmt.Sprint("code", i), c.above(i), 0, traces.RoleInternal)
				code.End += 1e12
				spans = append(spans, code)
			}
			spans[0].ParentID = "code49999" // the agent lies below the last one
			got, _ := join.Join(wire, spans)
			if want := 1 + 50*2 + len(spans); len(got) != want { // of the wire the run, the attempts and their phases
				t.Errorf("%d spans are left, want %d", len(got), want)
			}
		})
	}
}
