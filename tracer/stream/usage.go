package stream

import "github.com/seed46266073/longpole/traces"

// A usage holds the counts that were sent last, -1 where one was not. Counts are cumulative: a later one replaces an
// earlier one, a null takes none back.
type usage struct {
	rule                                                              rule
	input, output, total, reasoning, cached, hit, cacheWrite, toolUse int64
}

// A rule is how a provider counts what is part of what.
type rule uint8

const (
	totalTells     rule = iota // the total gives away whether reasoning is part of the output
	cacheBeside                // Anthropic: the input leaves out what the cache has to do with
	thoughtsBeside             // Google: the output leaves out reasoning, the input what tools brought
)

func (u *usage) reset() {
	*u = usage{u.rule, -1, -1, -1, -1, -1, -1, -1, -1}
}

// read takes a usage object; null is none. Some servers put their timings, in seconds, beside the counts.
func (u *usage) read(c *cursor, server *Timings) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		if !u.field(key, c) {
			server.inUsage(key, c)
		}
	}
}

// field takes one count under any of its names. It reports false, and takes nothing, if the key is none of them.
func (u *usage) field(key []byte, c *cursor) bool {
	switch string(key) {
	case "prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count":
		count(&u.input, c)
	case "completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count":
		count(&u.output, c)
	case "total_tokens", "totalTokenCount":
		count(&u.total, c)
	case "prompt_cache_hit_tokens":
		count(&u.hit, c)
	case "cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount":
		count(&u.cached, c)
	case "cache_write_tokens", "cache_creation_input_tokens":
		count(&u.cacheWrite, c)
	case "reasoning_tokens", "thinking_tokens", "thoughtsTokenCount":
		count(&u.reasoning, c)
	case "toolUsePromptTokenCount":
		count(&u.toolUse, c)
	case "prompt_tokens_details", "completion_tokens_details", "input_tokens_details", "output_tokens_details":
		u.details(c)
	default:
		return false
	}
	return true
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
		case "cached_tokens", "cache_write_tokens", "reasoning_tokens", "thinking_tokens":
			u.field(key, c)
		default:
			c.skip()
		}
	}
}

// count takes a count, unless it is null or none.
func count(to *int64, c *cursor) {
	if n, ok := c.count(); ok {
		*to = n
	}
}

// into writes the counts to r with one meaning: cached tokens are part of the input, reasoning tokens part of the output.
// What the provider's rule leaves open, its total decides. Where nothing adds up to the total, what is in doubt is unknown
// rather than guessed.
func (u *usage) into(r *Result) {
	r.Usage, r.CacheWrite, r.UsageInconsistent = traces.Usage{Source: traces.UsageUnknown}, nil, false
	if u.input < 0 && u.output < 0 {
		return
	}
	cached := u.cached
	if cached < 0 {
		cached = u.hit
	}
	input := u.input
	switch beside := max(cached, 0) + max(u.cacheWrite, 0); {
	case input < 0:
	case u.rule == cacheBeside:
		input += beside
	case u.rule == thoughtsBeside:
		input += max(u.toolUse, 0)
	case cached > input && u.total >= 0 && u.total == input+beside+max(u.output, 0):
		input += beside
	}
	if cached > input && input >= 0 {
		input, r.UsageInconsistent = -1, true
	}
	output, consistent := u.outputOf(input)
	if output == 0 && r.OutputChars+r.ReasoningChars > 0 {
		output, consistent = -1, false // a placeholder
	}
	r.UsageInconsistent = r.UsageInconsistent || !consistent
	r.Usage = traces.Usage{
		Input: known(input), Cached: known(cached), Output: known(output), Reasoning: known(u.reasoning),
		Source: traces.UsageProvider,
	}
	r.CacheWrite = known(u.cacheWrite)
}

// outputOf returns the output, reasoning included. Most providers count so; some count reasoning beside the output.
func (u *usage) outputOf(input int64) (output int64, consistent bool) {
	output, reasoning := u.output, max(u.reasoning, 0)
	if output < 0 && u.rule == thoughtsBeside && reasoning > 0 {
		output = 0 // a count of 0 is left out
	}
	rest := u.total - max(input, 0) // what the total leaves for the output
	switch {
	case output < 0:
		return -1, true
	case u.rule == cacheBeside && reasoning > output:
		return -1, false
	case u.total < 0 || input < 0 || u.rule == cacheBeside:
		if reasoning > output || u.rule == thoughtsBeside {
			output += reasoning
		}
		return output, true
	case rest == output+reasoning && reasoning > 0:
		return output + reasoning, true
	case rest == output && reasoning <= output:
		return output, true
	case reasoning > 0:
		return -1, false
	}
	return output, false
}

func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}
