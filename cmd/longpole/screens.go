package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/tui"
)

// showScreens opens the screens. What they need files for is done here: views are exported to the current directory, and that the tour
// was seen is noted in the store's.
func showScreens(ctx context.Context, runs []*measure.Run, opt tui.Options, stdin io.Reader, stdout io.Writer) error {
	opt.Export = exportView
	if dir, err := store.Default(); err == nil {
		seen := filepath.Join(dir, ".tour-seen")
		if _, err := os.Stat(seen); errors.Is(err, fs.ErrNotExist) {
			opt.Tour = true
			opt.Toured = func() { noteTour(seen) }
		}
	}
	return tui.Run(ctx, tui.New(runs, opt), stdin, stdout)
}

// noteTour makes an empty file at path. Where that cannot be, the tour is shown once more: nothing to bother anybody with.
func noteTour(path string) {
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, nil, 0o600)
	}
}

// exportView writes the text of a screen to a new file in the current directory; what is there is never overwritten.
func exportView(screen, text string) (path string, err error) {
	for n := 1; ; n++ {
		path = "longpole-" + screen + ".txt"
		if n > 1 {
			path = fmt.Sprintf("longpole-%s-%d.txt", screen, n)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(text)
		return path, errors.Join(err, f.Close())
	}
}
