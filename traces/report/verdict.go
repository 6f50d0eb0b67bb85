package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// Verdict says in plain sentences what groups show side by side, and no more than they show: see VerdictOf.
func Verdict(groups []measure.Group) []string {
	return VerdictOf(compare.Of(groups, compare.Options{}))
}

// VerdictOf says in plain sentences what a comparison shows: first what is wrong with the effort dial, then what to use, if the
// data tell, then what each pair shows. A difference is called one only where the tests of traces/compare leave no doubt. Labels
// are as the traces have them: clean the sentences before they are printed.
func VerdictOf(c *compare.Comparison) []string {
	say, untold := conclusion(c)
	if len(c.Groups) > 1 && len(timed(c.Groups)) > 0 {
		shown, more := capped(c.Pairs, pairsShown)
		for _, p := range shown {
			say = append(say, p.Text)
		}
		if more > 0 {
			say = append(say, fmt.Sprintf("The document of --format json holds %s more.", traces.FormatCount(more, "pair")))
		}
	}
	return append(say, untold...)
}

// ConclusionOf is VerdictOf without what each pair shows.
func ConclusionOf(c *compare.Comparison) []string {
	say, untold := conclusion(c)
	return append(say, untold...)
}

// conclusion says what a comparison shows as a whole, and what it does not.
func conclusion(c *compare.Comparison) (say, untold []string) {
	groups := c.Groups
	switch len(groups) {
	case 0:
		return nil, nil
	case 1:
		return []string{single(groups[0])}, nil
	}
	goal := GoalOf(groups)
	for _, k := range c.Knobs {
		switch {
		case k.Text == "", k.Effect == compare.Works:
		case k.Effect == compare.Untold:
			untold = append(untold, k.Text)
		default:
			say = append(say, k.Text)
		}
	}
	told := timed(groups)
	switch {
	case len(told) == 0 && goal.known():
		return say, append(untold, "No setting gave a correct answer, so none is to be recommended.")
	case len(told) == 0:
		return say, append(untold, "No run finished, so nothing is to be recommended.")
	case c.Clear:
		say = append(say, recommendation(goal, c))
	case len(told) == 1:
		say = append(say, fmt.Sprintf("Only runs of %s %s, in the median after %s: too few runs to be sure that the others cannot.", told[0].Label(), goal.did(), medianOf(told[0])))
	default:
		say = append(say, undecided(goal, c))
	}
	if !goal.known() {
		say = append(say, "Not every answer was checked: a run that finished may have been wrong.")
	}
	return say, untold
}

// timed returns the groups that have a median.
func timed(groups []measure.Group) []measure.Group {
	var list []measure.Group
	for _, g := range groups {
		if g.TimeToCorrect.N > 0 && g.TimeToCorrect.Median != nil {
			list = append(list, g)
		}
	}
	return list
}

// pairsShown bounds the sentences and causes below the recommendation: more would bury it.
const pairsShown = 3

func single(g measure.Group) string {
	goal := GoalOf([]measure.Group{g})
	if g.TimeToCorrect.N == 0 {
		return sentence(goal.None + ".")
	}
	s := "A correct answer took "
	if !goal.known() {
		s = "A run took "
	}
	s += medianOf(g) + " in the median"
	if g.Success != nil {
		s += fmt.Sprintf("; %s of %s %s", Percent(g.Success.Rate), traces.FormatCount(g.Told(), "run"), goal.did())
	}
	if len(g.Families) > 0 {
		most := slices.MaxFunc(g.Families, func(a, b measure.FamilyMean) int { return cmp.Compare(a.Mean, b.Mean) })
		part := "most of it"
		if most.Share < 0.5 {
			part = "the largest part of it"
		}
		s += fmt.Sprintf("; %s went to %s (%s)", part, most.Family, Percent(most.Share))
	}
	return s + "."
}

// recommendation names the group that beats every other one, and in what.
func recommendation(goal Goal, c *compare.Comparison) string {
	groups, best := c.Groups, c.Best
	g := &groups[best]
	s := "Use " + g.Label() + ": "
	if !goal.known() {
		s = "Best is " + g.Label() + ": "
	}
	s += often(goal, c)
	var sooner, later, unclear []string
	for i := range groups {
		other := &groups[i]
		switch {
		case i == best || other.TimeToCorrect.Median == nil:
		case c.Sooner(best, i):
			sooner = append(sooner, fmt.Sprintf("%s (%s)", medianOf(*other), other.Label()))
		case c.Sooner(i, best):
			later = append(later, fmt.Sprintf("%s (%s)", medianOf(*other), other.Label()))
		default:
			unclear = append(unclear, fmt.Sprintf("%s (%s)", medianOf(*other), other.Label()))
		}
	}
	median := medianOf(*g) + " in the median"
	switch {
	case len(sooner) > 0 && len(later)+len(unclear) == 0:
		s += fmt.Sprintf(", and soonest %s: %s against %s", goal.Right, median, and(sooner))
	case len(sooner) > 0:
		s += fmt.Sprintf(", and sooner %s: %s against %s", goal.Right, median, and(sooner))
	}
	switch {
	case len(later) > 0:
		s += fmt.Sprintf(", though later: %s against %s", median, and(later))
	case len(sooner) > 0 && len(unclear) > 0:
		s += "; not clearly sooner than " + and(unclear)
	case len(unclear) > 0:
		s += fmt.Sprintf("; how soon does not tell them apart: %s against %s", median, and(unclear))
	}
	return s + "."
}

// often compares how often a group was right with the others: "right as often as high (94 %), more often than low (67 %)".
func often(goal Goal, c *compare.Comparison) string {
	groups, best := c.Groups, c.Best
	g := &groups[best]
	rate := Percent(g.Success.Rate)
	var more, same, near []string
	for i := range groups {
		if i == best {
			continue
		}
		other := &groups[i]
		switch r := Percent(other.Success.Rate); {
		case c.MoreOften(best, i):
			more = append(more, fmt.Sprintf("%s (%s)", other.Label(), r))
		case r == rate:
			same = append(same, other.Label())
		default:
			near = append(near, fmt.Sprintf("%s (%s)", other.Label(), r))
		}
	}
	var s string
	switch {
	case len(same) > 0:
		s = fmt.Sprintf("%s as often as %s (%s)", goal.Right, and(same), rate)
	default:
		s = fmt.Sprintf("%s in %s of its runs", goal.Right, rate)
	}
	if len(more) > 0 {
		s += ", more often than " + and(more)
	}
	if len(near) > 0 {
		s += ", not clearly more or less often than " + and(near)
	}
	return s
}

// undecided says what was seen of the groups that none beats, and why it does not tell which to use.
func undecided(goal Goal, c *compare.Comparison) string {
	groups, open := c.Groups, c.Unbeaten
	if len(open) == 1 {
		open = nil // it beats some, not all: the others are open too
		for i := range groups {
			open = append(open, i)
		}
	}
	var labels, seen []string
	fewest := math.MaxInt
	for _, i := range open {
		g := groups[i]
		labels = append(labels, g.Label())
		fewest = min(fewest, g.N)
		rate := "an unknown share"
		if g.Success != nil {
			rate = Percent(g.Success.Rate)
		}
		s := fmt.Sprintf("of %s, %s %s", g.Label(), rate, goal.did())
		if g.TimeToCorrect.Median != nil {
			s += fmt.Sprintf(", in the median after %s", medianOf(g))
		}
		seen = append(seen, s)
	}
	runs := "these runs"
	if fewest < 30 {
		runs = "so few runs"
	}
	which := "Which to use"
	if len(open) < len(groups) {
		which = "Which of " + and(labels) + " to use"
	}
	if len(seen) > 4 {
		return fmt.Sprintf("%s cannot be told from %s.", which, runs)
	}
	return fmt.Sprintf("%s cannot be told from %s: %s.", which, runs, strings.Join(seen, "; "))
}

func medianOf(g measure.Group) string {
	t := g.TimeToCorrect
	s := Duration(*t.Median)
	if t.MoreThan {
		s = "more than " + s
	}
	return s
}

// sentence begins s with a capital.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
