package stream

import (
	"hash/maphash"
	"io"
	"slices"
	"time"
)

// A Socket decodes the Responses API over a WebSocket, where one connection carries many calls: the client's message asks, the
// server's messages are the events of an event stream. Give it whole text messages. It is not safe for concurrent use.
type Socket struct {
	opt   Options
	open  []*SocketCall // in the order in which they were asked for
	ended string        // id of the response that ended last: an error may be said twice
}

// A SocketCall is one call on a socket. Its decoder's times count from At.
type SocketCall struct {
	Decoder
	Request Request       // Generates is false for a call that only warms up
	At      time.Duration // when the client asked

	lane string // calls of one lane are answered one after the other
	id   string // of the response, once it is known
}

// NewSocket returns a decoder for one connection.
func NewSocket(opt Options) *Socket { return &Socket{opt: opt} }

// Client takes a message of the client. It returns the call that the message begins, nil if it begins none.
func (s *Socket) Client(at time.Duration, frame []byte) *SocketCall {
	var kind, lane []byte
	generate := true
	c := cursor{b: frame}
	if !c.object() {
		return nil
	}
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.str()
		case "stream_id":
			lane, _ = c.str()
		case "generate":
			generate = c.peek() != 'f'
			c.skip()
		default:
			c.skip()
		}
	}
	if string(kind) != "response.create" {
		return nil
	}
	call := &SocketCall{At: at, lane: string(lane), Request: Request{API: ResponsesAPI, Stream: true, Body: maphash.Bytes(hashSeed, frame)}}
	call.Request.read(&cursor{b: frame})
	call.Request.Generates = generate
	d := NewResponses(s.opt)
	d.form = jsonValues
	call.Decoder = d
	s.open = append(s.open, call)
	return call
}

// Server takes a message of the server. It returns the call that the message belongs to, nil if there is none. A call
// whose end marker came is closed, and open no longer.
func (s *Socket) Server(at time.Duration, frame []byte) *SocketCall {
	call := s.callOf(frame)
	if call == nil {
		return nil
	}
	d := call.Decoder.(*Responses)
	d.at = at - call.At
	d.stamp(&d.result.FirstByte)
	d.result.LastByte = d.at
	d.event(nil, frame)
	call.id = d.result.ID
	if d.done || d.failed {
		call.Close(d.at, io.EOF)
		s.open = slices.DeleteFunc(s.open, func(c *SocketCall) bool { return c == call })
		s.ended = call.id
	}
	return call
}

// Close says that the connection ended, and how; see Decoder. It closes the calls that are open and returns them.
func (s *Socket) Close(at time.Duration, err error) []*SocketCall {
	ended := s.open
	for _, call := range ended {
		call.Close(at-call.At, err)
	}
	s.open = nil
	return ended
}

// Open returns the calls that have not ended, in the order in which they were asked for.
func (s *Socket) Open() []*SocketCall { return s.open }

// callOf returns the call that a message of the server is about: the one whose response it names, else the first one
// of its lane. What names a response that has ended is about none.
func (s *Socket) callOf(frame []byte) *SocketCall {
	var lane, id []byte
	c := cursor{b: frame}
	if !c.object() {
		return nil
	}
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "stream_id":
			lane, _ = c.str()
		case "response_id":
			id, _ = c.str()
		case "response":
			id = c.field("id")
		default:
			c.skip()
		}
	}
	if len(id) > 0 && string(id) == s.ended {
		return nil
	}
	var first *SocketCall
	for _, call := range s.open {
		switch {
		case len(id) > 0 && call.id == string(id):
			return call
		case first == nil && call.lane == string(lane) && (len(id) == 0 || call.id == ""):
			first = call
		}
	}
	return first
}
