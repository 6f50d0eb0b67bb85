// Package bar draws time as bars, an eighth of a cell at a time.
//
// A Raster holds eight dots a cell; whatever a row has to show is filled in as stretches of ink, later ones over
// earlier ones, and drawn once. A cell can show two inks, so of three the two largest are kept; a stretch that is not
// empty is always seen, however short. Without colour each cell shows the letter of what fills most of it.
package bar

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// Dots is how many dots a cell is wide.
const Dots = 8

// An Ink is what a dot is filled with: nothing, or a component's time, on or off the critical path.
type Ink uint8

const offPath Ink = 1 << 7

var order = func() map[traces.Component]Ink {
	m := map[traces.Component]Ink{}
	for i, c := range traces.Components {
		m[c] = Ink(i + 1)
	}
	return m
}()

// Of returns the ink of component c; unknown components are the agent's.
func Of(c traces.Component, onPath bool) Ink {
	i, ok := order[c]
	if !ok {
		i = order[traces.Agent]
	}
	if !onPath {
		i |= offPath
	}
	return i
}

// Component returns what i stands for; i must not be 0.
func (i Ink) Component() traces.Component { return traces.Components[i&^offPath-1] }

// OnPath reports whether i is on the critical path.
func (i Ink) OnPath() bool { return i&offPath == 0 }

// A Raster is one bar, Dots dots a cell.
type Raster []Ink

// New returns an empty raster of cells cells.
func New(cells int) Raster { return make(Raster, max(0, cells)*Dots) }

// Fill sets the dots [from, to), at least one if from is inside.
func (r Raster) Fill(from, to int, ink Ink) {
	to = max(to, from+1)
	from, to = max(from, 0), min(to, len(r))
	for i := from; i < to; i++ {
		r[i] = ink
	}
}

// A Part is one part of a stacked bar.
type Part struct {
	Ink   Ink
	Value time.Duration // >= 0
	Label string        // drawn into the part where it fits; may be ""
}

// Stack fills cells cells with parts, each as long as its share of total; total 0 means their sum, so that they fill the bar
// exactly (largest remainder). A part that is not 0 gets a dot if there are enough.
func Stack(cells int, total time.Duration, parts []Part) Raster {
	r := New(cells)
	var sum time.Duration
	for _, p := range parts {
		sum += p.Value
	}
	total = max(total, sum)
	if total <= 0 || len(r) == 0 {
		return r
	}
	dots, rests := make([]int, len(parts)), make([]float64, len(parts))
	used := 0
	for i, p := range parts {
		exact := float64(p.Value) / float64(total) * float64(len(r))
		dots[i] = int(exact)
		rests[i] = exact - float64(dots[i])
		used += dots[i]
	}
	byRest := make([]int, len(parts))
	for i := range byRest {
		byRest[i] = i
	}
	slices.SortStableFunc(byRest, func(a, b int) int {
		switch {
		case rests[a] > rests[b]:
			return -1
		case rests[a] < rests[b]:
			return 1
		}
		return 0
	})
	goal := int(float64(sum)/float64(total)*float64(len(r)) + 0.5)
	for _, i := range byRest {
		if used >= goal {
			break
		}
		dots[i]++
		used++
	}
	for i, p := range parts {
		if p.Value <= 0 || dots[i] > 0 {
			continue
		}
		largest := slices.Index(dots, slices.Max(dots))
		switch {
		case used < len(r): // from what is left blank
			used++
		case dots[largest] > 1:
			dots[largest]--
		default:
			continue
		}
		dots[i]++
	}
	at := 0
	for i, p := range parts {
		if dots[i] > 0 {
			r.Fill(at, at+dots[i], p.Ink)
		}
		at += dots[i]
	}
	return r
}
