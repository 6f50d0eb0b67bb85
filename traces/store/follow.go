package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// FollowEvery is how often a Follower is meant to be polled.
const FollowEvery = 200 * time.Millisecond

// The patience of a Follower, in polls.
const (
	seldom = 10  // how often files are looked at that have long been quiet, and directories that seem unchanged
	grace  = 10  // after its last growth a file is believed to be written although nobody has it open
	quiet  = 300 // after its last growth a file that nobody writes is forgotten but for its size
)

// A Follower watches files of runs grow. Each poll reads only what was appended since the one before, as far as it is whole lines, and
// tells which runs have changed. It keeps the latest record of each span of the runs that are being written, and of the others only how
// far they were read; one that grows again is read anew. It is not safe for concurrent use.
type Follower struct {
	paths []string // files, and directories of them
	dirs  map[string]*listing
	files map[string]*followed
	round int
}

// A Change tells of a file that is not as it was at the poll before.
type Change struct {
	ID       string // as in Entry
	Path     string
	Records  []traces.Record  // the latest of each span so far (traces.Latest), the caller's to keep
	Problems []traces.Problem // of all lines so far
	Written  time.Time        // last written
	Writing  bool             // somebody has it open to append to it; also true where the system cannot tell
	Removed  bool             // it is gone: nothing above but ID and Path is set
}

// Follow returns a follower of all runs of the store, also of those that are still to come.
func (s *Store) Follow() *Follower { return Follow(s.dir) }

// Follow returns a follower of files of OTLP JSON lines and of the runs in directories, which need not exist yet.
func Follow(paths ...string) *Follower {
	return &Follower{paths: paths, dirs: map[string]*listing{}, files: map[string]*followed{}}
}

// Poll returns what has changed, by path; at the first time that is every file. What the error is about was left as it was.
func (f *Follower) Poll() ([]Change, error) {
	f.round++
	names, fault := f.list()
	var changes []Change
	for _, path := range names {
		file := f.files[path]
		if file == nil {
			file = &followed{path: path, turn: len(f.files) % seldom}
			f.files[path] = file
		}
		if file.idle > quiet && f.round%seldom != file.turn {
			continue
		}
		changed, err := file.poll()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			names = slices.DeleteFunc(slices.Clone(names), func(p string) bool { return p == path })
		case err != nil:
			fault = errors.Join(fault, fmt.Errorf("follow run %s: %w", file.id(), err))
		case changed:
			changes = append(changes, file.change())
		}
	}
	for path, file := range f.files {
		if _, here := slices.BinarySearch(names, path); !here {
			delete(f.files, path)
			if file.known != nil {
				changes = append(changes, Change{ID: file.id(), Path: path, Removed: true})
			}
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, fault
}

// A listing is what a directory held when it was read.
type listing struct {
	info  fs.FileInfo
	names []string
}

// list returns the paths of all files there are, sorted, each once.
func (f *Follower) list() ([]string, error) {
	var all []string
	var fault error
	for _, path := range f.paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			fault = errors.Join(fault, fmt.Errorf("follow runs: %w", err))
			for known := range f.files { // it may be there again
				if known == path || filepath.Dir(known) == path {
					all = append(all, known)
				}
			}
		case !info.IsDir():
			all = append(all, path)
		default:
			before := f.dirs[path]
			if before == nil || !before.info.ModTime().Equal(info.ModTime()) || !os.SameFile(before.info, info) || f.round%seldom == 0 {
				before = &listing{info: info}
				f.dirs[path] = before
				entries, err := os.ReadDir(path)
				if err != nil {
					fault = errors.Join(fault, fmt.Errorf("follow runs: %w", err))
				}
				for _, e := range entries {
					if strings.HasSuffix(e.Name(), suffix) {
						before.names = append(before.names, filepath.Join(path, e.Name()))
					}
				}
			}
			all = append(all, before.names...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), fault
}

// A followed file is how far it was read, and what was in it.
type followed struct {
	path     string
	known    fs.FileInfo // when it was read; nil before
	offset   int64       // of the first line that was not read
	lines    int         // before offset
	records  []traces.Record
	problems []traces.Problem
	writing  bool
	idle     int // polls since it grew
	turn     int // of the polls that look at it when it is quiet
}

func (f *followed) id() string { return strings.TrimSuffix(filepath.Base(f.path), suffix) }

func (f *followed) change() Change {
	return Change{ID: f.id(), Path: f.path, Records: slices.Clone(f.records), Problems: slices.Clone(f.problems),
		Written: f.known.ModTime(), Writing: f.writing}
}

// poll reads what is new and reports whether anything is.
func (f *followed) poll() (changed bool, err error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, nil // opening a pipe would block
	}
	first := f.known == nil
	grown := first || info.Size() != f.known.Size() || !os.SameFile(info, f.known)
	if f.idle++; !grown && !f.writing {
		if f.idle == quiet {
			f.forget()
		}
		return false, nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if grown {
		if !first && (info.Size() < f.offset || !os.SameFile(info, f.known)) {
			f.forget() // it is another file
		}
		f.known, f.idle = info, 0
		if err := f.read(file, false); err != nil {
			return false, err
		}
	}
	writing := isHeld(file) || !first && f.idle < grace
	changed = grown || writing != f.writing
	f.writing = writing
	if !writing && f.offset < info.Size() { // what is left will not be completed
		if err := f.read(file, true); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

func (f *followed) forget() { f.records, f.problems, f.offset, f.lines = nil, nil, 0, 0 }

// block is up to how many bytes are read before the lines in them are.
const block = 1 << 20

// read reads the whole lines from the offset on; with rest, also what follows the last of them.
func (f *followed) read(file *os.File, rest bool) error {
	if _, err := file.Seek(f.offset, io.SeekStart); err != nil {
		return err
	}
	size := int(max(512, min(f.known.Size()-f.offset+1, block))) // a byte more shows the end
	var text []byte
	for {
		text = slices.Grow(text, size)
		n, err := io.ReadFull(file, text[len(text):len(text)+size])
		text = text[:len(text)+n]
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			return err
		}
		whole := bytes.LastIndexByte(text, '\n') + 1
		if end && rest {
			whole = len(text)
		}
		f.take(text[:whole])
		text = append(text[:0], text[whole:]...)
		if end {
			return nil
		}
	}
}

// take reads lines.
func (f *followed) take(text []byte) {
	if len(text) == 0 {
		return
	}
	records, problems, err := otlp.Read(bytes.NewReader(text))
	if len(problems) > 0 || err != nil { // again, with the lines before, so that the problems have the right numbers
		records, problems, err = otlp.Read(io.MultiReader(strings.NewReader(strings.Repeat("\n", f.lines)), bytes.NewReader(text)))
	}
	if err != nil {
		problems = append(problems, traces.Problem{Code: traces.UnreadableLine, Message: err.Error()})
	}
	f.records = traces.Latest(append(f.records, records...))
	f.problems = append(f.problems, problems...)
	f.offset += int64(len(text))
	f.lines += bytes.Count(text, []byte{'\n'})
}
