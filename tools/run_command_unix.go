//go:build unix

package tools

import (
	"os/exec"
	"syscall"
)

// killGroup puts the command in a process group of its own and makes its cancellation kill all of it.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
