package simmodel

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A socket is one connection to Responses over a WebSocket. Messages of one lane are answered one after the other, lanes
// at the same time.
type socket struct {
	server *Server
	conn   *websocket
	ctx    context.Context // ends with the connection
}

// A socketMessage is one that the client sent.
type socketMessage struct {
	body     []byte
	received time.Time
}

const (
	maxWaiting = 64 // messages of a lane, before the connection is read no further
	maxLanes   = 33 // the unnamed one and as many as OpenAI allows
)

// socket serves Responses over a WebSocket until the client goes.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if !wantsWebsocket(r) {
		w.Header().Set("Upgrade", "websocket")
		chatAPI{}.fail(w, &apiError{status: http.StatusUpgradeRequired, kind: "invalid_request_error",
			message: "GET is for WebSockets here; send a POST, or ask for an upgrade"})
		return
	}
	conn, err := upgrade(w, r)
	if err != nil {
		return
	}
	defer conn.conn.Close()
	ctx, cancel := context.WithCancel(r.Context())
	c := &socket{server: s, conn: conn, ctx: ctx}
	lanes := map[string]chan socketMessage{}
	var working sync.WaitGroup
	for {
		body, err := conn.read()
		if err != nil {
			break
		}
		m := socketMessage{body, time.Now()}
		var to struct {
			Lane string `json:"stream_id"`
		}
		_ = unmarshal(body, &to, "") // whoever answers finds the fault
		lane := lanes[to.Lane]
		if lane == nil && len(lanes) == maxLanes {
			(&socketEvents{conn: conn}).refuse(badRequest("stream_id", "there are %d lanes already; use one of them", maxLanes))
			continue
		}
		if lane == nil {
			lane = make(chan socketMessage, maxWaiting)
			lanes[to.Lane] = lane
			working.Go(func() {
				for m := range lane {
					c.answer(m)
				}
			})
		}
		lane <- m
	}
	cancel()
	for _, lane := range lanes {
		close(lane)
	}
	working.Wait()
}

// answer generates what one message asks for.
func (c *socket) answer(m socketMessage) {
	var r responsesRequest
	to := &socketEvents{conn: c.conn}
	if err := unmarshal(m.body, &r, "a message for a response"); err != nil {
		to.refuse(asAPIError(err))
		return
	}
	to.lane = r.StreamID
	if r.Type != "response.create" {
		to.refuse(badRequest("type", "type is %q; this server knows response.create", r.Type))
		return
	}
	r.Stream = true
	if r.Generate != nil && !*r.Generate {
		c.warm(&r, m, to)
		return
	}
	g := c.server.generation(c.ctx, responsesAPI{}, m.received)
	g.waited = time.Since(m.received) > 0
	g.refuse, g.truth.Socket = to.refuse, true
	defer g.log()
	asked, err := r.asked(c.server)
	if err == nil {
		err = g.prepare(asked)
	}
	if err != nil {
		g.fail(err)
		return
	}
	g.serve(&stream{newResponsesDialect(g, to, &r, true), to})
}

// warm answers a message that only brings a conversation, without output. It is no generation: it has no truth.
func (c *socket) warm(r *responsesRequest, m socketMessage, to *socketEvents) {
	asked, err := r.asked(c.server)
	if err == nil && c.server.model(r.Model) == nil {
		err = c.server.unknownModel(r.Model)
	}
	if err != nil {
		to.refuse(asAPIError(err))
		return
	}
	g := &generation{server: c.server, api: responsesAPI{}, asked: asked}
	g.truth.Prompt, _ = asked.promptTokens()
	g.truth.ID = fmt.Sprintf("resp_%016x", derive("warm", string(m.body), c.server.requests.Load()).Uint64())
	d := newResponsesDialect(g, to, r, true)
	d.begin()
	d.end()
	_ = to.flush() // if the client is gone, nobody misses it
}

// socketEvents are events as messages on a WebSocket.
type socketEvents struct {
	conn   *websocket
	lane   string
	queued [][]byte
}

func (e *socketEvents) add(_ string, data []byte) {
	if e.lane != "" {
		data = fmt.Appendf(data[:len(data)-1], `,"stream_id":%s}`, quote(e.lane))
	}
	e.queued = append(e.queued, data)
}

func (e *socketEvents) flush() error {
	for _, data := range e.queued {
		if err := e.conn.write(frameText, data); err != nil {
			return err
		}
	}
	e.queued = e.queued[:0]
	return nil
}

// refuse answers with an error and nothing else. What would be headers is part of it.
func (e *socketEvents) refuse(err *apiError) {
	inside := struct {
		openAIError
		Headers map[string]string `json:"headers,omitempty"`
	}{openAIError: err.openAI(), Headers: map[string]string{}}
	for name, values := range err.headers() {
		inside.Headers[strings.ToLower(name)] = values[0]
	}
	e.add("", fmt.Appendf(nil, `{"type":"error","status":%d,"error":%s}`, err.status, quote(inside)))
	_ = e.flush() // if the client is gone, nobody misses it
}

func (e *socketEvents) interrupt(k FaultKind) {
	switch k {
	case EarlyEnd:
		e.conn.close()
	case Reset:
		noLinger(e.conn.conn)
	}
	e.conn.conn.Close()
}
