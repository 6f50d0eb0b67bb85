package main

import (
	"context"
	"errors"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/whatif"
)

func TestAnInterruptedAnswerIsAnError(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	built, _ := traces.Build([]traces.Record{{TraceID: "a", SpanID: "1", Name: "run", End: 1}})
	if answers, _, err := answer(ctx, []*measure.Run{measure.Of(built[0])}, whatif.Plan{}); answers != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d answers and %v, want none and why", len(answers), err)
	}
}

func TestNothingToChangeIsToldOnlyIfNoRunHasAnything(t *testing.T) {
	retry := whatif.Edit{Target: whatif.Component(traces.Retry), How: whatif.Off}
	wait := whatif.Edit{Target: whatif.Component(traces.Wait)}
	idle, all := whatif.Answer{Idle: []string{"retry=off changes nothing"}}, whatif.Answer{}
	for _, c := range []struct {
		name    string
		plan    whatif.Plan
		answers []whatif.Answer
		want    string
	}{
		{"no run has it", whatif.Plan{Edits: []whatif.Edit{retry}}, []whatif.Answer{idle, idle}, "retry=off changes nothing"},
		{"no run has it, asked twice", whatif.Plan{Edits: []whatif.Edit{retry, retry}}, []whatif.Answer{idle}, "retry=off changes nothing"},
		{"one run has it", whatif.Plan{Edits: []whatif.Edit{retry}}, []whatif.Answer{idle, all}, ""},
		{"another edit changes something", whatif.Plan{Edits: []whatif.Edit{retry, wait}}, []whatif.Answer{idle}, ""},
		{"a step less is something", whatif.Plan{Edits: []whatif.Edit{retry}, Steps: -1}, []whatif.Answer{idle}, ""},
		{"no edits", whatif.Plan{}, []whatif.Answer{all}, ""},
	} {
		if got := pointless(c.plan, c.answers); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
