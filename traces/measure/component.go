package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

// A ComponentTime is the time on the critical path that was booked on one component and is known in one way.
type ComponentTime struct {
	Component traces.Component
	Time      time.Duration // above 0
	Share     float64       // of the run or step, 0 to 1
	Quality   traces.Quality
}

// A FamilyTime is the time of all components of one family.
type FamilyTime struct {
	Family traces.Family
	Time   time.Duration // above 0
	Share  float64       // of the run, 0 to 1
}

// tally adds up the segments between from and to: one entry per component and quality, in the order of display. Segments
// are in time order; the part of [from, to) that they cover is added up exactly.
func tally(segments []critpath.Segment, from, to time.Duration) []ComponentTime {
	list := make([]ComponentTime, 0, 8) // few, so that looking through them is faster than a map
	var whole time.Duration
	first, _ := slices.BinarySearchFunc(segments, from, func(s critpath.Segment, at time.Duration) int {
		return cmp.Compare(s.To, at+1) // the first segment that ends after from
	})
	for _, s := range segments[first:] {
		if s.From >= to {
			break
		}
		d := min(s.To, to) - max(s.From, from)
		if d <= 0 {
			continue
		}
		whole += d
		at := slices.IndexFunc(list, func(c ComponentTime) bool { return c.Component == s.Component && c.Quality == s.Quality })
		if at < 0 {
			at = len(list)
			list = append(list, ComponentTime{Component: s.Component, Quality: s.Quality})
		}
		list[at].Time += d
	}
	for i := range list {
		list[i].Share = float64(list[i].Time) / float64(whole)
	}
	slices.SortFunc(list, func(a, b ComponentTime) int {
		return cmp.Or(cmp.Compare(place(a.Component), place(b.Component)), cmp.Compare(a.Component, b.Component),
			cmp.Compare(certainty(a.Quality), certainty(b.Quality)))
	})
	return list
}

// families sums components by family; their order and total stay.
func families(components []ComponentTime) []FamilyTime {
	var list []FamilyTime
	for _, f := range traces.Families {
		sum := FamilyTime{Family: f}
		for _, c := range components {
			if c.Component.Family() == f {
				sum.Time += c.Time
				sum.Share += c.Share
			}
		}
		if sum.Time > 0 {
			list = append(list, sum)
		}
	}
	return list
}

// place is where a component is displayed; components nobody knows come last.
func place(c traces.Component) int {
	if i := slices.Index(traces.Components, c); i >= 0 {
		return i
	}
	return len(traces.Components)
}

func certainty(q traces.Quality) int {
	return slices.Index([]traces.Quality{traces.Measured, traces.Inferred, traces.Bound}, q)
}
