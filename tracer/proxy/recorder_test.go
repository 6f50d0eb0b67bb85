package proxy

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
)

// ignorant is an observer that looks at nothing.
type ignorant struct{}

func (ignorant) Begin(*Exchange)    {}
func (ignorant) Progress(*Exchange) {}
func (ignorant) End(*Exchange)      {}

// idle returns a recorder whose goroutine does not run: work is called by hand.
func idle() *recorder {
	return &recorder{observer: ignorant{}, now: time.Now, incomplete: new(atomic.Int64), wake: make(chan struct{}, 1),
		open: map[*recording]struct{}{}, dirty: map[*recording]struct{}{}, complete: map[*recording]struct{}{}}
}

func begin(r *recorder) *recording {
	up, _ := ParseUpstream("http://model")
	req := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
	rec := r.recording(req, &flight{upstream: &up, start: time.Now(), overhead: &overhead{}})
	r.take(note{about: rec, kind: noteBegin, at: time.Now()}, nil)
	r.take(note{about: rec, kind: noteAsked, at: time.Now(), fact: &asked{body: []byte(`{"model":"m","stream":true}`)}}, nil)
	r.take(note{about: rec, kind: noteHeaders, at: time.Now(), fact: &head{200, http.Header{}}}, nil)
	r.work()
	return rec
}

func TestNothingIsKeptOfWhatHasEnded(t *testing.T) {
	r := idle()
	for i := range 100 {
		rec := begin(r)
		r.take(note{about: rec, kind: noteChunk, at: time.Now()}, []byte("data: [DONE]\n\n"))
		if i%2 == 0 { // the others end when the next one begins
			r.take(note{about: rec, kind: noteClosed, at: time.Now()}, nil)
		}
		r.work()
		r.take(note{about: rec, kind: noteFinished, at: time.Now()}, nil)
	}
	r.work()
	if n := len(r.open) + len(r.dirty) + len(r.complete) + len(r.filled.notes); n != 0 {
		t.Errorf("%d things are kept", n)
	}
}

func TestABurstIsNotKept(t *testing.T) {
	r := idle()
	rec := begin(r)
	for range 6 {
		r.take(note{about: rec, kind: noteChunk, at: time.Now()}, make([]byte, 1<<20))
	}
	r.work()
	if c := cap(r.spare.bytes) + cap(r.filled.bytes); c > 2*keepBatch {
		t.Errorf("%d bytes are kept", c)
	}
}

// BenchmarkRecord measures what a chunk costs: taking it down, on the forwarding side, and working it off, beside. Measured on a machine
// that had other work to do: 0.13 µs and 0.6 µs of processor time, no allocation but for the growth of the series of chunks.
func BenchmarkRecord(b *testing.B) {
	chunk := []byte(`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,"delta":{"content":"word"},"finish_reason":null}]}` + "\n\n")
	for _, part := range []string{"take", "take-and-work"} {
		b.Run(part, func(b *testing.B) {
			r := idle()
			rec := begin(r)
			at := time.Now()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				r.take(note{about: rec, kind: noteChunk, at: at}, chunk)
				if n++; n%1000 == 0 {
					if part == "take" {
						r.filled.notes, r.filled.bytes, rec.queued = r.filled.notes[:0], r.filled.bytes[:0], 0
					} else {
						r.work()
						if n%10_000 == 0 {
							rec.decoder = stream.NewChat(stream.Options{})
						}
					}
				}
			}
		})
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Microsecond)
	}
	for q, want := range map[float64]time.Duration{0: time.Microsecond, 0.5: 500 * time.Microsecond, 0.99: 990 * time.Microsecond, 1: time.Millisecond} {
		got, n := h.quantile(q)
		if n != 1000 || got < want || got > want+want/8+1 {
			t.Errorf("%v-quantile %v of %d, want %v", q, got, n, want)
		}
	}
	for n := uint64(1); n < 1<<62; n += n/3 + 1 {
		if b := bucket(n); limit(b) < n || b > 0 && limit(b-1) >= n {
			t.Fatalf("%d is in bucket %d, up to %d", n, b, limit(b))
		}
	}
	if d, n := new(histogram).quantile(0.5); d != 0 || n != 0 {
		t.Error(d, n)
	}
}

func TestErrorWords(t *testing.T) {
	for want, err := range map[string]error{ErrProtocol: fmt.Errorf("malformed HTTP response"), ErrReset: fmt.Errorf("stream error: stream ID 1; CANCEL")} {
		if got := errorWord(err); got != want {
			t.Errorf("%v is %s", err, got)
		}
	}
}
