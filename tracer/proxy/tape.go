package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/seed46266073/longpole/tracer/cassette"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A Tap takes finished exchanges with the bytes of their responses, off the forwarding path. A *cassette.Writer is one. What it
// does with an error is its own affair.
type Tap interface {
	Write(cassette.Exchange) error
}

// maxTape bounds the response that is kept for a tap; a larger one is left out.
const maxTape = 64 << 20

// A tape is an exchange on its way to the tap.
type tape struct {
	cassette.Exchange
	path string // that the server saw: whoever plays the tape stands in its place
	size int
}

// newTape returns a tape for an exchange; nil if nobody wants it.
func newTape(r *recording) *tape {
	if r.recorder.tap == nil || stream.APIOf(r.x.Path) == "" {
		return nil
	}
	return &tape{path: r.target}
}

// asked takes the body of the request, not encoded.
func (t *tape) asked(x *Exchange, body []byte) {
	hash := sha256.Sum256(body)
	t.Request = cassette.Request{Method: x.Method, Path: t.path, Model: x.Request.Model, Stream: x.Request.Stream, Body: hex.EncodeToString(hash[:])}
}

func (t *tape) answered(h http.Header) {
	t.Header = http.Header{}
	for _, name := range cassette.Headers {
		if v, ok := h[name]; ok {
			t.Header[name] = v
		}
	}
}

// chunk takes a piece of the response, encoding undone.
func (t *tape) chunk(x *Exchange, p []byte) {
	if t.size += len(p); t.size > maxTape {
		t.Chunks = nil
		return
	}
	at := x.LastByte.Sub(x.Sent)
	if n := len(t.Chunks); n > 0 && t.Chunks[n-1].At == at {
		t.Chunks[n-1].Bytes = append(t.Chunks[n-1].Bytes, p...) // what one read brought can come out of its encoding in several pieces
		return
	}
	t.Chunks = append(t.Chunks, cassette.Chunk{At: at, Bytes: append([]byte(nil), p...)})
}

// ending takes how the response's body ended.
func (t *tape) ending(err error) {
	switch {
	case err == nil:
		t.Ending = cassette.EOF
	case errors.Is(err, context.Canceled):
		t.Ending = cassette.Cancelled
	default:
		t.Ending = cassette.Aborted
	}
}

// end gives the exchange to the tap, if it got a response and all of it is here.
func (t *tape) end(x *Exchange, tap Tap) {
	if x.Status == 0 || x.Incomplete || t.size > maxTape {
		return
	}
	t.Status = x.Status
	t.HeadAt = x.Headers.Sub(x.Sent)
	t.EndAt = x.End.Sub(x.Sent)
	if n := len(t.Chunks); n > 0 {
		t.EndAt = max(t.EndAt, t.Chunks[n-1].At)
	}
	if x.Outcome == traces.OK {
		t.Ending = cassette.EOF // a client that left then had all of it
	}
	_ = tap.Write(t.Exchange)
}
