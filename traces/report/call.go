package report

import (
	"cmp"
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// calls lists the model calls.
func (p *page) calls(r *measure.Run) {
	if len(r.Calls) == 0 {
		return
	}
	p.section("model calls")
	var rows [][]string
	var rates, texts, estimates, stalls, retried bool
	models := map[string]bool{}
	shown, more := capped(r.Calls, rowsShown)
	for _, c := range shown {
		name := Clean(c.Model)
		if name == "" {
			name = Clean(c.Span.Name)
		}
		if c.Side {
			name += " (side)"
		}
		models[c.Model] = true
		rates = rates || c.OutputRate != nil
		texts = texts || c.CharsPerSecond != nil
		estimates = estimates || c.ReasoningEstimate != nil
		stalls = stalls || len(c.Stalls) > 0
		retried = retried || len(c.Attempts) > 1
		rows = append(rows, []string{
			cmp.Or(stepNumber(c.Step), "-"), name, p.column(c.Start), p.column(c.Span.Duration()), p.maybe(c.TTFT), p.reasoning(c), rate(c), chars(c), p.stalls(c), attempts(c),
			tokens(c.Usage.Output), p.outcome(c.Outcome),
		})
	}
	p.table([]column{{head: "step", right: true, keep: 6}, {head: "model", flex: true}, {head: "at", right: true, keep: 2}, {head: "time", right: true}, {head: "TTFT", right: true},
		{head: "reasoning", right: true, keep: 8}, {head: "output rate", right: true, keep: 7},
		{head: "chars/s", right: true, keep: 3, out: !texts}, {head: "stalls", right: true, keep: 6, out: !stalls},
		{head: "attempts", right: true, keep: 4, out: !retried}, {head: "tokens out", right: true, keep: 1}, {head: "outcome", keep: 5}}, rows)
	p.more(more)
	if rates {
		p.aside("output rate: output tokens after the first ÷ (last − first token), per second")
	}
	if len(models) > 1 && rates {
		p.aside("models count tokens differently: compare them by time or characters per second, not by output rate")
	}
	if estimates {
		p.aside("≈ reasoning was not streamed: tokens × time per streamed token, part of the TTFT")
	}
}

// reasoning is the window of reasoning, or a marked guess where it was hidden.
func (p *page) reasoning(c measure.Call) string {
	switch w := c.ReasoningWindow; {
	case w != nil:
		return p.quality(w.Quality) + p.duration(w.End-w.Start)
	case c.ReasoningEstimate != nil:
		return p.draw("≈") + p.duration(*c.ReasoningEstimate)
	case c.Visibility == "hidden":
		return "hidden"
	case c.Visibility == "none":
		return "none"
	}
	return unknown
}

// rate is the output rate, or why there is none.
func rate(c measure.Call) string {
	switch {
	case c.OutputRate != nil:
		return fmt.Sprintf("%.1f/s", *c.OutputRate)
	case c.Delivery == measure.Burst || c.Delivery == measure.Whole:
		return string(c.Delivery)
	}
	return unknown
}

// chars is how fast visible text came, which models with different tokenizers share.
func chars(c measure.Call) string {
	switch {
	case c.CharsPerSecond != nil:
	case c.Chunks != nil && *c.Chunks > 0 && c.FirstVisible == nil:
		return "-" // there was none
	default:
		return unknown
	}
	return Count(int64(*c.CharsPerSecond + 0.5))
}

func (p *page) stalls(c measure.Call) string {
	if len(c.Stalls) == 0 {
		return "-"
	}
	var sum time.Duration
	for _, s := range c.Stalls {
		sum += s.End - s.Start
	}
	return fmt.Sprintf("%d, %s", len(c.Stalls), p.duration(sum))
}

// attempts shows how many there were, and the status of the first that failed.
func attempts(c measure.Call) string {
	if len(c.Attempts) == 1 {
		return "1"
	}
	for _, a := range c.Attempts[:len(c.Attempts)-1] {
		if a.Status >= 400 {
			return fmt.Sprintf("%d (%d)", len(c.Attempts), a.Status)
		}
		if a.Outcome != traces.OK && a.Outcome != "" {
			return fmt.Sprintf("%d (%s)", len(c.Attempts), a.Outcome)
		}
	}
	return fmt.Sprint(len(c.Attempts))
}

func tokens(n *int64) string {
	if n == nil {
		return unknown
	}
	return Count(*n)
}
