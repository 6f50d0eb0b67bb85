package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
)

// checkpoints lists when an attempt was written again, and what was said to have come last, in milliseconds since the epoch.
func (m *memory) checkpoints() []string {
	var list []string
	for _, r := range m.all() {
		at, ok := r.Attrs.Int(traces.KeyCheckpoint)
		if !ok || r.End != 0 || !strings.HasPrefix(r.Name, "attempt") {
			continue
		}
		since := func(ns int64) int64 { return (ns - epoch.UnixNano()) / 1e6 }
		text := fmt.Sprint(since(at))
		if token, ok := r.Attrs.Int(traces.KeyLastToken); ok {
			byteAt, _ := r.Attrs.Int(traces.KeyLastByte)
			text += fmt.Sprintf(" byte %d token %d of %s", since(byteAt), since(token), r.Attrs.String(traces.KeyLastKind))
		}
		list = append(list, text)
	}
	return list
}

func TestAnAttemptOfWhichNothingIsHeardIsWrittenAgainAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt, m := keep(session.Options{OneRun: true})
		tracker := session.New(opt)
		x := req{at: 0, end: 9000, says: "sys:s user:u"}.exchange(1)
		tracker.Begin(streaming(x))
		time.Sleep(2 * time.Second)
		x.LastByte = x.Start.Add(2 * time.Second)
		tracker.Progress(streaming(x, 2*time.Second)) // the first token: at once
		time.Sleep(1600 * time.Millisecond)
		want := []string{"750", "1500", "2000 byte 2000 token 2000 of output", "2750 byte 2000 token 2000 of output", "3500 byte 2000 token 2000 of output"}
		if got := m.checkpoints(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		tracker.Close(x.Start.Add(4 * time.Second))
		written := len(m.all())
		time.Sleep(time.Minute)
		if n := len(m.all()); n != written {
			t.Errorf("%d records were written after the end", n-written)
		}
		for _, r := range traces.Latest(m.all()) {
			if r.Attrs.Has(traces.KeyLastByte) || r.Attrs.Has(traces.KeyLastToken) {
				t.Errorf("%q has ended and tells what came last", r.Name)
			}
		}
	})
}

func TestAnAttemptKeepsHowLongTheServerAskedToWait(t *testing.T) {
	opt, m := keep(session.Options{OneRun: true})
	tracker := session.New(opt)
	play(tracker, req{at: 0, end: 100, says: "sys:s user:u", status: 429, after: 20 * time.Second}.exchange(1))
	run := build(t, m)
	call := run.ModelCalls[0]
	if wait, _ := call.Final().Span.Attrs().Int(traces.KeyRetryAfter); time.Duration(wait) != 20*time.Second || !call.Span.Has(traces.FlagOpen) {
		t.Errorf("got %v, call open %t; want 20s and a call that may be asked again", time.Duration(wait), call.Span.Has(traces.FlagOpen))
	}
}
