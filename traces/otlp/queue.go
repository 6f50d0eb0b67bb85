package otlp

import (
	"sync"

	"github.com/seed46266073/longpole/traces"
)

// A queue hands records on, one batch after the other, in a goroutine that lives only while there are some.
type queue struct {
	take  func([]traces.Record)
	limit int // of bytes

	mu      sync.Mutex
	waiting []batchOf
	bytes   int           // of the requests in it, with the one being handed on
	idle    chan struct{} // closed when there is nothing left; nil before the first batch
	busy    bool
	taken   int64 // spans
	lost    int64 // spans
}

// A batchOf is what one request brought.
type batchOf struct {
	records []traces.Record
	bytes   int
}

// put adds a batch, and reports whether there was room for it.
func (q *queue) put(records []traces.Record, bytes int) bool {
	if len(records) == 0 {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bytes > 0 && q.bytes+bytes > q.limit {
		return false
	}
	q.waiting = append(q.waiting, batchOf{records, bytes})
	q.bytes += bytes
	if !q.busy {
		q.busy = true
		q.idle = make(chan struct{})
		go q.run()
	}
	return true
}

// run hands on what there is.
func (q *queue) run() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.waiting = nil
			q.busy = false
			close(q.idle)
			q.mu.Unlock()
			return
		}
		b := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		ok := q.give(b.records)
		q.mu.Lock()
		q.bytes -= b.bytes
		if ok {
			q.taken += int64(len(b.records))
		} else {
			q.lost += int64(len(b.records))
		}
		q.mu.Unlock()
	}
}

// give hands one batch on, and reports whether that went well.
func (q *queue) give(records []traces.Record) (ok bool) {
	defer func() {
		if !ok {
			_ = recover()
		}
	}()
	q.take(records)
	return true
}

// empty returns a channel that is closed once all that was put before has been handed on.
func (q *queue) empty() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.busy {
		done := make(chan struct{})
		close(done)
		return done
	}
	return q.idle
}

func (q *queue) counts() (taken, lost int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken, q.lost
}
