package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// errNotBegun is what errors are about a run that could not begin for what is on this side: it is no result.
var errNotBegun = errors.New("bench: a run could not begin")

// one makes the run of a cell.
func (e *execution) one(ctx context.Context, a arrival) *Run {
	c := a.cell
	group := e.group(c, e.experiment.Name[len(namePrefix):])
	r := &Run{ID: c.id, Task: c.task.Name, Model: c.setting.model, Effort: c.setting.effort, Trial: c.trial, Group: group}
	cfg := tracer.RunConfig{ID: c.id, Group: group, TimeScale: e.Speed, StallThreshold: e.StallThreshold, Intended: a.intended}
	if e.Store != nil {
		w, err := e.Store.Create(c.id)
		if err != nil {
			r.Result.Outcome, r.Err = traces.Error, fmt.Errorf("%w: %w", errNotBegun, err)
			return r
		}
		cfg.Sink = w
		defer func() {
			_ = w.Close() // its error says what Lost counts
			r.Lost = w.Lost()
		}()
	}
	var late time.Duration
	if !a.intended.IsZero() {
		late = max(0, time.Since(a.intended))
	}
	r.Result, r.Err = e.do(ctx, c, e.Tracer, e.seed(c.task.Name, c.trial), cfg)
	r.Time = time.Duration(math.Round(float64(late)*e.Speed)) + r.Result.Wall
	return r
}

// do lays out the task and lets an agent do it.
func (e *execution) do(ctx context.Context, c cell, t *tracer.Tracer, seed int64, cfg tracer.RunConfig) (agentsim.Result, error) {
	w, err := c.task.Open(tasks.Options{Speed: e.Speed, Listen: e.listen, Dial: e.dial})
	if err != nil {
		return agentsim.Result{RunID: cfg.ID, Outcome: traces.Error}, fmt.Errorf("%w: %w", errNotBegun, err)
	}
	defer w.Close() // a folder that stays behind disturbs nothing
	s := c.setting
	agent := &agentsim.Agent{
		Client: e.clients[s.endpoint.Name], Model: s.model, Effort: s.effort, Temperature: s.temperature, Fields: s.fields, System: s.system,
		Seed: seed, Tools: w.Tools, Parallel: s.parallel, MaxSteps: e.MaxSteps, Limit: e.Limit, Retry: e.Retry, Tracer: t,
	}
	return agent.Do(ctx, agentsim.Task{Name: c.task.Name, Prompt: c.task.Prompt, Verify: w.Verify}, cfg)
}

// unrecorded makes a run like that of a cell, of which nothing is kept.
func (e *execution) unrecorded(ctx context.Context, c cell, name string, n int) (agentsim.Result, error) {
	t := tracer.New(tracer.Options{})
	defer func() { _ = t.Shutdown(context.WithoutCancel(ctx)) }() // it has no exporters that could fail
	return e.do(ctx, c, t, e.seed(name, n), tracer.RunConfig{ID: name, TimeScale: e.Speed})
}

// fill makes a run for the load it is, and reports whether another one makes sense.
func (e *execution) fill(ctx context.Context, c cell) bool {
	e.mu.Lock()
	e.fills++
	n := e.fills
	e.mu.Unlock()
	result, err := e.unrecorded(ctx, c, "fill", n)
	return err == nil || result.Replied
}

// warmUp makes one unrecorded run for each model of each endpoint, so that the first recorded ones find connections and caches as the
// others do. Where not even a reply begins, the plan is over: no other run would fare better. A reply that is cut off, by the
// time limit for one, is no reason: another effort may be quicker.
func (e *execution) warmUp(ctx context.Context) error {
	type target struct{ endpoint, model string }
	warm := map[target]bool{}
	for _, b := range e.order.block(1) {
		for _, c := range b.cells {
			to := target{c.setting.endpoint.Name, c.setting.model}
			if warm[to] {
				continue
			}
			warm[to] = true
			result, err := e.unrecorded(ctx, c, "warm-up", 0)
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case errors.Is(err, errNotBegun):
				return err
			case err != nil && result.Steps == 0:
				return fmt.Errorf("bench: the run to warm up could not begin: %w", err)
			case err != nil && !result.Replied:
				return fmt.Errorf("bench: the run to warm up got no reply from model %s: %w", c.setting.model, err)
			}
		}
	}
	return nil
}
