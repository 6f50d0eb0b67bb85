package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// Method says how the difference of two means is split.
const Method = "Where a mean is a product, as steps × calls × tokens × time per token, its change is shared out over the factors by the " +
	"Shapley value, the mean over all orders in which they could have changed (Shorrocks 2013, Sun 1998): the causes add up exactly, whatever the order."

// pairs writes why groups differ, one pair after the other.
func (p *page) pairs(c *compare.Comparison) {
	shown, _ := capped(c.Pairs, pairsShown)
	any := false
	for _, pair := range shown {
		if pair.MeanDifference == nil {
			continue
		}
		any = true
		p.causes(&pair)
	}
	if any {
		p.line()
		p.aside("Differences of the means of " + GoalOf(c.Groups).Runs + ", on the critical path. " + Method)
	}
	said := map[string]bool{}
	for _, pair := range shown {
		for _, note := range slices.Concat(pair.Notes, pair.CauseNotes) {
			if !said[note] {
				p.aside(note)
			}
			said[note] = true
		}
	}
}

// causesShown is how many causes of a pair are listed before the rest is summed up.
const causesShown = 10

// shownCauses returns the causes to list, and how many to sum up.
func shownCauses(all []compare.Cause) (shown []compare.Cause, more int) {
	shown, more = capped(all, causesShown)
	if more == 1 { // no shorter with the rest summed up
		return all, 0
	}
	return shown, more
}

// causes draws the parts of the difference of two means as bars to both sides of an axis: left of it what made b faster.
func (p *page) causes(pair *compare.Pair) {
	a, b := p.label(*pair.A), p.label(*pair.B)
	p.line()
	if len(pair.Causes) == 0 {
		p.line(p.bold("why "+b+p.draw(" − ")+a), ": nothing differs in the mean")
		return
	}
	p.line(p.bold("why "+b+p.draw(" − ")+a), p.draw(" = "), p.bold(p.plainDifference(*pair.MeanDifference)), " in the mean")
	shown, more := shownCauses(pair.Causes)
	least, most := time.Duration(0), time.Duration(0)
	for _, c := range shown {
		least, most = min(least, c.Time), max(most, c.Time)
	}
	cells := min(max(p.width-70, 12), 60)
	scale := float64(cells) / float64(most-least)
	axis := int(math.Round(float64(-least) * scale))
	if least < 0 {
		axis = max(axis, 1)
	}
	if most > 0 {
		axis = min(axis, cells-1)
	}
	var rows [][]string
	rest := *pair.MeanDifference
	for _, c := range shown {
		rest -= c.Time
		rows = append(rows, []string{Clean(c.Name), p.difference(c.Time), p.causeBar(c, scale, axis, cells-axis), p.draw(Factors(c))})
	}
	if more > 0 {
		rows = append(rows, []string{traces.FormatCount(more, "other cause"), p.difference(rest), "", ""})
	}
	rows = append(rows, []string{"sum", p.difference(*pair.MeanDifference), "", ""})
	p.table([]column{{head: "", flex: true}, {head: "", right: true}, {head: axisHead(axis, cells), keep: 2},
		{head: fit(a, 14, p.draw("…")) + p.draw(" → ") + fit(b, 14, p.draw("…")), keep: 1}}, rows)
}

// plainDifference writes a difference in a sentence: causes may even each other out.
func (p *page) plainDifference(d time.Duration) string {
	if d == 0 {
		return p.duration(0)
	}
	return strings.TrimSpace(p.difference(d))
}

// axisHead names the sides of an axis, as far as there is room.
func axisHead(left, right int) string {
	faster, slower := "faster", "slower"
	if left < len(faster) {
		faster = ""
	}
	if right-left < len(slower) {
		slower = ""
	}
	return pad(faster, left, true) + " | " + slower
}

// causeBar draws a cause left or right of the axis.
func (p *page) causeBar(c compare.Cause, scale float64, left, right int) string {
	n := max(1, int(math.Round(math.Abs(float64(c.Time))*scale)))
	m := mark{"=", "steps, calls and late starts", "97"}
	if c.Family != "" {
		m = markOfFamily(c.Family)
	}
	if c.Time < 0 {
		n = min(n, left)
		return strings.Repeat(" ", left-n) + p.cells(m, n) + " |"
	}
	return strings.Repeat(" ", left) + " | " + p.cells(m, min(n, right))
}

// Factors writes what a cause is the change of, for both groups: "52 → 118", "25 ms → 31 ms"; "-" where one did not get as far.
func Factors(c compare.Cause) string {
	value := func(f *float64) string {
		switch {
		case f == nil:
			return "-"
		case c.InTime:
			return Duration(time.Duration(math.Round(*f)))
		case *f >= 100:
			return Count(int64(math.Round(*f)))
		}
		return fmt.Sprintf("%.3g", *f)
	}
	return value(c.A) + " → " + value(c.B)
}

// distributions draws how long each group's runs took, all on one axis: the share of a group's runs in each column's time, the fullest
// column of all groups as high as it goes.
func (p *page) distributions(groups []measure.Group) {
	shortest, longest, fewest := time.Duration(math.MaxInt64), time.Duration(0), math.MaxInt
	labels := 0
	for _, g := range groups {
		labels = max(labels, ansi.StringWidth(p.label(g)))
		if t := g.TimeToCorrect; t.N > 0 {
			shortest, longest, fewest = min(shortest, *t.Min), max(longest, *t.Max), min(fewest, t.N)
		}
	}
	if longest <= shortest || fewest < 4 {
		return
	}
	labels = min(labels, p.width/3)
	cells := min(p.width-2-labels-2-12, 72)
	bins := make([][]float64, len(groups))
	most := 0.0
	for i, g := range groups {
		bins[i] = g.Distribution(shortest, longest, cells)
		for _, share := range bins[i] {
			most = max(most, share)
		}
	}
	from, to := p.duration(shortest), p.duration(longest)
	p.section("how long " + GoalOf(groups).Runs + " took")
	p.line("  ", pad("", labels, false), "  ", p.dim(from+strings.Repeat(" ", max(1, cells-ansi.StringWidth(from)-ansi.StringWidth(to)))+to))
	for i, g := range groups {
		cut := ""
		if g.Censored > 0 {
			cut = fmt.Sprintf(" %d cut off", g.Censored)
		}
		p.line("  ", pad(fit(p.label(g), labels, p.draw("…")), labels, false), "  ", p.sgr("36", p.sparks(bins[i], most)), cut)
	}
}

// sparks draws heights, most as the highest; what is not nothing is at least the lowest.
func (p *page) sparks(heights []float64, most float64) string {
	ramp := []rune("▁▂▃▄▅▆▇█")
	if p.ascii {
		ramp = []rune(".:-=+*#@")
	}
	var b strings.Builder
	for _, h := range heights {
		if h <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(ramp[min(int(h/most*float64(len(ramp))), len(ramp)-1)])
	}
	return b.String()
}
