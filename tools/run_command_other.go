//go:build !unix

package tools

import "os/exec"

// killGroup leaves the default: cancellation kills the process alone.
func killGroup(*exec.Cmd) {}
