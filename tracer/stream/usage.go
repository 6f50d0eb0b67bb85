package stream

import (
	"math"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A usage holds the counts of the last usage object, -1 where one was not sent. Counts are cumulative: a later object
// replaces an earlier one.
type usage struct {
	seen                                                     bool
	input, output, total, reasoning, cached, hit, cacheWrite int64
}

func (u *usage) reset() {
	*u = usage{input: -1, output: -1, total: -1, reasoning: -1, cached: -1, hit: -1, cacheWrite: -1}
}

// read takes a usage object; null is none. Some servers put their timings, in seconds, beside the counts.
func (u *usage) read(c *cursor, server *Timings) {
	if c.peek() != '{' {
		c.skip()
		return
	}
	fresh := usage{}
	fresh.reset()
	c.object()
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "prompt_tokens":
			fresh.input = countOr(c)
		case "completion_tokens":
			fresh.output = countOr(c)
		case "total_tokens":
			fresh.total = countOr(c)
		case "prompt_cache_hit_tokens":
			fresh.hit = countOr(c)
		case "reasoning_tokens":
			fresh.reasoning = countOr(c)
		case "prompt_tokens_details", "completion_tokens_details":
			fresh.details(c)
		default:
			server.field(key, c, time.Second)
		}
	}
	if !c.bad && (fresh.input >= 0 || fresh.output >= 0) {
		fresh.seen = true
		*u = fresh
	}
}

func (u *usage) details(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		switch string(key) {
		case "cached_tokens":
			u.cached = countOr(c)
		case "cache_write_tokens":
			u.cacheWrite = countOr(c)
		case "reasoning_tokens":
			u.reasoning = countOr(c)
		default:
			c.skip()
		}
	}
}

func countOr(c *cursor) int64 {
	if n, ok := c.count(); ok {
		return n
	}
	return -1
}

// into writes the counts to r with one meaning: cached tokens are part of the input, reasoning tokens part of the output.
// Most providers count so; some count reasoning beside the output, which their total gives away. Where reasoning was
// used and neither reading adds up to the total, the output is unknown rather than guessed.
func (u *usage) into(r *Result) {
	if !u.seen {
		r.Usage = traces.Usage{Source: traces.UsageUnknown}
		return
	}
	input, output, reasoning := max(u.input, 0), u.output, max(u.reasoning, 0)
	inside, beside := input+output, input+output+reasoning
	r.UsageInconsistent = false
	switch {
	case output < 0:
		reasoning = u.reasoning
	case u.total < 0:
		if reasoning > output {
			output += reasoning
		}
	case u.total == beside && reasoning > 0:
		output += reasoning
	case u.total == inside && reasoning <= output:
	default:
		r.UsageInconsistent = true
		if reasoning > 0 {
			output = -1
		}
	}
	cached := u.cached
	if cached < 0 {
		cached = u.hit
	}
	r.Usage = traces.Usage{
		Input: known(u.input), Cached: known(cached), Output: known(output), Reasoning: known(u.reasoning),
		Source: traces.UsageProvider,
	}
	r.CacheWrite = known(u.cacheWrite)
}

func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// read takes an object of timings in the given unit.
func (t *Timings) read(c *cursor, unit time.Duration) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		t.field(key, c, unit)
	}
}

// field takes one timing under any of its names: llama.cpp's timings and vLLM's metrics (milliseconds), Groq's usage
// and Cerebras's time_info (seconds). vLLM counts its time to first token from scheduling.
func (t *Timings) field(key []byte, c *cursor, unit time.Duration) {
	switch string(key) {
	case "queue_time", "queue_time_ms":
		read(&t.Queue, c, unit)
	case "prompt_time", "prompt_ms", "time_to_first_token_ms":
		read(&t.Prefill, c, unit)
	case "completion_time", "predicted_ms", "generation_time_ms":
		read(&t.Decode, c, unit)
	default:
		c.skip()
	}
}

func read(to **time.Duration, c *cursor, unit time.Duration) {
	f, ok := c.number()
	if !ok || f < 0 || f*float64(unit) > math.MaxInt64/2 {
		return
	}
	if *to == nil {
		*to = new(time.Duration)
	}
	**to = time.Duration(math.Round(f * float64(unit)))
}
