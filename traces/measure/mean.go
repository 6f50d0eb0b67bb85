package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/stats"
)

// Means returns the mean wall time of runs and the mean time of each component, in the order of display. Rounding to
// nanoseconds keeps the sum: the components add up to wall exactly. Without runs it is 0 and nothing.
func Means(runs []*Run) (wall time.Duration, components []ComponentMean) {
	if len(runs) == 0 {
		return 0, nil
	}
	n := int64(len(runs))
	walls := stats.Mean{N: n}
	sums := map[traces.Component]stats.Mean{}
	for _, r := range runs {
		walls = walls.Plus(int64(r.Wall))
		for _, c := range r.Components {
			sum := sums[c.Component]
			sum.N = n
			sums[c.Component] = sum.Plus(int64(c.Time))
		}
	}
	wall = time.Duration(walls.Round())
	for c := range sums {
		components = append(components, ComponentMean{Component: c})
	}
	slices.SortFunc(components, func(a, b ComponentMean) int {
		return cmp.Or(cmp.Compare(place(a.Component), place(b.Component)), cmp.Compare(a.Component, b.Component))
	})
	parts := make([]stats.Mean, len(components))
	for i, c := range components {
		parts[i] = sums[c.Component]
	}
	for i, mean := range stats.Apportion(parts, int64(wall)) {
		components[i].Mean = time.Duration(mean)
		if wall > 0 {
			components[i].Share = float64(mean) / float64(wall)
		}
	}
	return wall, components
}

// MeanTime returns the mean time to an answer of the finished, correct runs, from their intended starts: MeanWall and MeanLate; false
// without such runs.
func (g *Group) MeanTime() (time.Duration, bool) {
	switch {
	case g.MeanWall == nil:
		return 0, false
	case g.MeanLate == nil:
		return *g.MeanWall, true
	}
	return *g.MeanWall + *g.MeanLate, true
}

// meanLate returns how late runs began on average; nil if none says when it was meant to.
func meanLate(runs []*Run) *time.Duration {
	mean, known := stats.Mean{N: int64(len(runs))}, false
	for _, r := range runs {
		if r.Late != nil {
			mean, known = mean.Plus(int64(*r.Late)), true
		}
	}
	if !known {
		return nil
	}
	return ptr(time.Duration(mean.Round()))
}

// means averages the components of the correct runs.
func (g *Group) means(correct []*Run) {
	if len(correct) == 0 {
		return
	}
	wall, components := Means(correct)
	g.MeanWall, g.MeanLate, g.Components = &wall, meanLate(correct), components
	for _, f := range traces.Families {
		sum := FamilyMean{Family: f}
		for _, c := range g.Components {
			if c.Component.Family() == f {
				sum.Mean += c.Mean
				sum.Share += c.Share
			}
		}
		if sum.Mean > 0 {
			g.Families = append(g.Families, sum)
		}
	}
}
