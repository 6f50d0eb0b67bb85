package cost

import (
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Standing is where a setting stands when time, success and cost count together.
type Standing struct {
	Known    bool // all three are known, so that it can be compared
	Front    bool // no other setting beats it
	BeatenBy int  // index of a setting that does; -1 for none
}

// Front tells which settings are beaten in time to a correct answer, success and cost of a run together. One setting beats another
// that in what was seen is better in none of the three, and in one of them worse beyond doubt: by the tests of the comparison in time
// and success, in cost where the 95 % intervals of the medians do not overlap. So a setting that looks worse, but not beyond doubt, stays on
// the front, as do pairs that were not compared. A setting of which one of the three is unknown neither beats nor is beaten. Bills are those of the
// comparison's groups, in the same order.
func Front(c *compare.Comparison, bills []GroupBill) []Standing {
	groups := c.Groups
	list := make([]Standing, len(groups))
	for i := range groups {
		list[i] = Standing{Known: known(&groups[i], &bills[i]), BeatenBy: -1}
	}
	for i := range list {
		for k := range list {
			if list[i].Known && list[k].Known && list[i].BeatenBy < 0 && beats(c, k, i, &bills[k], &bills[i]) {
				list[i].BeatenBy = k
			}
		}
		list[i].Front = list[i].Known && list[i].BeatenBy < 0
	}
	return list
}

func known(g *measure.Group, b *GroupBill) bool {
	return g.Success != nil && g.TimeToCorrect.Median != nil && !g.TimeToCorrect.MoreThan && b.Median != nil
}

// beats reports whether group a, whose bill is x, beats group b, whose bill is y.
func beats(c *compare.Comparison, a, b int, x, y *GroupBill) bool {
	p, q := &c.Groups[a], &c.Groups[b]
	if x.RunAtLeast || y.RunAtMost { // a may cost more, or b less
		return false
	}
	if p.Success.Rate < q.Success.Rate || *p.TimeToCorrect.Median > *q.TimeToCorrect.Median || x.Median.Cmp(*y.Median) > 0 {
		return false
	}
	cheaper := x.High != nil && y.Low != nil && x.High.Cmp(*y.Low) < 0
	return cheaper || c.MoreOften(a, b) || c.Sooner(a, b)
}
