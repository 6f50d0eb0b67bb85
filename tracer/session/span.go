package session

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Scope names the instrumentation scope of every record that is written here.
const Scope = "github.com/seed46266073/longpole/tracer/session"

// A span is a record that grows. It is written to its run when it starts, whenever more is known, and when it ends.
type span struct {
	run     *run
	rec     traces.Record
	start   time.Time
	end     time.Time // zero while it is open
	written bool
	final   bool  // written with its end
	sign    int64 // checkpoint written last
}

// span begins a span below parent, nil for the root.
func (r *run) span(parent *span, role traces.Role, kind traces.Kind, name string, start time.Time) *span {
	s := &span{run: r, start: start}
	s.rec = traces.Record{TraceID: r.traceID, SpanID: randomHex(8), Name: name, Kind: kind, Start: start.UnixNano(),
		Resource: r.tracker.opt.Resource, Scope: Scope}
	if parent != nil {
		s.rec.ParentID = parent.rec.SpanID
	}
	s.text(traces.KeyRole, string(role))
	return s
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func (s *span) set(key string, value any) { s.rec.Attrs = s.rec.Attrs.With(key, value) }

// text, int, count, truth and list set an attribute, and leave out what is unknown.
func (s *span) text(key, value string) {
	if value != "" {
		s.set(key, value)
	}
}

func (s *span) int(key string, value int64) { s.set(key, value) }

func (s *span) count(key string, value *int64) {
	if value != nil {
		s.set(key, *value)
	}
}

func (s *span) truth(key string, value bool) {
	if value {
		s.set(key, true)
	}
}

func (s *span) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	s.set(key, list)
}

// outcome says how the span ended; word is the error's type.
func (s *span) outcome(o traces.Outcome, word string) {
	s.text(traces.KeyOutcome, string(o))
	if o.Failed() {
		s.rec.Status = traces.StatusError
		s.text(traces.KeyErrorType, word)
	}
}

// link adds a link to another span of the run.
func (s *span) link(to *span, attrs ...traces.Attr) {
	s.rec.Links = append(s.rec.Links, traces.Link{TraceID: to.rec.TraceID, SpanID: to.rec.SpanID, Attrs: attrs})
}

// close ends the span, once, and writes it.
func (s *span) close(end time.Time) {
	if !s.end.IsZero() {
		return
	}
	s.end = end
	if end.Before(s.start) {
		s.end = s.start
	}
	s.rec.End = s.end.UnixNano()
	s.write()
}

// write puts the span as it is now among what the run writes next, with attributes that hold only now. Of records that say the same
// times, readers keep the one with the latest checkpoint.
func (s *span) write(now ...traces.Attr) {
	rec := s.rec
	rec.Attrs = append(slices.Clone(rec.Attrs), now...)
	rec.Links = slices.Clone(rec.Links)
	if s.written && (s.end.IsZero() || s.final) {
		s.sign = max(s.sign+1, s.run.tracker.clock.sign.UnixNano())
		rec.Attrs = append(rec.Attrs, traces.Attr{Key: traces.KeyCheckpoint, Value: s.sign})
	}
	s.written, s.final = true, !s.end.IsZero()
	s.run.out = append(s.run.out, rec)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
