package session

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/traces"
)

// patience is how long a run is kept open whose tools are under way: a person may have to allow them.
const patience = 24 * time.Hour

// A run is one task: a main chain, and what goes on beside it.
type run struct {
	tracker   *Tracker
	id        string
	traceID   string
	sink      Sink
	root      *span
	main      *agent
	agents    []*agent // main first
	session   string
	agentName string
	conns     map[int64]bool

	conversations []*conversation
	calls         []*call
	busy          int             // open attempts
	out           []traces.Record // to be written
	timer         *time.Timer     // ends the run if nothing follows
	round         int             // of the timer
	ended         bool
}

// newRun begins a run with its first request.
func (t *Tracker) newRun(x *proxy.Exchange) *run {
	known, start := t.opt.Run, t.clock.at(x.Start)
	if !t.opt.OneRun {
		known.ID, known.TraceID, known.SpanID = "", "", ""
	} else if begun := t.clock.at(t.opt.Start); !begun.IsZero() && begun.Before(start) {
		start = begun
	}
	r := &run{tracker: t, session: x.Request.Session, agentName: agentName(x), conns: map[int64]bool{}}
	r.id, r.traceID = cmp.Or(known.ID, randomHex(6)), cmp.Or(known.TraceID, randomHex(16))
	r.root = r.agentSpan(nil, cmp.Or(known.Name, r.agentName), start)
	if known.SpanID != "" {
		r.root.rec.SpanID = known.SpanID
	}
	r.root.text(traces.KeyRunID, r.id)
	r.root.text(traces.KeyRunName, cmp.Or(known.Name, r.agentName))
	r.root.text(traces.KeyConversation, r.session)
	for _, k := range slices.Sorted(maps.Keys(known.Group)) {
		r.root.set(traces.KeyGroupPrefix+k, known.Group[k])
	}
	r.main = &agent{run: r, span: r.root}
	r.agents = []*agent{r.main}
	if t.opt.Open != nil {
		if sink, err := t.opt.Open(r.id); err == nil {
			r.sink = sink
		}
	}
	t.runs = append(t.runs, r)
	r.root.write()
	return r
}

// agentName returns how the client names itself: the first product of its user agent.
func agentName(x *proxy.Exchange) string {
	name, _, _ := strings.Cut(x.Facts.UserAgent, " ")
	name, _, _ = strings.Cut(name, "/")
	return name
}

// flush writes what has changed, and sets the clock for the end of the run.
func (r *run) flush() {
	if len(r.out) > 0 {
		r.tracker.write(r.sink, r.out)
		r.out = nil
	}
	r.round++
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	if r.ended || r.busy > 0 || r.tracker.opt.OneRun {
		return
	}
	wait := r.tracker.opt.Idle
	switch {
	case slices.ContainsFunc(r.agents, (*agent).isWaiting):
		wait = max(wait, patience)
	case slices.ContainsFunc(r.calls, func(c *call) bool { return !c.settled }):
		wait += retryWindow
	}
	round := r.round
	r.timer = time.AfterFunc(wait, func() {
		r.tracker.mu.Lock()
		defer r.tracker.mu.Unlock()
		if r.round == round {
			r.finish(r.latest())
		}
	})
}

// rest ends the run because another one has taken its place, unless something of it is still going on.
func (r *run) rest() {
	if r.busy == 0 && !slices.ContainsFunc(r.agents, (*agent).isWaiting) {
		r.finish(r.latest())
	}
}

// latest returns when the run was last heard of.
func (r *run) latest() time.Time {
	at := r.root.start
	for _, c := range r.calls {
		at = later(at, c.end())
		for _, t := range c.tools {
			at = later(at, later(t.span.start, t.span.end))
		}
	}
	return at
}

// finish ends the run and all that is open in it; at is when tools ended whose results never came.
func (r *run) finish(at time.Time) {
	if r.ended {
		return
	}
	r.ended = true
	if !r.tracker.opt.OneRun {
		at = r.latest()
	}
	r.judge()
	end := r.root.start
	for _, a := range r.agents {
		end = later(end, a.finish(at))
	}
	for _, c := range r.calls { // those beside them
		c.giveUp(at)
	}
	end = later(end, r.latest())
	outcome, word := r.main.outcome()
	r.root.outcome(outcome, word)
	r.root.close(end)
	r.flush()
	for _, c := range r.calls {
		r.tracker.index.remove(c)
	}
	r.tracker.runs = slices.DeleteFunc(r.tracker.runs, func(o *run) bool { return o == r })
	closeSink(r.sink)
}

// judge decides on conversations of one call without tools, where that is all there was: they are the main chain, but for those that only a
// program can have read.
func (r *run) judge() {
	if r.main.current != nil {
		return
	}
	var plain, answers []*conversation
	streamed := slices.ContainsFunc(r.conversations, func(v *conversation) bool { return v.last.request.Stream })
	for _, v := range r.conversations {
		if v.side {
			continue
		}
		plain = append(plain, v)
		if q := &v.last.request; !q.HasSchema && (q.Stream || !streamed) {
			answers = append(answers, v)
		}
	}
	if len(answers) == 0 {
		answers = plain
	}
	for _, v := range plain {
		if slices.Contains(answers, v) {
			v.takeTurn(r.main)
		} else {
			v.becomeSide()
		}
	}
}
