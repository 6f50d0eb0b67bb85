package format

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// A Source is what a place of traces holds.
type Source struct {
	Name     string // as it was given; "stdin" for "-"
	Records  []traces.Record
	Problems []traces.Problem // each message begins with the name of its file
}

// ErrNoTraces is wrapped by the errors about files and directories that hold no traces that can be read.
var ErrNoTraces = errors.New("no traces that can be read")

// An unreadable is an ErrNoTraces about one file.
type unreadable struct {
	name string
	look int // into looks
}

func (e *unreadable) Error() string {
	return fmt.Sprintf("%s: %s, %v; %s", e.name, looks[e.look].name, ErrNoTraces, looks[e.look].advice)
}

func (e *unreadable) Unwrap() error { return ErrNoTraces }

// Open reads the traces of a source: a file, "-" for stdin, or a directory. Of a directory all trace files below it are
// read, in the order of their paths and together, since a run may be spread over them; its other files are listed in
// one problem. Hidden directories are not entered.
//
// The error says what the source looks like and what to do; it wraps ErrNoTraces if nothing in it is in a
// format that is read. A bad file of a directory is a problem, not an error, if another one is good.
func Open(ctx context.Context, source string, stdin io.Reader) (Source, error) {
	s := &Source{Name: source}
	err := s.open(ctx, stdin)
	if err != nil {
		err = fmt.Errorf("open %w", err)
	}
	return *s, err
}

func (s *Source) open(ctx context.Context, stdin io.Reader) error {
	if s.Name == "-" {
		s.Name = "stdin"
		return s.read(ctx, s.Name, stdin)
	}
	info, err := os.Stat(s.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", s.Name, fs.ErrNotExist)
	case err != nil:
		return naming(s.Name, err)
	case info.IsDir():
		return s.directory(ctx)
	}
	return s.file(ctx, s.Name, s.Name)
}

// directory reads all trace files below the source.
func (s *Source) directory(ctx context.Context) error {
	var others []string     // files that hold no traces
	var telling *unreadable // the one of them that says most
	var failure error       // of the first file that could not be read for another reason
	files := 0
	err := filepath.WalkDir(s.Name, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(s.Name, path)
		switch {
		case err != nil && path == s.Name:
			return err
		case err != nil: // a folder that may not be entered
			s.problem(traces.UnreadableLine, "", "%v; skipped", naming(name, err))
			return nil
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != s.Name {
			return filepath.SkipDir
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // err: a link to nowhere
			return nil
		}
		files++
		err = s.file(ctx, path, name)
		if other, ok := errors.AsType[*unreadable](err); ok {
			others = append(others, name)
			if telling == nil || other.look < telling.look {
				telling = other
			}
		} else if err != nil {
			s.problem(traces.UnreadableLine, "", "%v", err)
			failure = cmp.Or(failure, err)
		}
		return ctx.Err()
	})
	if failure == nil && telling != nil {
		failure = telling
	}
	switch {
	case err != nil:
		return naming(s.Name, err)
	case files == 0:
		return fmt.Errorf("%s: a directory without files, %w; name a file of OTLP JSON", s.Name, ErrNoTraces)
	case len(s.Records) == 0 && failure != nil:
		return fmt.Errorf("%s: none of its files (%d) can be read; %w", s.Name, files, failure)
	case len(others) > 0:
		s.problem(traces.UnreadableLine, "", "%s: %v; skipped", listed(others), ErrNoTraces)
	}
	return nil
}

// listed joins names, the first three of them.
func listed(names []string) string {
	if more := len(names) - 3; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), more)
	}
	return strings.Join(names, ", ")
}

// file reads one file, which errors and problems call name.
func (s *Source) file(ctx context.Context, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return naming(name, err)
	}
	defer f.Close()
	return s.read(ctx, name, f)
}

// naming says a name in front of an error, once: those of the file system bring the path themselves.
func naming(name string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// read finds out what src holds and reads it.
func (s *Source) read(ctx context.Context, name string, src io.Reader) error {
	content := bufio.NewReaderSize(stoppable{ctx, src}, sniffLength)
	if magic, _ := content.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(content)
		if err != nil {
			return fmt.Errorf("%s: begins like a gzip file: %w", name, err)
		}
		content = bufio.NewReaderSize(&untorn{src: unzipped, torn: func() {
			s.problem(traces.UnreadableLine, "", "%s: the gzip file is cut off; what came before is read", name)
		}}, sniffLength)
	}
	head, err := content.Peek(sniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	f := find(head)
	if f == nil {
		return &unreadable{name, recognise(head)}
	}
	records, problems, err := f.read(content)
	if s.Records == nil {
		s.Records = records
	} else {
		s.Records = append(s.Records, records...)
	}
	for _, p := range problems {
		s.problem(p.Code, p.SpanID, "%s: %s", name, p.Message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (s *Source) problem(code traces.ProblemCode, span, format string, args ...any) {
	s.Problems = append(s.Problems, traces.Problem{Code: code, SpanID: span, Message: fmt.Sprintf(format, args...)})
}

// A stoppable reader ends with the context's error once that is done.
type stoppable struct {
	ctx context.Context
	src io.Reader
}

func (r stoppable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}

// An untorn reader takes a compressed file that ends too early for one that ends there.
type untorn struct {
	src  io.Reader
	torn func() // called once if it did
}

func (r *untorn) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		r.torn()
		err = io.EOF
	}
	return n, err
}
