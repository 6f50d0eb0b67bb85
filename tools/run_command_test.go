//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunCommand(t *testing.T) {
	t.Setenv("SECRET_KEY", "hush")
	box := newBox(t, map[string]string{"sub/a.txt": "in sub\n", "say.sh": "echo out; echo err >&2; exit 3\n"})
	box.Commands = []string{"cat", "sh", "no-such-program"}
	box.Output = 200
	box.Env = []string{"GIVEN=yes"}
	runCases(t, RunCommand(box), []toolCase{
		{name: "a program's output comes back", args: `{"command":"cat","args":["sub/a.txt"]}`, want: "in sub\n"},
		{name: "it can run in a folder below", args: `{"command":"cat","args":["a.txt"],"dir":"sub"}`, want: "in sub\n"},
		{name: "a failing status is a result", args: `{"command":"sh","args":["say.sh"]}`, want: "out\nerr\n[exit status 3]"},
		{name: "silence is said", args: `{"command":"sh","args":["-c","true"]}`, want: "[no output, exit status 0]"},
		{name: "arguments are not expanded", args: `{"command":"sh","args":["-c","echo \"$1\"","sh","*.sh; id"]}`, want: "*.sh; id\n"},
		{name: "the environment holds what was given and no secrets", args: `{"command":"sh","args":["-c","echo \"[$SECRET_KEY] $GIVEN\""]}`, want: "[] yes\n"},
		{name: "much output is cut and counted", args: `{"command":"sh","args":["-c","i=0; while [ $i -lt 1000 ]; do echo 1234567; i=$((i+1)); done"]}`, want: strings.TrimSuffix(strings.Repeat("1234567\n", 25), "\n") + "\n[cut: 199 of 8000 bytes shown; ask for less]"},
		{name: "another program is refused", args: `{"command":"rm"}`, wrong: `"rm" may not be run. Allowed: cat, sh, no-such-program.`},
		{name: "a path to a program is refused", args: `{"command":"./cat"}`, wrong: "may not be run"},
		{name: "a command line is explained", args: `{"command":"cat a.txt"}`, wrong: "give the arguments in args"},
		{name: "a program that is not there is said", args: `{"command":"no-such-program"}`, wrong: `there is no program "no-such-program"`},
		{name: "a folder that is not there is said", args: `{"command":"cat","dir":"src"}`, wrong: `no file "src"`},
	})
}

func TestRunCommandKillsTheWholeGroupWhenItsContextEnds(t *testing.T) {
	box := newBox(t, nil)
	box.Commands = []string{"sh"}
	ctx, cancel := context.WithCancel(t.Context())
	// The command waits for a grandchild and has written the grandchild's id when it is ready to be cancelled.
	go func() {
		for {
			if pid, err := box.Root.ReadFile("pid"); err == nil && strings.HasSuffix(string(pid), "\n") {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := RunCommand(box).Call(ctx, json.RawMessage(`{"command":"sh","args":["-c","sleep 600 & echo $! > pid; wait"]}`))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	content, err := box.Root.ReadFile("pid")
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if err := json.Unmarshal(content, &pid); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // the kernel delivers the signal before Call returns, but reaps when it likes
		if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(content)) + "/stat"); syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("the grandchild %d still runs", pid)
}
