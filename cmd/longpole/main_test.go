package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output inside testdata/*.txtar")

// programs are what scripts can run.
var programs = map[string]func(){"longpole": main, "agent": agent}

func TestMain(m *testing.M) {
	testscript.Main(m, programs)
}

// TestScripts runs the command lines of testdata/*.txtar: a command, its output, its status.
func TestScripts(t *testing.T) {
	takeIgnored(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LONGPOLE_HOME", env.WorkDir+"/home")
			env.Setenv("LANG", "C.UTF-8")
			return nil
		},
	})
}

// takeIgnored takes the signals that whoever started the tests has ignored, as nohup does: so they are at work in the programs that
// the tests start.
func takeIgnored(t *testing.T) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	t.Cleanup(func() { signal.Stop(signals) })
}

func TestSignalsPickTheExitStatus(t *testing.T) {
	for _, tc := range []struct {
		name string
		sig  syscall.Signal
		want int
	}{
		{"interrupted is 130", syscall.SIGINT, 130},
		{"terminated is 143", syscall.SIGTERM, 143},
		{"hung up is 129", syscall.SIGHUP, 129},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("LONGPOLE_HOME", t.TempDir())
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(signalError{tc.sig})
			var out, errs bytes.Buffer
			if got := run(ctx, []string{"bench", "--no-tui", "--task", "csv-total"}, strings.NewReader(""), &out, &errs); got != tc.want {
				t.Errorf("got status %d, want %d", got, tc.want)
			}
			if errs.Len() > 0 {
				t.Errorf("said %q, want nothing: who pressed the key knows", errs.String())
			}
		})
	}
}
