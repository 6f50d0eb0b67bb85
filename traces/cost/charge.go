package cost

import (
	"fmt"
	"slices"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// A Charge is what one model call costs, its attempts together.
type Charge struct {
	Amount  *Amount // nil: unknown
	Batch   *Amount // at the discount of batch processing; nil where the price has none
	AtLeast bool    // something that may have been charged was not counted
	AtMost  bool    // nobody counted which of the input was cached, which costs less

	Unpriced bool   // the table has no price for it
	Tokens   int64  // input and output as far as counted
	Why      string // why Amount is unknown, or what has to be said of it; "" mostly
}

// Call returns what a model call costs.
func (t *Table) Call(c *measure.Call) Charge {
	answered := c.Span.Attrs().String(traces.KeyResponseModel)
	if answered == "" {
		answered = c.Answer.Span.Attrs().String(traces.KeyResponseModel)
	}
	u := used{Usage: c.Usage}
	for _, span := range []*traces.Span{c.Span, c.Answer.Span} {
		if u.written == nil {
			u.written = written(span.Attrs())
		}
	}
	switch {
	case u.Input == nil && u.Output == nil && !slices.ContainsFunc(c.Attempts, mayBeCharged):
		return Charge{Amount: &Amount{}, Batch: &Amount{}}
	case u.Output == nil && c.Span.Attrs().String(traces.KeyOperation) == "embeddings":
		u.Output = new(int64)
	}
	charge := t.charge(c.Model, answered, u)
	if charge.Amount == nil || charge.Amount.IsZero() {
		return charge
	}
	for _, a := range c.Attempts {
		if a != c.Answer && mayBeCharged(a) {
			charge.AtLeast, charge.Why = true, "attempts that broke off may have been charged too"
		}
	}
	return charge
}

// mayBeCharged reports whether an attempt may have cost something: all but one that was refused, or found no server, before
// the model had begun to write.
func mayBeCharged(a *traces.Attempt) bool {
	return a.Outcome != traces.Error || a.Chunks != nil && len(a.Chunks.List) > 0 ||
		slices.ContainsFunc(a.Phases, func(p traces.Phase) bool {
			return p.Component == traces.Reasoning || p.Component == traces.Output || p.Component == traces.ToolArgs
		})
}

// used are the tokens of a call.
type used struct {
	traces.Usage
	written *int64 // part of the input: put into the provider's cache
}

func written(attrs traces.Attrs) *int64 {
	for _, key := range []string{traces.KeyCacheWriteTokens, traces.KeyCacheCreation} {
		if n, ok := attrs.Int(key); ok && n >= 0 {
			return &n
		}
	}
	return nil
}

// charge puts a price on tokens.
func (t *Table) charge(requested, answered string, u used) Charge {
	c := Charge{Tokens: count(u.Input) + count(u.Output)}
	p, note := t.Find(requested, answered)
	c.Why = note
	switch {
	case p == nil && requested == "" && answered == "":
		c.Unpriced, c.Why = true, "a model that is not named"
		return c
	case p == nil:
		c.Unpriced, c.Why = true, "no price for "+name(requested, answered)
		return c
	case p.Free:
		c.Amount, c.Batch = &Amount{}, &Amount{}
		return c
	case u.Input == nil || u.Output == nil:
		c.Why = "tokens that nobody counted"
		return c
	}
	fresh := *u.Input - count(u.Cached) - count(u.written)
	plain := *u.Output
	if p.Reasoning != nil {
		if u.Reasoning == nil {
			c.Why = "reasoning tokens, which have a price of their own, that nobody counted"
			return c
		}
		plain -= *u.Reasoning
	}
	if fresh < 0 || plain < 0 {
		c.Why = "counts of tokens that contradict each other"
		return c
	}
	sum := p.Input.Times(fresh).Plus(p.Output.Times(plain))
	for _, part := range []struct {
		price  *Amount
		tokens *int64
		what   string
	}{{p.CachedInput, u.Cached, "cached input"}, {p.CacheWrite, u.written, "cache writes"}, {p.Reasoning, u.Reasoning, ""}} {
		switch {
		case part.what == "" && part.price == nil, count(part.tokens) == 0: // reasoning is in the output
		case part.price == nil:
			c.Unpriced, c.Why = true, fmt.Sprintf("no price for %s of %s", part.what, name(requested, answered))
			return c
		default:
			sum = sum.Plus(part.price.Times(*part.tokens))
		}
	}
	for _, part := range []struct {
		price  *Amount
		tokens *int64
	}{{p.CachedInput, u.Cached}, {p.CacheWrite, u.written}} { // what was not counted was charged as fresh input
		if part.tokens == nil && part.price != nil {
			c.AtMost = c.AtMost || part.price.Cmp(*p.Input) < 0
			c.AtLeast = c.AtLeast || part.price.Cmp(*p.Input) > 0
		}
	}
	if c.AtMost && c.AtLeast {
		c.AtMost, c.AtLeast, c.Why = false, false, "nobody counted what of the input was read from a cache and what written to it"
		return c
	}
	sum = sum.Over(1e6)
	c.Amount = &sum
	if p.Discount != nil {
		batch := sum.less(*p.Discount)
		c.Batch = &batch
	}
	return c
}

func name(requested, answered string) string {
	if answered == "" {
		return requested
	}
	return answered
}

func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
