// Package launch runs a command in the place of the program that starts it: with the same standard input, output and error, in the same
// process group, so that terminal, keys and job control reach the command as if nobody stood above it.
//
// In go arguments and environment; out comes how the command ended. What a terminal sends to a whole group (Ctrl-C, Ctrl-\) the
// command has got already, and the starting program only survives it; what is sent to the starting program alone is passed on. If the
// command stops itself, the starting program stops too, so that the shell gets its prompt back, and both go on together.
//
// How a shell's foreground job behaves is POSIX.1-2024, chapter 11.1; the statuses 126 and 127 are those of its section 2.8.2.
package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// A Command is what to run.
type Command struct {
	Args                  []string // the first is a path, or a name to be looked up in PATH
	Env                   []string // KEY=VALUE; nil: the caller's
	Stdin, Stdout, Stderr *os.File // given to the command as they are
}

// A Process is a command that was started.
type Process struct {
	process  *os.Process
	terminal *terminal
	signals  chan os.Signal
	exited   chan struct{}
}

// A Status is how a command ended.
type Status struct {
	Code   int            // exit status; meaningless if it was killed
	Signal syscall.Signal // that killed it; 0 if it exited
}

// ExitStatus returns the status in a shell's way: 128 + N for a command that was killed by signal N.
func (s Status) ExitStatus() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
	}
	return s.Code
}

// A StartError says why a command could not be started.
type StartError struct {
	Name string
	Err  error
}

func (e *StartError) Error() string {
	switch e.ExitStatus() {
	case 127:
		return fmt.Sprintf("%s: command not found", e.Name)
	case 126:
		return fmt.Sprintf("%s: cannot be executed: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("start %s: %v", e.Name, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// ExitStatus returns what a shell would: 127 if there is no such command, 126 if there is and it cannot be executed.
func (e *StartError) ExitStatus() int {
	if errors.Is(e.Err, exec.ErrNotFound) || errors.Is(e.Err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

// Start starts a command. Until Wait has returned, signals to this program are the command's. An error is a *StartError.
func Start(c Command) (*Process, error) {
	if len(c.Args) == 0 {
		return nil, &StartError{"", exec.ErrNotFound}
	}
	name := c.Args[0]
	path, err := exec.LookPath(name)
	if err != nil {
		var lookup *exec.Error
		if errors.As(err, &lookup) {
			err = lookup.Err
		}
		return nil, &StartError{name, err}
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	p := &Process{terminal: openTerminal(), signals: make(chan os.Signal, 16), exited: make(chan struct{})}
	p.catch()
	p.process, err = os.StartProcess(path, c.Args, &os.ProcAttr{Env: env, Files: []*os.File{c.Stdin, c.Stdout, c.Stderr}})
	if err != nil {
		p.release()
		var op *fs.PathError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, &StartError{name, err}
	}
	go p.passOn()
	return p, nil
}

// Wait waits until the command has ended, and says how.
func (p *Process) Wait() Status {
	status := p.wait()
	close(p.exited)
	if status.Signal != 0 {
		p.terminal.restore()
	}
	p.release()
	return status
}
