package proxy

import (
	"context"
	"io"
	"sync/atomic"
)

// A tunnel is the upstream's side of a connection that has switched to another protocol. Bytes pass both ways as they come.
type tunnel struct {
	io.ReadWriteCloser
	flight *flight
	left   atomic.Bool // the client has sent its last byte
}

// Read gives what the upstream sent.
func (t *tunnel) Read(p []byte) (int, error) {
	n, err := t.ReadWriteCloser.Read(p)
	if n > 0 {
		t.flight.note(note{kind: noteChunk}, p[:n])
	}
	switch {
	case err == nil:
	case t.left.Load():
		t.flight.note(note{kind: noteClosed, err: context.Canceled}, nil)
	default:
		t.flight.note(note{kind: noteClosed, err: ending(err)}, nil)
		t.flight.breakOff(err)
	}
	return n, err
}

// Write takes what the client sent.
func (t *tunnel) Write(p []byte) (int, error) {
	t.flight.note(note{kind: noteFrame}, p)
	return t.ReadWriteCloser.Write(p)
}

// CloseWrite passes on that the client has sent its last byte, where the connection can say so.
func (t *tunnel) CloseWrite() error {
	t.left.Store(true)
	if c, ok := t.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return t.Close()
}

// Close ends the connection from the client's side.
func (t *tunnel) Close() error {
	t.flight.note(note{kind: noteClosed, err: context.Canceled}, nil)
	return t.ReadWriteCloser.Close()
}
