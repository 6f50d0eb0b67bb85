package tracer

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// The buffer between network and reader starts at bufferMin and doubles up to bufferMax, a few thousand chunks.
const (
	bufferMin = 16 << 10
	bufferMax = 1 << 20
	roomLeast = 4 << 10 // least room for one read of the network
)

// A body stands between the network and the reader of a response. A goroutine of its own takes bytes from the network
// the moment they arrive, so that a slow reader does not blur their times; only when the buffer is full, it waits, and the
// attempt is marked. The reader sees the same bytes and the same end.
type body struct {
	src     io.ReadCloser
	attempt *attempt

	mu       sync.Mutex
	change   sync.Cond
	buf      []byte
	r, w     int   // buf[r:w] has arrived and was not read; the pump alone moves bytes and w
	err      error // that ends the body, after those bytes
	panicked any   // of the network's Read, for the reader to have
	closed   bool
	pumped   bool // the pump has ended: nothing more arrives
}

// buffers are those of ended bodies, of any size.
var buffers = sync.Pool{New: func() any { b := make([]byte, bufferMin); return &b }}

func newBody(src io.ReadCloser, a *attempt) *body {
	b := &body{src: src, attempt: a, buf: *buffers.Get().(*[]byte)}
	b.change.L = &b.mu
	go b.pump()
	return b
}

// release gives the buffer back once nobody needs it any more. The lock is held.
func (b *body) release() {
	if b.buf != nil && b.pumped && (b.closed || b.r == b.w) {
		buf := b.buf
		b.buf, b.r, b.w = nil, 0, 0
		buffers.Put(&buf)
	}
}

func (b *body) pump() {
	defer func() {
		b.mu.Lock()
		b.pumped = true
		b.release()
		b.mu.Unlock()
	}()
	for {
		room := b.room()
		if room == nil {
			return
		}
		n, err := b.readSource(room)
		at := b.attempt.offset()
		complete := b.attempt.feed(at, room[:n], err) // before the reader can react to it

		b.mu.Lock()
		b.w += n
		b.err = err
		b.change.Broadcast()
		b.mu.Unlock()
		if complete || err != nil {
			b.attempt.finish(at, err)
		}
		if err != nil {
			return
		}
	}
}

// readSource reads from the network. A panic there is kept for the reader, in whose goroutine it belongs.
func (b *body) readSource(p []byte) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			b.mu.Lock()
			b.panicked = v
			b.mu.Unlock()
			n, err = 0, io.ErrUnexpectedEOF
		}
	}()
	return b.src.Read(p)
}

// room returns where the next bytes go, waiting for the reader if there is none; nil once the body is closed.
func (b *body) room() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed {
		if b.r == b.w {
			b.r, b.w = 0, 0
		}
		if len(b.buf)-b.w >= roomLeast {
			return b.buf[b.w:]
		}
		if b.r >= len(b.buf)/2 {
			b.w = copy(b.buf, b.buf[b.r:b.w])
			b.r = 0
			continue
		}
		if len(b.buf) < bufferMax {
			bigger := make([]byte, 2*len(b.buf))
			b.w = copy(bigger, b.buf[b.r:b.w])
			b.r, b.buf = 0, bigger
			continue
		}
		b.attempt.markPaced()
		b.change.Wait()
	}
	return nil
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	for b.r == b.w && b.err == nil && !b.closed {
		b.change.Wait()
	}
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case b.r < b.w:
		n := copy(p, b.buf[b.r:b.w])
		b.r += n
		if b.r == b.w || b.r >= len(b.buf)/2 { // the pump can make room
			b.change.Broadcast()
		}
		b.release()
		return n, nil
	case b.panicked != nil:
		panic(b.panicked)
	}
	return 0, b.err
}

// Close ends the attempt where it stands, and the request with it.
func (b *body) Close() error {
	at := b.attempt.offset()
	b.mu.Lock()
	b.closed = true
	b.change.Broadcast()
	b.release()
	b.mu.Unlock()
	b.attempt.feed(at, nil, context.Canceled) // before the pump sees what Close does to its read
	err := b.src.Close()
	b.attempt.finish(at, context.Canceled)
	return err
}

func (a *attempt) markPaced() {
	a.mu.Lock()
	a.paced = true
	a.mu.Unlock()
}
