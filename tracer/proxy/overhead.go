package proxy

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// An overhead is an Overhead while it is measured, by the goroutines of the forwarding side.
type overhead struct {
	request, first, worst, total atomic.Int64 // ns
	chunks, held                 atomic.Int64
	paced                        atomic.Bool
}

// add books a piece of the response that was passed on in d.
func (o *overhead) add(d time.Duration) {
	ns := int64(d)
	if o.chunks.Add(1) == 1 {
		o.first.Store(ns)
	}
	o.total.Add(ns)
	o.worst.Store(max(o.worst.Load(), ns)) // one goroutine adds
}

func (o *overhead) read() Overhead {
	return Overhead{
		Request: time.Duration(o.request.Load()), FirstChunk: time.Duration(o.first.Load()), WorstChunk: time.Duration(o.worst.Load()),
		Total: time.Duration(o.total.Load()), Chunks: int(o.chunks.Load()), Held: int(o.held.Load()),
	}
}

// A SelfCheck says what the proxy added over all exchanges so far, as Overhead defines it. Quantiles are upper limits, at most an
// eighth too high.
type SelfCheck struct {
	Exchanges, Chunks  int64
	Median, P99, Worst time.Duration // of a piece of a response; 0 without one
	Incomplete         int64         // exchanges of which something was not recorded
}

// A histogram counts durations in buckets that are an eighth of their size wide.
type histogram struct {
	buckets [64 * 8]atomic.Int64
	worst   atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	ns := uint64(max(d, 0))
	h.buckets[bucket(ns)].Add(1)
	for {
		worst := h.worst.Load()
		if int64(ns) <= worst || h.worst.CompareAndSwap(worst, int64(ns)) {
			return
		}
	}
}

// bucket returns the place of n: by the position of its highest bit and the three bits below it.
func bucket(n uint64) int {
	if n < 8 {
		return int(n)
	}
	high := bits.Len64(n) - 1
	return high*8 - 16 + int(n>>(high-3)&7)
}

// limit is the largest number of a bucket.
func limit(bucket int) uint64 {
	if bucket < 8 {
		return uint64(bucket)
	}
	high := (bucket + 16) / 8
	return (8+uint64(bucket%8)+1)<<(high-3) - 1
}

// quantile returns an upper limit of the q-quantile and the number of durations.
func (h *histogram) quantile(q float64) (d time.Duration, n int64) {
	for i := range h.buckets {
		n += h.buckets[i].Load()
	}
	rank := int64(q * float64(n-1))
	for i := range h.buckets {
		if rank -= h.buckets[i].Load(); rank < 0 {
			return min(time.Duration(limit(i)), time.Duration(h.worst.Load())), n
		}
	}
	return 0, n
}
