package compare

import (
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

const (
	level = 0.95 // of every interval
	alpha = 0.05 // chance of a false alarm over all pairs together
	power = 0.8  // with which a difference called detectable is seen
)

// Pairs says which pairs of groups are shown.
type Pairs string

// The choices of pairs. In each pair the other group is compared against the first or best one.
const (
	Best  Pairs = "best"  // each group against the best one; also the empty choice
	First Pairs = "first" // each group against the first one
	All   Pairs = "all"   // each group against each one before it
)

// Source is the tag that says where a run was read from, which is nothing that was recorded of it.
const Source = "source"

// Options say what is compared. The zero value is what everyone wants.
type Options struct {
	Pairs Pairs
}

// A Comparison is what groups look like side by side. Read-only.
type Comparison struct {
	Groups   []measure.Group
	Pairs    []Pair // in the order of the groups
	Knobs    []Knob // what the effort dial did, for each setting of the other keys; nil if effort is none of the keys
	Best     int    // the group to choose: right most often, then soonest, among Unbeaten; -1 without groups
	Clear    bool   // Best beats every other group beyond doubt
	Unbeaten []int  // groups that none beats, in order; all where each is beaten

	against map[[2]int]*Pair // b against a, by their places a < b, as far as computed
}

// everyPair is up to how many groups all pairs are computed, whichever are shown: 120 pairs.
const everyPair = 16

// Groups returns the pairs that opt chooses.
func Groups(groups []measure.Group, opt Options) []Pair { return Of(groups, opt).Pairs }

// Of compares groups. Beyond 16 groups only the pairs with the group that looks best, or those asked for, are computed.
func Of(groups []measure.Group, opt Options) *Comparison {
	n := len(groups)
	c := &Comparison{Groups: groups, Knobs: knobs(groups), against: map[[2]int]*Pair{}}
	looks := looksBest(groups)
	made := n * (n - 1) / 2
	var order []*Pair
	for b := range n {
		for a := range b {
			if n <= everyPair || opt.Pairs == All || opt.Pairs == First && a == 0 || a == looks || b == looks {
				p := test(&groups[a], &groups[b], made)
				c.against[[2]int{a, b}] = p
				order = append(order, p)
			}
		}
	}
	adjust(order, made)
	c.Best, c.Unbeaten, c.Clear = c.best(looks)
	for _, at := range c.chosen(opt.Pairs) {
		c.Pairs = append(c.Pairs, c.Pair(at[0], at[1]))
	}
	return c
}

// Pair compares group b with group a, which are places in Groups, shown or not. It costs what a comparison of two groups does.
func (c *Comparison) Pair(a, b int) Pair {
	made := len(c.Groups) * (len(c.Groups) - 1) / 2
	p := c.pair(a, b, made)
	p.MeanDifference, p.Causes, p.CauseNotes = causes(p.A, p.B)
	p.Text = p.text(made)
	return *p
}

// adjust takes into account how many pairs were tested, in time and in success apart, and draws the conclusions.
func adjust(pairs []*Pair, made int) {
	for i := range 2 { // times, success
		var at []*float64
		var ps []float64
		for _, p := range pairs {
			if v := p.tested()[i]; v != nil {
				at, ps = append(at, v), append(ps, *v)
			}
		}
		for i, v := range stats.Holm(ps, made) {
			*at[i] = v
		}
	}
	for _, p := range pairs {
		p.conclude(made)
	}
}

// tested returns where the p of the times and that of the success are kept; nil: there is none.
func (p *Pair) tested() [2]*float64 {
	if p.Success == nil {
		return [2]*float64{p.P}
	}
	return [2]*float64{p.P, &p.Success.P}
}

// chosen returns the places of the pairs to show, a before b.
func (c *Comparison) chosen(pairs Pairs) [][2]int {
	var list [][2]int
	for b := range c.Groups {
		switch pairs {
		case All:
			for a := range b {
				list = append(list, [2]int{a, b})
			}
		case First:
			if b > 0 {
				list = append(list, [2]int{0, b})
			}
		default:
			if b != c.Best {
				list = append(list, [2]int{c.Best, b})
			}
		}
	}
	return list
}

// pair returns group b against group a. What was not tested with the others is held against a stricter limit than they are, that of Bonferroni.
func (c *Comparison) pair(a, b, made int) *Pair {
	known := c.against[[2]int{min(a, b), max(a, b)}]
	if known != nil && a < b {
		return known
	}
	p := test(&c.Groups[a], &c.Groups[b], made)
	for i, v := range p.tested() {
		switch {
		case v == nil:
		case known != nil:
			*v = *known.tested()[i]
		default:
			*v = min(1, *v*float64(made))
		}
	}
	p.conclude(made)
	return p
}
