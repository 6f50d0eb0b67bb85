package measure

import (
	"cmp"
	"math"
	"time"
)

// MoreOften reports whether the 95 % intervals of the success rates leave no doubt that a is right more often than b: they do
// not overlap, which is stricter than a test at 5 %.
func MoreOften(a, b *Group) bool {
	return a.Success != nil && b.Success != nil && a.Success.Low > b.Success.High
}

// Sooner reports whether the 95 % intervals of the medians leave no doubt that a is right sooner than b.
func Sooner(a, b *Group) bool {
	return a.TimeToCorrect.High != nil && b.TimeToCorrect.Low != nil && *a.TimeToCorrect.High < *b.TimeToCorrect.Low
}

// near is how much lower a success rate may be and still pass for the same where the intervals do not tell them apart.
const near = 0.05

// Beats reports whether a is the better choice beyond doubt: right more often, or sooner and, as far as can be told, as often.
func Beats(a, b *Group) bool {
	if a.Success == nil || b.Success == nil || MoreOften(b, a) {
		return false
	}
	return MoreOften(a, b) || Sooner(a, b) && a.Success.Rate >= b.Success.Rate-near
}

// Unbeaten returns the indices of the groups that no other one beats, in order; of all groups where each is beaten.
func Unbeaten(groups []Group) []int {
	var list, all []int
	for i := range groups {
		beaten := false
		for k := range groups {
			beaten = beaten || Beats(&groups[k], &groups[i])
		}
		if !beaten {
			list = append(list, i)
		}
		all = append(all, i)
	}
	if len(list) == 0 {
		return all
	}
	return list
}

// Best returns the index of the group that was most often right, then soonest, among those that no other one beats; clear
// if it beats every other. It is -1 without groups.
func Best(groups []Group) (index int, clear bool) {
	index = -1
	for _, i := range Unbeaten(groups) {
		if index < 0 || before(&groups[i], &groups[index]) {
			index = i
		}
	}
	clear = len(groups) > 1
	for i := range groups {
		clear = clear && (i == index || Beats(&groups[index], &groups[i]))
	}
	return index, clear
}

// before reports whether a was more often right than b, or as often and sooner, whatever the intervals say.
func before(a, b *Group) bool {
	return cmp.Or(cmp.Compare(seenRate(b), seenRate(a)), cmp.Compare(a.TimeToCorrect.order(), b.TimeToCorrect.order())) < 0
}

func seenRate(g *Group) float64 {
	if g.Success == nil {
		return -1
	}
	return g.Success.Rate
}

// order sorts medians: those that are only known to be more than something after those that are known, none last.
func (t Times) order() time.Duration {
	switch {
	case t.Median == nil:
		return math.MaxInt64
	case t.MoreThan:
		return math.MaxInt64/2 + *t.Median/2
	}
	return *t.Median / 2
}
