package headline

import (
	"fmt"
	"time"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

// A Fact is something known of a model call.
type Fact struct{ Name, Text string }

// Instants lists when what happened in a model call, since its last request had been sent, and how fast it wrote. What is not known is left
// out. Each rate says of what it is.
func Instants(c *measure.Call) []Fact {
	var facts []Fact
	at := func(name string, d *time.Duration) {
		if d != nil {
			facts = append(facts, Fact{name, report.Duration(*d)})
		}
	}
	at("response headers", c.Headers)
	at("TTFT", c.TTFT)
	at("first reasoning", c.FirstReasoning)
	at("first visible text", c.FirstVisible)
	at("first tool call", c.FirstToolCall)
	at("last token", c.LastToken)
	at("end", c.End)
	if c.FeltTTFT != nil && c.TTFT != nil && *c.FeltTTFT > *c.TTFT {
		at("felt TTFT", c.FeltTTFT)
	}
	at("time per output token", c.TPOT)
	return append(facts, Rates(c)...)
}

// Rates lists how fast a call wrote. There is no rate that is just tokens per second: each is named.
func Rates(c *measure.Call) []Fact {
	var facts []Fact
	if c.OutputRate != nil {
		facts = append(facts, Fact{"output rate", fmt.Sprintf("%.3g tok/s", *c.OutputRate)})
	}
	if rate, ok := EndToEnd(c); ok {
		facts = append(facts, Fact{"end-to-end rate", fmt.Sprintf("%.3g tok/s", rate)})
	}
	if c.CharsPerSecond != nil {
		facts = append(facts, Fact{"visible text", fmt.Sprintf("%.3g chars/s", *c.CharsPerSecond)})
	}
	return facts
}

// EndToEnd returns all output tokens of a call over all its time, reading the prompt and retries included, per second.
func EndToEnd(c *measure.Call) (rate float64, ok bool) {
	whole := c.ModelCall.End() - c.Start
	if c.Usage.Output == nil || *c.Usage.Output <= 0 || whole <= 0 || c.End == nil {
		return 0, false
	}
	return float64(*c.Usage.Output) / whole.Seconds(), true
}
