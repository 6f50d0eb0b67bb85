package stream

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Phase is a stretch of an attempt and how it is known.
type Phase struct {
	traces.Stretch
	Quality traces.Quality
}

// Phases splits the attempt into phases that tile [0, end); sent and threshold are those of traces.Chunks.Stretches.
//
// The wait for the first output is split where the server reports its own timings: prefill ends at the first output,
// queue before it, and what is left, the network, stays wait in front. That is inferred: the server's clock says how long, not when.
// Timings that do not fit into the wait are not used. Where reasoning was hidden, the wait holds it too and is a bound.
func (r *Result) Phases(sent, end, threshold time.Duration) []Phase {
	var out []Phase
	for _, s := range r.Chunks.Stretches(sent, end, threshold, traces.Response) {
		if s.Component != traces.Wait {
			out = append(out, Phase{s, traces.Measured})
			continue
		}
		queue, prefill := r.Server.split(s.To - s.From)
		rest := traces.Measured
		if r.Visibility == "hidden" {
			rest = traces.Bound
		}
		at := s.From
		add := func(c traces.Component, d time.Duration, q traces.Quality) {
			if d > 0 {
				out = append(out, Phase{traces.Stretch{Component: c, From: at, To: at + d}, q})
				at += d
			}
		}
		add(traces.Wait, s.To-s.From-queue-prefill, rest)
		add(traces.Queue, queue, traces.Inferred)
		add(traces.Prefill, prefill, traces.Inferred)
	}
	return out
}

// split returns the parts of a wait that the server accounts for, 0 each if they do not fit. One part in a hundred is
// forgiven for rounding.
func (t *Timings) split(wait time.Duration) (queue, prefill time.Duration) {
	if t.Queue != nil {
		queue = *t.Queue
	}
	if t.Prefill != nil {
		prefill = *t.Prefill
	}
	if queue+prefill > wait+wait/100 {
		return 0, 0
	}
	prefill = min(prefill, wait)
	return min(queue, wait-prefill), prefill
}
