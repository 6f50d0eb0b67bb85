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
	var whole time.Duration
	sums := map[traces.Component]time.Duration{}
	for _, r := range correct {
		whole += r.Wall
		for _, c := range r.Components {
			sums[c.Component] += c.Time
		}
	}
	n := time.Duration(len(correct))
	mean := (whole + n/2) / n
	g.MeanWall = &mean
	missing := mean
	var byRemainder []traces.Component
	for c, sum := range sums {
		byRemainder = append(byRemainder, c)
		missing -= sum / n
	}
	slices.SortFunc(byRemainder, func(a, b traces.Component) int {
		return cmp.Or(cmp.Compare(sums[b]%n, sums[a]%n), cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	for i, c := range byRemainder {
		m := ComponentMean{Component: c, Mean: sums[c] / n}
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
