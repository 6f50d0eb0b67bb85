package proxy

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

const (
	workEvery = 250 * time.Millisecond
	workAbove = 256 << 10 // bytes that wait
	maxQueued = 8 << 20   // bytes and events of one exchange that wait to be recorded; a burst is 100 KB
	maxBatch  = 256 << 20 // the same of all exchanges
	keepBatch = 1 << 20   // larger buffers are given back after a burst
)

// A kind says what a note is about.
type kind uint8

const (
	noteBegin     kind = iota // the request's head: fact is nil
	noteAsked                 // the request's body, or as much as there was: fact is *asked
	noteConnected             // to the upstream: fact is bool, whether the connection was open before
	noteSent                  // the request
	noteHeaders               // the response's head: fact is *head
	noteChunk                 // bytes of the response's body, or from the upstream's side of a socket
	noteFrame                 // bytes from the client's side of a socket
	noteClosed                // the response's body: err says how, or why there is none
	noteFinished              // the handler is done with the exchange
)

// A note is one thing that happened on the forwarding side.
type note struct {
	about *recording
	kind  kind
	at    time.Time
	size  int // bytes of this note in the batch
	fact  any
	err   error
}

// A recorder turns notes into exchanges. Notes are taken on the forwarding side, which costs a lock and a copy, and worked off by one
// goroutine in the order in which they were taken.
type recorder struct {
	observer   Observer
	tap        Tap
	think      stream.ThinkTags
	now        func() time.Time
	incomplete *atomic.Int64 // exchanges of which something is missing
	wake       chan struct{} // holds one if there may be something to do
	done       chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	filled batch
	closed bool
	lastID int64

	// of the goroutine alone
	spare    batch
	open     map[*recording]struct{} // not ended
	dirty    map[*recording]struct{} // of these, with something to tell
	complete map[*recording]struct{} // of these, with a complete response
}

// A batch is notes in order, with the bytes that belong to them one after the other.
type batch struct {
	number int
	notes  []note
	bytes  []byte
}

func newRecorder(c Config, now func() time.Time, incomplete *atomic.Int64) *recorder {
	r := &recorder{observer: c.Observer, tap: c.Tap, think: c.Think, now: now, incomplete: incomplete,
		wake: make(chan struct{}, 1), done: make(chan struct{}), open: map[*recording]struct{}{}, dirty: map[*recording]struct{}{},
		complete: map[*recording]struct{}{}}
	go r.run()
	return r
}

// recording returns what the notes of a new exchange are about.
func (r *recorder) recording(req *http.Request, f *flight) *recording {
	rec := &recording{recorder: r, overhead: f.overhead, header: req.Header}
	rec.x = Exchange{ID: r.id(), Upstream: f.upstream.URL.Host, Method: req.Method, Path: req.URL.Path, Start: f.start, Outcome: traces.OutcomeUnknown}
	rec.target, _ = f.upstream.path(req.URL)
	rec.x.Facts.asked(req.Header)
	if f.conn != nil {
		rec.x.Conn = f.conn.number
	}
	return rec
}

// id returns the next exchange's.
func (r *recorder) id() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastID++
	return r.lastID
}

// take notes something down; p is copied. Pieces of bodies do not wake the goroutine, which costs more than the rest: they are
// worked off with what comes next, four times a second at least.
func (r *recorder) take(n note, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	b, about := &r.filled, n.about
	if about.batch != b.number {
		about.batch, about.queued = b.number, 0
	}
	if n.kind == noteChunk || n.kind == noteFrame {
		about.queued += len(p) + 100
		if about.lost || about.queued > maxQueued || len(b.bytes)+100*len(b.notes) > maxBatch {
			about.lost = true // for good: what follows a hole cannot be read
			return
		}
	}
	if n.kind == noteClosed || n.kind == noteFinished {
		n.fact = about.lost
	}
	n.size = len(p)
	b.notes = append(b.notes, n)
	b.bytes = append(b.bytes, p...)
	if n.kind != noteChunk || len(b.bytes) > workAbove {
		r.rouse()
	}
}

// rouse wakes the goroutine.
func (r *recorder) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// close waits until everything is recorded; exchanges that are open then end as they are.
func (r *recorder) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.rouse()
	<-r.done
}

func (r *recorder) run() {
	defer close(r.done)
	var tick <-chan time.Time
	for {
		ticked := false
		select {
		case <-r.wake:
		case <-tick:
			tick, ticked = nil, true
		}
		if closed := r.work(); closed {
			endAll(r.open, r.now())
			return
		}
		if ticked {
			r.publish()
		}
		if tick == nil && len(r.open) > 0 {
			tick = time.After(workEvery)
		}
	}
}

// work records all notes that were taken, and reports whether there will be no more.
func (r *recorder) work() (closed bool) {
	for {
		r.mu.Lock()
		full := r.filled
		if len(full.notes) == 0 {
			closed = r.closed
			r.mu.Unlock()
			return closed
		}
		r.filled = batch{number: full.number + 1, notes: r.spare.notes[:0], bytes: r.spare.bytes[:0]}
		r.mu.Unlock()

		rest := full.bytes
		for i := range full.notes {
			n := &full.notes[i]
			n.about.record(n, rest[:n.size:n.size])
			rest = rest[n.size:]
		}
		clear(full.notes) // they hold recordings
		r.spare = full
		if cap(full.bytes) > keepBatch || cap(full.notes) > keepBatch/100 {
			r.spare = batch{}
		}
	}
}

// publish tells the observer of what has changed.
func (r *recorder) publish() {
	for rec := range r.dirty {
		rec.tell()
	}
	clear(r.dirty)
}

// endComplete ends the exchanges whose response is complete: the client may go on on the strength of them now.
func (r *recorder) endComplete(at time.Time) { endAll(r.complete, at) }

func endAll(recs map[*recording]struct{}, at time.Time) {
	for _, rec := range slices.SortedFunc(maps.Keys(recs), func(a, b *recording) int { return cmp.Compare(a.x.ID, b.x.ID) }) {
		rec.end(at)
	}
}
