package otlp

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/seed46266073/longpole/traces"
)

// What a Receiver bears of its senders.
const (
	maxBody    = 20 << 20         // bytes of one request, unpacked; what the OpenTelemetry collector takes
	maxWaiting = 64 << 20         // bytes of requests that were taken and not yet handed on
	maxAtOnce  = 4                // requests being read and decoded
	patience   = time.Second      // how long a request waits to be one of them
	maxUpload  = 10 * time.Second // how long the body of a request may take to arrive
)

// A Receiver takes the spans that OpenTelemetry exporters send, over OTLP/HTTP (protobuf and JSON, plain or gzip) and over gRPC on the
// same port, and hands them on. Logs and metrics are answered as if they were taken, so that their senders do not
// complain, and dropped.
//
// A sender never waits for whoever gets the records: they are handed on by a goroutine of the receiver's own, one request's
// at a time, in the order of the answers, and when more than 64 MiB wait, requests are refused in the way that makes exporters send
// them again. A panic while they are handed on loses those records, which are counted. Nothing is written to the program's output.
//
// It is an http.Handler (gRPC needs a server that speaks unencrypted HTTP/2), or serves listeners itself. It is safe for concurrent use.
type Receiver struct {
	queue  queue
	slots  chan struct{} // one for each request being read and decoded
	grpc   *grpc.Server
	server *http.Server

	rejected, logs, metrics atomic.Int64
}

// Received counts what came to a Receiver.
type Received struct {
	Spans         int64 // handed on
	Lost          int64 // spans taken, but not kept, because whoever got them panicked
	Rejected      int64 // spans without an id
	Logs, Metrics int64 // requests with these, which are not kept
}

// NewReceiver returns a receiver that hands records to take, as FromProtos and Read make them: from one goroutine at a time, which
// owns them then. They are as they were sent, not yet in our words (traces/dialect).
func NewReceiver(take func(records []traces.Record)) *Receiver {
	r := &Receiver{queue: queue{take: take, limit: maxWaiting}, slots: make(chan struct{}, maxAtOnce)}
	r.grpc = r.newService()
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	r.server = &http.Server{
		Handler:           r,
		Protocols:         &protocols,
		ReadHeaderTimeout: maxUpload,
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // the terminal is the agent's
	}
	return r
}

// Serve answers requests from a listener until Close, and closes it. It may be called for several listeners.
func (r *Receiver) Serve(listener net.Listener) error {
	if err := r.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close stops serving, waits until requests under way were answered and all records handed on, or until ctx is done, whose error
// it then returns.
func (r *Receiver) Close(ctx context.Context) error {
	err := r.server.Shutdown(ctx)
	if err != nil {
		r.server.Close()
	}
	r.grpc.Stop()
	return errors.Join(err, r.Flush(ctx))
}

// Flush waits until all records that were taken have been handed on, or until ctx is done, whose error it then returns.
func (r *Receiver) Flush(ctx context.Context) error {
	select {
	case <-r.queue.empty():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Received returns what has come so far.
func (r *Receiver) Received() Received {
	taken, lost := r.queue.counts()
	return Received{Spans: taken, Lost: lost, Rejected: r.rejected.Load(), Logs: r.logs.Load(), Metrics: r.metrics.Load()}
}

// ServeHTTP answers one request.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	overGRPC := req.ProtoMajor == 2 && strings.HasPrefix(req.Header.Get("Content-Type"), "application/grpc")
	release, ok := r.admit(req.Context())
	if !ok {
		busy(w, req, overGRPC)
		return
	}
	defer release()
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(maxUpload)) // not every server can
	if overGRPC {
		r.grpc.ServeHTTP(w, req)
	} else {
		r.serve(w, req)
	}
}

// admit waits for one of the slots.
func (r *Receiver) admit(ctx context.Context) (release func(), ok bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, true
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, false
}

// errBusy asks the sender to send again later.
var errBusy = errors.New("the receiver is busy; send again later")

// hand puts decoded records into the queue; size is that of the request.
func (r *Receiver) hand(records []traces.Record, nameless, size int) error {
	if !r.queue.put(records, size) {
		return errBusy
	}
	r.rejected.Add(int64(nameless))
	return nil
}
