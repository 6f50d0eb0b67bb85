package critpath

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Attempts of one operation, which is one logical model call, are retries one after another or hedges racing each other.
// Retries need no rule of their own in the walk, only in the attribution: what lies between a failed attempt and the next is
// backoff. A hedge started because the attempt before it was slow, so the time before it is that attempt's. An attempt that was
// cancelled while another ran lost a race: its end is an effect of the other's and caused nothing.

// calls are the operations of a run.
type calls struct {
	list []call
	gaps []gap // by span, then start; those of one span do not overlap
}

// A call is one operation.
type call struct {
	attempts []int32 // in order
	racing   []int32 // those that a later attempt did not wait for, in order: open when it started, or losers
}

// A gap is the time between a failed attempt and the next, seen from the span that encloses both.
type gap struct {
	span     int32
	from, to time.Duration
}

// findCalls groups the attempts by operation: the id they carry, else the model call above them.
func (t *tree) findCalls() {
	type key struct {
		op     string
		parent int32
	}
	byKey := map[key]int32{}
	for i, s := range t.run.Spans {
		n := &t.nodes[i]
		if n.role != attempt || n.out {
			continue
		}
		k := key{op: s.Attrs().String(traces.KeyOp)}
		if k.op == "" {
			if s.Parent == nil || t.nodes[s.Parent.Index].role != model {
				continue
			}
			k.parent = s.Parent.Index
		}
		c, ok := byKey[k]
		if !ok {
			c = int32(len(t.calls.list))
			byKey[k] = c
			t.calls.list = append(t.calls.list, call{})
		}
		n.call = c
		t.calls.list[c].attempts = append(t.calls.list[c].attempts, int32(i))
	}
	for i := range t.calls.list {
		if c := &t.calls.list[i]; len(c.attempts) > 1 {
			t.order(c)
			t.race(c)
			t.backOff(c)
		}
	}
	t.calls.mergeGaps()
}

// order sorts attempts by their numbers where all have one, else by start.
func (t *tree) order(c *call) {
	numbers := make(map[int32]int64, len(c.attempts))
	for _, i := range c.attempts {
		attrs := t.run.Spans[i].Attrs()
		if n, ok := attrs.Int(traces.KeyAttempt); ok {
			numbers[i] = n
		} else if n, ok := attrs.Int(traces.KeyResendCount); ok {
			numbers[i] = n + 1
		}
	}
	if len(numbers) < len(c.attempts) {
		clear(numbers)
	}
	slices.SortFunc(c.attempts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), t.earlier(a, b))
	})
}

// race finds the losers, and the attempts that overlap later ones.
func (t *tree) race(c *call) {
	var rivals []int32 // attempts that were not cancelled, by start
	for _, i := range c.attempts {
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
	next := never // the earliest start of the attempts behind
	for _, i := range slices.Backward(c.attempts) {
		n := &t.nodes[i]
		if t.run.Spans[i].Has(traces.FlagCancelled) {
			before, _ := slices.BinarySearchFunc(rivals, n.end, func(r int32, at time.Duration) int { return cmp.Compare(t.nodes[r].start, at) })
			n.lost = before > 0 && ends[before-1] > n.start
		}
		if n.lost || n.end > next {
			c.racing = append(c.racing, i)
		}
		next = min(next, n.start)
	}
	slices.Reverse(c.racing)
}

// backOff notes the gaps after failed attempts.
func (t *tree) backOff(c *call) {
	for k, i := range c.attempts[:len(c.attempts)-1] {
		next := c.attempts[k+1]
		if from, to := t.nodes[i].end, t.nodes[next].start; from < to && failed(t.run.Spans[i]) {
			t.calls.gaps = append(t.calls.gaps, gap{t.enclosing(i, next), from, to})
		}
	}
}

// enclosing returns the nearest ancestor of both a and b.
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

// within returns the gaps of span that end after from, in order; the caller stops at the first that begins too late.
func (c *calls) within(span int32, from time.Duration) []gap {
	i, _ := slices.BinarySearchFunc(c.gaps, span, func(g gap, span int32) int {
		if g.span == span && g.to <= from {
			return -1
		}
		return cmp.Or(cmp.Compare(g.span, span), 1)
	})
	return c.gaps[i:]
}
