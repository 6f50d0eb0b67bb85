package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write writes records as one line of a run and closes its writer.
func write(t *testing.T, s *store.Store, run string, records ...traces.Record) {
	t.Helper()
	w, err := s.Create(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(records...), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func span(id string) traces.Record {
	return traces.Record{TraceID: "01", SpanID: id, Name: "span " + id}
}

func ids(records []traces.Record) string {
	var ids []string
	for _, s := range records {
		ids = append(ids, s.SpanID)
	}
	return strings.Join(ids, " ")
}

func Example() {
	dir, _ := os.MkdirTemp("", "store")
	defer os.RemoveAll(dir)
	s, _ := store.Open(filepath.Join(dir, "runs"))
	w, _ := s.Create("7f3a")
	_ = w.Write(traces.Record{TraceID: "01", SpanID: "02", Name: "invoke_agent demo"})
	_ = w.Close()
	records, problems, err := s.Load("7f")
	fmt.Println(records[0].Name, len(problems), err)
	_, _, err = s.Load("80")
	fmt.Println(strings.ReplaceAll(err.Error(), dir, ""))
	// Output:
	// invoke_agent demo 0 <nil>
	// no run "80" in /runs; `longpole runs` lists them
}

func TestDefaultIsTheFirstDirectoryThatIsSet(t *testing.T) {
	cases := []struct{ name, own, xdg, home, want string }{
		{"our own variable", "/a", "/b", "/c", "/a"},
		{"that of the desktop", "", "/b", "/c", filepath.Join("/b", "longpole")},
		{"a relative one is no directory of the desktop", "", "b", "/c", filepath.Join("/c", ".local", "share", "longpole")},
		{"below the home directory", "", "", "/c", filepath.Join("/c", ".local", "share", "longpole")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("LONGPOLE_HOME", c.own)
			t.Setenv("XDG_DATA_HOME", c.xdg)
			t.Setenv("HOME", c.home)
			if got, err := store.Default(); got != c.want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestTheFirstWriteMakesADirectoryForTheOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "longpole")
	s := open(t, dir)
	if list, err := s.List(); len(list) != 0 || err != nil {
		t.Errorf("a store that does not exist lists %v, %v", list, err)
	}
	w, err := s.Create("r1")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(); err != nil { // nothing
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory is there before anything was written")
	}
	write(t, s, "r1", span("01"))
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "r1.jsonl"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestOpenTakesNoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(file); err == nil || !strings.HasSuffix(err.Error(), "is not a directory; name one, or set LONGPOLE_HOME") {
		t.Errorf("got %v", err)
	}
}

func TestListGivesTheRunWrittenLastFirst(t *testing.T) {
	s := open(t, t.TempDir())
	for i, id := range []string{"old", "new", "middle"} {
		write(t, s, id, span("01"))
		at := time.Unix(1_700_000_000, 0).Add([]time.Duration{0, 2, 1}[i] * time.Hour)
		if err := os.Chtimes(filepath.Join(s.Dir(), id+".jsonl"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"notes.txt", "index.json"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), other), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.Dir(), "d.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil || len(list) != 3 || list[0].ID != "new" || list[1].ID != "middle" || list[2].ID != "old" {
		t.Fatalf("got %v, %v", list, err)
	}
	if e := list[0]; e.Size == 0 || e.Path != filepath.Join(s.Dir(), "new.jsonl") || e.ModTime.Unix() != 1_700_007_200 {
		t.Errorf("got %+v", e)
	}
}

func TestARunIsFoundByItsIdOrTheBeginningOfIt(t *testing.T) {
	s := open(t, t.TempDir())
	for _, id := range []string{"7f", "7f3a", "7f3b", "Task One", "c0"} {
		write(t, s, id, span("01"))
	}
	cases := []struct{ name, id, want, problem string }{
		{"the whole id", "7f3a", "7f3a", ""},
		{"the whole id, that others begin with", "7f", "7f", ""},
		{"a beginning", "c", "c0", ""},
		{"an id that is no name of a file", "Task One", "task_one-02df0450d137", ""},
		{"the beginning of one", "Task O", "task_one-02df0450d137", ""},
		{"the beginning of several", "7f3", "", `"7f3" is the beginning of the ids of 2 runs in DIR, 7f3a and 7f3b among them; give more of it`},
		{"of none", "80", "", "no run \"80\" in DIR; `longpole runs` lists them"},
		{"nothing", "", "", "no run \"\" in DIR; `longpole runs` lists them"},
		{"a way out of the directory", "../x", "", "no run \"../x\" in DIR; `longpole runs` lists them"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			run, err := s.Find(c.id)
			if run.ID != c.want || (err != nil) != (c.problem != "") {
				t.Fatalf("got %q, %v, want %q", run.ID, err, c.want)
			}
			if err != nil && (strings.ReplaceAll(err.Error(), s.Dir(), "DIR") != c.problem || !errors.Is(err, store.ErrNoRun)) {
				t.Errorf("got error %v, want %s", err, c.problem)
			}
		})
	}
}

func TestRemoveDeletesARun(t *testing.T) {
	s := open(t, t.TempDir())
	write(t, s, "a1", span("01"))
	write(t, s, "b1", span("01"))
	removed, err := s.Find("a1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := removed.Load(); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("loading it then: got %v", err)
	}
	if list, _ := s.List(); len(list) != 1 || list[0].ID != "b1" {
		t.Errorf("got %v", list)
	}
	if err := s.Remove("a"); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("got %v", err)
	}
}

func TestRunsWhoseNamesLookAlikeStayApart(t *testing.T) {
	s := open(t, t.TempDir())
	ids := []string{"a/b", "a_b", "A_B", "a_B", "a?b", "..", ".", ".hidden", "con", "NUL.txt", "com1", "日本", "日木", "a\x00", strings.Repeat("x", 300), strings.Repeat("x", 301)}
	for _, id := range ids {
		write(t, s, id, span("01"))
	}
	list, err := s.List()
	if err != nil || len(list) != len(ids) {
		t.Errorf("%d runs have %d files: %v, %v", len(ids), len(list), list, err)
	}
	for _, id := range ids {
		if _, _, err := s.Load(id); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Create(""); err == nil {
		t.Error("a run without an id was created")
	}
}

// Two writers of one run stand for two processes: they share nothing but the file.
func TestManyWritersWriteWholeLines(t *testing.T) {
	s := open(t, t.TempDir())
	const writers, routines, lines = 3, 4, 50
	var writing sync.WaitGroup
	for i := range writers {
		w, err := s.Create("shared")
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for j := range routines {
			writing.Go(func() {
				for k := range lines {
					record := span(fmt.Sprintf("%d%d%d", i+1, j, k))
					record.Message = strings.Repeat("x", 500*(k%20))
					if err := w.Write(record); err != nil || w.Lost() > 0 {
						t.Error(err, w.Lost())
					}
				}
			})
		}
	}
	writing.Wait()
	records, problems, err := s.Load("shared")
	if err != nil || len(problems) > 0 || len(records) != writers*routines*lines {
		t.Errorf("read %d records, %v, %v", len(records), problems, err)
	}
}

// A kill leaves a file that ends within a line. The next start reads the rest, and writes on a fresh line.
func TestAfterAKillAllButTheTornLineIsRead(t *testing.T) {
	s := open(t, t.TempDir())
	write(t, s, "r", span("01"))
	write(t, s, "r", span("02"))
	path := filepath.Join(s.Dir(), "r.jsonl")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-20); err != nil {
		t.Fatal(err)
	}
	const torn = "line 2: cut off in the middle; skipped"
	records, problems, err := s.Load("r")
	if err != nil || ids(records) != "01" || len(problems) != 1 || problems[0].Message != torn {
		t.Errorf("after the kill: got %q, %v, %v", ids(records), problems, err)
	}
	write(t, s, "r", span("03"))
	records, problems, err = s.Load("r")
	if err != nil || ids(records) != "01 03" || len(problems) != 1 || problems[0].Code != traces.UnreadableLine {
		t.Errorf("after the next start: got %q, %v, %v", ids(records), problems, err)
	}
}

func TestWriteAfterCloseIsAnError(t *testing.T) {
	w, err := open(t, t.TempDir()).Create("r")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	if err := w.Write(span("01")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// On one core of a shared two-core Xeon, to a local disk: 2.8 µs a record.
func BenchmarkWrite(b *testing.B) {
	s, err := store.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	w, err := s.Create("r")
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	record := span("01")
	b.ReportAllocs()
	for b.Loop() {
		_ = w.Write(record)
	}
}

func TestAStoreSaysWhetherItCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	occupied := filepath.Join(dir, "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, dir string
		want      string // in the error; "": none
	}{
		{"a directory that is not there yet is made", filepath.Join(dir, "new", "runs"), ""},
		{"one below a file cannot be", filepath.Join(occupied, "runs"), "LONGPOLE_HOME"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := store.Open(tc.dir)
			if err == nil {
				err = s.Writable()
			}
			if got := fmt.Sprint(err); err != nil && tc.want == "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if left, _ := os.ReadDir(tc.dir); len(left) > 0 {
				t.Errorf("%d files stay behind, want none", len(left))
			}
		})
	}
}
