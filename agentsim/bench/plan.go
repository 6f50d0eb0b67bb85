// Package bench makes many runs of an agent, so that settings can be compared.
//
// What goes in is a Plan: tasks, models, efforts and trials; what comes out is one recorded run of each combination, in
// a store, and a Run that says how it ended. Order is random but balanced: each trial is a block in which every
// combination is run once, shuffled, so that neither a slow hour nor a warming cache favours a setting. Order, request
// seeds and backoff jitter come from the plan's seed; the same trial of a task has the same request seed at every
// effort and model, so that runs can be compared in pairs.
//
// It always holds that a plan that is stopped in the middle leaves only finished runs behind, those that were under way
// with the outcome cancelled.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces/store"
)

// A Plan says what to run and how. Tasks, Models and either BaseURL or Sim are required.
type Plan struct {
	Tasks       []tasks.Task
	Models      []string
	Efforts     []string // nil: one setting without an effort
	Trials      int      // of each combination; 0: 1
	Concurrency int      // runs at the same time; 0: 1
	Seed        int64
	Experiment  string // tag of all runs; "": the time at which Run was called

	BaseURL string           // of a server that speaks Chat Completions, with the /v1
	APIKey  string           // "": none
	Sim     *simmodel.Config // in place of BaseURL: a simulated model in this process. Scripts are added; Seed and Speed, where 0, are the plan's
	Speed   float64          // recorded time ÷ real time, of runs, sites and Sim; 0: 1

	Parallel       int                  // see agentsim.Agent, like the next four
	MaxSteps       int                  //
	Limit          time.Duration        // of one run, recorded time
	Temperature    *float64             //
	Retry          agentsim.RetryPolicy //
	StallThreshold time.Duration        // see tracer.RunConfig
	NoWarmUp       bool                 // leave out the unrecorded run before the first one

	Tracer   *tracer.Tracer // records the runs
	Store    *store.Store   // keeps them; nil: the tracer's own sink does
	Progress func(Progress) // called after each run, and once before the first; never concurrently

	listen func() (net.Listener, error)                                      // nil: loopback
	dial   func(ctx context.Context, network, addr string) (net.Conn, error) // nil: the real network
}

// A Run is one run of a plan and how it ended.
type Run struct {
	ID     string // in the store
	Task   string
	Model  string
	Effort string
	Trial  int // from 1
	Result agentsim.Result
	Err    error // what ended a run that has no answer
	Lost   int   // records of it that could not be kept
}

// A Progress is how far a plan is.
type Progress struct {
	Done, Total int
	Failed      int           // of Done: without a correct answer, for whatever reason
	Elapsed     time.Duration // real time since the first run began
	Remaining   time.Duration // estimate, real time; 0: unknown
	Last        *Run          // the run that has just ended; nil at the beginning
}

// A cell is one run to be made.
type cell struct {
	task   tasks.Task
	model  string
	effort string
	trial  int
	id     string
}

// check reports what is wrong with a plan before anything is run.
func (p *Plan) check() error {
	switch {
	case len(p.Tasks) == 0:
		return errors.New("bench: no tasks")
	case len(p.Models) == 0:
		return errors.New("bench: no models")
	case (p.BaseURL == "") == (p.Sim == nil):
		return errors.New("bench: exactly one of BaseURL and Sim is needed")
	case p.Tracer == nil:
		return errors.New("bench: no tracer")
	case p.Trials < 0 || p.Concurrency < 0 || p.Speed < 0:
		return errors.New("bench: trials, concurrency and speed must not be negative")
	}
	for _, t := range p.Tasks {
		if program := t.Missing(); program != "" {
			return fmt.Errorf("bench: task %s needs the program %q, which is not on this machine; leave the task out", t.Name, program)
		}
	}
	return nil
}

// cells returns the runs in the order in which they are to begin.
func (p *Plan) cells(now time.Time) []cell {
	efforts := p.Efforts
	if len(efforts) == 0 {
		efforts = []string{""}
	}
	var all []cell
	random := rand.New(rand.NewPCG(uint64(p.Seed), 0x62656e6368))
	for trial := range max(p.Trials, 1) {
		first := len(all)
		for _, task := range p.Tasks {
			for _, model := range p.Models {
				for _, effort := range efforts {
					all = append(all, cell{task: task, model: model, effort: effort, trial: trial + 1})
				}
			}
		}
		block := all[first:]
		random.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
	}
	digits := len(fmt.Sprint(len(all)))
	for i := range all {
		c := &all[i]
		c.id = fmt.Sprintf("bench-%s-%0*d-%s-%s-%d", stamp(now), digits, i+1, c.task.Name, cmp.Or(c.effort, "default"), c.trial)
	}
	return all
}

// stamp is an instant as part of a name, to the millisecond.
func stamp(now time.Time) string {
	return now.UTC().Format("20060102T150405") + fmt.Sprintf("%03d", now.Nanosecond()/1e6)
}

// group returns the tags of a cell's run.
func (p *Plan) group(c cell, experiment string) map[string]string {
	group := map[string]string{"task": c.task.Name, "model": c.model, "trial": fmt.Sprint(c.trial), "experiment": experiment}
	if c.effort != "" {
		group["effort"] = c.effort
	}
	return group
}

// seed returns the request seed of a trial of a task: 31 bits, which every server takes, and never 0.
func (p *Plan) seed(task string, trial int) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", p.Seed, task, trial)
	return int64(h.Sum64()&(1<<31-1)) | 1
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
