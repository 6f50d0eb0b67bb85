package session

import (
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A Sink keeps the records of one run; traces/store's Writer is one. If it is also an io.Closer, it is closed with the run. Write
// is called from the goroutine that observes and must not block for long; its errors are counted, not acted on.
type Sink interface {
	Write(recs ...traces.Record) error
}

// Options configure a Tracker.
type Options struct {
	Open func(runID string) (Sink, error) // called when a run begins; nil: all records are lost

	// OneRun makes one run of all traffic, as of one command: separate conversations become sub-agents and side calls. Without it a run
	// ends with its final answer, and the next message of the user begins another.
	OneRun bool
	Run    Run       // what is known of the runs beforehand
	Start  time.Time // with OneRun: when the command was started; zero: the run starts with its first request

	Idle           time.Duration // how long a run that has its final answer is kept open for what may follow; 0: a minute
	StallThreshold time.Duration // gap between chunks that counts as a stall; 0: the default
	NoChunks       bool          // leave the series of chunks out of the records
	Resource       *traces.Resource
}

// A Run is what is known of a run before it begins. With OneRun unset, ids are ignored.
type Run struct {
	ID      string // "": random
	Name    string // "": after the agent, as far as it names itself
	TraceID string // 32 lower-case hex digits; "": random
	SpanID  string // of the run's root, 16 digits, for agents whose own spans are to lie below it; "": random
	Group   map[string]string
}

// A Tracker is a proxy.Observer that writes runs. Its methods are safe for concurrent use.
type Tracker struct {
	opt Options

	mu     sync.Mutex
	clock  clock
	open   map[int64]*attempt // by exchange
	runs   []*run             // not ended, by start
	index  index
	heard  time.Time   // when anything was observed last, on this machine's clock
	pulse  *time.Timer // runs while exchanges are open
	closed bool
	lost   int
}

var _ proxy.Observer = (*Tracker)(nil)

// New returns a tracker. Call Close when there is no more traffic.
func New(opt Options) *Tracker {
	if opt.Idle <= 0 {
		opt.Idle = time.Minute
	}
	if opt.Resource == nil {
		opt.Resource = &traces.Resource{Attrs: traces.Attrs{{Key: traces.KeyServiceName, Value: "longpole"}}}
	}
	return &Tracker{opt: opt, open: map[int64]*attempt{}, index: newIndex()}
}

// Begin takes a request. One whose body has not been read yet begins when it has.
func (t *Tracker) Begin(x *proxy.Exchange) { t.observe(x, false) }

// Progress takes what has come of the response.
func (t *Tracker) Progress(x *proxy.Exchange) { t.observe(x, false) }

// End takes the whole response.
func (t *Tracker) End(x *proxy.Exchange) { t.observe(x, true) }

func (t *Tracker) observe(x *proxy.Exchange, ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ended && x.Request.API == "" { // its body could not be read: the path still tells
		x.Request = stream.ParseRequest(x.Method, x.Path, nil, nil)
	}
	switch {
	case t.closed:
		return
	case x.Prewarm:
		if ended {
			t.index.alias(x)
		}
		return
	case !x.Request.Generates:
		return // not a model call, or not known to be one yet
	}
	t.clock.see(x)
	t.heard = time.Now()
	a := t.open[x.ID]
	if a == nil {
		a = t.callOf(x).attempt(x)
		t.open[x.ID] = a
	}
	if ended {
		delete(t.open, x.ID)
		a.finish(x)
	} else {
		a.progress(x)
	}
	a.call.run.flush()
	t.keepPulse()
}

// pulseEvery is how often open exchanges are looked at of which nothing is heard: a checkpoint says that they are watched all the same.
const pulseEvery = 250 * time.Millisecond

// keepPulse has the open exchanges looked at again in a while, if there are any.
func (t *Tracker) keepPulse() {
	if len(t.open) > 0 && t.pulse == nil && !t.closed {
		t.pulse = time.AfterFunc(pulseEvery, t.beat)
	}
}

// beat writes the open attempts whose checkpoint is due.
func (t *Tracker) beat() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pulse = nil
	if t.closed {
		return
	}
	t.clock.sign = later(t.clock.sign, t.clock.last.Add(time.Since(t.heard)))
	for _, id := range slices.Sorted(maps.Keys(t.open)) {
		a := t.open[id]
		a.progress(a.x)
		a.call.run.flush()
	}
	t.keepPulse()
}

// Close ends every run; at is when the traffic ended, for a command when it exited. What is open then was cancelled. Observations
// after that are ignored.
func (t *Tracker) Close(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	if t.pulse != nil {
		t.pulse.Stop()
	}
	end := t.clock.at(at)
	for _, id := range slices.Sorted(maps.Keys(t.open)) {
		t.open[id].cancel(end)
	}
	for len(t.runs) > 0 {
		t.runs[0].finish(end)
	}
}

// Lost returns how many records sinks refused.
func (t *Tracker) Lost() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// write hands records to a sink. Whatever it does, observing goes on.
func (t *Tracker) write(s Sink, recs []traces.Record) {
	done := false
	defer func() {
		if !done {
			_ = recover()
			t.lost += len(recs)
		}
	}()
	done = s != nil && s.Write(recs...) == nil
}

func closeSink(s Sink) {
	if c, ok := s.(io.Closer); ok {
		defer func() { _ = recover() }()
		_ = c.Close()
	}
}

// A clock gives instants of one monotonic clock, so that the parts of a run add up whatever happens to the wall clock.
type clock struct {
	base time.Time // with its monotonic reading
	last time.Time // the latest instant that anything happened
	sign time.Time // the latest at which the tracker is known to have lived
}

// at returns the instant of a reading, the zero time for none.
func (c *clock) at(reading time.Time) time.Time {
	if reading.IsZero() {
		return reading
	}
	if c.base.IsZero() {
		c.base = reading
	}
	return c.base.Round(0).Add(reading.Sub(c.base))
}

func (c *clock) see(x *proxy.Exchange) {
	for _, reading := range []time.Time{x.Start, x.Connected, x.Sent, x.Headers, x.FirstByte, x.LastByte, x.End} {
		if at := c.at(reading); at.After(c.last) {
			c.last = at
		}
	}
	c.sign = later(c.sign, c.last)
}
