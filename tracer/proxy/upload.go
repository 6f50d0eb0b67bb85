package proxy

import (
	"io"
	"sync"
	"sync/atomic"
)

// maxRequest bounds the copy of a request's body. Of a larger one the beginning is read.
const maxRequest = 64 << 20

// An upload is a request's body on its way. It keeps a copy, for the recorder, when the body has ended.
type upload struct {
	io.ReadCloser
	flight *flight
	length int64 // as announced; -1 if not

	broken atomic.Bool // the client left before it had sent all

	mu   sync.Mutex
	copy asked
	over bool // it has been handed on
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.copy.size += int64(n)
	if u.flight.rec != nil && !u.over {
		if u.copy.body == nil {
			u.copy.body = make([]byte, 0, max(512, min(u.length, 1<<20)))
		}
		u.copy.body = append(u.copy.body, p[:min(n, maxRequest-len(u.copy.body))]...)
	}
	switch {
	case err == io.EOF:
		u.handOn()
	case err != nil && !u.over:
		u.broken.Store(true)
	}
	return n, err
}

// handOn gives the copy to the recorder, once.
func (u *upload) handOn() {
	if !u.over {
		u.over = true
		u.flight.note(note{kind: noteAsked, fact: &asked{u.copy.body, u.copy.size}}, nil)
		u.copy.body = nil
	}
}

// finish hands on what there is, if the body was not read to its end.
func (u *upload) finish() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.handOn()
}
