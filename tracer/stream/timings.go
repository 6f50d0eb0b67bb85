package stream

import (
	"math"
	"time"
)

// Timings are what the server measured of itself; nil where it does not say.
type Timings struct {
	Queue   *time.Duration // accepted → scheduled; loading the model is part of it
	Prefill *time.Duration // scheduled → first token
	Decode  *time.Duration // first token → last token
}

// engine takes a field of a response that inference servers add for their own timings, or skips it: llama.cpp's timings
// and vLLM's metrics in milliseconds, Cerebras's time_info in seconds.
func (d *decoder) engine(key []byte, c *cursor) {
	unit := time.Millisecond
	switch string(key) {
	case "timings":
		d.llama(*c)
	case "metrics":
	case "time_info":
		unit = time.Second
	default:
		c.skip()
		return
	}
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		d.result.Server.field(key, c, unit)
	}
}

// llama takes the counts that llama.cpp keeps beside its timings, for responses without usage.
func (d *decoder) llama(c cursor) {
	if !c.object() {
		return
	}
	prompt, cached, predicted := int64(-1), int64(-1), int64(-1)
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "prompt_n": // what was read anew
			count(&prompt, &c)
		case "cache_n":
			count(&cached, &c)
		case "predicted_n":
			count(&predicted, &c)
		default:
			c.skip()
		}
	}
	if c.bad || d.usage.total >= 0 {
		return
	}
	d.usage.output = predicted
	if prompt >= 0 && cached >= 0 { // older servers leave out what they had cached
		d.usage.input, d.usage.cached = prompt+cached, cached
	}
}

// inUsage takes a timing that a server put beside its counts: Groq and SambaNova in seconds, LocalAI in milliseconds.
func (t *Timings) inUsage(key []byte, c *cursor) {
	switch string(key) {
	case "time_to_first_token":
		duration(&t.Prefill, c, time.Second)
	case "timing_prompt_processing":
		duration(&t.Prefill, c, time.Millisecond)
	case "timing_token_generation":
		duration(&t.Decode, c, time.Millisecond)
	default:
		t.field(key, c, time.Second)
	}
}

// field takes one timing under any of its names. vLLM counts its time to first token from scheduling.
func (t *Timings) field(key []byte, c *cursor, unit time.Duration) {
	switch string(key) {
	case "queue_time", "queue_time_ms", "load_duration":
		duration(&t.Queue, c, unit)
	case "prompt_time", "prompt_ms", "time_to_first_token_ms", "prompt_eval_duration":
		duration(&t.Prefill, c, unit)
	case "completion_time", "predicted_ms", "generation_time_ms", "eval_duration":
		duration(&t.Decode, c, unit)
	default:
		c.skip()
	}
}

func duration(to **time.Duration, c *cursor, unit time.Duration) {
	f, ok := c.number()
	if !ok || f < 0 || f*float64(unit) > math.MaxInt64/8 {
		return
	}
	if *to == nil {
		*to = new(time.Duration)
	}
	**to = time.Duration(math.Round(f * float64(unit)))
}

// fit reports whether the timings can be true of a response that was seen as r is, until now: what led to the first output
// cannot be longer than the wait for it, nor all together longer than the response. Servers round.
func (t *Timings) fit(r *Result, now time.Duration) bool {
	before, all := known0(t.Queue)+known0(t.Prefill), known0(t.Queue)+known0(t.Prefill)+known0(t.Decode)
	if r.End != nil {
		now = *r.End
	}
	if list := r.Chunks.List; len(list) > 0 && !fits(before, list[0].At) {
		return false
	}
	return fits(all, now)
}

// fits allows one part in a hundred, or a millisecond, for rounding.
func fits(part, whole time.Duration) bool { return part <= whole+max(whole/100, time.Millisecond) }

func known0(d *time.Duration) time.Duration {
	if d == nil {
		return 0
	}
	return *d
}
