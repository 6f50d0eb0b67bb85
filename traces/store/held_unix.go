//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"syscall"
)

// hold marks an open file as one that is being written, until it is closed or the process ends, however that happens. It reports
// whether it could; it cannot while somebody asks isHeld, which takes no time.
func hold(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil }

// isHeld reports whether some process holds the file. Where the file system cannot tell, it is taken to be so.
func isHeld(f *os.File) bool {
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return true
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	return false
}

// Lock takes an open file for this process alone, until it is closed or the process ends, and reports whether it could: nobody else
// has it. Where the system or the file system has no locks, everybody can.
func Lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}
