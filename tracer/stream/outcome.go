package stream

import (
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
