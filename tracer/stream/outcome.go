package stream

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"

	"github.com/seed46266073/longpole/traces"
)

// bodyOutcome says how a body ended that ended with err.
func bodyOutcome(err error) traces.Outcome {
	var netErr net.Error
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return traces.OK
	case errors.Is(err, context.Canceled):
		return traces.Cancelled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return traces.Timeout
	}
	return traces.Truncated
}

// errorWord returns raw if it looks like an identifier, so that a server's free text, which may quote what it was sent,
// is never kept.
func errorWord(raw []byte) string {
	if len(raw) == 0 || len(raw) > 64 {
		return ""
	}
	for _, b := range raw {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '_', b == '-', b == '.':
		default:
			return ""
		}
	}
	return string(raw)
}

// error takes an error object; null is none. Its status, code or type is kept if it is a word, its message never.
func (d *decoder) error(c *cursor) {
	if c.peek() == 'n' {
		c.skip()
		return
	}
	d.fail("")
	if c.peek() == '"' || !c.object() {
		if c.peek() == '"' {
			c.skip()
		}
		return
	}
	var status, code, kind string
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "status": // Google's word for the code, which is a number there
			status = wordOrNumber(c)
		case "code":
			code = wordOrNumber(c)
		case "type":
			kind = wordOrNumber(c)
		default:
			c.skip()
		}
	}
	d.fail(cmp.Or(status, code, kind))
}

func (d *decoder) fail(word string) {
	if !d.failed {
		d.failed = true
		d.result.ErrorType = "_OTHER"
		if !d.result.Whole {
			d.stamp(&d.result.End)
		}
	}
	if word != "" {
		d.result.ErrorType = word
	}
}

func wordOrNumber(c *cursor) string {
	if c.peek() == '"' {
		raw, _ := c.str()
		return errorWord(raw)
	}
	start := c.i
	c.skip()
	if c.bad || string(c.b[start:c.i]) == "null" {
		return ""
	}
	return errorWord(c.b[start:c.i])
}
