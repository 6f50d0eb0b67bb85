package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// reasonsShown bounds the sentences that explain the first one: more would bury it.
const reasonsShown = 3

// reasons says what sets the other groups apart from the best one, in what is beyond doubt: how often and how soon they were
// right, and where the difference of the means lies.
func reasons(groups []measure.Group, best int) []string {
	var say []string
	_, clear := measure.Best(groups)
	g := &groups[best]
	for i := range groups {
		other := &groups[i]
		if i == best || len(say) == reasonsShown {
			continue
		}
		if !clear && measure.MoreOften(g, other) {
			say = append(say, fmt.Sprintf("%s is right more often than %s: %s against %s.", g.Label(), other.Label(),
				Percent(g.Success.Rate), Percent(other.Success.Rate)))
		}
		quick, slow := g, other
		switch {
		case measure.Sooner(other, g):
			quick, slow = other, g
		case !measure.Sooner(g, other):
			continue
		}
		if s := difference(quick, slow); s != "" {
			say = append(say, s)
		}
	}
	return say
}

// difference tells where a later group lost its time on average: the families that make up most of it, what it saved on
// others, and model calls if it made notably more of them. It is "" where the means do not differ as the medians do.
func difference(quick, slow *measure.Group) string {
	if quick.MeanWall == nil || slow.MeanWall == nil || *quick.MeanWall >= *slow.MeanWall {
		return ""
	}
	gap := *slow.MeanWall - *quick.MeanWall
	type delta struct {
		family traces.Family
		time   time.Duration
	}
	var deltas []delta
	var lost time.Duration
	for _, f := range traces.Families {
		d := meanOf(slow, f) - meanOf(quick, f)
		deltas = append(deltas, delta{f, d})
		lost += max(0, d)
	}
	slices.SortStableFunc(deltas, func(a, b delta) int { return cmp.Compare(b.time, a.time) })
	var more []string
	var told time.Duration
	for _, d := range deltas {
		if d.time > 0 && len(more) < 3 && told < lost*8/10 {
			more = append(more, fmt.Sprintf("%s more in %s", Duration(d.time), d.family))
			told += d.time
		}
	}
	s := fmt.Sprintf("%s took %s longer than %s on average: %s", slow.Label(), Duration(gap), quick.Label(), and(more))
	if least := deltas[len(deltas)-1]; -least.time >= gap/10 {
		s += fmt.Sprintf(", less %s saved in %s", Duration(-least.time), least.family)
	}
	if few, many := quick.Calls.PerRun, slow.Calls.PerRun; few != nil && many != nil && *many-*few >= 0.3 && *many >= 1.15**few {
		s += fmt.Sprintf("; %.1f model calls a run against %.1f", *many, *few)
		if x, y := slow.Calls.Time, quick.Calls.Time; x != nil && y != nil && *x < *y-*y/10 {
			s += fmt.Sprintf(", though each is faster (%s against %s)", Duration(*x), Duration(*y))
		}
	}
	return s + "."
}

func meanOf(g *measure.Group, f traces.Family) time.Duration {
	for _, m := range g.Families {
		if m.Family == f {
			return m.Mean
		}
	}
	return 0
}
