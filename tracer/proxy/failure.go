package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// errorWord returns the Err constant for what ended a body or kept a request from a response; nil means a clean end that came
// too early.
func errorWord(err error) string {
	var (
		op      *net.OpError
		dns     *net.DNSError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		verify  *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		timeout net.Error
	)
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), closedIdle(err):
		return ErrEOF
	case errors.Is(err, context.Canceled):
		return ErrCancelled
	case errors.As(err, &dns):
		return ErrDNS
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	case errors.As(err, &op) && op.Op == "dial":
		return ErrConnect
	case errors.As(err, &record), errors.As(err, &alert), errors.As(err, &verify), errors.As(err, &unknown):
		return ErrTLS
	case isReset(err):
		return ErrReset
	}
	return ErrProtocol
}

// isReset reports whether the other side broke off the connection, or the stream on it.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || strings.HasPrefix(err.Error(), "stream error:")
}

// closedIdle reports whether the upstream closed a connection on which no answer had begun. net/http does not export its error.
func closedIdle(err error) bool {
	return strings.Contains(err.Error(), "server closed idle connection")
}

// brokeOff reports whether err is an end of a connection that was up, which the client is to see as the same end.
func brokeOff(err error) bool {
	switch errorWord(err) {
	case ErrReset, ErrEOF:
		return true
	}
	return false
}
