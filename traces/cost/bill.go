package cost

import (
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
	PerRun     *Amount // mean
	PerCorrect *Amount // cost of all runs, right or wrong, ÷ correct answers; nil without any, or where the cost is unknown

	Median, Low, High *Amount // cost of a run with its 95 % interval from order statistics; nil where unknown or too few
}

// Group returns what the runs of a group cost.
func (t *Table) Group(g *measure.Group) GroupBill {
	b := GroupBill{Runs: len(g.Runs)}
	var each []Amount
	for _, r := range g.Runs {
		one := t.Run(r)
		b.join(one)
		if one.Total == nil {
			b.Unknown++
			continue
		}
		each = append(each, *one.Total)
	}
	if b.Runs == 0 || b.Unknown > 0 || b.AtLeast && b.AtMost {
		b.Total, b.Batch, b.AtLeast, b.AtMost = nil, nil, false, false
		return b
	}
	known := b.Known
	b.Total = &known
	mean := known.Over(int64(b.Runs))
	b.PerRun = &mean
	if g.Succeeded > 0 {
		perCorrect := known.Over(int64(g.Succeeded))
		b.PerCorrect = &perCorrect
	}
	b.spread(each)
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

// spread finds the median and its interval by rank, so that they stay exact.
func (b *GroupBill) spread(each []Amount) {
	slices.SortFunc(each, Amount.Cmp)
	ranks := make([]float64, len(each))
	for i := range ranks {
		ranks[i] = float64(i)
	}
	middle := each[(len(each)-1)/2].Plus(each[len(each)/2]).Over(2)
	b.Median = &middle
	if i, ok := stats.MedianInterval(ranks, level); ok {
		b.Low, b.High = &each[int(i.Low)], &each[int(i.High)]
	}
}

// level is the confidence of every interval that is reported.
const level = 0.95
