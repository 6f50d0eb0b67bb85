package critpath

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Attempts of one model call are retries one after another or hedges racing each other. Retries need no rule of their own in the
// walk, only in the attribution: what lies between a failed attempt and the next is backoff. A hedge started because
// the attempt before it was slow, so the time before it is that attempt's. An attempt that was cancelled while another ran
// lost a race: its end is an effect of the other's and caused nothing.

// calls are the model calls of a run that took several attempts.
type calls struct {
	races [][]int32 // per call with such: the attempts that a later one did not wait for, because they were open or lost; by start
	gaps  []gap     // by span, then start; those of one span do not overlap
}

// A gap is the time between a failed attempt and the next, seen from the span that encloses both.
type gap struct {
	span     int32
	from, to time.Duration
}

func (t *tree) findCalls() {
	var attempts []int32
	for _, c := range t.run.ModelCalls {
		if len(c.Attempts) < 2 {
			continue
		}
		attempts = attempts[:0]
		for _, a := range c.Attempts {
			if !t.nodes[a.Span.Index].out {
				attempts = append(attempts, a.Span.Index)
			}
		}
		if len(attempts) < 2 {
			continue
		}
		slices.SortFunc(attempts, t.recordedEarlier)
		t.backOff(attempts)
		t.race(attempts)
	}
	t.calls.mergeGaps()
}

// recordedEarlier orders attempts by when they started, before any clipping.
func (t *tree) recordedEarlier(a, b int32) int {
	return cmp.Or(cmp.Compare(t.run.Spans[a].Start, t.run.Spans[b].Start), cmp.Compare(a, b))
}

// backOff notes the gaps after failed attempts.
func (t *tree) backOff(attempts []int32) {
	for k, i := range attempts[:len(attempts)-1] {
		next := attempts[k+1]
		if from, to := t.nodes[i].end, t.nodes[next].start; from < to && failed(t.run.Spans[i]) {
			g := gap{t.enclosing(i, next), from, to}
			t.calls.gaps = append(t.calls.gaps, g)
			t.nodes[g.span].hasGaps = true
		}
	}
}

// enclosing returns the nearest span at or above both a and b.
func (t *tree) enclosing(a, b int32) int32 {
	for a != b { // the one further down comes later in the order of spans
		if a > b {
			a = t.run.Spans[a].Parent.Index
		} else {
			b = t.run.Spans[b].Parent.Index
		}
	}
	return a
}

// race finds the losers, and the attempts that overlap later ones.
func (t *tree) race(attempts []int32) {
	var rivals []int32 // attempts that were not cancelled, by start
	for _, i := range attempts {
		if !t.run.Spans[i].Has(traces.FlagCancelled) {
			rivals = append(rivals, i)
		}
	}
	slices.SortFunc(rivals, t.earlier)
	ends := make([]time.Duration, len(rivals)) // the latest end of the rivals so far
	for k, i := range rivals {
		ends[k] = t.nodes[i].end
		if k > 0 {
			ends[k] = max(ends[k], ends[k-1])
		}
	}
	var racing []int32
	next := never // the earliest start of the attempts behind
	for _, i := range slices.Backward(attempts) {
		n := &t.nodes[i]
		if t.run.Spans[i].Has(traces.FlagCancelled) {
			before, _ := slices.BinarySearchFunc(rivals, n.end, func(r int32, at time.Duration) int { return cmp.Compare(t.nodes[r].start, at) })
			n.lost = before > 0 && ends[before-1] > n.start
		}
		if n.lost || n.end > next {
			racing = append(racing, i)
		}
		next = min(next, n.start)
	}
	if len(racing) == 0 {
		return
	}
	slices.Reverse(racing)
	for _, i := range attempts {
		t.nodes[i].race = int32(len(t.calls.races))
	}
	t.calls.races = append(t.calls.races, racing)
}

func (c *calls) mergeGaps() {
	slices.SortFunc(c.gaps, func(a, b gap) int { return cmp.Or(cmp.Compare(a.span, b.span), cmp.Compare(a.from, b.from)) })
	merged := c.gaps[:0]
	for _, g := range c.gaps {
		if n := len(merged); n > 0 && merged[n-1].span == g.span && g.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, g.to)
			continue
		}
		merged = append(merged, g)
	}
	c.gaps = merged
}

// until returns the gaps that come before those of other spans and those of span that begin at to or later; the last of them is
// the one to look at first when going back in time.
func (c *calls) until(span int32, to time.Duration) []gap {
	n, _ := slices.BinarySearchFunc(c.gaps, gap{span: span, from: to}, func(g, at gap) int {
		return cmp.Or(cmp.Compare(g.span, at.span), cmp.Compare(g.from, at.from))
	})
	return c.gaps[:n]
}
