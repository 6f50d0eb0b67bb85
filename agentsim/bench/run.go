package bench

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// Run makes the runs of the plan and returns those that were begun, in the order of their beginning. A run that ends
// without an answer is a result, not an error. The error is non-nil if the plan cannot be run at all, or, beside the
// runs that were begun, the context's cause if it ended first.
func (p Plan) Run(ctx context.Context) ([]Run, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = max(p.Concurrency, 1) + 1 // or runs would wait for connections that others had
	transport.ResponseHeaderTimeout = 10 * time.Minute
	if p.dial != nil {
		transport.DialContext = p.dial
	}
	defer transport.CloseIdleConnections()
	base := p.BaseURL
	if p.Sim != nil {
		url, stop, err := p.serve()
		if err != nil {
			return nil, err
		}
		defer stop()
		base = url
	}
	now := time.Now()
	e := &execution{
		Plan:       p,
		client:     openai.NewClient(option.WithBaseURL(base), option.WithAPIKey(cmp.Or(p.APIKey, "none")), option.WithHTTPClient(&http.Client{Transport: transport})),
		experiment: cmp.Or(p.Experiment, stamp(now)),
		cells:      p.cells(now),
	}
	if !p.NoWarmUp {
		if err := e.warmUp(ctx); err != nil {
			return nil, err
		}
	}
	return e.run(ctx)
}

// serve starts the simulated model on loopback.
func (p *Plan) serve() (url string, stop func(), err error) {
	listen := p.listen
	if listen == nil {
		listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	l, err := listen()
	if err != nil {
		return "", nil, fmt.Errorf("bench: the simulated model cannot listen: %w", err)
	}
	server := &http.Server{Handler: p.sim(), ReadHeaderTimeout: time.Minute}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // ErrServerClosed, after stop
	return "http://" + l.Addr().String() + "/v1", func() {
		_ = server.Close() // nobody is connected any more
		serving.Wait()
	}, nil
}

// An execution is a plan being run.
type execution struct {
	Plan
	client     openai.Client
	experiment string
	cells      []cell

	mu     sync.Mutex // guards what follows, and calls of Progress
	began  time.Time
	runs   []*Run // of cells[i]; nil: not begun
	done   int
	failed int
}

func (e *execution) run(ctx context.Context) ([]Run, error) {
	e.began = time.Now()
	e.runs = make([]*Run, len(e.cells))
	e.report(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(max(e.Concurrency, 1), len(e.cells)) {
		workers.Go(func() {
			for i := range next {
				r := e.one(ctx, e.cells[i])
				e.mu.Lock()
				e.runs[i] = r
				e.mu.Unlock()
				e.report(r)
			}
		})
	}
feed:
	for i := range e.cells {
		if ctx.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	var begun []Run
	for _, r := range e.runs {
		if r != nil {
			begun = append(begun, *r)
		}
	}
	if len(begun) < len(e.cells) || ctx.Err() != nil {
		return begun, context.Cause(ctx)
	}
	return begun, nil
}

// report tells of a run that has ended, or of the beginning.
func (e *execution) report(r *Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r != nil {
		e.done++
		if r.Result.Outcome != traces.OK {
			e.failed++
		}
	}
	if e.Progress == nil {
		return
	}
	p := Progress{Done: e.done, Total: len(e.cells), Failed: e.failed, Elapsed: time.Since(e.began), Last: r}
	if e.done > 0 {
		p.Remaining = time.Duration(float64(p.Elapsed) / float64(e.done) * float64(p.Total-e.done))
	}
	e.Progress(p)
}

// one makes the run of a cell.
func (e *execution) one(ctx context.Context, c cell) *Run {
	r := &Run{ID: c.id, Task: c.task.Name, Model: c.model, Effort: c.effort, Trial: c.trial}
	cfg := tracer.RunConfig{ID: c.id, Group: e.group(c, e.experiment), TimeScale: e.Speed, StallThreshold: e.StallThreshold}
	if e.Store != nil {
		w, err := e.Store.Create(c.id)
		if err != nil {
			r.Result.Outcome, r.Err = traces.Error, err
			return r
		}
		cfg.Sink = w
		defer func() {
			_ = w.Close() // its error says what Lost counts
			r.Lost = w.Lost()
		}()
	}
	r.Result, r.Err = e.do(ctx, c, e.Tracer, e.seed(c.task.Name, c.trial), cfg)
	return r
}

// do lays out the task and lets an agent do it.
func (e *execution) do(ctx context.Context, c cell, t *tracer.Tracer, seed int64, cfg tracer.RunConfig) (agentsim.Result, error) {
	w, err := c.task.Open(tasks.Options{Speed: e.Speed, Listen: e.listen, Dial: e.dial})
	if err != nil {
		return agentsim.Result{RunID: cfg.ID, Outcome: traces.Error}, err
	}
	defer w.Close() // a folder that stays behind disturbs nothing
	agent := &agentsim.Agent{
		Client: e.client, Model: c.model, Effort: c.effort, Temperature: e.Temperature, Seed: seed, Tools: w.Tools,
		Parallel: e.Parallel, MaxSteps: e.MaxSteps, Limit: e.Limit, Retry: e.Retry, Tracer: t,
	}
	return agent.Do(ctx, agentsim.Task{Name: c.task.Name, Prompt: c.task.Prompt, Verify: w.Verify}, cfg)
}

// warmUp makes one run that nothing records, so that the first recorded one finds connections and caches as the others
// do. Where not even a reply begins, the plan is over: no other run would fare better. A reply that is cut off, by the
// time limit for one, is no reason: another effort may be quicker.
func (e *execution) warmUp(ctx context.Context) error {
	t := tracer.New(tracer.Options{})
	defer func() { _ = t.Shutdown(context.WithoutCancel(ctx)) }() // it has no exporters that could fail
	c := e.cells[0]
	result, err := e.do(ctx, c, t, e.seed("warm-up", 0), tracer.RunConfig{ID: "warm-up", TimeScale: e.Speed})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && result.Steps == 0:
		return fmt.Errorf("bench: the run to warm up could not begin: %w", err)
	case err != nil && !result.Replied:
		return fmt.Errorf("bench: the run to warm up got no reply from model %s: %w", c.model, err)
	}
	return nil
}
