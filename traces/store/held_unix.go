//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package store

import (
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
