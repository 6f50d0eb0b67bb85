package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/cost"
)

// costs writes what groups cost beside how long they took and how often they were right, and which of them none beats.
func (p *page) costs(table cost.Table, list []held) {
	p.section(fmt.Sprintf("cost in %s, at prices of %s", table.Currency, table.Date.Format(time.DateOnly)))
	columns := append(p.first(list), column{head: "right", right: true, keep: 4}, column{head: "a run", right: true}, column{head: "95 %", keep: 1},
		column{head: "a correct answer", right: true}, column{head: "in batches", right: true, keep: 2}, column{head: "all runs", right: true, keep: 3}, column{head: "front"})
	var rows [][]string
	several := len(list) > 1
	columns[len(columns)-1].out = !several
	for i := range list {
		h := &list[i]
		b := h.bill
		right := unknown
		if h.Success != nil {
			right = Percent(h.Success.Rate)
		}
		rows = append(rows, append(p.begin(h), right, p.perRun(b), p.costInterval(b), p.money(b.PerCorrect, b.Bill), p.money(b.Batch, b.Bill), p.money(b.Total, b.Bill), p.front(h)))
	}
	p.table(columns, rows)
	if several {
		p.aside("● not beaten beyond doubt on time, success and cost together")
	}
	p.aside("a correct answer: what all runs cost, right or wrong, ÷ correct answers")
	p.billNotes(list, table.Currency)
	p.pricesAge(table, list)
}

func (p *page) front(h *held) string {
	switch {
	case h.standing.Front:
		return p.draw("●")
	case !h.standing.Known:
		return "not compared"
	}
	return ""
}

// perRun writes the mean cost of the runs that were fully counted.
func (p *page) perRun(b *cost.GroupBill) string {
	switch {
	case b.PerRun == nil:
		return "unknown"
	case b.RunAtLeast:
		return p.draw("≥ ") + b.PerRun.String()
	case b.RunAtMost:
		return p.draw("≤ ") + b.PerRun.String()
	}
	return b.PerRun.String()
}

// money writes an amount with what is known of its bounds; "-" where there is none.
func (p *page) money(a *cost.Amount, b cost.Bill) string {
	switch {
	case a == nil && b.Total == nil:
		return "unknown"
	case a == nil:
		return "-"
	case b.AtLeast:
		return p.draw("≥ ") + a.String()
	case b.AtMost:
		return p.draw("≤ ") + a.String()
	}
	return a.String()
}

func (p *page) costInterval(b *cost.GroupBill) string {
	switch {
	case b.PerRun == nil:
		return ""
	case b.Low == nil:
		return "too few"
	case b.RunAtLeast:
		return p.draw("≥ " + b.Low.String())
	case b.RunAtMost:
		return p.draw("≤ " + b.High.String())
	}
	return p.draw(b.Low.String() + "–" + b.High.String())
}

// billNotes says what costs leave out, and why: what is so for several groups once.
func (p *page) billNotes(list []held, currency string) {
	type note struct {
		text  string
		calls int
		of    []*held
	}
	var notes []note
	add := func(h *held, text string, calls int) {
		i := slices.IndexFunc(notes, func(n note) bool { return n.text == text })
		if i < 0 {
			i = len(notes)
			notes = append(notes, note{text: text})
		}
		notes[i].calls += calls
		notes[i].of = append(notes[i].of, h)
	}
	for i := range list {
		h := &list[i]
		b := h.bill
		if missing := b.Unpriced + b.Uncounted; missing > 0 {
			s := fmt.Sprintf("cost unknown, as %d of %s could not be charged; the others come to %s %s", missing, traces.FormatCount(b.Calls, "call"), currency, b.Known)
			if b.UnpricedTokens > 0 {
				s += fmt.Sprintf("; %s tokens have no price", Count(b.UnpricedTokens))
			}
			add(h, s, 0)
		}
		if b.PerRun != nil && !b.RunAtLeast && b.Counted < b.Runs {
			add(h, fmt.Sprintf("a run: the mean of the %d of %s that were fully counted; the others cost more than is known of them", b.Counted, traces.FormatCount(b.Runs, "run")), 0)
		}
		for _, n := range b.Notes {
			add(h, Clean(n.Text), n.Calls)
		}
		switch {
		case b.AtLeast:
			add(h, "something that may have been charged was not counted: it costs at least this", 0)
		case b.AtMost:
			add(h, "nobody counted which of the input was cached: it costs at most this", 0)
		}
	}
	for _, n := range notes {
		s := p.who(list, n.of...) + n.text
		if n.calls > 0 {
			s += fmt.Sprintf(" (%s)", traces.FormatCount(n.calls, "call"))
		}
		p.wrapped(s, asIs)
	}
}

// pricesAge says how far the day of the prices is from that of the runs, where it is more than a month.
func (p *page) pricesAge(table cost.Table, list []held) {
	const month = 31 * 24 * time.Hour
	var first, last time.Time
	for _, h := range list {
		for _, r := range h.Runs {
			if first.IsZero() || r.Start.Before(first) {
				first = r.Start
			}
			if r.Start.After(last) {
				last = r.Start
			}
		}
	}
	days := func(d time.Duration) int { return int(d / (24 * time.Hour)) }
	switch {
	case first.IsZero():
	case table.Date.Sub(first) > month:
		p.aside(fmt.Sprintf("the prices are from %d days after the first run", days(table.Date.Sub(first))))
	case last.Sub(table.Date) > month:
		p.aside(fmt.Sprintf("the prices are from %d days before the last run", days(last.Sub(table.Date))))
	}
}
