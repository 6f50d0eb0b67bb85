package proxy

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// An Exchange is one request and its response: what is known of it so far. Times are on the monotonic clock; the zero time is
// what has not happened yet.
type Exchange struct {
	ID         int64  // 1, 2, … in the order in which requests came
	Upstream   string // host and port it was forwarded to
	Method     string
	Path       string         // as the client asked, without query
	Request    stream.Request // the zero Request until its body has been read
	Facts      Facts
	Conn       int64 // the client's connection: 1, 2, …; 0 outside Serve
	ConnReused bool  // the connection to the upstream was open already

	Start     time.Time // the request's head was here
	Connected time.Time // there was a connection to the upstream
	Sent      time.Time // the request had been sent completely, or was answered before
	Headers   time.Time // the response's head was here
	FirstByte time.Time // of the response's body
	LastByte  time.Time // of the response's body so far
	End       time.Time // the stream's own end marker, else the end of the body, the failure, or the moment when the client left

	RequestBytes  int64 // of the body, as sent
	ResponseBytes int64 // of the body, as it came: compressed, where it was
	Status        int   // the upstream's; 0 without a response
	Result        *stream.Result
	Outcome       traces.Outcome // OutcomeUnknown until the end
	Err           string         // error.type: the server's word, the status, or one of the Err constants; "" unless it failed
	Overhead      Overhead

	Socket     bool  // a WebSocket, or one response on it
	Tunnel     int64 // on a response that came over a WebSocket: ID of the exchange that opened it
	Prewarm    bool  // a request over a WebSocket that asks for no output
	Measured   bool  // the response was read for what it says: false where its format is not known
	Incomplete bool  // the recorder could not keep up or broke: what came after is missing
	Paced      bool  // the client was so slow that the upstream had to wait: later arrivals are at the client's pace
}

// The words for failures of the network in Exchange.Err.
const (
	ErrDNS       = "dns"
	ErrConnect   = "connect"
	ErrTLS       = "tls"
	ErrReset     = "reset"
	ErrEOF       = "eof" // the connection ended in the middle
	ErrTimeout   = "timeout"
	ErrCancelled = "cancelled" // by the client
	ErrProtocol  = "protocol"  // what came was not HTTP
)

// Overhead is the time that the proxy itself added, as far as it can see it: between a read and the write that follows.
type Overhead struct {
	Request    time.Duration // head of the request read → head sent, the time for a connection left out
	FirstChunk time.Duration // first bytes of the response's body read → written and flushed
	WorstChunk time.Duration // the same for the slowest piece
	Total      time.Duration // the same over all pieces
	Chunks     int           // pieces that were timed: those that found the client waiting
	Held       int           // pieces that came while the client had not taken the one before
}

// An Observer is told of exchanges. Its methods are called from one goroutine, off the forwarding path, with snapshots that are
// the observer's to keep. For each exchange Begin comes first and End last, both exactly once; an exchange whose response is complete
// ends before one that was asked for later begins.
type Observer interface {
	// Begin comes when the request's body has been read, or after a quarter of a second: its facts then follow.
	Begin(*Exchange)
	// Progress comes at most four times a second while something has changed.
	Progress(*Exchange)
	// End comes when the response is complete and has been passed on, or cannot be.
	End(*Exchange)
}

// clone returns a copy of r that later changes do not reach.
func clone(r *stream.Result) *stream.Result {
	c := *r
	c.Chunks.List = slices.Clone(r.Chunks.List)
	c.ToolCalls = slices.Clone(r.ToolCalls)
	c.Pings = slices.Clone(r.Pings)
	c.Windows = slices.Clone(r.Windows)
	if c.Window != nil {
		c.Window = &c.Windows[0]
	}
	return &c
}
