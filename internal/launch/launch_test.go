//go:build linux || darwin || freebsd

package launch_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed46266073/longpole/internal/launch"
)

// TestMain lets the test binary stand for the program that starts a command.
func TestMain(m *testing.M) {
	if script := os.Getenv("LAUNCH_SCRIPT"); script != "" {
		os.Exit(starter(script))
	}
	os.Exit(m.Run())
}

// starter runs a shell script as launch does, and says how it ended.
func starter(script string) int {
	// The signals that a caller may have ignored, as nohup does, are taken first: so they are at work in the command, however the tests were started.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGHUP)
	if os.Getenv("LAUNCH_HANGUP") == "ignored" {
		signal.Ignore(syscall.SIGHUP)
	}
	p, err := launch.Start(launch.Command{Args: []string{"/bin/sh", "-c", script}, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	status := p.Wait()
	fmt.Printf("ended %d\n", status.ExitStatus())
	return status.ExitStatus()
}

// start runs this binary as a starter in a session of its own, which has no terminal, and returns what it says.
func start(t *testing.T, script string, env ...string) (*os.Process, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{Env: append(append(os.Environ(), "LAUNCH_SCRIPT="+script), env...),
		Files: []*os.File{null, w, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	null.Close()
	t.Cleanup(func() { p.Kill(); p.Wait() })
	return p, bufio.NewReader(r)
}

func TestSignalsReachTheCommand(t *testing.T) {
	for _, tc := range []struct {
		name   string
		sig    syscall.Signal
		script string
		want   string
	}{
		{"an interrupt", syscall.SIGINT, `trap 'echo got INT; exit 7' INT; echo ready; while :; do sleep 0.01; done`, "got INT\nended 7\n"},
		{"a termination", syscall.SIGTERM, `trap 'echo got TERM; exit 0' TERM; echo ready; while :; do sleep 0.01; done`, "got TERM\nended 0\n"},
		{"a hang-up", syscall.SIGHUP, `trap 'echo got HUP; exit 3' HUP; echo ready; while :; do sleep 0.01; done`, "got HUP\nended 3\n"},
		{"a quit", syscall.SIGQUIT, `trap 'echo got QUIT; exit 4' QUIT; echo ready; while :; do sleep 0.01; done`, "got QUIT\nended 4\n"},
		{"a signal of the user", syscall.SIGUSR1, `trap 'echo got USR1; exit 5' USR1; echo ready; while :; do sleep 0.01; done`, "got USR1\nended 5\n"},
		{"one that kills it gives 128 and its number", syscall.SIGTERM, `echo ready; exec sleep 60`, "ended 143\n"},
		{"one that it ignores does nothing", syscall.SIGINT, `trap '' INT; echo ready; sleep 0.2; exit 9`, "ended 9\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, out := start(t, tc.script)
			if line, _ := out.ReadString('\n'); line != "ready\n" {
				t.Fatalf("the command said %q, want ready", line)
			}
			p.Signal(tc.sig)
			if got := rest(out); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAnIgnoredHangUpStaysIgnored(t *testing.T) {
	p, out := start(t, `echo ready; sleep 0.3; kill -HUP $$; exit 6`, "LAUNCH_HANGUP=ignored")
	out.ReadString('\n')
	p.Signal(syscall.SIGHUP)
	if got := rest(out); got != "ended 6\n" {
		t.Errorf("got %q, want the command to live on as under nohup", got)
	}
}

func rest(r *bufio.Reader) string {
	var b strings.Builder
	r.WriteTo(&b)
	return b.String()
}

func TestTheStatusIsPassedOn(t *testing.T) {
	for _, tc := range []struct {
		script string
		want   int
	}{{"exit 0", 0}, {"exit 1", 1}, {"exit 255", 255}, {"kill -KILL $$", 137}, {"kill -SEGV $$", 139}} {
		p, err := launch.Start(launch.Command{Args: []string{"/bin/sh", "-c", tc.script}, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Wait().ExitStatus(); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.script, got, tc.want)
		}
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		args   []string
		status int
		text   string
	}{
		{"a name that is nowhere in PATH", []string{"no-such-agent"}, 127, "no-such-agent: command not found"},
		{"a path that is not there", []string{dir + "/agent"}, 127, dir + "/agent: command not found"},
		{"a file that is no program", []string{text}, 126, text + ": cannot be executed: permission denied"},
		{"a directory", []string{dir}, 126, dir + ": cannot be executed: is a directory"},
		{"nothing", nil, 127, ": command not found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := launch.Start(launch.Command{Args: tc.args})
			var start *launch.StartError
			if !errors.As(err, &start) {
				t.Fatalf("got %v, want a StartError", err)
			}
			if start.ExitStatus() != tc.status || start.Error() != tc.text {
				t.Errorf("got %d %q, want %d %q", start.ExitStatus(), start.Error(), tc.status, tc.text)
			}
		})
	}
}

func TestAStoppedCommandWithoutATerminalIsWaitedFor(t *testing.T) {
	p, out := start(t, `echo $$; kill -STOP $$; echo awake`)
	var pid int
	fmt.Fscan(out, &pid)
	out.ReadString('\n')
	time.Sleep(100 * time.Millisecond) // until it has stopped; there is nothing to be seen of that
	syscall.Kill(pid, syscall.SIGCONT)
	if got := rest(out); got != "awake\nended 0\n" {
		t.Errorf("got %q", got)
	}
	p.Wait()
}
