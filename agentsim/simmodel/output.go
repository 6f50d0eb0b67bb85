package simmodel

import (
	"fmt"
	"net/http"
)

// An output is where a generation goes: a stream of events, or one document at the end.
type output interface {
	open() error // the headers are due
	write(p piece) error
	finish() error
	interrupt(k FaultKind) // in place of finish; may panic with http.ErrAbortHandler
}

// A dialect says what is generated in the events of one API.
type dialect interface {
	begin() // the headers are due
	say(p piece)
	end()
	fail(e *apiError) // in place of end
}

// A stream is a response in events.
type stream struct {
	dialect dialect
	to      events
}

func (s *stream) open() error {
	s.dialect.begin()
	return s.to.flush()
}

func (s *stream) write(p piece) error {
	s.dialect.say(p)
	return s.to.flush()
}

func (s *stream) finish() error {
	s.dialect.end()
	return s.to.flush()
}

func (s *stream) interrupt(k FaultKind) {
	if k == StreamError {
		s.dialect.fail(broken())
		_ = s.to.flush() // if the client is gone, nobody misses it
		return
	}
	s.to.interrupt(k)
}

// Events are a way for a stream to the client.
type events interface {
	add(name string, data []byte)
	flush() error          // sends what was added, at once
	interrupt(k FaultKind) // Cut, Reset or EarlyEnd; may panic with http.ErrAbortHandler
}

// eventsOver returns the way in the body of an HTTP response, where framing appends an event.
func eventsOver(w http.ResponseWriter, contentType string, framing func(dst []byte, name string, data []byte) []byte) *httpEvents {
	return &httpEvents{w: w, control: http.NewResponseController(w), contentType: contentType, framing: framing}
}

type httpEvents struct {
	w           http.ResponseWriter
	control     *http.ResponseController
	contentType string
	framing     func(dst []byte, name string, data []byte) []byte
	patient     bool // headers go with the first event
	begun       bool
	queued      []byte // reused
}

const eventStream = "text/event-stream; charset=utf-8"

// named is the framing of server-sent events with names, plain of those without, lines that of JSON lines.
func named(dst []byte, name string, data []byte) []byte {
	return fmt.Appendf(dst, "event: %s\ndata: %s\n\n", name, data)
}
func plain(dst []byte, _ string, data []byte) []byte { return fmt.Appendf(dst, "data: %s\n\n", data) }
func lines(dst []byte, _ string, data []byte) []byte { return fmt.Appendf(dst, "%s\n", data) }

func (e *httpEvents) add(name string, data []byte) { e.queued = e.framing(e.queued, name, data) }

func (e *httpEvents) flush() error {
	switch {
	case len(e.queued) > 0:
	case e.begun || e.patient:
		return nil
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", e.contentType)
		e.w.Header().Set("Cache-Control", "no-cache")
		e.w.WriteHeader(http.StatusOK)
	}
	_, err := e.w.Write(e.queued)
	e.queued = e.queued[:0]
	if err != nil {
		return err
	}
	return e.control.Flush()
}

func (e *httpEvents) interrupt(k FaultKind) {
	switch k {
	case EarlyEnd:
		return
	case Reset:
		reset(e.control)
	}
	panic(http.ErrAbortHandler)
}

// reset closes the connection so that the client gets a reset in place of an end, where the transport can do that.
func reset(control *http.ResponseController) {
	conn, _, err := control.Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	noLinger(conn)
}

// noLinger makes closing conn a reset; without it, the client gets an end.
func noLinger(conn any) {
	if l, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = l.SetLinger(0)
	}
}

// A whole is a response in one document.
type whole struct {
	g        *generation
	w        http.ResponseWriter
	document func() any // of all that was said
}

func (o *whole) open() error       { return nil }
func (o *whole) write(piece) error { return nil }

func (o *whole) finish() error {
	o.g.truth.Headers = o.g.truth.End
	writeJSON(o.w, http.StatusOK, o.document())
	return nil
}

func (o *whole) interrupt(k FaultKind) {
	switch k {
	case StreamError:
		o.g.fail(broken())
		return
	case Reset:
		reset(http.NewResponseController(o.w))
	}
	panic(http.ErrAbortHandler)
}
