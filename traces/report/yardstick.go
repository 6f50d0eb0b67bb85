package report

import (
	"io"
	"slices"

	"github.com/seed46266073/longpole/traces/ceiling"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/cost"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/pace"
)

// Yardsticks are what groups of runs are held against beside each other: what uses need, prices, and what hardware can do at
// best. The zero value holds them against nothing, and leaves their rates.
type Yardsticks struct {
	Targets *pace.Targets    // nil: no use is judged
	Prices  *cost.Table      // nil: nothing costs
	Ceiling *ceiling.Setup   // nil: nothing is bounded
	Claims  []ceiling.Figure // published figures
}

// held is a group and what the yardsticks say of it.
type held struct {
	measure.Group
	rates    measure.Rates
	steady   pace.Steadiness
	findings []pace.Finding
	bill     *cost.GroupBill // nil without prices
	standing cost.Standing
	bounded  *ceiling.Measured // nil without a ceiling
}

// hold computes everything once, for text and documents alike.
func (y Yardsticks) hold(groups []measure.Group) []held {
	list := make([]held, len(groups))
	rates := measure.RatesOf(groups)
	var bills []cost.GroupBill
	for i := range groups {
		h := &list[i]
		h.Group, h.rates, h.steady = groups[i], rates[i], pace.SteadinessOf(groups[i].Runs)
		if y.Targets != nil {
			h.findings = y.Targets.Judge(&groups[i])
		}
		if y.Ceiling != nil {
			m := y.Ceiling.Measure(groups[i].Runs)
			h.bounded = &m
		}
		if y.Prices != nil {
			bill := y.Prices.Group(&groups[i])
			h.bill, bills = &bill, append(bills, bill)
		}
	}
	if y.Prices != nil {
		for i, standing := range cost.Front(compare.Of(groups, compare.Options{Pairs: compare.All}), bills) {
			list[i].standing = standing
		}
	}
	return list
}

// bills returns what groups cost; nil without prices.
func (y Yardsticks) bills(groups []measure.Group) []cost.GroupBill {
	if y.Prices == nil {
		return nil
	}
	return list(groups, func(g measure.Group) cost.GroupBill { return y.Prices.Group(&g) })
}

// WriteText writes how fast groups wrote, whether that is enough, what they cost and what would be possible, for people: in
// each table the time to a finished answer first.
func (y Yardsticks) WriteText(w io.Writer, groups []measure.Group, opt TextOptions) error {
	p := newPage(opt)
	p.yardsticks(y, groups)
	return p.writeTo(w)
}

// WriteRuns is WriteText for runs, put into groups by what differs among them: model and effort.
func (y Yardsticks) WriteRuns(w io.Writer, runs []*measure.Run, opt TextOptions) error {
	if len(runs) == 0 {
		return nil
	}
	return y.WriteText(w, measure.GroupBy(runs, varying(runs)...), opt)
}

func (p *page) yardsticks(y Yardsticks, groups []measure.Group) {
	if len(groups) == 0 {
		return
	}
	list := y.hold(groups)
	p.rates(list)
	p.loads(groups)
	if y.Targets != nil {
		p.paces(*y.Targets, list)
	}
	if y.Prices != nil {
		p.costs(*y.Prices, list)
	}
	if y.Ceiling != nil {
		p.ceilings(*y.Ceiling, list)
	}
	p.claims(y.Ceiling, y.Claims)
}

// first are the columns that every table begins with: whose row it is, and how long a finished answer took.
func (p *page) first(list []held) []column {
	return []column{{head: p.keys(list), flex: true}, {head: "time to answer", right: true}}
}

// keys is what groups are told apart by.
func (p *page) keys(list []held) string {
	head := ""
	for i, k := range list[0].By {
		if i > 0 {
			head += p.draw(" · ")
		}
		head += Clean(k)
	}
	return head
}

// begin are the cells of the first columns.
func (p *page) begin(h *held) []string {
	t := p.maybe(h.TimeToCorrect.Median)
	if h.TimeToCorrect.MoreThan {
		t = "> " + t
	}
	return []string{p.values(h.Group), t}
}

// who names groups before a sentence about them: nobody if it is about all.
func (p *page) who(all []held, some ...*held) string {
	if len(some) == len(all) {
		return ""
	}
	s := ""
	for i, h := range some {
		if i > 0 {
			s += ", "
		}
		s += p.label(h.Group)
	}
	return s + ": "
}

// models returns the models that answered in a group, sorted.
func models(g measure.Group) []string {
	var list []string
	for _, r := range g.Runs {
		for _, c := range r.Calls {
			if c.Model != "" && !c.Side {
				list = append(list, c.Model)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
