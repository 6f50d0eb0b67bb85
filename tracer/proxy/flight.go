package proxy

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// A flight is an exchange on the forwarding side.
type flight struct {
	proxy     *Proxy
	upstream  *Upstream
	ctx       context.Context // the client's: done when it has left
	rec       *recording      // nil: nobody wants to know
	overhead  *overhead
	start     time.Time
	conn      *clientConn // nil outside Serve
	http1     bool        // the client's connection is this request's alone
	control   *http.ResponseController
	upload    *upload   // nil without a body
	body      *download // nil until the response is here
	connected atomic.Bool
}

func flightOf(ctx context.Context) *flight { return ctx.Value(flightKey{}).(*flight) }

func (p *Proxy) begin(w http.ResponseWriter, r *http.Request, up *Upstream, start time.Time) *flight {
	f := &flight{proxy: p, upstream: up, ctx: r.Context(), overhead: &overhead{}, start: start, http1: r.ProtoMajor == 1,
		control: http.NewResponseController(w)}
	f.conn, _ = r.Context().Value(connKey{}).(*clientConn)
	p.self.exchanges.Add(1)
	if p.recorder != nil {
		f.rec = p.recorder.recording(r, f)
		f.note(note{kind: noteBegin, at: start}, nil)
	}
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		f.note(note{kind: noteAsked, at: start, fact: &asked{}}, nil)
	} else {
		f.upload = &upload{ReadCloser: r.Body, flight: f, length: r.ContentLength}
	}
	return f
}

// request returns the client's request with the measuring put in.
func (f *flight) request(r *http.Request) *http.Request {
	ctx := context.WithValue(r.Context(), flightKey{}, f)
	r = r.WithContext(httptrace.WithClientTrace(ctx, f.trace()))
	if f.upload != nil {
		r.Body = f.upload
	}
	return r
}

func (f *flight) trace() *httptrace.ClientTrace {
	var asked, got atomic.Int64 // since start, ns: net/http calls these from several goroutines
	since := func() int64 { return int64(f.proxy.now().Sub(f.start)) }
	return &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(since()) },
		GotConn: func(info httptrace.GotConnInfo) {
			f.connected.Store(true)
			got.Store(since())
			f.note(note{kind: noteConnected, fact: info.Reused}, nil)
		},
		WroteHeaders: func() { f.overhead.request.Store(since() - (got.Load() - asked.Load())) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				f.note(note{kind: noteSent}, nil)
			}
		},
	}
}

// note takes something down; without a time, as of now.
func (f *flight) note(n note, p []byte) {
	if f.rec == nil {
		return
	}
	if n.at.IsZero() {
		n.at = f.proxy.now()
	}
	n.about = f.rec
	f.proxy.recorder.take(n, p)
}

// gone reports whether the client has left.
func (f *flight) gone() bool { return f.ctx.Err() != nil || f.upload != nil && f.upload.broken.Load() }

// finish ends the flight, however it went.
func (f *flight) finish() {
	if f.upload != nil {
		f.upload.finish()
	}
	f.note(note{kind: noteFinished}, nil)
}

// breakOff makes the client's connection end as the upstream's did: with a reset if that was one.
func (f *flight) breakOff(err error) {
	if f.conn == nil || !f.http1 || !isReset(err) {
		return
	}
	if tcp, ok := f.conn.Conn.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0)
	}
}
