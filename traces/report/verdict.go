package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// verdict says in plain sentences what a comparison shows, and no more than it shows: a difference of medians is called one only
// where the two 95 % intervals do not overlap, which is stricter than a test at 5 %, and so is a difference of success
// rates.
func verdict(groups []measure.Group) []string {
	if len(groups) == 1 {
		return single(groups[0])
	}
	var say []string
	if s := unchanged(groups); s != "" {
		say = append(say, s)
	}
	var timed []measure.Group // with a median, soonest first
	for _, g := range groups {
		if g.TimeToCorrect.N > 0 && g.TimeToCorrect.Median != nil {
			timed = append(timed, g)
		}
	}
	slices.SortStableFunc(timed, func(a, b measure.Group) int {
		x, y := a.TimeToCorrect, b.TimeToCorrect
		if x.MoreThan != y.MoreThan {
			if x.MoreThan {
				return 1
			}
			return -1
		}
		return cmp.Compare(*x.Median, *y.Median)
	})
	switch len(timed) {
	case 0:
		return append(say, "no setting gave a correct answer, so none is faster.")
	case 1:
		return append(say, fmt.Sprintf("only %s gave correct answers, in the median after %s.", timed[0].Label(), medianOf(timed[0])))
	}
	return append(say, ranking(groups, timed)...)
}

func single(g measure.Group) []string {
	if g.TimeToCorrect.N == 0 {
		return []string{"no correct answer."}
	}
	s := "a correct answer took " + medianOf(g) + " in the median; " + right(g)
	if len(g.Families) > 0 {
		most := slices.MaxFunc(g.Families, func(a, b measure.FamilyMean) int { return cmp.Compare(a.Mean, b.Mean) })
		s += fmt.Sprintf("; most of it went to %s (%s)", most.Family, Percent(most.Share))
	}
	return []string{s + "."}
}

// unchanged finds an effort dial that the server ignored: the same reasoning tokens whatever was asked for.
func unchanged(groups []measure.Group) string {
	if !slices.Contains(groups[0].By, "effort") {
		return ""
	}
	least, most := math.Inf(1), 0.0
	for _, g := range groups {
		if g.Tokens.Reasoning == nil {
			return ""
		}
		least, most = min(least, *g.Tokens.Reasoning), max(most, *g.Tokens.Reasoning)
	}
	switch {
	case most == 0:
		return "effort changed nothing: no reasoning tokens at any setting."
	case most <= 1.02*least:
		return fmt.Sprintf("effort changed nothing: about %.0f reasoning tokens a run at every setting.", most)
	}
	return ""
}

// ranking compares the soonest group with the one that answers fastest per call, else with the next one.
func ranking(groups, timed []measure.Group) []string {
	best := timed[0]
	other, perCall := timed[1], false
	if quick := quickest(groups); quick != nil && quick.Label() != best.Label() && quick.TimeToCorrect.Median != nil && best.Calls.Time != nil {
		other, perCall = *quick, true
	}
	lead := ""
	if perCall {
		lead = fmt.Sprintf("%s answers faster per call (%s against %s), ", other.Label(), Duration(*other.Calls.Time), Duration(*best.Calls.Time))
	}
	figures := fmt.Sprintf("in the median %s against %s", medianOf(best), medianOf(other))
	var say []string
	switch {
	case !apart(best, other) && perCall:
		say = append(say, lead+fmt.Sprintf("but is no sooner right than %s: no clear difference in so few runs (%s; %s).", best.Label(), figures, doubt(best, other)))
	case !apart(best, other):
		say = append(say, fmt.Sprintf("no clear difference in so few runs between %s and %s: %s (%s).", best.Label(), other.Label(), figures, doubt(best, other)))
	case perCall:
		say = append(say, lead+fmt.Sprintf("but %s is sooner right, %s%s.", best.Label(), figures, because(best, other)))
	default:
		say = append(say, fmt.Sprintf("%s is right soonest, %s for %s%s.", best.Label(), figures, other.Label(), because(best, other)))
	}
	others := timed[1:]
	if len(others) > 4 {
		others = nil // a sentence for each would bury the first
	}
	for _, g := range others {
		switch {
		case g.Label() == other.Label():
		case apart(best, g):
			say = append(say, fmt.Sprintf("%s is later too: %s%s.", g.Label(), medianOf(g), because(best, g)))
		default:
			say = append(say, fmt.Sprintf("%s is not clearly later: %s (%s).", g.Label(), medianOf(g), doubt(best, g)))
		}
	}
	return append(say, rates(groups))
}

// rates says whether one setting is right more often.
func rates(groups []measure.Group) string {
	var told []measure.Group
	for _, g := range groups {
		if g.Success != nil {
			told = append(told, g)
		}
	}
	if len(told) < 2 {
		return "how often answers are right cannot be compared."
	}
	byRate := func(a, b measure.Group) int { return cmp.Compare(a.Success.Rate, b.Success.Rate) }
	low, high := slices.MinFunc(told, byRate), slices.MaxFunc(told, byRate)
	switch {
	case low.Success.Rate == high.Success.Rate:
		return fmt.Sprintf("all were right equally often (%s).", Percent(low.Success.Rate))
	case high.Success.Low > low.Success.High:
		return fmt.Sprintf("%s is right more often: %s against %s for %s.", high.Label(), Percent(high.Success.Rate), Percent(low.Success.Rate), low.Label())
	}
	return fmt.Sprintf("which is right more often cannot be told from so few runs (%s %s, %s %s).",
		low.Label(), Percent(low.Success.Rate), high.Label(), Percent(high.Success.Rate))
}

// quickest returns the group whose single calls are shortest.
func quickest(groups []measure.Group) *measure.Group {
	var best *measure.Group
	for i, g := range groups {
		if g.Calls.Time != nil && (best == nil || *g.Calls.Time < *best.Calls.Time) {
			best = &groups[i]
		}
	}
	return best
}

// apart reports whether the medians' intervals leave no doubt that a's is smaller.
func apart(a, b measure.Group) bool {
	return a.TimeToCorrect.High != nil && b.TimeToCorrect.Low != nil && *a.TimeToCorrect.High < *b.TimeToCorrect.Low
}

// doubt says why a difference is not called one.
func doubt(a, b measure.Group) string {
	if a.TimeToCorrect.Low == nil || b.TimeToCorrect.Low == nil {
		return "too few correct runs for an interval"
	}
	return "the 95 % intervals of the medians overlap"
}

// because names the family that explains most of the difference of the means, where the means differ the same way as the medians.
func because(best, other measure.Group) string {
	if best.MeanWall == nil || other.MeanWall == nil || *best.MeanWall >= *other.MeanWall {
		return ""
	}
	mean := func(g measure.Group, f traces.Family) time.Duration {
		for _, m := range g.Families {
			if m.Family == f {
				return m.Mean
			}
		}
		return 0
	}
	most, saved := traces.Family(""), time.Duration(0)
	for _, f := range traces.Families {
		if d := mean(other, f) - mean(best, f); d > saved {
			most, saved = f, d
		}
	}
	s := fmt.Sprintf("; on average %s more went to %s with %s", Duration(saved), most, other.Label())
	if x, y := best.Calls.PerRun, other.Calls.PerRun; *y-*x >= 0.1 {
		s += fmt.Sprintf(" and it took %.1f model calls a run against %.1f", *y, *x)
	}
	return s
}

func medianOf(g measure.Group) string {
	t := g.TimeToCorrect
	s := Duration(*t.Median)
	if t.MoreThan {
		s = "more than " + s
	}
	return s
}

func right(g measure.Group) string {
	if g.Success == nil {
		return "how many were right is not known"
	}
	return fmt.Sprintf("%s of %s were right", Percent(g.Success.Rate), plural(g.N-g.Unknown, "run"))
}
