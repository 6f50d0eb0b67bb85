//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed46266073/longpole/traces"
)

// A disk hands out files whose next writes fail as told.
type disk struct {
	opened int
	opens  []error // what opening fails with, in turn; nil: it does not
	writes []fault // what the writes do, in turn
}

// A fault is a write that takes the first bytes only and fails; without an error it is none.
type fault struct {
	bytes int
	err   error
}

func (d *disk) open(path string) (file, error) {
	d.opened++
	if len(d.opens) > 0 {
		err := d.opens[0]
		d.opens = d.opens[1:]
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return faulty{f.(*os.File), d}, nil
}

type faulty struct {
	*os.File
	disk *disk
}

func (f faulty) Write(p []byte) (int, error) {
	if len(f.disk.writes) == 0 {
		return f.File.Write(p)
	}
	next := f.disk.writes[0]
	f.disk.writes = f.disk.writes[1:]
	if next.err == nil {
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:min(next.bytes, len(p))])
	if err == nil {
		err = &fs.PathError{Op: "write", Path: f.Name(), Err: next.err}
	}
	return n, err
}

func TestADiskThatFailsLosesRecordsAndNothingElse(t *testing.T) {
	full, quota, io, readOnly := syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS
	fine := fault{}
	cases := []struct {
		name   string
		disk   disk
		before func(path string, record int) // what happens before a record is written
		read   string                        // the records that are read back
		lost   int
		close  string // the end of Close's error
	}{
		{name: "nothing fails", read: "1 2 3 4 5 6 7 8 9 10"},
		{
			name: "the disk fills in the middle of a record and later has room again",
			disk: disk{writes: []fault{fine, fine, fine, fine, {100, full}, {0, full}, {0, full}}},
			read: "1 2 3 4 8 9 10", lost: 3, close: "3 of 10 records lost: write FILE: no space left on device",
		},
		{
			name: "a quota allows the line but not its end",
			disk: disk{writes: []fault{fine, {1 << 20, quota}}},
			read: "1 2 3 4 5 6 7 8 9 10", lost: 1, close: "1 of 10 records lost: write FILE: disk quota exceeded",
		},
		{
			name: "a record is torn at its first byte, and the fresh line after it as well",
			disk: disk{writes: []fault{fine, {1, io}, {1, io}, {2, io}}},
			read: "1 5 6 7 8 9 10", lost: 3, close: "3 of 10 records lost: write FILE: input/output error",
		},
		{
			name: "the directory is read-only at first",
			disk: disk{opens: []error{readOnly, readOnly}},
			read: "3 4 5 6 7 8 9 10", lost: 2, close: "2 of 10 records lost: open FILE: read-only file system",
		},
		{
			name: "the file is removed while it is open",
			before: func(path string, record int) {
				if record == 4 {
					os.Remove(path)
				}
			},
			read: "4 5 6 7 8 9 10",
		},
		{
			name: "the directory is removed, and something else has its place for a while",
			before: func(path string, record int) {
				switch dir := filepath.Dir(path); record {
				case 4:
					os.RemoveAll(dir)
					os.WriteFile(dir, nil, 0o600)
				case 6:
					os.Remove(dir)
				}
			},
			read: "6 7 8 9 10", lost: 2, close: "2 of 10 records lost: mkdir DIR: not a directory",
		},
		{
			name: "the file is replaced by a pipe, which would block",
			before: func(path string, record int) {
				switch record {
				case 4:
					os.Remove(path)
					syscall.Mkfifo(path, 0o600)
				case 5:
					os.Remove(path)
				}
			},
			read: "5 6 7 8 9 10", lost: 1, close: "1 of 10 records lost: FILE is not a regular file",
		},
		{
			name: "another process is killed in the middle of a line",
			before: func(path string, record int) {
				if record == 4 {
					f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
					fmt.Fprint(f, `{"resourceSpans":[{"scope`)
					f.Close()
				}
			},
			read: "1 2 3 4 5 6 7 8 9 10",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(filepath.Join(t.TempDir(), "runs"))
			if err != nil {
				t.Fatal(err)
			}
			w, err := s.Create("r")
			if err != nil {
				t.Fatal(err)
			}
			w.open = c.disk.open
			for n := 1; n <= 10; n++ {
				if c.before != nil {
					c.before(w.Path(), n)
				}
				record := traces.Record{TraceID: "01", SpanID: fmt.Sprint(n), Name: strings.Repeat("x", 200)}
				if err := w.Write(record); err != nil {
					t.Errorf("record %d disturbed the agent: %v", n, err)
				}
			}
			if w.Lost() != c.lost {
				t.Errorf("lost %d records, want %d", w.Lost(), c.lost)
			}
			records, _, err := s.Load("r")
			var read []string
			for _, r := range records {
				read = append(read, r.SpanID)
			}
			if got := strings.Join(read, " "); got != c.read || err != nil {
				t.Errorf("read %s, %v, want %s", got, err, c.read)
			}
			got := ""
			if err := w.Close(); err != nil {
				got = strings.NewReplacer(w.Path(), "FILE", s.Dir(), "DIR").Replace(err.Error())
			}
			if want := c.close; want == "" && got != "" || !strings.HasSuffix(got, want) {
				t.Errorf("close: %q, want %q", got, want)
			}
		})
	}
}
