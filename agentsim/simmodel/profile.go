package simmodel

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/ceiling"
)

// A Profile is a model on its hardware: what decides how long replies take. The package comment has the formulas.
type Profile struct {
	Name string // the model's name in requests

	TotalParams   float64 // parameters; for a dense model as many as ActiveParams
	ActiveParams  float64 // parameters that take part in one token
	BytesPerParam float64 // of the weights as stored
	KVBytes       float64 // bytes of key-value cache per token of context

	GPUs         int
	Bandwidth    float64       // bytes per second of one GPU's memory, peak
	Efficiency   float64       // part of the peak bandwidth that decoding reaches
	FLOPS        float64       // floating-point operations per second of one GPU, dense peak in the precision used
	Utilisation  float64       // part of the peak operations that prefill reaches
	StepOverhead time.Duration // per decode step: launches, all-reduce, sampling
	Overhead     time.Duration // per request, before prefill: routing, tokenizing, scheduling

	Slots      int     // requests served at once, the others queue; 0: no limit
	Background int     // other streams in the batch that are not ours
	CacheMiss  float64 // probability that the cache has dropped the conversation
	Draft      Draft
	Jitter     Jitter

	Efforts   map[string]float64 // efforts the model has → factor on reasoning tokens; nil: all, with usual factors (Exact: 1, and 0 for none)
	Reasoning ReasoningStyle
	Faults    *Faults // in place of Config.Faults
	Exact     *Exact  // in place of everything above but Name and Slots
}

// A Draft is speculative decoding. The zero value is none.
type Draft struct {
	Tokens int     // drafted a step
	Accept float64 // probability that a drafted token is accepted, if those before it were
}

// Jitter is how much step times vary.
type Jitter struct {
	Sigma      float64 // of the lognormal factor on every duration, whose median is 1
	Tail       float64 // probability that a step is much slower
	TailFactor float64 // by how much
}

// ReasoningStyle says where reasoning text is on the wire.
type ReasoningStyle string

// The styles. Hidden reasoning takes its time and is billed, but not shown.
const (
	ReasoningContent ReasoningStyle = ""          // delta.reasoning_content
	ReasoningPlain   ReasoningStyle = "reasoning" // delta.reasoning
	ReasoningHidden  ReasoningStyle = "hidden"
)

// Exact is a timing of constants, for tests.
type Exact struct {
	Headers       time.Duration // request read → response headers, if a slot is free
	TTFT          time.Duration // request read → first generated token, headers included
	Rate          float64       // output tokens per second, tool arguments too
	ReasoningRate float64       // reasoning tokens per second; 0: as Rate
}

// Ceiling returns the most tokens per second that one stream can get without speculative decoding: peak bandwidth ÷ bytes
// of active parameters. It is 0 for an Exact profile.
func (p *Profile) Ceiling() float64 {
	if p.Exact != nil {
		return 0
	}
	return p.setup().Rate(1, 0)
}

// setup is what of the profile bounds its rates.
func (p *Profile) setup() ceiling.Setup {
	return ceiling.Setup{
		Model:    ceiling.Model{Active: p.ActiveParams, Total: p.TotalParams, BytesPerParam: p.BytesPerParam, KVBytes: p.KVBytes},
		Hardware: ceiling.Hardware{Bandwidth: p.Bandwidth, Count: p.GPUs},
	}
}

// PrefillRate returns how many uncached prompt tokens per second the profile reads. It is 0 for an Exact profile.
func (p *Profile) PrefillRate() float64 {
	if p.Exact != nil {
		return 0
	}
	return p.FLOPS * float64(p.GPUs) * p.Utilisation / (2 * p.ActiveParams)
}

// Step returns how long a decode step takes on the median when batch streams with a context of context tokens each share it.
func (p *Profile) Step(batch, context int) time.Duration {
	return seconds(1/(p.setup().Rate(batch, float64(context))*p.Efficiency)) + p.StepOverhead
}

// floor returns the least time the bytes of a step can take.
func (p *Profile) floor(batch, context int) time.Duration {
	return seconds(1 / p.setup().Rate(batch, float64(context)))
}

// reasoningTokens returns how long the model thinks in one turn.
func (p *Profile) reasoningTokens(base int, factor float64, r *rand.Rand) int {
	n := float64(base) * factor
	if p.Exact == nil {
		n *= math.Exp(0.15 * r.NormFloat64())
	}
	if base > 0 && factor > 0 {
		n = max(n, 1)
	}
	return int(math.Round(n))
}

// drafted returns how many tokens a step yields.
func (p *Profile) drafted(r *rand.Rand) int {
	n := 1
	for range p.Draft.Tokens {
		if r.Float64() >= p.Draft.Accept {
			break
		}
		n++
	}
	return n
}

// steps returns how many steps tokens take that go out as one.
func (p *Profile) steps(tokens int, r *rand.Rand) (n int) {
	for ; tokens > 0; n++ {
		tokens -= p.drafted(r)
	}
	return n
}

// A timetable says when the parts of one response are due, in modelled time since the request was admitted.
type timetable interface {
	headers() time.Duration
	step(kind traces.Component, batch int) time.Duration // the next decode step; the first one includes prefill
	delay(d time.Duration)                               // puts off all that follows
}

func (p *Profile) timetable(uncached, context int, r *rand.Rand) timetable {
	if p.Exact != nil {
		return &exactTimes{Exact: p.Exact}
	}
	t := &modelledTimes{Profile: p, rand: r, context: context}
	t.at = t.vary(p.Overhead)
	t.prefill = t.vary(seconds(float64(uncached) / p.PrefillRate()))
	return t
}

type exactTimes struct {
	*Exact
	started           bool
	output, reasoning int // steps after the first token
	shift             time.Duration
}

func (t *exactTimes) headers() time.Duration { return t.Headers + t.shift }
func (t *exactTimes) delay(d time.Duration)  { t.shift += d }

func (t *exactTimes) step(kind traces.Component, _ int) time.Duration {
	switch {
	case !t.started:
		t.started = true
	case kind == traces.Reasoning:
		t.reasoning++
	default:
		t.output++
	}
	rate := t.ReasoningRate
	if rate == 0 {
		rate = t.Rate
	}
	return max(t.Headers, t.TTFT) + t.shift + seconds(float64(t.output)/t.Rate) + seconds(float64(t.reasoning)/rate)
}

type modelledTimes struct {
	*Profile
	rand    *rand.Rand
	context int           // tokens so far
	at      time.Duration // of what came last
	prefill time.Duration // not yet spent
}

func (t *modelledTimes) headers() time.Duration { return t.at }
func (t *modelledTimes) delay(d time.Duration)  { t.at += d }

func (t *modelledTimes) step(_ traces.Component, batch int) time.Duration {
	batch += t.Background
	d := t.vary(t.Step(batch, t.context))
	if t.rand.Float64() < t.Jitter.Tail {
		d = time.Duration(float64(d) * t.Jitter.TailFactor)
	}
	t.at += t.prefill + max(d, t.floor(batch, t.context))
	t.prefill = 0
	t.context++
	return t.at
}

// vary multiplies d by a lognormal factor with median 1.
func (t *modelledTimes) vary(d time.Duration) time.Duration {
	return time.Duration(float64(d) * math.Exp(t.Jitter.Sigma*t.rand.NormFloat64()))
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
