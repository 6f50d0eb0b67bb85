package agentsim

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
)

func TestWhenAnAttemptIsMadeAgain(t *testing.T) {
	now := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	status := func(code int, headers ...string) error {
		h := http.Header{}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &openai.Error{StatusCode: code, Response: &http.Response{StatusCode: code, Header: h}}
	}
	quota := &openai.Error{StatusCode: 429, Code: "insufficient_quota"}
	for _, c := range []struct {
		name    string
		err     error
		attempt int
		policy  RetryPolicy
		jitter  float64
		wait    time.Duration
		again   bool
	}{
		{name: "the first wait is half a second", err: status(500), wait: 500 * time.Millisecond, again: true},
		{name: "it doubles", err: status(500), attempt: 3, wait: 2 * time.Second, again: true},
		{name: "up to eight seconds", err: status(500), attempt: 40, policy: RetryPolicy{Attempts: 50}, wait: 8 * time.Second, again: true},
		{name: "jitter takes off up to a quarter", err: status(503), jitter: 0.5, wait: 437500 * time.Microsecond, again: true},
		{name: "the fifth attempt is the last", err: status(500), attempt: 5},
		{name: "one attempt means no retries", err: status(500), policy: RetryPolicy{Attempts: 1}},
		{name: "a request time-out", err: status(408), wait: 500 * time.Millisecond, again: true},
		{name: "a conflict", err: status(409), wait: 500 * time.Millisecond, again: true},
		{name: "a rate limit without advice", err: status(429), wait: 500 * time.Millisecond, again: true},
		{name: "retry-after in seconds, without jitter", err: status(429, "retry-after", "7"), jitter: 0.9, wait: 7 * time.Second, again: true},
		{name: "retry-after in parts of a second", err: status(429, "retry-after", "0.25"), wait: 250 * time.Millisecond, again: true},
		{name: "retry-after-ms beats retry-after", err: status(429, "retry-after", "7", "retry-after-ms", "1500"), wait: 1500 * time.Millisecond, again: true},
		{name: "retry-after as a date", err: status(429, "retry-after", "Mon, 04 May 2026 09:00:05 GMT"), wait: 5 * time.Second, again: true},
		{name: "a date that has passed", err: status(429, "retry-after", "Mon, 04 May 2026 08:00:00 GMT"), wait: 0, again: true},
		{name: "nonsense is no advice", err: status(429, "retry-after", "soon", "retry-after-ms", "-1"), wait: 500 * time.Millisecond, again: true},
		{name: "two minutes are the most that is waited", err: status(429, "retry-after", "121"), wait: 121 * time.Second},
		{name: "an empty account does not fill by waiting", err: quota},
		{name: "a bad request stays bad", err: status(400)},
		{name: "unless the server says otherwise", err: status(400, "x-should-retry", "true"), wait: 500 * time.Millisecond, again: true},
		{name: "and a broken server may say that it is no use", err: status(500, "x-should-retry", "false")},
		{name: "nobody there", err: &url.Error{Op: "Post", Err: errors.New("connection refused")}, wait: 500 * time.Millisecond, again: true},
		{name: "a stream that was cut", err: fmt.Errorf("x: %w", streamError{errCut}), wait: 500 * time.Millisecond, again: true},
		{name: "a stream that broke", err: streamError{io.ErrUnexpectedEOF}, wait: 500 * time.Millisecond, again: true},
		{name: "an error before any request", err: errors.New("no base URL")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.attempt == 0 {
				c.attempt = 1
			}
			wait, again := c.policy.next(c.attempt, c.err, c.jitter, now)
			if again != c.again || again && wait != c.wait {
				t.Errorf("got %v, %v; want %v, %v", wait, again, c.wait, c.again)
			}
		})
	}
}

func TestJitterIsTheSameForTheSameAttemptOnly(t *testing.T) {
	seen := map[float64]bool{}
	for seed := range int64(10) {
		for step := range 10 {
			for attempt := range 5 {
				j := jitter(seed, step, attempt)
				if j < 0 || j >= 1 || j != jitter(seed, step, attempt) {
					t.Errorf("jitter(%d, %d, %d) = %v", seed, step, attempt, j)
				}
				seen[j] = true
			}
		}
	}
	if len(seen) != 500 {
		t.Errorf("%d different values of 500", len(seen))
	}
}
