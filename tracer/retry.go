package tracer

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// retryAfter returns how long the server asked to wait: retry-after-ms, else retry-after, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) *time.Duration {
	wait := func(s string, unit time.Duration) *time.Duration {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || f < 0 || f*float64(unit) > math.MaxInt64/2 {
			return nil
		}
		d := time.Duration(math.Round(f * float64(unit)))
		return &d
	}
	if d := wait(h.Get("Retry-After-Ms"), time.Millisecond); d != nil {
		return d
	}
	s := h.Get("Retry-After")
	if d := wait(s, time.Second); d != nil {
		return d
	}
	if date, err := http.ParseTime(s); err == nil {
		d := max(0, date.Sub(now))
		return &d
	}
	return nil
}

// retryable reports whether SDKs send such a request again.
func retryable(resp *http.Response) bool {
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		return true
	case "false":
		return false
	}
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return resp.StatusCode >= 500
}

// retryGrace is how much longer than the server asked for a retry is waited for before a failed implicit call is ended.
// SDKs back off for 8 s at most.
const retryGrace = 30 * time.Second

// attemptDone ends an implicit call with its attempt, unless the attempt failed in a way that is retried.
func (c *ModelCall) attemptDone(a *attempt) {
	if !c.implicit {
		return
	}
	a.mu.Lock()
	again := a.outcome == traces.Truncated || a.outcome == traces.Error && (a.status == 0 || a.retryable)
	grace := retryGrace
	if a.retryAfter != nil {
		grace += *a.retryAfter
	}
	a.mu.Unlock()
	if !again {
		c.endImplicit()
		return
	}
	r := c.run
	r.mu.Lock()
	if r.pending == nil {
		r.pending = map[uint64]*ModelCall{}
	}
	replaced := r.pending[c.hash]
	r.pending[c.hash] = c
	r.mu.Unlock()
	if replaced != nil && replaced != c {
		replaced.endImplicit()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expiry = time.AfterFunc(grace, func() {
		r.mu.Lock()
		waiting := r.pending[c.hash] == c
		if waiting {
			delete(r.pending, c.hash)
		}
		r.mu.Unlock()
		if waiting {
			c.endImplicit()
		}
	})
}

// take returns the implicit call that waits for a retry of the request with this hash, and no longer keeps it.
func (r *Run) take(hash uint64) *ModelCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.pending[hash]
	delete(r.pending, hash)
	return c
}
