package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// RunCommand returns the tool run_command: a program of the box's list, started directly, without a shell between. On
// time-out and cancel its whole process group is killed (Unix; elsewhere the process).
func RunCommand(box *Box) Tool {
	type args struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Dir     string   `json:"dir"`
	}
	return define("run_command",
		"Run a program in the working folder and return what it prints and its exit status. There is no shell: no pipes, "+
			"no wildcards, no quoting. "+allowed(box.Commands),
		`{"type":"object","additionalProperties":false,"required":["command"],"properties":{
			"command":{"type":"string","minLength":1,"description":"name of the program"},
			"args":{"type":"array","items":{"type":"string"},"description":"its arguments, one each"},
			"dir":{"type":"string","description":"folder inside the working folder to run in; default the working folder"}}}`,
		2*time.Minute,
		func(ctx context.Context, a args) (string, error) {
			if !slices.Contains(box.Commands, a.Command) {
				hint := ""
				if strings.ContainsRune(a.Command, ' ') {
					hint = "; give the arguments in args"
				}
				return "", fmt.Errorf("%q may not be run%s. %s", a.Command, hint, allowed(box.Commands))
			}
			dir, err := box.Root.OpenRoot(clean(a.Dir))
			if err != nil {
				return "", box.explain(a.Dir, err)
			}
			defer func() { _ = dir.Close() }() // only read
			return box.command(ctx, filepath.Join(box.Root.Name(), filepath.FromSlash(clean(a.Dir))), a.Command, a.Args)
		})
}

func allowed(commands []string) string {
	if len(commands) == 0 {
		return "No program is allowed."
	}
	return "Allowed: " + strings.Join(commands, ", ") + "."
}

// command runs a program to its end. An exit status other than 0 is a result, not an error: a failing test is what
// the model wants to see.
func (b *Box) command(ctx context.Context, dir, name string, args []string) (string, error) {
	out := &head{limit: 2 * b.limit()}
	cmd := Command(ctx, dir, name, args...)
	cmd.Env = append(cmd.Env, b.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	text := b.cutRest(strings.ToValidUTF8(string(out.kept), "\uFFFD"), out.written-len(out.kept))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w; it had printed: %s", name, context.Cause(ctx), shorten(strings.TrimSpace(text), 400))
	case errors.As(err, &exit):
		return fmt.Sprintf("%s\n[exit status %d]", strings.TrimSuffix(text, "\n"), exit.ExitCode()), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no program %q on this machine", name)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("%s: %w", name, err)
	case text == "":
		return "[no output, exit status 0]", nil
	}
	return text, nil
}

// Command returns a program to be started in dir as run_command starts its own: its environment holds PATH, HOME and their likes
// only, and its whole process group is killed when ctx ends (Unix; elsewhere the process).
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, plainEnv()
	cmd.WaitDelay = time.Second // a grandchild that keeps the pipe open does not keep us
	killGroup(cmd)
	return cmd
}

// plainEnv is an environment without the secrets that agents' environments tend to hold.
func plainEnv() []string {
	var env []string
	for _, key := range []string{"PATH", "HOME", "TMPDIR", "TEMP", "SYSTEMROOT", "LANG"} {
		if value, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// A head keeps the beginning of what is written to it and counts the rest.
type head struct {
	kept    []byte
	limit   int
	written int
}

func (h *head) Write(p []byte) (int, error) {
	h.written += len(p)
	h.kept = append(h.kept, p[:min(len(p), h.limit-len(h.kept))]...)
	return len(p), nil
}
