package agentsim

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3"
)

// A RetryPolicy says when a failed attempt is made again, and after how long: statuses 408, 409, 429 and 5xx, failed
// connections, and streams that break off. The server's word goes first (x-should-retry, retry-after-ms, retry-after);
// without one the wait doubles from Base to Max, less up to a quarter of jitter. The zero value is the usual policy.
// All durations are recorded time.
type RetryPolicy struct {
	Attempts  int           // of one model call, the first included; 0: 5; 1: no retries
	Base      time.Duration // first wait; 0: 500 ms
	Max       time.Duration // longest wait of our own choice; 0: 8 s
	MaxServer time.Duration // a server that asks for longer ends the call; 0: 2 min
}

// next decides after the n-th attempt failed with err. jitter is from [0, 1); now is only asked for dates.
func (p RetryPolicy) next(n int, err error, jitter float64, now time.Time) (wait time.Duration, again bool) {
	p = p.withDefaults()
	if n >= p.Attempts || !retryable(err) {
		return 0, false
	}
	if asked, ok := serverWait(err, now); ok {
		return asked, asked <= p.MaxServer
	}
	wait = p.Max
	if shift := n - 1; shift < 30 && p.Base<<shift < p.Max {
		wait = p.Base << shift
	}
	return wait - time.Duration(jitter*float64(wait)/4), true
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Attempts == 0 {
		p.Attempts = 5
	}
	if p.Base == 0 {
		p.Base = 500 * time.Millisecond
	}
	if p.Max == 0 {
		p.Max = 8 * time.Second
	}
	if p.MaxServer == 0 {
		p.MaxServer = 2 * time.Minute
	}
	return p
}

// jitter is a number from [0, 1) that the same attempt of the same step always gets.
func jitter(seed int64, step, attempt int) float64 {
	return rand.New(rand.NewPCG(uint64(seed), uint64(step)<<16|uint64(attempt))).Float64()
}

func retryable(err error) bool {
	var broken streamError
	if errors.As(err, &broken) {
		return true
	}
	var status *openai.Error
	if !errors.As(err, &status) {
		var transport *url.Error
		return errors.As(err, &transport) // no response: nobody there, a reset, a time-out of the transport
	}
	switch header(status, "x-should-retry") {
	case "true":
		return true
	case "false":
		return false
	}
	if status.Code == "insufficient_quota" {
		return false // a 429 that waiting does not cure
	}
	return status.StatusCode >= 500 ||
		slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests}, status.StatusCode)
}

func header(e *openai.Error, name string) string {
	if e.Response == nil {
		return ""
	}
	return e.Response.Header.Get(name)
}

// serverWait reads how long the server asked to wait: retry-after-ms, else retry-after as seconds or as a date.
func serverWait(err error, now time.Time) (time.Duration, bool) {
	var status *openai.Error
	if !errors.As(err, &status) {
		return 0, false
	}
	if ms, err := strconv.ParseFloat(header(status, "retry-after-ms"), 64); err == nil && ms >= 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	after := header(status, "retry-after")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s >= 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), true
	}
	if date, err := http.ParseTime(after); err == nil {
		return max(0, date.Sub(now)), true
	}
	return 0, false
}
