package proxy

import (
	"net/http"
	"time"
)

// A client is where a response is written to.
type client struct {
	http.ResponseWriter
	flight *flight
	taken  time.Time // when the bytes written, but not flushed, arrived; zero if that is not to be timed
}

// Unwrap lets http.ResponseController reach what this type does not have.
func (c *client) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader keeps net/http from adding headers that the upstream did not send.
func (c *client) WriteHeader(status int) {
	if status >= 200 {
		for _, name := range []string{"Date", "Content-Type"} {
			if _, ok := c.Header()[name]; !ok {
				c.Header()[name] = nil
			}
		}
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *client) Write(p []byte) (int, error) {
	if c.flight.body != nil {
		c.taken = c.flight.body.taken
	}
	return c.ResponseWriter.Write(p)
}

// FlushError sends what was written, and books the time since it was read.
func (c *client) FlushError() error {
	err := c.flight.control.Flush()
	if !c.taken.IsZero() {
		d := c.flight.proxy.now().Sub(c.taken)
		c.flight.overhead.add(d)
		c.flight.proxy.self.chunks.add(d)
		c.taken = time.Time{}
	}
	return err
}
