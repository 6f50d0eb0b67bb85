package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/seed46266073/longpole/tracer/detour"
	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/store"
)

// A recordSession is a command on its detour, while it is recorded: proxy, receiver of its own spans, and the run's file. Without a recording
// it is a command that is not recorded.
type recordSession struct {
	plan      *recordPlan
	args, env []string // to run

	store     *store.Store
	writer    *store.Writer
	detour    *detour.Detour
	recording *recording
	spans     *agentSpans
}

// start sets up everything that the command needs to be recorded.
func (p *recordPlan) start(ctx context.Context, stderr io.Writer) (*recordSession, error) {
	s := &recordSession{plan: p}
	var err error
	if s.store, err = openStore(); err != nil {
		return nil, err
	}
	if err := s.store.Writable(); err != nil {
		return nil, err
	}
	if s.writer, err = s.store.Create(p.id); err != nil {
		return nil, err
	}
	listener, err := p.listenFor(ctx, stderr)
	if err != nil {
		return nil, err
	}
	s.detour = p.detourTo(listener)
	run := session.Run{ID: p.id, Name: cmp.Or(p.name, s.detour.Agent), TraceID: randomHex(16), SpanID: randomHex(8), Group: p.tags}
	s.spans = receiveSpans(ctx, s.writer, run)
	s.args, s.env = s.detour.Args, s.spans.environment(s.detour.Env)
	for _, note := range append(s.detour.Notes, s.spans.notes...) {
		fmt.Fprintf(stderr, "longpole: %s\n", note)
	}
	tracker := session.New(session.Options{OneRun: true, Run: run, Start: time.Now(), StallThreshold: p.stall,
		Open: func(string) (session.Sink, error) { return onlyWrites{s.writer}, nil }})
	s.recording, err = p.recordingOptions.start(listener, s.detour.Upstreams, tracker)
	if err != nil {
		s.spans.end()
		s.detour.Close()
		return nil, err
	}
	return s, nil
}

// detourTo plans the command's detour by way of a proxy.
func (p *recordPlan) detourTo(listener net.Listener) *detour.Detour {
	dir, _ := os.Getwd() // "": project settings are not found
	return detour.Plan(detour.Config{Address: reachable(listener), Args: p.args, Env: os.Environ(), Dir: dir,
		Upstreams: p.upstreams, Variables: p.variables})
}

// startUnrecorded sets up a command that cannot be recorded. Only one whose requests --upstream sends elsewhere needs the proxy all the same:
// they must not go, with all they say, to the servers that were set before.
func (p *recordPlan) startUnrecorded(ctx context.Context) *recordSession {
	s := &recordSession{plan: p, args: p.args}
	if len(p.upstreams) == 0 {
		return s
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return s
	}
	s.detour = p.detourTo(listener)
	s.args, s.env = s.detour.Args, s.detour.Env
	forward := proxy.New(proxy.Config{Upstreams: s.detour.Upstreams})
	go func() { _ = forward.Serve(listener) }() // until this program ends
	return s
}

// onlyWrites hides that a writer can be closed: the command's own spans go on to it after the last of the wire's.
type onlyWrites struct{ *store.Writer }

// Close does nothing.
func (onlyWrites) Close() error { return nil }

// discard ends a session whose command was never started.
func (s *recordSession) discard() {
	if s.recording == nil {
		s.closeDetour()
		return
	}
	s.spans.end()
	_ = s.recording.end(time.Now()) // there is nothing in it
	s.detour.Close()
	_ = s.writer.Close()
}

// closeDetour ends the detour of a command that is not recorded, if it has one.
func (s *recordSession) closeDetour() {
	if s.detour != nil {
		s.detour.Close()
	}
}

// end ends the session, now that the command has ended, and says what was recorded.
func (s *recordSession) end(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if s.recording == nil {
		s.closeDetour()
		return nil
	}
	at := time.Now()
	s.spans.end()
	err := s.recording.end(at)
	s.detour.Close()
	err = errors.Join(err, s.writer.Close())
	if s.plan.selfCheck {
		s.recording.sayOverhead(stderr)
	}
	if s.recording.tally.modelCalls() == 0 && s.spans.received() == 0 {
		s.sayNothing(stderr)
		return err
	}
	return errors.Join(err, s.tell(ctx, stdin, stdout, stderr))
}

// sayNothing says that there was nothing to record, and what may help.
func (s *recordSession) sayNothing(stderr io.Writer) {
	others := s.recording.tally.otherRequests()
	if len(others) == 0 {
		fmt.Fprintf(stderr, "longpole: nothing recorded: %s made no request to a model through longpole\n", s.detour.Agent)
		for _, line := range s.detour.Advice() {
			fmt.Fprintf(stderr, "  %s\n", line)
		}
		return
	}
	fmt.Fprintf(stderr, "longpole: nothing recorded: none of the requests that came asks a model for output\n")
	for i, other := range others {
		if i == 5 {
			fmt.Fprintf(stderr, "  and %d other kinds\n", len(others)-i)
			return
		}
		fmt.Fprintf(stderr, "  %s\n", other)
	}
}

// measureKept reads a run as `longpole report ID` does.
func measureKept(s *store.Store, id string, opt traces.Options) ([]*measure.Run, []traces.Problem, error) {
	records, odd, err := s.Load(id)
	if err != nil {
		return nil, nil, err
	}
	records, more := understood(records)
	runs, problems := measured([][]traces.Record{records}, append(about(id, odd), more...), opt)
	return runs, problems, nil
}
