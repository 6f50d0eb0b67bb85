package cost

import (
	"math"
	"slices"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Bill is what the model calls of one or more runs cost, side calls included.
type Bill struct {
	Total   *Amount // nil: unknown, because some call is unpriced or uncounted
	Batch   *Amount // Total at the discount of batch processing; nil where a price has none
	Known   Amount  // of the calls that could be charged, Charged in number
	AtLeast bool    // Total may be more: something that may have been charged was not counted
	AtMost  bool    // Total may be less: nobody counted which of the input was cached

	Calls          int
	Charged        int
	Unpriced       int   // calls without a price
	UnpricedTokens int64 // input and output of those
	Uncounted      int   // calls with a price of which the tokens are not known
	Notes          []Note
}

// A Note is what has to be said of some calls: why they could not be charged, or how they were.
type Note struct {
	Text  string // "no price for acme-9"
	Calls int
}

// Run returns what a run costs. Where its calls were not counted one by one but as a whole, and all are of one model, the whole
// is charged.
func (t *Table) Run(r *measure.Run) Bill {
	var b Bill
	if whole, ok := wholeOf(r); ok {
		b.Calls = max(1, len(r.Calls))
		b.add(t.charge(whole.model, "", whole.used), b.Calls)
	} else {
		b.Calls = len(r.Calls)
		for i := range r.Calls {
			b.add(t.Call(&r.Calls[i]), 1)
		}
	}
	b.AtLeast = b.AtLeast || r.Open
	b.close()
	return b
}

type whole struct {
	used
	model string
}

// wholeOf returns the tokens of a run that were counted as a whole.
func wholeOf(r *measure.Run) (whole, bool) {
	model := r.Group["model"]
	for _, c := range r.Calls {
		if c.Usage.Output != nil || c.Usage.Input != nil || c.Model != "" && c.Model != model && model != "" {
			return whole{}, false
		}
		if model == "" {
			model = c.Model
		}
	}
	return whole{used{Usage: r.Usage.Usage}, model}, r.Usage.Output != nil || r.Usage.Input != nil
}

// add counts a charge for so many calls.
func (b *Bill) add(c Charge, calls int) {
	switch {
	case c.Amount != nil:
		b.Charged += calls
		b.Known = b.Known.Plus(*c.Amount)
		b.AtLeast, b.AtMost = b.AtLeast || c.AtLeast, b.AtMost || c.AtMost
		switch {
		case c.Batch == nil:
			b.Batch = nil
		case b.Charged == calls: // the first
			b.Batch = c.Batch
		case b.Batch != nil:
			sum := b.Batch.Plus(*c.Batch)
			b.Batch = &sum
		}
	case c.Unpriced:
		b.Unpriced += calls
		b.UnpricedTokens += c.Tokens
	default:
		b.Uncounted += calls
	}
	b.note(Note{c.Why, calls})
}

func (b *Bill) note(n Note) {
	if n.Text == "" {
		return
	}
	if i := slices.IndexFunc(b.Notes, func(o Note) bool { return o.Text == n.Text }); i >= 0 {
		b.Notes[i].Calls += n.Calls
		return
	}
	b.Notes = append(b.Notes, n)
}

// close decides whether the total is known. A run without a model call that was recorded is not known to have had none.
func (b *Bill) close() {
	if b.Calls == 0 {
		b.note(Note{Text: "no model call was recorded"})
	}
	if b.Calls == 0 || b.Charged < b.Calls || b.AtLeast && b.AtMost {
		b.Total, b.Batch, b.AtLeast, b.AtMost = nil, nil, false, false
		return
	}
	known := b.Known
	b.Total = &known
}

// A GroupBill is what the runs of one setting cost.
type GroupBill struct {
	Bill       // of all runs together
	Runs       int
	Unknown    int     // runs whose cost is unknown; above 0 so is Total
	Counted    int     // runs of which everything that may have been charged was counted
	PerCorrect *Amount // cost of all runs, right or wrong, ÷ correct answers; nil without any, or where the cost is unknown

	// The cost of a run is of the Counted ones if these are more than half, as a few that broke off should not hide what the others
	// cost; else it is a bound over all. Nil where neither is known, or some call has no price.
	PerRun     *Amount // mean
	Median     *Amount
	Low, High  *Amount // 95 % interval of the median from order statistics, what was not counted as dearer than known; nil with too few
	RunAtLeast bool    // the four may be more
	RunAtMost  bool    // or less
}

// Group returns what the runs of a group cost.
func (t *Table) Group(g *measure.Group) GroupBill {
	b := GroupBill{Runs: len(g.Runs)}
	var counted, dearer []Amount // dearer: than so much
	for _, r := range g.Runs {
		one := t.Run(r)
		b.join(one)
		switch {
		case one.Total == nil:
			b.Unknown++
			dearer = append(dearer, one.Known)
		case one.AtLeast:
			dearer = append(dearer, *one.Total)
		default:
			counted = append(counted, *one.Total)
			b.RunAtMost = b.RunAtMost || one.AtMost
		}
	}
	b.Counted = len(counted)
	switch {
	case b.Unpriced > 0:
	case 2*b.Counted > b.Runs:
		b.spread(counted, dearer)
	case b.Unknown == 0 && b.Runs > 0 && !b.AtMost:
		b.RunAtLeast = true
		b.spread(slices.Concat(counted, dearer), nil)
	}
	if b.Runs == 0 || b.Unknown > 0 || b.AtLeast && b.AtMost {
		b.Total, b.Batch, b.AtLeast, b.AtMost = nil, nil, false, false
		return b
	}
	known := b.Known
	b.Total = &known
	if g.Succeeded > 0 {
		perCorrect := known.Over(int64(g.Succeeded))
		b.PerCorrect = &perCorrect
	}
	return b
}

// join adds the bill of another run.
func (b *GroupBill) join(one Bill) {
	switch {
	case b.Calls == 0:
		b.Batch = one.Batch
	case b.Batch != nil && one.Batch != nil:
		sum := b.Batch.Plus(*one.Batch)
		b.Batch = &sum
	default:
		b.Batch = nil
	}
	b.Known = b.Known.Plus(one.Known)
	b.AtLeast, b.AtMost = b.AtLeast || one.AtLeast, b.AtMost || one.AtMost
	b.Calls += one.Calls
	b.Charged += one.Charged
	b.Unpriced += one.Unpriced
	b.UnpricedTokens += one.UnpricedTokens
	b.Uncounted += one.Uncounted
	for _, n := range one.Notes {
		b.note(n)
	}
}

// spread finds the mean and the median of runs, and the interval of the median where other runs are dearer than so much. All of it is by rank,
// so that it stays exact.
func (b *GroupBill) spread(counted, dearer []Amount) {
	var sum Amount
	for _, a := range counted {
		sum = sum.Plus(a)
	}
	mean := sum.Over(int64(len(counted)))
	slices.SortFunc(counted, Amount.Cmp)
	middle := counted[(len(counted)-1)/2].Plus(counted[len(counted)/2]).Over(2)
	b.PerRun, b.Median = &mean, &middle

	all := slices.SortedFunc(slices.Values(slices.Concat(counted, dearer)), Amount.Cmp)
	ranks := func(list []Amount) (ranks []float64) {
		for _, a := range list {
			i, _ := slices.BinarySearchFunc(all, a, Amount.Cmp)
			ranks = append(ranks, float64(i))
		}
		return ranks
	}
	sample := stats.Sample{Exact: ranks(counted), Above: ranks(dearer)}
	if i, ok := sample.MedianInterval(level); ok && !math.IsInf(i.High, 1) {
		b.Low, b.High = &all[int(i.Low)], &all[int(i.High)]
	}
}

// level is the confidence of every interval that is reported.
const level = 0.95
