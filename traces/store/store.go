// Package store keeps runs: a directory with one file a run, each a file of OTLP JSON lines as it was recorded, so
// that every OpenTelemetry tool reads it. There is nothing else in it that counts; what lists or counts runs can be
// computed from the files again.
//
// Writing is for an agent that must not be disturbed: it loses records when the disk fails and says how many, and never
// stops. Reading lists what a crash or a full disk left behind as problems.
//
// Following is reading while others write: a Follower is polled and tells which runs have grown, and whether anybody still writes
// them. Writers hold their files with a lock (flock(2)) that the system takes back however they end.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// ErrNoRun is what errors are about an id that no run of the store has, or the beginning of several (errors.Is).
var ErrNoRun = errors.New("no such run")

// A notFound is an ErrNoRun in words of its own.
type notFound string

func (e notFound) Error() string        { return string(e) }
func (e notFound) Is(target error) bool { return target == ErrNoRun }

// A Store is a directory of runs. Its methods may be called from several goroutines and processes.
type Store struct {
	dir string
}

// Default returns the directory of the user's store: $LONGPOLE_HOME, else $XDG_DATA_HOME/longpole, else
// ~/.local/share/longpole.
func Default() (string, error) {
	if dir := os.Getenv("LONGPOLE_HOME"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) { // the XDG specification: relative ones are ignored
		return filepath.Join(dir, "longpole"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the store: %w; set LONGPOLE_HOME to a directory", err)
	}
	return filepath.Join(home, ".local", "share", "longpole"), nil
}

// Open returns the store in dir, "" for the user's own (Default). The directory need not exist: the first write makes it,
// readable by its owner alone.
func Open(dir string) (*Store, error) {
	if dir == "" {
		var err error
		if dir, err = Default(); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("open store: %w; name another directory in LONGPOLE_HOME", err)
	case !info.IsDir():
		return nil, fmt.Errorf("open store: %s is not a directory; name one, or set LONGPOLE_HOME", dir)
	}
	return &Store{dir}, nil
}

// Dir returns the directory.
func (s *Store) Dir() string { return s.dir }

// Writable makes the directory if need be and reports what keeps runs from being written to it, so that a recording that
// cannot be kept is not begun. Space may run out later all the same.
func (s *Store) Writable() error {
	err := os.MkdirAll(s.dir, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(s.dir, ".writable-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("runs cannot be kept: %w; set LONGPOLE_HOME to a directory that can be written", err)
	}
	return nil
}

// An Entry is a run in the store, as its file shows it from outside.
type Entry struct {
	ID      string    // the run's id; the name of its file where the id does not fit in one
	Path    string    // of its file
	ModTime time.Time // last written
	Size    int64     // bytes
}

// List returns the runs, the one written last first. A store that does not exist yet has none.
func (s *Store) List() ([]Entry, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Entry
	for _, f := range files {
		id, isRun := strings.CutSuffix(f.Name(), suffix)
		info, err := f.Info()
		if !isRun || err != nil || !info.Mode().IsRegular() { // an error: removed just now
			continue
		}
		list = append(list, Entry{id, filepath.Join(s.dir, f.Name()), info.ModTime(), info.Size()})
	}
	slices.SortFunc(list, func(a, b Entry) int {
		if c := b.ModTime.Compare(a.ModTime); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// FindAll returns the run with an id, or all whose ids begin with it as far as file names tell ids apart, by id. The error is an ErrNoRun if there is none.
func (s *Store) FindAll(id string) ([]Entry, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	name := fileName(id)
	if i := slices.IndexFunc(list, func(e Entry) bool { return e.ID == id || e.ID+suffix == name }); i >= 0 && id != "" {
		return list[i : i+1], nil
	}
	list = slices.DeleteFunc(list, func(e Entry) bool { return id == "" || !strings.HasPrefix(e.ID, safe(id)) })
	if len(list) == 0 {
		return nil, notFound(fmt.Sprintf("no run %q in %s; `longpole runs` lists them", id, s.dir))
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// Find returns the run with an id, or the one whose id begins with it. The error is an ErrNoRun if there is none,
// or several of which none has the id itself.
func (s *Store) Find(id string) (Entry, error) {
	found, err := s.FindAll(id)
	if err != nil {
		return Entry{}, err
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return Entry{}, notFound(fmt.Sprintf("%q is the beginning of the ids of %d runs in %s, %s and %s among them; give more of it",
		id, len(found), s.dir, found[0].ID, found[1].ID))
}

// Load reads the records of a run, found as by Find. Lines that cannot be read are problems.
func (s *Store) Load(id string) ([]traces.Record, []traces.Problem, error) {
	run, err := s.Find(id)
	if err != nil {
		return nil, nil, err
	}
	return run.Load()
}

// Load reads the records of the run. Lines that cannot be read are problems. The error is an ErrNoRun if the run was removed since it was found.
func (e Entry) Load() ([]traces.Record, []traces.Problem, error) {
	file, err := os.Open(e.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, notFound(fmt.Sprintf("run %s has been removed", e.ID))
	case err != nil:
		return nil, nil, fmt.Errorf("load run %s: %w", e.ID, err)
	}
	defer file.Close()
	records, problems, err := otlp.Read(file)
	if err != nil {
		return records, problems, fmt.Errorf("load run %s: %s: %w", e.ID, e.Path, err)
	}
	return records, problems, nil
}

// Remove deletes a run, found as by Find.
func (s *Store) Remove(id string) error {
	run, err := s.Find(id)
	if err != nil {
		return err
	}
	if err := os.Remove(run.Path); err != nil {
		return fmt.Errorf("remove run %s: %w", run.ID, err)
	}
	return nil
}
