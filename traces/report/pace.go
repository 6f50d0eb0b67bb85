package report

import (
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/pace"
)

// paces writes whether groups are fast enough for each use, and how steadily text came.
func (p *page) paces(targets pace.Targets, list []held) {
	p.section("fast enough for")
	columns := p.first(list)
	for i, use := range targets.Uses {
		columns = append(columns, column{head: Clean(use.Name), keep: 3 + len(targets.Uses) - i})
	}
	columns = append(columns, column{head: "worst gap", right: true, keep: 3}, column{head: "stalled", right: true, keep: 2}, column{head: "to reading", right: true, keep: 1})
	var rows [][]string
	for i := range list {
		h := &list[i]
		row := p.begin(h)
		for _, f := range h.findings {
			row = append(row, string(f.Verdict))
		}
		stalled, reading := unknown, unknown
		if share := h.steady.Share(); share != nil {
			stalled = Percent(*share)
		}
		if v := h.rates.CharsPerSecond.Median; v != nil {
			reading = decimal(*v/pace.ReadingCharsPerSecond) + p.draw("×")
		}
		rows = append(rows, append(row, p.maybe(h.steady.WorstGap), stalled, reading))
	}
	p.table(columns, rows)
	p.aside(fmt.Sprintf("to reading: how much faster text came than people read, which is %.0f characters, about %.0f tokens, a second", pace.ReadingCharsPerSecond, pace.ReadingTokensPerSecond))
	p.aside("worst gap: the longest silence in any stream; stalled: part of the time of all streams together")
	p.shortfalls(list)
	p.chains(list)
}

// shortfalls says which limits were not always kept: one line a limit.
func (p *page) shortfalls(list []held) {
	var lines []string
	unclear, unknown := false, false
	for i := range list {
		for _, f := range list[i].findings {
			for _, c := range f.Checks {
				unclear, unknown = unclear || c.Verdict == pace.Unclear, unknown || c.Verdict == pace.Unknown
				if c.Verdict != pace.Meets && c.Kept < c.N {
					lines = append(lines, p.who(list, &list[i])+p.draw(fmt.Sprintf("%s: %s", Clean(f.Use.Name), shortfall(c, f.Use.Share))))
				}
			}
		}
	}
	if unclear {
		p.aside("unclear: too few calls, or runs, to be sure of either")
	}
	if unknown {
		p.aside("unknown: the trace does not tell one of the limits")
	}
	p.paragraph(lines, asIs)
}

// shortfall is "first output 1.42 s in the median, wanted at most 1.00 s in 90 %; kept in 3 of 40 calls (95 %: 3–20 %)".
func shortfall(c pace.Check, share float64) string {
	unit := "call"
	if c.Limit.What == pace.Answer {
		unit = "run"
	}
	bound := "at most " + amount(c.Limit.What, c.Limit.High)
	if c.Limit.What == pace.Rate {
		bound = "at least " + amount(c.Limit.What, c.Limit.Low)
	}
	return fmt.Sprintf("%s %s in the median, wanted %s in %s; kept in %d of %s (95 %%: %.0f–%.0f %%)", c.Limit.What, amount(c.Limit.What, c.Median), bound, Percent(share),
		c.Kept, traces.FormatCount(c.N, unit), c.Low*100, c.High*100)
}

// amount writes a value of a measure in its unit.
func amount(what pace.Measure, v float64) string {
	switch what {
	case pace.Rate:
		return decimal(v) + " tokens/s"
	case pace.Stalled:
		return Percent(v)
	}
	return Duration(time.Duration(v*1e9 + 0.5))
}

// chains writes what the tokens of a run would take at common rates: an agent waits for all of them.
func (p *page) chains(list []held) {
	var lines []string
	for i := range list {
		h := &list[i]
		if h.Tokens.Output == nil || h.Calls.PerRun == nil || *h.Calls.PerRun <= 0 {
			continue
		}
		calls, each := *h.Calls.PerRun, *h.Tokens.Output / *h.Calls.PerRun
		at := func(rate float64) string { return Duration(pace.Chain(calls, each, rate)) }
		lines = append(lines, p.who(list, h)+p.draw(fmt.Sprintf("%s output tokens a run, in %s calls, take %s at 40 tokens/s, %s at 120", decimal(calls*each), decimal(calls), at(40), at(120))))
	}
	p.paragraph(lines, p.dim)
}

// paragraph writes sentences, if there are any, after an empty line.
func (p *page) paragraph(lines []string, style func(string) string) {
	if len(lines) == 0 {
		return
	}
	p.line()
	shown, more := capped(lines, rowsShown)
	for _, line := range shown {
		p.wrapped(line, style)
	}
	p.more(more)
}
