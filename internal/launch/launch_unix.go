//go:build linux || darwin || freebsd

package launch

import (
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"

	"github.com/charmbracelet/x/term"
)

// caught are the signals that are the command's. SIGTSTP is not among them: it stops this program as it stops the command. Of SIGPIPE
// only the effect is wanted, that a closed pipe does not end this program.
var caught = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE}

// catch takes the signals. One that is ignored, as by nohup, stays so: for the command, too, which inherits it.
func (p *Process) catch() {
	for _, s := range caught {
		if !signal.Ignored(s) {
			signal.Notify(p.signals, s)
		}
	}
}

func (p *Process) release() {
	signal.Stop(p.signals)
	p.terminal.close()
}

// passOn gives the command the signals that it has not got from the terminal.
func (p *Process) passOn() {
	for {
		select {
		case <-p.exited:
			return
		case s := <-p.signals:
			byKey := s == syscall.SIGINT || s == syscall.SIGQUIT
			if s == syscall.SIGPIPE || byKey && p.terminal.isOurs() {
				continue
			}
			_ = p.process.Signal(s) // an error: it has ended
		}
	}
}

// wait waits for the end, and stops this program whenever the command stops, if there is a shell that sees it.
func (p *Process) wait() Status {
	defer func() { _ = p.process.Release() }()
	options := syscall.WUNTRACED
	for {
		status, changed, err := p.next(options)
		options = syscall.WUNTRACED
		switch {
		case err != nil: // somebody else has waited for it
			return Status{Code: 1}
		case !changed:
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			_ = p.process.Signal(syscall.SIGCONT)
		case status.Stopped() && p.terminal.isOurs():
			time.Sleep(50 * time.Millisecond) // mostly the terminal has stopped both: then this sleep lasts until both go on again
			options = syscall.WNOHANG | syscall.WCONTINUED
		case status.Signaled():
			return Status{Signal: status.Signal()}
		case status.Exited():
			return Status{Code: status.ExitStatus()}
		}
	}
}

// next returns the next change of the command's state. Without one, changed is false; that can be only with WNOHANG.
func (p *Process) next(options int) (status syscall.WaitStatus, changed bool, err error) {
	for {
		pid, err := syscall.Wait4(p.process.Pid, &status, options, nil)
		if err != syscall.EINTR {
			return status, pid != 0, err
		}
	}
}

// A terminal is the one that controls this program.
type terminal struct {
	tty   *os.File // nil if there is none
	state *term.State
}

func openTerminal() *terminal {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return &terminal{}
	}
	t := &terminal{tty: tty}
	if t.isOurs() {
		t.state, _ = term.GetState(tty.Fd())
	}
	return t
}

// isOurs reports whether the keys of the terminal reach this program's group.
func (t *terminal) isOurs() bool {
	if t.tty == nil {
		return false
	}
	var group int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, t.tty.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return errno == 0 && int(group) == syscall.Getpgrp()
}

// restore puts the terminal into the state in which it was found.
func (t *terminal) restore() {
	if t.state != nil && t.isOurs() {
		_ = term.Restore(t.tty.Fd(), t.state)
	}
}

func (t *terminal) close() {
	if t.tty != nil {
		t.tty.Close()
	}
}
