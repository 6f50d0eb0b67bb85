package compare

import (
	"cmp"
	"math"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
)

// near is how much lower a success rate may be and still pass for the same where the test does not tell them apart.
const near = 0.05

// Sooner reports whether group a is right sooner than group b beyond doubt.
func (c *Comparison) Sooner(a, b int) bool {
	p, b1 := c.known(a, b)
	return p != nil && (b1 == a && p.Verdict == Faster || b1 == b && p.Verdict == Slower)
}

// MoreOften reports whether group a is right more often than group b beyond doubt.
func (c *Comparison) MoreOften(a, b int) bool {
	p, b1 := c.known(a, b)
	return p != nil && p.Success.told() && (p.Success.Rate > 0) == (b1 == a)
}

// Beats reports whether group a is the better choice beyond doubt: right more often, or sooner and, as far as can be told, as often.
func (c *Comparison) Beats(a, b int) bool {
	x, y := c.Groups[a].Success, c.Groups[b].Success
	if x == nil || y == nil || c.MoreOften(b, a) {
		return false
	}
	return c.MoreOften(a, b) || c.Sooner(a, b) && x.Rate >= y.Rate-near
}

// known returns what was computed of two groups, and which of them is B in it; nil if nothing was.
func (c *Comparison) known(a, b int) (p *Pair, which int) {
	if a < b {
		return c.against[[2]int{a, b}], b
	}
	return c.against[[2]int{b, a}], a
}

// best finds the groups that none beats and the first among them. looks is the one that seems best.
func (c *Comparison) best(looks int) (best int, unbeaten []int, clear bool) {
	best = looks
	if looks < 0 {
		return
	}
	for i := range c.Groups {
		beaten := false
		for k := range c.Groups {
			beaten = beaten || k != i && c.Beats(k, i)
		}
		if !beaten {
			unbeaten = append(unbeaten, i)
		}
	}
	if len(unbeaten) == 0 {
		for i := range c.Groups {
			unbeaten = append(unbeaten, i)
		}
	}
	if len(c.Groups) <= everyPair {
		best = unbeaten[0]
		for _, i := range unbeaten {
			if before(&c.Groups[i], &c.Groups[best]) {
				best = i
			}
		}
	}
	clear = len(c.Groups) > 1
	for i := range c.Groups {
		clear = clear && (i == best || c.Beats(best, i))
	}
	return best, unbeaten, clear
}

// looksBest returns the group that was most often right, then soonest, whatever the intervals say; -1 without groups.
func looksBest(groups []measure.Group) int {
	best := -1
	for i := range groups {
		if best < 0 || before(&groups[i], &groups[best]) {
			best = i
		}
	}
	return best
}

func before(a, b *measure.Group) bool {
	return cmp.Or(cmp.Compare(seenRate(b), seenRate(a)), cmp.Compare(order(a.TimeToCorrect), order(b.TimeToCorrect))) < 0
}

func seenRate(g *measure.Group) float64 {
	if g.Success == nil {
		return -1
	}
	return g.Success.Rate
}

// order sorts medians: those that are only known to be more than something after those that are known, none last.
func order(t measure.Times) time.Duration {
	switch {
	case t.Median == nil:
		return math.MaxInt64
	case t.MoreThan:
		return math.MaxInt64/2 + *t.Median/2
	}
	return *t.Median / 2
}
