package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// means averages the components of the correct runs. Rounding to nanoseconds keeps the sum: the whole is rounded to the
// nearest, each part down, and the missing nanoseconds go to the largest remainders.
func (g *Group) means(correct []*Run) {
	if len(correct) == 0 {
		return
	}
	n := time.Duration(len(correct))
	var walls fraction
	sums := map[traces.Component]fraction{}
	for _, r := range correct {
		walls = walls.plus(r.Wall, n)
		for _, c := range r.Components {
			sums[c.Component] = sums[c.Component].plus(c.Time, n)
		}
	}
	mean := walls.whole
	if walls.rest >= n-walls.rest {
		mean++
	}
	g.MeanWall = &mean
	missing := mean
	var byRest []traces.Component
	for c, sum := range sums {
		byRest = append(byRest, c)
		missing -= sum.whole
	}
	slices.SortFunc(byRest, func(a, b traces.Component) int {
		return cmp.Or(cmp.Compare(sums[b].rest, sums[a].rest), cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	for i, c := range byRest {
		m := ComponentMean{Component: c, Mean: sums[c].whole}
		if time.Duration(i) < missing {
			m.Mean++
		}
		if mean > 0 {
			m.Share = float64(m.Mean) / float64(mean)
		}
		g.Components = append(g.Components, m)
	}
	slices.SortFunc(g.Components, func(a, b ComponentMean) int {
		return cmp.Or(cmp.Compare(place(a.Component), place(b.Component)), cmp.Compare(a.Component, b.Component))
	})
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

// A fraction is the nth part of a sum: whole + rest/n, 0 <= rest < n. It does not overflow where the sum would.
type fraction struct {
	whole, rest time.Duration
}

func (f fraction) plus(d, n time.Duration) fraction {
	rest := f.rest + d%n
	return fraction{f.whole + d/n + rest/n, rest % n}
}
