package compare

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Cause is one part of the difference of two means.
type Cause struct {
	Name   string        // "steps", "reasoning tokens per call", "tool grep: time per call", …
	Time   time.Duration // not 0; above 0 where it made B slower
	Family traces.Family // "" for steps and calls, which lengthen everything, and for a late start, which is no part of a run
	Tool   *string       // its name, where the cause is of one tool; else nil
	A, B   *float64      // the factor of each group: a number, or nanoseconds where InTime is set; nil on the side that did not get as far
	InTime bool
}

// A counted is what the times of a component are divided by.
type counted struct {
	name string // of the count: "steps"
	one  string // of it: "step"
	of   func(*totals) int64
}

var (
	steps           = counted{"steps", "step", func(t *totals) int64 { return t.steps }}
	calls           = counted{"model calls", "call", func(t *totals) int64 { return t.calls }}
	reasoningTokens = counted{"reasoning tokens", "token", func(t *totals) int64 { return t.reasoning }}
	outputTokens    = counted{"output tokens", "token", func(t *totals) int64 { return t.output }}
)

// A term is one component of the mean, or several that are counted alike, and the counts that its factors are made of.
type term struct {
	name   string // of the time
	family traces.Family
	counts []counted
	time   func(*totals) time.Duration
	tool   *string // nil: it is not of one tool
}

// causes splits the difference of the mean times of two groups' finished, correct runs; nil if one has none.
func causes(a, b *measure.Group) (difference *time.Duration, list []Cause, notes []string) {
	from, ok := a.MeanTime()
	to, also := b.MeanTime()
	if !ok || !also {
		return nil, nil, nil
	}
	d := to - from
	x, ok := totalsOf(a)
	y, also := totalsOf(b)
	if !ok || !also {
		if d != 0 {
			list = []Cause{{Name: "not split", Time: d}}
		}
		return &d, list, []string{"all runs together take longer than can be counted: the difference is not split"}
	}
	terms, notes := termsOf(x, y)
	byName := map[string]*effect{}
	for _, t := range terms {
		if t.time(x) == 0 && t.time(y) == 0 {
			continue
		}
		for _, e := range t.split(x, y) {
			if known := byName[e.Name]; known != nil {
				known.share.Add(known.share, e.share)
			} else {
				byName[e.Name] = &e
			}
		}
	}
	names := slices.Sorted(maps.Keys(byName))
	parts := make([]*big.Rat, len(names))
	for i, name := range names {
		parts[i] = byName[name].share
	}
	for i, ns := range apportion(parts, int64(d)) {
		if c := byName[names[i]].Cause; ns != 0 {
			c.Time = time.Duration(ns)
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Cause) int { return cmp.Compare(b.Time.Abs(), a.Time.Abs()) })
	return &d, list, notes
}

// An effect is a factor of a term, and how much of the difference its change makes.
type effect struct {
	Cause
	share *big.Rat // nanoseconds
}

// split returns the effects of a term's factors.
func (t term) split(a, b *totals) []effect {
	p := product{side{runs: a.runs, time: int64(t.time(a))}, side{runs: b.runs, time: int64(t.time(b))}}
	var counts []counted
	for _, c := range t.counts {
		if x, y := c.of(a), c.of(b); p.divisible(x, y) {
			counts = append(counts, c)
			p.a.counts, p.b.counts = append(p.a.counts, x), append(p.b.counts, y)
		}
	}
	seenA, seenB := p.a.ratios(), p.b.ratios()
	list := make([]effect, len(counts)+1)
	per := ""
	for i, share := range shapley(p.factors()) {
		list[i] = effect{Cause{A: number(seenA[i]), B: number(seenB[i]), Family: t.family, Tool: t.tool}, share}
		e := &list[i]
		if i == len(counts) {
			e.Name, e.InTime = t.name+per, true
			break
		}
		e.Name = counts[i].name + per
		if counts[i].name == steps.name || counts[i].name == calls.name {
			e.Family, e.Tool = "", nil
		}
		per = " per " + counts[i].one
	}
	return list
}

func number(r *big.Rat) *float64 {
	if r == nil {
		return nil
	}
	f, _ := r.Float64()
	return &f
}
