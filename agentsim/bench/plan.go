// Package bench makes many runs of an agent, so that settings can be compared.
//
// What goes in is a Plan: tasks, a grid of settings, and how many trials; what comes out is one recorded run of each combination,
// in a store, and a Run that says how it ended. Order is random but balanced: each trial is a block in which every combination is
// run once, shuffled, so that neither a slow hour nor a warming cache favours a setting. Order, arrivals, request seeds and backoff
// jitter come from the plan's seed; the same trial of a task has the same request seed at every setting, so that runs can be
// compared in pairs.
//
// It always holds that a plan that is stopped in the middle leaves only finished runs behind, those that were under way with the
// outcome cancelled, and that it can be gone on with (Experiment): what was finished is not run again, what was not is.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// A Plan says what to run and how. Tasks, Models and either Endpoints or Sim are required.
type Plan struct {
	Tasks []tasks.Task
	Grid
	Group map[string]string // tags of all runs

	Trials    int     // of each combination, in each round; 0: 1
	Until     float64 // in place of Trials: until Precision.Width is at most this; 0: Trials
	MaxTrials int     // with Until: trials after which it is given up

	Rounds int           // how often all that is repeated; 0: once
	Every  time.Duration // from the start of one round to that of the next, real time; a round that takes longer puts off the next one

	Seed  int64
	Sim   *simmodel.Config // in place of Endpoints: a simulated model in this process. Scripts are added; Seed and Speed, where 0, are the plan's
	Speed float64          // recorded time ÷ real time, of runs, sites, arrivals and Sim; 0: 1

	MaxSteps       int                  // see agentsim.Agent, like the next two
	Limit          time.Duration        // of one run from its start, recorded time
	Retry          agentsim.RetryPolicy //
	StallThreshold time.Duration        // see tracer.RunConfig
	NoWarmUp       bool                 // leave out the unrecorded runs before the first one

	Tracer   *tracer.Tracer // records the runs
	Store    *store.Store   // keeps them, and the plan; nil: the tracer's own sink does, and the plan cannot be gone on with
	Progress func(Progress) // called after each run, once before the first, and when a round is waited for; never concurrently

	Options map[string][]string // kept with the plan, for whoever goes on with it
	Resume  *Experiment         // to go on with, as Find returned it; nil: this is a new one

	listen func() (net.Listener, error)                                      // nil: loopback
	dial   func(ctx context.Context, network, addr string) (net.Conn, error) // nil: the real network
}

// A Run is one run of a plan and how it ended.
type Run struct {
	ID     string // in the store
	Task   string
	Model  string
	Effort string
	Trial  int               // from 1
	Group  map[string]string // all its tags
	Result agentsim.Result
	Time   time.Duration // until its end, as recorded: from its intended start where it had one, else from its start
	Err    error         // what ended a run that has no answer; unknown of earlier ones
	Lost   int           // records of it that could not be kept
	Before bool          // it was made before the experiment was gone on with
}

// mostTrials is how many trials there can be.
func (p *Plan) mostTrials() int {
	if p.Until > 0 {
		return max(p.MaxTrials, 1)
	}
	return max(p.Trials, 1) * max(p.Rounds, 1)
}

// mostRuns bounds the runs of a plan, which are all laid out before they begin.
const mostRuns = 1_000_000

// tooMany reports whether the plan would make more runs than that, however many more.
func (p *Plan) tooMany() bool {
	trials := float64(max(p.Trials, 1)) * float64(max(p.Rounds, 1))
	if p.Until > 0 {
		trials = float64(p.MaxTrials)
	}
	return trials*float64(len(p.Tasks))*p.combinations() > mostRuns
}

// reserved are tags that the plan gives itself.
var reserved = []string{"task", "trial", "experiment", "hour", "endpoint", "model", "effort", "system", "temperature", "tool_parallelism", "concurrency", "rate"}

// Check reports what is wrong with a plan before anything is run.
func (p *Plan) Check() error {
	switch {
	case len(p.Tasks) == 0:
		return errors.New("bench: no tasks")
	case len(p.Models) == 0:
		return errors.New("bench: no models")
	case (len(p.Endpoints) == 0) == (p.Sim == nil):
		return errors.New("bench: exactly one of Endpoints and Sim is needed")
	case p.Trials < 0 || p.Speed < 0 || p.Until < 0 || p.Rounds < 0 || p.Every < 0 ||
		slices.ContainsFunc(p.Loads, func(l Load) bool { return l.Users < 0 || l.Rate < 0 }):
		return errors.New("bench: trials, rounds, loads and speed must not be negative")
	case slices.ContainsFunc(p.Loads, func(l Load) bool { return l.Rate != 0 && !(l.Rate >= leastRate && l.Rate <= mostRate) }):
		return errors.New("bench: a rate is from one run a day to a million a second")
	case slices.ContainsFunc(p.Temperatures, func(t float64) bool { return math.IsNaN(t) || math.IsInf(t, 0) }):
		return errors.New("bench: a temperature is a finite number")
	case p.tooMany():
		return fmt.Errorf("bench: these are more than %d runs; make fewer trials or rounds, or more than one experiment", mostRuns)
	case p.Until > 0 && p.Rounds > 1:
		return errors.New("bench: rounds have a number of trials, not a precision to reach")
	case p.Resume != nil && p.Store == nil:
		return errors.New("bench: without a store there is nothing to go on with")
	}
	return cmp.Or(p.checkTags(), p.checkTasks())
}

func (p *Plan) checkTags() error {
	var fields []string
	for _, f := range p.Fields {
		switch {
		case slices.Contains([]string{"", "model", "messages", "tools", "stream", "stream_options", "seed", "reasoning_effort", "temperature"}, f.Name):
			return fmt.Errorf("bench: the field %q of requests is set otherwise", f.Name)
		case slices.Contains(reserved, f.Name) || slices.Contains(fields, f.Name):
			return fmt.Errorf("bench: %q cannot be the name of a field; runs have a tag of that name", f.Name)
		}
		fields = append(fields, f.Name)
	}
	for key := range p.Group {
		if key == "" || slices.Contains(reserved, key) || slices.Contains(fields, key) {
			return fmt.Errorf("bench: runs have a tag %q already; name another one", key)
		}
	}
	seen := map[string]bool{}
	for _, s := range p.settings() {
		tags := fmt.Sprint(s.tags)
		if seen[tags] {
			return fmt.Errorf("bench: two settings have the same tags, %s; leave one out", tags)
		}
		seen[tags] = true
	}
	return nil
}

func (p *Plan) checkTasks() error {
	for i, t := range p.Tasks {
		if program := t.Missing(); program != "" {
			return fmt.Errorf("bench: task %s needs the program %q, which is not on this machine; leave the task out", t.Name, program)
		}
		if p.Sim != nil && t.Script.Play == nil {
			return fmt.Errorf("bench: task %s has no script, so the simulated model cannot play it; give it one, or a real server", t.Name)
		}
		for _, other := range p.Tasks[:i] {
			if other.Name == t.Name || strings.TrimSpace(other.Prompt) == strings.TrimSpace(t.Prompt) {
				return fmt.Errorf("bench: tasks %s and %s have the same name or prompt; rename one, or leave it out", other.Name, t.Name)
			}
		}
	}
	return nil
}

// group returns the tags of a run that begins now.
func (p *Plan) group(c cell, experiment string) map[string]string {
	group := map[string]string{"task": c.task.Name, "trial": fmt.Sprint(c.trial), "experiment": experiment}
	for key, value := range c.setting.tags {
		group[key] = value
	}
	for key, value := range p.Group {
		group[key] = value
	}
	if p.Rounds > 1 {
		group["hour"] = time.Now().Format("15") // of the day, as the clock on the wall shows it
	}
	return group
}

// sim returns the simulated model of the plan.
func (p *Plan) sim() http.Handler {
	cfg := *p.Sim
	cfg.Scripts = slices.Concat(cfg.Scripts, tasks.Scripts(p.Tasks))
	cfg.Seed = cmp.Or(cfg.Seed, p.Seed)
	cfg.Speed = cmp.Or(cfg.Speed, p.Speed)
	cfg.Chunks = cfg.Chunks || cfg.Truth != nil // Agree cuts them into phases
	return simmodel.New(cfg)
}

// ended reports whether a run that was recorded so is a result: not one that was under way when the plan was stopped.
func ended(run *traces.Run) bool { return !run.Open && run.Outcome != traces.Cancelled }
