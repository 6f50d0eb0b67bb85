package simmodel

import (
	"math/rand/v2"
	"time"
)

// A FaultKind is a way in which a request goes wrong.
type FaultKind string

// The kinds of faults.
const (
	RateLimit   FaultKind = "rate_limit"   // 429 with retry-after, at once
	ServerError FaultKind = "server_error" // 500, at once
	SlowHeaders FaultKind = "slow_headers" // everything comes later
	Stall       FaultKind = "stall"        // the stream pauses in the middle
	Cut         FaultKind = "cut"          // the connection ends in the middle of the stream, the body unfinished
	Reset       FaultKind = "reset"        // the same with a connection reset (HTTP/1 only, else as Cut)
	StreamError FaultKind = "stream_error" // an error in the middle of the stream, as the API words it there
	EarlyEnd    FaultKind = "early_end"    // the body ends properly in the middle of the stream: no finish reason, no end marker
)

// Faults says which requests go wrong: each kind with a probability drawn for every turn of a conversation from the
// seeds, and a list of exact ones. They hit first attempts, the list also retries.
type Faults struct {
	RateLimit, ServerError, SlowHeaders, Stall, Cut float64 // probabilities; their sum is at most 1

	RetryAfter  time.Duration // what a drawn 429 asks for, in modelled time; 0: 2 s
	HeaderDelay time.Duration // of drawn slow headers, modelled; 0: 3 s
	StallFor    time.Duration // of a drawn stall, modelled; 0: 3 s

	List []Fault
}

// A Fault hits one request.
type Fault struct {
	Request int           // the n-th request for output that the server gets, from 1, retries counted
	Kind    FaultKind     //
	After   int           // tokens before one in mid-stream, the opening of a call, or a call that comes whole, counting as one; 0: half of them
	For     time.Duration // retry-after of a 429, delay of headers, length of a stall; modelled; 0: as for drawn ones
}

// listed returns the fault that the list has for request n, if any.
func (f *Faults) listed(n int) *Fault {
	for _, l := range f.List {
		if l.Request == n {
			if l.For == 0 {
				l.For = f.duration(l.Kind)
			}
			return &l
		}
	}
	return nil
}

// draw returns a fault by the probabilities, or nil; the place of one in mid-stream is random.
func (f *Faults) draw(r *rand.Rand, tokens int) *Fault {
	u := r.Float64()
	after := 1 + r.IntN(max(1, tokens-1))
	for _, k := range []struct {
		kind FaultKind
		p    float64
	}{{RateLimit, f.RateLimit}, {ServerError, f.ServerError}, {SlowHeaders, f.SlowHeaders}, {Stall, f.Stall}, {Cut, f.Cut}} {
		if u < k.p {
			return &Fault{Kind: k.kind, After: after, For: f.duration(k.kind)}
		}
		u -= k.p
	}
	return nil
}

func (f *Faults) duration(k FaultKind) time.Duration {
	of := func(d, usual time.Duration) time.Duration {
		if d > 0 {
			return d
		}
		return usual
	}
	switch k {
	case RateLimit:
		return of(f.RetryAfter, 2*time.Second)
	case SlowHeaders:
		return of(f.HeaderDelay, 3*time.Second)
	case Stall:
		return of(f.StallFor, 3*time.Second)
	}
	return 0
}
