package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Facts are what is kept of the headers. No other header's value is looked at, but for those that say how to read the body.
type Facts struct {
	UserAgent       string
	ClientRequestID string // X-Client-Request-Id
	TraceParent     string
	RetryCount      *int // X-Stainless-Retry-Count: 0 on the first attempt

	RequestID        string         // X-Request-Id or Request-Id of the response
	RetryAfter       *time.Duration // Retry-After-Ms or Retry-After, from when the head came
	ShouldRetry      *bool          // X-Should-Retry
	ServerProcessing *time.Duration // Openai-Processing-Ms
	GatewayRetries   *int           // X-Litellm-Attempted-Retries
	Encoding         string         // of the response's body, "" if it is not encoded
	ContentType      string         // of the response, without parameters
}

// asked takes the facts of a request's head.
func (f *Facts) asked(h http.Header) {
	f.UserAgent = word(h.Get("User-Agent"))
	f.ClientRequestID = word(h.Get("X-Client-Request-Id"))
	f.TraceParent = word(h.Get("Traceparent"))
	f.RetryCount = count(h.Get("X-Stainless-Retry-Count"))
}

// answered takes the facts of a response's head, which came at the given time.
func (f *Facts) answered(h http.Header, at time.Time) {
	f.RequestID = word(h.Get("X-Request-Id"))
	if f.RequestID == "" {
		f.RequestID = word(h.Get("Request-Id"))
	}
	f.RetryAfter = retryAfter(h, at)
	if b, err := strconv.ParseBool(h.Get("X-Should-Retry")); err == nil {
		f.ShouldRetry = &b
	}
	f.ServerProcessing = milliseconds(h.Get("Openai-Processing-Ms"))
	f.GatewayRetries = count(h.Get("X-Litellm-Attempted-Retries"))
	f.Encoding = encodingOf(h)
	f.ContentType, _, _ = strings.Cut(h.Get("Content-Type"), ";")
	f.ContentType = word(strings.ToLower(strings.TrimSpace(f.ContentType)))
}

// word returns a header's value fit to keep: printable, and not longer than such values are.
func word(s string) string {
	const longest = 256
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), longest)]
}

func count(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// retryAfter returns what the server asks to wait: the milliseconds if given, else seconds or a date.
func retryAfter(h http.Header, now time.Time) *time.Duration {
	if d := milliseconds(h.Get("Retry-After-Ms")); d != nil {
		return d
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return duration(seconds, time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		d := max(0, date.Sub(now))
		return &d
	}
	return nil
}

func milliseconds(s string) *time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return duration(f, time.Millisecond)
}

// duration returns n units, nil for what is no sensible wait.
func duration(n float64, unit time.Duration) *time.Duration {
	const most = 365 * 24 * time.Hour
	if !(n >= 0 && n <= float64(most/unit)) {
		return nil
	}
	d := time.Duration(n * float64(unit))
	return &d
}

// encodingOf returns the coding of a body in lower case, "" for none.
func encodingOf(h http.Header) string {
	e := word(strings.ToLower(strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ","))))
	if e == "identity" {
		return ""
	}
	return e
}
