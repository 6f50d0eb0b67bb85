package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// The buffer of a response starts at bufferMin and doubles up to bufferMax where the client is slow.
const (
	bufferMin = 32 << 10
	bufferMax = 1 << 20
	readMost  = 32 << 10 // bytes of one read: as many as the forwarding side passes on at once
	readLeast = 4 << 10
)

// A download is a response's body on its way. A goroutine of its own takes bytes from the upstream the moment they arrive, so that a slow
// client does not blur their times; Read gives what one read of the network brought, and never two.
type download struct {
	src    io.ReadCloser
	flight *flight

	start sync.Once // of the pump, with the first Read: net/http writes to the response's trailers as the body is read

	mu       sync.Mutex
	change   sync.Cond
	buf      []byte
	r, w     int       // buf[r:w] has arrived and was not passed on
	arrivals []arrival // of these bytes, in order, from first on
	first    int
	busy     bool  // the reader has what it read last still in hand
	err      error // that ends the body, after those bytes
	closed   bool  // by the reader

	taken time.Time // when the bytes of the last Read arrived; zero if they had to wait. The reader's own
}

// An arrival is what one read of the network brought.
type arrival struct {
	at     time.Time
	size   int
	waited bool // for the client to take what came before
}

// A bufferPool holds buffers of bufferMin bytes that are not in use. It is an httputil.BufferPool.
type bufferPool struct{ sync.Pool }

var buffers bufferPool

// Get returns a buffer with any content.
func (b *bufferPool) Get() []byte {
	if p, ok := b.Pool.Get().(*[bufferMin]byte); ok {
		return p[:]
	}
	return make([]byte, bufferMin)
}

// Put takes a buffer back; one that has grown is left to the garbage collector.
func (b *bufferPool) Put(p []byte) {
	if len(p) == bufferMin {
		b.Pool.Put((*[bufferMin]byte)(p))
	}
}

func newDownload(src io.ReadCloser, f *flight) *download {
	d := &download{src: src, flight: f, buf: buffers.Get()}
	d.change.L = &d.mu
	return d
}

func (d *download) pump() {
	for {
		room := d.room()
		if room == nil {
			return
		}
		n, err := d.src.Read(room)
		at := d.flight.proxy.now()
		if n > 0 {
			d.flight.note(note{kind: noteChunk, at: at}, room[:n]) // before the client can react to it
		}
		if err != nil && err != io.EOF && d.flight.gone() {
			err = context.Canceled
		}
		if !d.arrived(at, n, err) {
			return
		}
	}
}

// arrived hands on what a read brought, and reports whether there is more to come.
func (d *download) arrived(at time.Time, n int, err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	if n > 0 {
		waited := d.busy || d.first < len(d.arrivals)
		if waited {
			d.flight.overhead.held.Add(1)
		}
		d.w += n
		d.arrivals = append(d.arrivals, arrival{at, n, waited})
	}
	if err != nil {
		d.err = err
		d.flight.note(note{kind: noteClosed, at: at, err: ending(err)}, nil)
	}
	d.change.Broadcast()
	return err == nil
}

// ending returns nil for a clean end.
func ending(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// room returns where the next bytes go, waiting for the reader if there is none; nil once the body is closed.
func (d *download) room() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	for !d.closed {
		if d.r == d.w {
			d.r, d.w = 0, 0
		}
		if len(d.buf)-d.w >= readLeast {
			return d.buf[d.w:min(len(d.buf), d.w+readMost)]
		}
		if d.r >= len(d.buf)/2 {
			d.w = copy(d.buf, d.buf[d.r:d.w])
			d.r = 0
			continue
		}
		if len(d.buf) < bufferMax {
			bigger := make([]byte, 2*len(d.buf))
			d.w = copy(bigger, d.buf[d.r:d.w])
			d.r, d.buf = 0, bigger
			continue
		}
		d.flight.overhead.paced.Store(true)
		d.change.Wait()
	}
	return nil
}

func (d *download) Read(p []byte) (int, error) {
	d.start.Do(func() { go d.pump() })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	for d.first == len(d.arrivals) && d.err == nil && !d.closed {
		d.change.Wait()
	}
	switch {
	case d.closed:
		return 0, http.ErrBodyReadAfterClose
	case d.first == len(d.arrivals):
		d.flight.breakOff(d.err)
		return 0, d.err
	}
	a := &d.arrivals[d.first]
	n := copy(p, d.buf[d.r:d.r+a.size])
	d.r += n
	d.busy = true
	d.taken = a.at
	if a.waited {
		d.taken = time.Time{}
	}
	if a.size -= n; a.size == 0 {
		d.first++
	}
	if d.first > len(d.arrivals)/2 {
		d.arrivals = append(d.arrivals[:0], d.arrivals[d.first:]...)
		d.first = 0
	}
	d.change.Broadcast() // the pump may have room
	return n, nil
}

// Close ends the download where it stands, and the request with it.
func (d *download) Close() error {
	d.mu.Lock()
	switch {
	case d.closed:
	case d.err == nil:
		d.flight.note(note{kind: noteClosed, err: context.Canceled}, nil)
	default: // the pump has ended, and nobody reads any more
		buffers.Put(d.buf)
		d.buf = nil
	}
	d.closed = true
	d.change.Broadcast()
	d.mu.Unlock()
	return d.src.Close()
}
