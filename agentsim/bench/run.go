package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// ErrNotKept is the error of a plan that was stopped because the store did not take all that was recorded of a run: what more runs
// cost would be lost too. It can be gone on with once there is space.
var ErrNotKept = errors.New("bench: the store did not take all records, so no more runs were begun; make space")

// Run makes the runs of the plan and returns those that were begun, in the order of the plan; of an experiment that is gone on with,
// also the earlier ones. A run that ends without an answer is a result, not an error. The error is non-nil if the plan cannot be run
// at all, or, beside the runs that were begun, the context's cause if it ended first, ErrNotKept, or why one
// more could not begin.
func (p Plan) Run(ctx context.Context) (_ []Run, err error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.Tracer == nil {
		return nil, errors.New("bench: no tracer")
	}
	p.Speed = cmp.Or(p.Speed, 1)
	e := &execution{Plan: p, made: map[string]*Run{}, tally: tally{byLoad: map[Load]*pace{}}}
	if p.Resume != nil {
		if err := e.resume(p.Resume); err != nil {
			return nil, err
		}
		defer e.journal.close()
		if !p.Resume.Over.IsZero() {
			return e.runs(), nil
		}
	} else {
		now := time.Now()
		e.experiment = &Experiment{Schema: experimentSchema, Name: namePrefix + stamp(now), Began: now.UTC(), Plan: p.words(), Options: p.Options}
	}
	e.order = p.order(e.experiment.Name)
	stop, err := e.connect()
	if err != nil {
		return nil, err
	}
	defer stop()
	if !p.NoWarmUp {
		if err := e.warmUp(ctx); err != nil {
			return e.runs(), err
		}
	}
	if p.Resume == nil && p.Store != nil {
		if e.journal, err = e.experiment.keep(p.Store, true); err != nil {
			return nil, err
		}
		defer e.journal.close()
	}
	return e.run(ctx)
}

// An execution is a plan being run.
type execution struct {
	Plan
	experiment *Experiment
	journal    *journal // nil: it is not kept
	order      order
	clients    map[string]openai.Client // by endpoint's name
	stop       context.CancelCauseFunc  // ends all runs

	mu    sync.Mutex // guards what follows, and calls of Progress
	made  map[string]*Run
	tally tally
	fills int
}

// resume takes up an experiment that was begun: what was finished counts, what was under way is removed.
func (e *execution) resume(x *Experiment) (err error) {
	if err := x.differs(&e.Plan); err != nil {
		return err
	}
	e.experiment = x
	if e.journal, err = x.keep(e.Store, false); err != nil {
		return err
	}
	if e.made, err = x.recall(e.Store); err != nil {
		e.journal.close()
		return err
	}
	for _, r := range e.made {
		e.tally.add(r, Load{})
	}
	return nil
}

// connect makes a client for each endpoint, and starts the simulated model if that is what is asked.
func (e *execution) connect() (stop func(), err error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 1024 // or runs would wait for connections that others had
	transport.ResponseHeaderTimeout = 10 * time.Minute
	if e.dial != nil {
		transport.DialContext = e.dial
	}
	stop = transport.CloseIdleConnections
	endpoints := e.Endpoints
	if e.Sim != nil {
		address, stopServer, err := e.serve()
		if err != nil {
			return nil, err
		}
		stop = func() { transport.CloseIdleConnections(); stopServer() }
		endpoints = []Endpoint{{URL: address}}
	}
	e.clients = map[string]openai.Client{}
	for _, at := range endpoints {
		e.clients[at.Name] = openai.NewClient(option.WithBaseURL(at.URL), at.authorization(), option.WithHTTPClient(&http.Client{Transport: transport}))
	}
	return stop, nil
}

// authorization is the key; without one, the user of the address, whom net/http names to the server if nobody else is.
func (at Endpoint) authorization() option.RequestOption {
	if u, err := url.Parse(at.URL); err == nil && u.User != nil && at.APIKey == "" {
		return option.WithHeaderDel("Authorization")
	}
	return option.WithAPIKey(cmp.Or(at.APIKey, "none"))
}

// serve starts the simulated model on loopback.
func (p *Plan) serve() (address string, stop func(), err error) {
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

func (e *execution) run(ctx context.Context) ([]Run, error) {
	ctx, e.stop = context.WithCancelCause(ctx)
	defer e.stop(nil)
	e.mu.Lock()
	e.tally.began = time.Now()
	e.tell(nil)
	e.mu.Unlock()
	err := e.rounds(ctx)
	if err == nil {
		e.journal.over()
	}
	return e.runs(), err
}

// runs returns the runs so far, in the order of the plan.
func (e *execution) runs() []Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	var runs []Run
	for _, id := range slices.Sorted(maps.Keys(e.made)) {
		runs = append(runs, *e.made[id])
	}
	return runs
}

// tell calls Progress, with the mutex held.
func (e *execution) tell(last *Run) {
	if e.Progress != nil {
		e.Progress(e.progress(last))
	}
}

// rounds makes all rounds, each when it is time.
func (e *execution) rounds(ctx context.Context) error {
	per := max(e.Trials, 1)
	if e.Until > 0 {
		per = e.mostTrials()
	}
	begun := false
	for round := range max(e.Rounds, 1) {
		from, to := round*per+1, (round+1)*per
		if !e.left(from, to) {
			continue // made before
		}
		if !begun {
			begun, e.tally.first = true, round
		} else if err := e.await(ctx, round); err != nil {
			return err
		}
		e.mu.Lock()
		e.tally.round = round
		e.mu.Unlock()
		if err := e.round(ctx, from, to); err != nil {
			return err
		}
	}
	return nil
}

// await waits until it is time for a round. The first one that this process makes begins at once.
func (e *execution) await(ctx context.Context, round int) error {
	at := e.tally.began.Add(time.Duration(round-e.tally.first) * e.Every)
	if time.Until(at) <= 0 {
		return context.Cause(ctx)
	}
	e.mu.Lock()
	if e.Progress != nil {
		p := e.progress(nil)
		p.Next = at
		e.Progress(p)
	}
	e.mu.Unlock()
	return sleepUntil(ctx, at)
}

// left reports whether some run of the trials has yet to be made.
func (e *execution) left(from, to int) bool {
	for trial := from; trial <= to; trial++ {
		for _, b := range e.order.block(trial) {
			if len(e.unmade(b.cells)) > 0 {
				return true
			}
		}
	}
	return false
}

func (e *execution) unmade(cells []cell) []cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(cells, func(c cell) bool { return e.made[c.id] != nil })
}

// round makes the runs of some trials. Neighbouring batches of one load are made as one, so that it does not fall in between; but
// where the precision decides whether to go on, each trial is finished first.
func (e *execution) round(ctx context.Context, from, to int) error {
	var next batch
	flush := func() error {
		now := next
		next = batch{}
		return e.stretch(ctx, now)
	}
	for trial := from; trial <= to; trial++ {
		for _, b := range e.order.block(trial) {
			if b.cells = e.unmade(b.cells); len(b.cells) == 0 {
				continue
			}
			if next.load != b.load {
				if err := flush(); err != nil {
					return err
				}
			}
			next.load, next.cells = b.load, append(next.cells, b.cells...)
		}
		if e.Until > 0 {
			if err := flush(); err != nil {
				return err
			}
			if e.precise() {
				return nil
			}
		}
	}
	return flush()
}

// precise works out how well the settings are known, and whether that is enough.
func (e *execution) precise() bool {
	p := e.Plan.Precision(e.runs())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tally.precision = &p
	return p.More == 0
}
