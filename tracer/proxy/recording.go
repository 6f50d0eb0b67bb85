package proxy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A recording is what the recorder knows of one exchange. All but the first fields are the recorder's goroutine's.
type recording struct {
	recorder *recorder
	queued   int  // bytes that wait in that batch; these three are guarded by recorder.mu
	batch    int  //
	lost     bool // something was not taken down

	x        Exchange
	target   string      // path of the request at the upstream
	header   http.Header // of the request, until its body is known
	overhead *overhead   // the forwarding side's, still changing
	decoder  stream.Decoder
	inflate  *inflater // of an encoded body
	socket   *socket   // of a tunnel that is read
	tape     *tape     // nil unless asked for

	begun    bool // the observer knows
	complete bool // the response is, though its connection may be open
	settled  bool // how it ended is known
	ended    bool // the observer knows that
}

// A head is a response's status and header.
type head struct {
	status int
	header http.Header
}

// An asked is a request's body as it was sent.
type asked struct {
	body []byte // the beginning, if it was large or not sent to its end
	size int64
}

// record takes a note. It never panics: a decoder or an observer that does costs the rest of the exchange's facts.
func (r *recording) record(n *note, p []byte) {
	if !r.ended {
		r.guard(func() { r.take(n, p) })
	}
	if n.kind == noteFinished {
		r.end(n.at)
	}
}

func (r *recording) guard(f func()) {
	defer func() {
		if recover() != nil {
			if r.inflate != nil {
				r.inflate.close()
			}
			if r.socket != nil {
				r.socket.abandon()
			}
			r.inflate, r.socket, r.x.Incomplete = nil, nil, true
			r.blind()
		}
	}()
	f()
}

func (r *recording) take(n *note, p []byte) {
	x := &r.x
	switch n.kind {
	case noteBegin:
		r.recorder.endComplete(n.at)
		r.open()
	case noteAsked:
		r.readRequest(n.fact.(*asked))
	case noteConnected:
		x.Connected, x.ConnReused = n.at, n.fact.(bool)
	case noteSent:
		if x.Headers.IsZero() {
			x.Sent = n.at // net/http may send it again on another connection: the last time counts
		}
	case noteHeaders:
		r.answered(n.at, n.fact.(*head))
	case noteChunk:
		r.chunk(n.at, p)
	case noteFrame:
		if x.RequestBytes += int64(len(p)); r.socket != nil {
			r.socket.fromClient(n.at, p)
		}
	case noteClosed:
		x.Incomplete = x.Incomplete || n.fact.(bool)
		r.settle(n.at, n.err)
	case noteFinished:
		x.Incomplete = x.Incomplete || n.fact.(bool)
	}
	r.recorder.dirty[r] = struct{}{}
}

// open starts the recording, with the decoder that the request's path calls for.
func (r *recording) open() {
	r.recorder.open[r] = struct{}{}
	r.tape = newTape(r)
	r.decoder = &stream.Opaque{}
	if r.x.Method == http.MethodPost {
		r.decoder, r.x.Measured = stream.New(r.x.Path, stream.Options{Think: r.recorder.think})
	}
}

// readRequest takes the request's body.
func (r *recording) readRequest(a *asked) {
	r.x.RequestBytes = a.size
	plain, _ := inflateAll(encodingOf(r.header), a.body)
	r.x.Request = stream.ParseRequest(r.x.Method, r.x.Path, r.header, plain)
	if r.tape != nil {
		r.tape.asked(&r.x, plain)
	}
	r.header = nil // it holds credentials
	r.begin()
}

func (r *recording) answered(at time.Time, h *head) {
	x := &r.x
	x.Status, x.Headers = h.status, at
	x.Facts.answered(h.header, at)
	if x.Sent.IsZero() {
		x.Sent = at
	}
	if h.status == http.StatusSwitchingProtocols {
		x.Socket = true
		r.socket = newSocket(r)
		x.Measured = r.socket != nil
		return
	}
	if r.tape != nil {
		r.tape.answered(h.header)
	}
	if x.Facts.Encoding != "" {
		if r.inflate = newInflater(x.Facts.Encoding, r.decoded); r.inflate == nil {
			r.blind()
		}
	}
}

// blind gives up on the body's contents: its bytes are timed and counted.
func (r *recording) blind() {
	r.x.Measured = false
	r.decoder = &stream.Opaque{}
}

func (r *recording) chunk(at time.Time, p []byte) {
	x := &r.x
	x.ResponseBytes += int64(len(p))
	x.LastByte = at
	if x.FirstByte.IsZero() {
		x.FirstByte = at
	}
	switch {
	case r.socket != nil:
		r.socket.fromServer(at, p)
	case r.inflate != nil:
		if err := r.inflate.push(p); err != nil {
			r.inflate = nil
			r.blind()
		}
	default:
		r.decoded(p)
	}
	if !r.complete && r.decoder.Ended() {
		r.complete = true
		r.recorder.complete[r] = struct{}{}
	}
}

// decoded takes bytes of the body, encoding undone, that arrived with the last chunk.
func (r *recording) decoded(p []byte) {
	r.decoder.Feed(r.x.LastByte.Sub(r.x.Start), p)
	if r.tape != nil {
		r.tape.chunk(&r.x, p)
	}
}

// settle finds out, once, how the exchange ended: err is how its body did, or what kept it from a response.
func (r *recording) settle(at time.Time, err error) {
	if r.settled {
		return
	}
	r.settled = true
	if r.inflate != nil {
		r.inflate.close()
	}
	if r.socket != nil {
		r.socket.close(at, err)
	}
	if !r.complete {
		r.complete = true
		r.recorder.complete[r] = struct{}{}
	}
	x := &r.x
	if r.tape != nil {
		r.tape.ending(err)
	}
	result := r.decoder.Close(at.Sub(x.Start), err)
	x.End = at
	if result.End != nil {
		x.End = x.Start.Add(min(*result.End, at.Sub(x.Start)))
	}
	x.Outcome, x.Err = r.outcome(result, err)
}

// outcome returns how the exchange ended, and the word for it if that was no success.
func (r *recording) outcome(result *stream.Result, err error) (traces.Outcome, string) {
	switch x := &r.x; {
	case x.Socket && x.Tunnel == 0 && errors.Is(err, context.Canceled):
		return traces.OK, "" // a client closes its socket when it has done
	case x.Status == 0 && !x.Socket:
		if result.Outcome == traces.Truncated || result.Outcome == traces.OK {
			return traces.Error, errorWord(err)
		}
		return result.Outcome, errorWord(err)
	case x.Status >= 400:
		return traces.Error, strconv.Itoa(x.Status)
	case result.Outcome == traces.OK:
		return traces.OK, ""
	case result.ErrorType != "":
		return result.Outcome, result.ErrorType
	}
	return result.Outcome, errorWord(err)
}

// begin tells the observer of the exchange, once.
func (r *recording) begin() {
	if !r.begun {
		r.begun = true
		if o := r.recorder.observer; o != nil {
			o.Begin(r.snapshot())
		}
	}
}

// tell makes known what has changed.
func (r *recording) tell() {
	r.guard(func() {
		if !r.begun {
			r.begin()
		} else if o := r.recorder.observer; o != nil {
			o.Progress(r.snapshot())
		}
	})
}

// end makes known, once, that the exchange is over. One that is still open was given up at the given time.
func (r *recording) end(at time.Time) {
	if r.ended {
		return
	}
	r.ended = true
	delete(r.recorder.open, r)
	delete(r.recorder.dirty, r)
	defer delete(r.recorder.complete, r)
	r.guard(func() {
		if !r.settled && r.decoder.Ended() {
			at = r.x.LastByte
		}
		r.settle(at, context.Canceled)
	})
	r.guard(r.begin)
	r.guard(func() {
		if o := r.recorder.observer; o != nil {
			o.End(r.snapshot())
		}
	})
	r.guard(func() {
		if r.tape != nil {
			r.tape.end(&r.x, r.recorder.tap)
		}
	})
	if r.x.Incomplete {
		r.recorder.incomplete.Add(1)
	}
}

func (r *recording) snapshot() *Exchange {
	x := r.x
	x.Overhead = r.overhead.read()
	x.Paced = r.overhead.paced.Load()
	x.Result = clone(r.decoder.Result())
	return &x
}
