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

// Phases splits the attempt into phases that tile [0, end); sent and threshold are those of traces.Chunks.Stretches, and
// threshold 0 is the default.
//
// Windows of hidden reasoning are reasoning, inferred, whatever they are cut out of; what is left of a stall then counts as one
// only if it is one by itself. The wait for the first output, or the first window, is split where the server reports its own
// timings: prefill ends there, queue before it, and what is left, the network, stays wait in front. That is inferred: the server's
// clock says how long, not when. Timings that do not fit are not used. Where reasoning was hidden without a window, the wait holds
// it too and is a bound.
func (r *Result) Phases(sent, end, threshold time.Duration) []Phase {
	if threshold <= 0 {
		threshold = r.Chunks.StallThreshold()
	}
	rest := traces.Response
	if len(r.Windows) > 0 {
		rest = traces.Wait
	}
	waited := traces.Measured
	if r.Visibility == "hidden" && len(r.Windows) == 0 {
		waited = traces.Bound
	}
	var out phases
	windows := r.Windows
	for _, s := range r.Chunks.Stretches(sent, end, threshold, rest) {
		if s.Component == traces.Wait {
			to := s.To
			if len(windows) > 0 {
				to = min(max(windows[0].From, s.From), to)
			}
			out.wait(s.From, to, waited, r)
			s.From = to
		}
		for ; len(windows) > 0 && windows[0].From < s.To && s.Component != traces.Connect; windows = windows[1:] {
			w := Window{max(windows[0].From, s.From), min(windows[0].To, s.To)}
			if w.From >= w.To {
				continue
			}
			out.add(r.shown(s, s.From, w.From, threshold), s.From, w.From, traces.Measured)
			out.add(traces.Reasoning, w.From, w.To, traces.Inferred)
			s = traces.Stretch{Component: r.shown(s, w.To, s.To, threshold), From: w.To, To: s.To}
		}
		out.add(s.Component, s.From, s.To, traces.Measured)
	}
	return out
}

// shown returns what a part of s is: s's component, but for a stall that is no longer one, which is what it ended with.
func (r *Result) shown(s traces.Stretch, from, to, threshold time.Duration) traces.Component {
	if s.Component != traces.Stall || to-from > threshold {
		return s.Component
	}
	for _, c := range r.Chunks.List {
		if c.At >= s.To {
			return c.Kind
		}
	}
	return s.Component
}

type phases []Phase

// add appends a phase, or makes the last one longer where it goes on.
func (p *phases) add(c traces.Component, from, to time.Duration, q traces.Quality) {
	if to <= from {
		return
	}
	if n := len(*p); n > 0 && (*p)[n-1].Component == c && (*p)[n-1].Quality == q && c != traces.Stall {
		(*p)[n-1].To = to
		return
	}
	*p = append(*p, Phase{traces.Stretch{Component: c, From: from, To: to}, q})
}

// wait adds the wait for the first output, split where the server tells.
func (p *phases) wait(from, to time.Duration, q traces.Quality, r *Result) {
	var queue, prefill time.Duration
	if !r.TimingsInconsistent {
		queue, prefill = r.Server.split(to - from)
	}
	p.add(traces.Wait, from, to-queue-prefill, q)
	p.add(traces.Queue, to-queue-prefill, to-prefill, traces.Inferred)
	p.add(traces.Prefill, to-prefill, to, traces.Inferred)
}

// split returns the parts of a wait that the server accounts for, 0 each if they do not fit.
func (t *Timings) split(wait time.Duration) (queue, prefill time.Duration) {
	queue, prefill = known0(t.Queue), known0(t.Prefill)
	if wait <= 0 || !fits(queue+prefill, wait) {
		return 0, 0
	}
	prefill = min(prefill, wait)
	return min(queue, wait-prefill), prefill
}
