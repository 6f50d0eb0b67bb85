package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// A Writer appends the records of one run to its file. It is safe for concurrent use, and several processes may write
// one run: each line goes to the end of the file whole, in one system call.
//
// A write that fails (a full disk, a quota, a directory that cannot be written) loses its records and nothing else: they
// are counted, and the next write tries again, on a fresh line if half a line was left. A file that was removed is made
// anew.
type Writer struct {
	id   string
	path string
	open func(path string) (file, error) // openFile, but in tests

	mu      sync.Mutex
	file    file        // nil: not open
	info    fs.FileInfo // of file when it was opened
	size    int64       // that file has if nobody else wrote
	torn    bool        // file ends within a line
	held    bool        // followers can see that file is being written
	line    []byte
	written int   // records
	lost    int   // records
	fault   error // why the first of them was lost
	closed  bool
}

// A file is what the writer needs of an *os.File.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Create returns a writer for a run. A run that the store has is continued. Nothing is touched before the first write.
func (s *Store) Create(runID string) (*Writer, error) {
	if runID == "" {
		return nil, errors.New("create run: it has no id")
	}
	return &Writer{id: runID, path: filepath.Join(s.dir, fileName(runID)), open: openFile}, nil
}

// openFile opens a file to append to, and makes it and its directory if need be, readable by the owner alone.
func openFile(path string) (file, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path) // opening a pipe would block
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
}

// Path returns the name of the run's file, which exists once something was written.
func (w *Writer) Path() string { return w.path }

// Lost returns how many records could not be written so far.
func (w *Writer) Lost() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// Write appends the records as one line. What the disk refuses is counted by Lost and explained by Close; the error is
// non-nil only after Close.
func (w *Writer) Write(records ...traces.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return fmt.Errorf("write run %s: %w", w.id, os.ErrClosed)
	case len(records) == 0:
		return nil
	}
	err := w.append(records)
	if err == nil {
		w.written += len(records)
		return nil
	}
	w.lost += len(records)
	if w.fault == nil {
		w.fault = err
	}
	w.release()
	return nil
}

// Close closes the file. The error says how many records were lost, if any, and why the first of them was. Closing
// again does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	w.release()
	if w.lost == 0 {
		return nil
	}
	return fmt.Errorf("run %s: %d of %d records lost: %w", w.id, w.lost, w.lost+w.written, w.fault)
}

// append writes one line.
func (w *Writer) append(records []traces.Record) error {
	if err := w.prepare(); err != nil {
		return err
	}
	const keep = 1 << 20 // bytes; what a single large record needed is given back
	line := w.line[:0]
	if w.torn {
		line = append(line, '\n')
	}
	line = otlp.AppendJSON(line, records...)
	line = append(line, '\n')
	if cap(line) <= keep {
		w.line = line
	}
	n, err := w.file.Write(line)
	w.size += int64(n)
	w.torn = false
	return err
}

// prepare opens the file if it is not open or no longer the one at the path, and finds out whether it ends within a
// line: another process, or this one before it failed, may have been stopped in the middle.
func (w *Writer) prepare() error {
	info, err := os.Stat(w.path)
	if w.file != nil && (err != nil || !os.SameFile(info, w.info)) {
		w.release()
	}
	if w.file == nil {
		if w.file, err = w.open(w.path); err != nil {
			w.file = nil
			return err
		}
		if info, err = w.file.Stat(); err != nil {
			return err
		}
		w.info, w.size, w.held = info, -1, false
	}
	if f, ok := w.file.(*os.File); ok && !w.held {
		w.held = hold(f)
	}
	if info.Size() != w.size {
		w.size = info.Size()
		w.torn = w.size > 0 && !w.endsLine()
	}
	return nil
}

// endsLine reports whether the file's last byte is a line feed. A file that cannot be read is taken to be torn: an
// empty line does no harm.
func (w *Writer) endsLine() bool {
	var last [1]byte
	_, err := w.file.ReadAt(last[:], w.size-1)
	return err == nil && last[0] == '\n'
}

// release closes the file so that the next write opens it again.
func (w *Writer) release() {
	if w.file != nil {
		w.file.Close() // what was written is with the system already
		w.file = nil
	}
}
