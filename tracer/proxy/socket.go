package proxy

import (
	"context"
	"io"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// readsSocket reports whether a WebSocket on this path is read: one of the Responses API.
func readsSocket(path string) bool { return stream.APIOf(path) == stream.ResponsesAPI }

// A socket reads the messages on a tunnel. Each response that the client asks for is an exchange of its own.
type socket struct {
	tunnel   *recording
	decoder  *stream.Socket
	up, down frames
	left     bool // the client closed it, not the server
	calls    map[*stream.SocketCall]*recording
}

// newSocket returns the reader of a tunnel; nil if what passes there is not known.
func newSocket(tunnel *recording) *socket {
	if !readsSocket(tunnel.x.Path) {
		return nil
	}
	return &socket{tunnel: tunnel, decoder: stream.NewSocket(stream.Options{Think: tunnel.recorder.think}),
		calls: map[*stream.SocketCall]*recording{}}
}

func (s *socket) since(at time.Time) time.Duration { return at.Sub(s.tunnel.x.Start) }

// fromClient takes bytes that the client sent.
func (s *socket) fromClient(at time.Time, p []byte) {
	s.up.feed(p, func(message []byte) {
		if call := s.decoder.Client(s.since(at), message); call != nil {
			s.begin(at, call, len(message))
		}
	})
	s.left = s.left || s.up.closing && !s.down.closing
	s.check(&s.up)
}

// fromServer takes bytes that the server sent.
func (s *socket) fromServer(at time.Time, p []byte) {
	s.down.feed(p, func(message []byte) {
		call := s.decoder.Server(s.since(at), message)
		if r := s.calls[call]; r != nil {
			r.arrived(at, len(message))
			if call.Ended() {
				s.end(at, call, nil)
			}
		}
	})
	s.check(&s.down)
}

// check gives up on a socket that cannot be read.
func (s *socket) check(f *frames) {
	if f.unreadable {
		s.tunnel.x.Measured = false
	}
}

// begin starts the exchange of a call.
func (s *socket) begin(at time.Time, call *stream.SocketCall, size int) {
	t := s.tunnel
	t.recorder.endComplete(at)
	r := &recording{recorder: t.recorder, overhead: &overhead{}, decoder: call}
	r.x = Exchange{ID: t.recorder.id(), Upstream: t.x.Upstream, Method: t.x.Method, Path: t.x.Path, Request: call.Request, Facts: t.x.Facts,
		Conn: t.x.Conn, ConnReused: true, Start: at, Connected: at, Sent: at, RequestBytes: int64(size), Outcome: traces.OutcomeUnknown,
		Socket: true, Tunnel: t.x.ID, Prewarm: !call.Request.Generates, Measured: true}
	if r.x.Request.Session == "" {
		r.x.Request.Session = t.x.Request.Session
	}
	if r.x.Request.Thread == "" {
		r.x.Request.Thread = t.x.Request.Thread
	}
	s.calls[call] = r
	t.recorder.open[r] = struct{}{}
	r.guard(r.begin)
}

// arrived takes a message of the server.
func (r *recording) arrived(at time.Time, size int) {
	r.x.ResponseBytes += int64(size)
	r.x.LastByte = at
	if r.x.FirstByte.IsZero() {
		r.x.FirstByte = at
	}
	r.recorder.dirty[r] = struct{}{}
}

// end ends the exchange of a call.
func (s *socket) end(at time.Time, call *stream.SocketCall, err error) {
	r := s.calls[call]
	delete(s.calls, call)
	r.x.Incomplete = r.x.Incomplete || s.tunnel.x.Incomplete
	r.guard(func() { r.settle(at, err) })
	r.end(at)
}

// abandon ends the calls that are open on a socket that is not read any more.
func (s *socket) abandon() {
	for _, r := range s.calls {
		r.x.Incomplete = true
		r.end(s.tunnel.recorder.now())
	}
}

// close ends the calls that are open when the socket ends.
func (s *socket) close(at time.Time, err error) {
	switch {
	case s.left:
		err = context.Canceled
	case err == nil:
		err = io.EOF
	}
	for _, call := range s.decoder.Close(s.since(at), err) {
		s.end(at, call, err)
	}
}
