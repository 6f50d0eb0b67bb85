package session_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

// A memory is a sink that keeps everything.
type memory struct {
	mu     sync.Mutex
	recs   []traces.Record
	closed int
}

func (m *memory) Write(recs ...traces.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recs = append(m.recs, recs...)
	return nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed++
	return nil
}

func (m *memory) all() []traces.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.recs)
}

func (m *memory) closings() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// observe plays exchanges to a tracker in the order of their times, closes it, and returns the runs it wrote, checked for
// what holds for all.
func observe(t testing.TB, opt session.Options, list ...*proxy.Exchange) []*traces.Run {
	t.Helper()
	var sinks []*memory
	opt.Open = func(string) (session.Sink, error) {
		sinks = append(sinks, &memory{})
		return sinks[len(sinks)-1], nil
	}
	tracker := session.New(opt)
	play(tracker, list...)
	last := list[0].Start
	for _, x := range list {
		last = maxTime(last, x.End)
	}
	tracker.Close(last)
	var recs []traces.Record
	for _, s := range sinks {
		recs = append(recs, s.all()...)
		if s.closings() != 1 {
			t.Errorf("a sink was closed %d times", s.closings())
		}
	}
	runs, problems := traces.Build(recs)
	if len(runs) != len(sinks) || len(problems) > 0 {
		t.Errorf("%d runs in %d sinks, problems %v", len(runs), len(sinks), problems)
	}
	check(t, runs, list)
	return runs
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// play tells a tracker of exchanges as the proxy would: what is complete ends before what is asked for later begins.
func play(tracker *session.Tracker, list ...*proxy.Exchange) {
	type event struct {
		at   time.Time
		end  bool
		tell func()
	}
	var events []event
	for _, x := range list {
		begun := *x
		begun.Result, begun.Outcome, begun.End, begun.Status = nil, traces.OutcomeUnknown, time.Time{}, 0
		ended := *x
		events = append(events, event{x.Start, false, func() { tracker.Begin(&begun) }}, event{x.End, true, func() { tracker.End(&ended) }})
	}
	slices.SortStableFunc(events, func(a, b event) int {
		end := map[bool]int{true: -1, false: 0}
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(end[a.end], end[b.end]))
	})
	for _, e := range events {
		e.tell()
	}
}

// check holds for all runs: no problems, each exchange one attempt, spans inside their parents, a critical path that covers all.
func check(t testing.TB, runs []*traces.Run, list []*proxy.Exchange) {
	t.Helper()
	type times struct{ from, to int64 }
	seen := map[times]int{}
	attempts, generating := 0, 0
	for _, run := range runs {
		if len(run.Problems) > 0 {
			t.Errorf("problems: %v", run.Problems)
		}
		for _, c := range run.ModelCalls {
			for _, a := range c.Attempts {
				if a.Span.Role == traces.RoleAttempt {
					attempts++
					seen[times{run.Start.Add(a.Span.Start).UnixNano(), run.Start.Add(a.Span.End).UnixNano()}]++
				}
			}
		}
		for _, s := range run.Spans {
			if p := s.Parent; p != nil && (s.Start < p.Start || s.End > p.End) && !s.Has(traces.FlagBackground) {
				t.Errorf("%q (%v to %v) is not inside %q (%v to %v)", s.Name, s.Start, s.End, p.Name, p.Start, p.End)
			}
			if s.Role == traces.RoleAttempt {
				checkPhases(t, s)
			}
		}
		at := time.Duration(0)
		for _, seg := range critpath.Find(run).Segments {
			if seg.From != at {
				t.Errorf("the critical path has a hole from %v to %v", at, seg.From)
			}
			at = seg.To
		}
		if at != run.Wall {
			t.Errorf("the critical path ends at %v of %v", at, run.Wall)
		}
	}
	for _, x := range list {
		if !x.Request.Generates {
			continue
		}
		generating++
		if key := (times{x.Start.UnixNano(), x.End.UnixNano()}); seen[key] == 0 {
			t.Errorf("exchange %d is no attempt", x.ID)
		}
	}
	if attempts != generating {
		t.Errorf("%d attempts for %d exchanges", attempts, generating)
	}
}

// checkPhases holds for all attempts: phases tile it.
func checkPhases(t testing.TB, s *traces.Span) {
	t.Helper()
	at := s.Start
	for _, k := range s.Kids {
		if k.Start != at {
			t.Errorf("the phases of %q have a hole from %v to %v", s.Name, at, k.Start)
		}
		at = k.End
	}
	if at != s.End {
		t.Errorf("the phases of %q end at %v of %v", s.Name, at, s.End)
	}
}
