package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAnInterruptedExportLeavesNoFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError{syscall.SIGINT})
	file := filepath.Join(t.TempDir(), "path.folded")
	var out, errs bytes.Buffer
	document := tagged(strings.Repeat("1", 32), "low")
	if got := run(ctx, []string{"export", "--to", "folded", "-o", file, "-"}, strings.NewReader(document), &out, &errs); got != 130 {
		t.Errorf("got status %d, want 130", got)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a file")
	}
}
