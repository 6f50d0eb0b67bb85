package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// keep returns options whose records go to a memory.
func keep(opt session.Options) (session.Options, *memory) {
	m := &memory{}
	opt.Open = func(string) (session.Sink, error) { return m, nil }
	return opt, m
}

func build(t *testing.T, m *memory) *traces.Run {
	t.Helper()
	runs, problems := traces.Build(m.all())
	if len(runs) != 1 || len(problems) > 0 {
		t.Fatalf("%d runs, problems %v", len(runs), problems)
	}
	return runs[0]
}

// streaming returns what is known of x when so many of its chunks have come.
func streaming(x *proxy.Exchange, chunks ...time.Duration) *proxy.Exchange {
	s := *x
	s.Outcome, s.End, s.Result = traces.OutcomeUnknown, time.Time{}, &stream.Result{Outcome: traces.OutcomeUnknown}
	for _, at := range chunks {
		s.Result.Chunks.Add(at, traces.Output, 3)
		s.LastByte = s.Start.Add(at)
	}
	return &s
}

func TestAKillLosesLessThanASecond(t *testing.T) {
	opt, m := keep(session.Options{OneRun: true})
	tracker := session.New(opt)
	x := req{at: 0, end: 9000, says: "sys:s user:u"}.exchange(1)
	tracker.Begin(streaming(x))
	var chunks []time.Duration
	for at := 250 * msec; at <= 5*time.Second; at += 250 * msec {
		chunks = append(chunks, at)
		tracker.Progress(streaming(x, chunks...))
	}
	run := build(t, m)
	if !run.Open || run.Wall < 4250*msec || run.Wall > 5*time.Second {
		t.Errorf("open %t, %v long; want an open run of more than the last second", run.Open, run.Wall)
	}
	a := run.ModelCalls[0].Attempts[0]
	if a.Chunks == nil || len(a.Chunks.List) < 17 || a.Phases[0].Component != traces.Wait {
		t.Errorf("chunks %v, phases %v", a.Chunks, a.Phases)
	}
	if n := len(m.all()); n > 4+7 {
		t.Errorf("%d records were written for 20 reports of progress", n)
	}
}

func TestAToolUnderWayIsWrittenAtOnce(t *testing.T) {
	opt, m := keep(session.Options{OneRun: true})
	tracker := session.New(opt)
	play(tracker, req{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls"}.exchange(1))
	run := build(t, m)
	if len(run.ToolCalls) != 1 || !run.ToolCalls[0].Span.Has(traces.FlagOpen) || run.ToolCalls[0].Span.Start != 100*msec {
		t.Errorf("tool calls %v", run.ToolCalls)
	}
}

func TestARequestWhoseBodyComesLate(t *testing.T) {
	opt, m := keep(session.Options{})
	tracker := session.New(opt)
	first := req{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls"}.exchange(1)
	second := req{at: 150, end: 700, says: "sys:s user:u call:a result:a"}.exchange(2)
	play(tracker, first)
	early := streaming(second)
	early.Request = stream.Request{}
	tracker.Begin(early)
	if n := len(build(t, m).ModelCalls); n != 1 {
		t.Errorf("%d calls before the body was known", n)
	}
	tracker.Progress(streaming(second))
	tracker.End(second)
	tracker.Close(second.End)
	check(t, []*traces.Run{build(t, m)}, []*proxy.Exchange{req{at: 0, end: 100, says: "sys:s user:u"}.exchange(1), req{at: 150, end: 700, says: "user:u"}.exchange(2)})
}

func TestABodyThatCannotBeReadIsStillACall(t *testing.T) {
	x := req{at: 0, end: 100, says: "sys:s user:u"}.exchange(1)
	x.Request, x.Measured = stream.Request{}, false
	opt, m := keep(session.Options{})
	tracker := session.New(opt)
	play(tracker, x)
	tracker.Close(x.End)
	if c := build(t, m).ModelCalls[0]; c.Span.Duration() != 100*msec || c.Model != "" {
		t.Errorf("call of %v, model %q", c.Span.Duration(), c.Model)
	}
}

func TestCloseEndsWhatIsOpen(t *testing.T) {
	opt, m := keep(session.Options{OneRun: true, Start: epoch.Add(-time.Second), Run: session.Run{ID: "r1", Name: "fix it", SpanID: "00000000000000aa",
		TraceID: "000000000000000000000000000000bb", Group: map[string]string{"task": "t"}}})
	tracker := session.New(opt)
	first := req{at: 0, end: 100, says: "sys:s user:u", asks: "a=ls"}.exchange(1)
	open := req{at: 200, end: 900, says: "sys:s user:u call:a result:a"}.exchange(2)
	play(tracker, first)
	tracker.Begin(streaming(open))
	tracker.Close(epoch.Add(500 * msec))
	tracker.Close(epoch.Add(600 * msec))
	tracker.End(open)
	run := build(t, m)
	if run.Open || run.Wall != 1500*msec || run.Outcome != traces.Cancelled || len(run.Problems) > 0 || m.closings() != 1 {
		t.Errorf("open %t, %v long, outcome %s, problems %v, closed %d times", run.Open, run.Wall, run.Outcome, run.Problems, m.closings())
	}
	if run.ID != "r1" || run.Name != "fix it" || run.Root.ID != "00000000000000aa" || run.TraceIDs[0] != "000000000000000000000000000000bb" || run.Group["task"] != "t" {
		t.Errorf("run %+v", run)
	}
}

func TestAToolThatACommandEndsWithLastedUntilItsEnd(t *testing.T) {
	opt, m := keep(session.Options{OneRun: true})
	tracker := session.New(opt)
	play(tracker, req{at: 0, end: 100, says: "sys:s user:u", asks: "a=submit"}.exchange(1))
	tracker.Close(epoch.Add(400 * msec))
	if tool := build(t, m).ToolCalls[0].Span; tool.End != 400*msec {
		t.Errorf("the tool ended at %v", tool.End)
	}
}

func TestARunEndsWhenNothingFollows(t *testing.T) {
	for _, tt := range []struct {
		name  string
		req   req
		after time.Duration
	}{
		{"after an answer", req{says: "user:u"}, time.Minute},
		{"after a failure that may be tried again", req{says: "user:u", status: 500}, 3 * time.Minute},
		{"while a person may have to allow a tool", req{says: "user:u", asks: "a=rm"}, 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opt, m := keep(session.Options{})
				tracker := session.New(opt)
				tt.req.end = 100
				play(tracker, tt.req.exchange(1))
				time.Sleep(tt.after - 1)
				synctest.Wait()
				if !build(t, m).Open {
					t.Error("it ended too early")
				}
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				if run := build(t, m); run.Open || run.Wall != 100*msec || m.closings() != 1 {
					t.Errorf("open %t, %v long, sink closed %d times", run.Open, run.Wall, m.closings())
				}
			})
		})
	}
}

type sinkFunc func() error

func (f sinkFunc) Write(...traces.Record) error { return f() }

func TestSinksThatFailCostRecordsOnly(t *testing.T) {
	for name, open := range map[string]func(string) (session.Sink, error){
		"none":      nil,
		"not there": func(string) (session.Sink, error) { return nil, errors.New("no") },
		"full": func(string) (session.Sink, error) {
			return sinkFunc(func() error { return errors.New("disk full") }), nil
		},
		"broken": func(string) (session.Sink, error) { return sinkFunc(func() error { panic("broken") }), nil },
	} {
		t.Run(name, func(t *testing.T) {
			tracker := session.New(session.Options{Open: open})
			x := req{at: 0, end: 100, says: "user:u"}.exchange(1)
			play(tracker, x)
			tracker.Close(x.End)
			if tracker.Lost() == 0 {
				t.Error("no record was counted as lost")
			}
		})
	}
}

func TestNothingIsKeptThatWasSaid(t *testing.T) {
	opt, m := keep(session.Options{OneRun: true})
	tracker := session.New(opt)
	list := traffic([]req{
		{at: 0, end: 100, says: "sys:S3CRET user:S3CRET", asks: "a=ls"},
		{at: 150, end: 200, says: "sys:S3CRET user:S3CRET call:a result:a"}})
	play(tracker, list...)
	tracker.Close(list[1].End)
	for _, rec := range m.all() {
		if said := fmt.Sprintf("%+v", rec); strings.Contains(said, "S3CRET") {
			t.Errorf("kept: %s", said)
		}
	}
}
