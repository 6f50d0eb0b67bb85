package report

import (
	"fmt"
	"slices"

	"github.com/seed46266073/longpole/traces/measure"
)

// rates writes the three numbers called tokens per second, each with its definition, and those that models with different
// tokenizers can be compared by.
func (p *page) rates(list []held) {
	p.section("how fast it wrote")
	columns := append(p.first(list), column{head: "output rate", right: true}, column{head: "95 %", keep: 2}, column{head: "end to end", right: true},
		column{head: "aggregate", right: true}, column{head: "chars/s", right: true, keep: 5}, column{head: "chars/token", right: true, keep: 3},
		column{head: "TTFT", right: true, keep: 4})
	var rows [][]string
	for i := range list {
		r := list[i].rates
		rows = append(rows, append(p.begin(&list[i]), perSecond(r.Output.Median), p.spread(r.Output), perSecond(r.EndToEnd.Median),
			throughput(r.Aggregate), whole(r.CharsPerSecond.Median), oneDecimal(r.CharsPerToken.Median), p.maybe(r.TTFT.Median)))
	}
	p.table(columns, rows)
	p.aside("output rate: output tokens after the first ÷ (last − first token), of one request")
	p.aside("end to end: all output tokens ÷ time of the request, waits and hidden reasoning included")
	p.aside("aggregate: all output tokens of all runs ÷ time in which any of them was under way")
	p.aside("chars: visible characters ÷ the time they took to arrive, and ÷ their tokens; medians over runs, each with its median call")
	p.rateNotes(list)
	p.slopes(list)
}

func (p *page) rateNotes(list []held) {
	var all []string
	var shared, uncounted []*held
	for i := range list {
		h := &list[i]
		all = append(all, models(h.Group)...)
		if h.rates.Shared && h.rates.Aggregate != nil {
			shared = append(shared, h)
		}
		if a := h.rates.Aggregate; a != nil && a.Uncounted > 0 {
			uncounted = append(uncounted, h)
		}
	}
	slices.Sort(all)
	if len(slices.Compact(all)) > 1 {
		p.aside("models count tokens differently: compare them by time to answer or by chars/s, not by tokens")
	}
	if len(shared) > 0 {
		p.wrapped(p.who(list, shared...)+"runs of other settings were under way at the same time, so the aggregate is a part of what the server gave", asIs)
	}
	if len(uncounted) > 0 {
		p.wrapped(p.who(list, uncounted...)+"some calls were not counted, so the aggregate is at least this", asIs)
	}
}

// slopes writes how the output rate changes as the context grows.
func (p *page) slopes(list []held) {
	if !slices.ContainsFunc(list, func(h held) bool { return h.rates.ByContext != nil }) {
		return
	}
	p.section("output rate for each 1,000 tokens more of context")
	columns := append(p.first(list), column{head: "change", right: true}, column{head: "95 %"}, column{head: ""}, column{head: "calls", right: true, keep: 2}, column{head: "runs", right: true, keep: 1})
	var rows [][]string
	for i := range list {
		s := list[i].rates.ByContext
		if s == nil {
			rows = append(rows, append(p.begin(&list[i]), "too few", "", "", "", ""))
			continue
		}
		says := "no change seen"
		switch {
		case s.High < 0:
			says = "slower"
		case s.Low > 0:
			says = "faster"
		}
		rows = append(rows, append(p.begin(&list[i]), p.draw(minus(fmt.Sprintf("%+.2f/s", s.PerThousand))), p.draw(minus(fmt.Sprintf("%+.2f to %+.2f", s.Low, s.High))), says, fmt.Sprint(s.Calls), fmt.Sprint(s.Runs)))
	}
	p.table(columns, rows)
	p.aside("median of the slopes between calls of one run (Theil and Sen); context is a call's input tokens")
}

// concurrency is the tag that says how many users a load had.
const concurrency = "concurrency"

// loads writes one table of what more users at once do to each of them, where runs were made with several numbers of users.
func (p *page) loads(groups []measure.Group) {
	var runs []*measure.Run
	users := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Runs {
			if r.Group[concurrency] != "" {
				users[r.Group[concurrency]] = true
				runs = append(runs, r)
			}
		}
	}
	if len(users) < 2 {
		return
	}
	by := slices.Clone(groups[0].By)
	if !slices.Contains(by, concurrency) {
		by = append(by, concurrency)
	}
	list := Yardsticks{}.hold(measure.GroupBy(runs, by...))
	p.section("with more users at once")
	columns := append(p.first(list), column{head: "right", right: true, keep: 3}, column{head: "each", right: true}, column{head: "all", right: true},
		column{head: "TTFT", right: true, keep: 4}, column{head: "95th", right: true, keep: 2}, column{head: "at once", right: true, keep: 1})
	var rows [][]string
	for i := range list {
		h := &list[i]
		right, atOnce, tail := unknown, unknown, "too few"
		if h.Success != nil {
			right = Percent(h.Success.Rate)
		}
		if h.rates.Aggregate != nil {
			atOnce = fmt.Sprintf("%.1f", h.rates.Aggregate.Users)
		}
		if h.rates.TTFTTail != nil {
			tail = p.duration(*h.rates.TTFTTail)
		}
		rows = append(rows, append(p.begin(h), right, perSecond(h.rates.Output.Median), throughput(h.rates.Aggregate), p.maybe(h.rates.TTFT.Median), tail, atOnce))
	}
	p.table(columns, rows)
	p.aside("each: output rate of a request; all: aggregate; 95th: percentile of TTFT over all calls; at once: runs under way, on average")
}

func perSecond(f *float64) string {
	if f == nil {
		return unknown
	}
	return decimal(*f) + "/s"
}

func throughput(t *measure.Throughput) string {
	if t == nil {
		return unknown
	}
	return perSecond(&t.TokensPerSecond)
}

func oneDecimal(f *float64) string {
	if f == nil {
		return unknown
	}
	return decimal(*f)
}

func whole(f *float64) string {
	if f == nil {
		return unknown
	}
	return Count(int64(*f + 0.5))
}

// decimal writes one digit behind the point of what is below 1,000, and three digits of what nobody counts.
func decimal(f float64) string {
	switch {
	case f >= 1e15:
		return fmt.Sprintf("%.3g", f)
	case f >= 999.95:
		return Count(int64(f + 0.5))
	}
	return fmt.Sprintf("%.1f", f)
}

func (p *page) spread(s measure.Spread[float64]) string {
	switch {
	case s.Median == nil:
		return ""
	case s.Low == nil:
		return "too few"
	}
	return p.draw(decimal(*s.Low) + "–" + decimal(*s.High))
}
