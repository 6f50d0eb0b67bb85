// Command longpole finds what an LLM agent's run was waiting for: it records agents, and splits every nanosecond of
// their runs between model, tools, retries and the agent itself.
//
// Each subcommand is one file: a constructor that declares flags, help and an example, and a function that does the
// work and is called by the tests directly. Results go to stdout, everything else to stderr. Only main prints an error
// and picks the exit status: 0 done, 1 failed, 2 misused, 130 interrupted, 143 terminated; record passes on its command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/seed46266073/longpole/traces/report"
)

func main() {
	ctx, stop := withSignals(context.Background())
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var signalled signalError
	var misuse usageError
	var status statusError
	switch {
	case errors.As(context.Cause(ctx), &signalled):
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, signalled) {
			complain(stderr, err)
		}
		return signalled.status()
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &misuse):
		complain(stderr, err)
		return 2
	default:
		complain(stderr, err)
		return 1
	}
}

// complain prints an error on one line. Names in it are as strangers wrote them: nothing of them may steer the terminal.
func complain(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "longpole: %s\n", report.Clean(err.Error()))
}

// A usageError is a command line that cannot be carried out as it stands: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func misused(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A statusError is an exit status that is not ours to explain: that of a command which was run.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// A signalError is the cause of a context that a signal cancelled.
type signalError struct{ sig syscall.Signal }

func (e signalError) Error() string { return e.sig.String() }
func (e signalError) status() int   { return 128 + int(e.sig) }

// withSignals returns a context that the first interrupt, termination or hang-up cancels, so that open spans are ended and
// written; a second one ends the process at once. A signal that is ignored, as by nohup, stays so.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	release := sync.OnceFunc(func() { signal.Stop(signals); close(signals) })
	go func() {
		first, ok := (<-signals).(syscall.Signal)
		if !ok {
			return
		}
		cancel(signalError{first})
		if second, ok := (<-signals).(syscall.Signal); ok {
			os.Exit(signalError{second}.status())
		}
	}()
	return context.WithValue(ctx, signalsKey{}, release), func() { release(); cancel(nil) }
}

type signalsKey struct{}

// takeSignals gives the signals to the caller: they cancel ctx no more.
func takeSignals(ctx context.Context) {
	if release, ok := ctx.Value(signalsKey{}).(func()); ok {
		release()
	}
}
