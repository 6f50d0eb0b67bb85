//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func init() { programs["detached"] = detached }

// detached runs a command without a terminal, so that scripts do the same from one and in a pipeline: with a terminal, an interrupt is
// taken for its Ctrl-C, which the whole group gets.
func detached() {
	path, err := exec.LookPath(os.Args[1])
	if err == nil {
		_, _ = syscall.Setsid() // an error: there is none to leave
		err = syscall.Exec(path, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "detached:", err)
	os.Exit(1)
}
