package main

import (
	"slices"
	"sync"

	"github.com/seed46266073/longpole/agentsim/bench"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// truths collects what the simulated model says it did, to hold the measurement against it. The zero value is empty.
type truths struct {
	mu   sync.Mutex
	list []simmodel.Truth
}

func (t *truths) add(truth simmodel.Truth) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, truth)
}

// against says how well the recorded runs agree with the truth, "" if there is none.
func (t *truths) against(runs []*measure.Run) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var built []*traces.Run
	for _, run := range runs {
		built = append(built, run.Run)
	}
	a := bench.Agree(built, slices.Clip(t.list))
	text := a.String()
	if text == "" {
		return ""
	}
	if 5*a.Within < 4*a.Phases {
		text += ": the machine was too busy for exact times; fewer users (--concurrency) or a lower --speed give better ones"
	}
	return "timing check  " + text
}
