package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
)

// A bench is a store that is written by hand and followed.
type bench struct {
	*testing.T
	*store.Store
	follower *store.Follower
	writers  map[string]*store.Writer
}

func follow(t *testing.T) *bench {
	s := open(t, filepath.Join(t.TempDir(), "runs"))
	b := &bench{t, s, s.Follow(), map[string]*store.Writer{}}
	t.Cleanup(func() {
		for _, w := range b.writers {
			w.Close()
		}
	})
	return b
}

func (b *bench) path(run string) string { return filepath.Join(b.Dir(), run+".jsonl") }

// write writes spans of a run as one line, and keeps its writer open.
func (b *bench) write(run string, ids ...string) {
	b.Helper()
	if b.writers[run] == nil {
		w, err := b.Create(run)
		if err != nil {
			b.Fatal(err)
		}
		b.writers[run] = w
	}
	for _, id := range ids {
		if err := b.writers[run].Write(span(id)); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *bench) close(run string) {
	b.writers[run].Close()
	delete(b.writers, run)
}

// append adds text to a file that nobody holds.
func (b *bench) append(run, text string) {
	b.Helper()
	err := os.MkdirAll(b.Dir(), 0o700)
	f, fault := os.OpenFile(b.path(run), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err = errors.Join(err, fault); err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		b.Fatal(err)
	}
}

// expect polls, n times, and compares what has changed: "run: spans", with "…" while somebody writes it and the problems, or "-run".
func (b *bench) expect(polls int, want ...string) {
	b.Helper()
	var got []string
	for range polls {
		changes, err := b.follower.Poll()
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range changes {
			text := c.ID + ": " + ids(c.Records)
			if c.Writing {
				text += " …"
			}
			for _, p := range c.Problems {
				text += " (" + strings.TrimSpace(p.Message) + ")"
			}
			if c.Removed {
				text = "-" + c.ID
			} else if c.Written.IsZero() || c.Path != b.path(c.ID) {
				b.Errorf("%s: written at %v, path %s", c.ID, c.Written, c.Path)
			}
			got = append(got, text)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		b.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

const torn = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"0`

func TestAFollowerTellsWhatHasChanged(t *testing.T) {
	cases := []struct {
		name  string
		steps func(b *bench)
	}{
		{"a store that is not there yet has no runs, until it has", func(b *bench) {
			b.expect(3)
			b.write("r", "1")
			b.expect(3, "r: 1 …")
		}},
		{"runs that are there are told at first", func(b *bench) {
			b.write("a", "1", "2")
			b.write("b", "1")
			b.close("a")
			b.expect(30, "a: 1 2", "b: 1 …")
		}},
		{"a run that grows is told with all its spans, others are not", func(b *bench) {
			b.write("a", "1")
			b.write("b", "1")
			b.expect(1, "a: 1 …", "b: 1 …")
			b.write("a", "2", "3")
			b.expect(1, "a: 1 2 3 …")
		}},
		{"a new run is seen within ten polls", func(b *bench) {
			b.write("a", "1")
			b.expect(1, "a: 1 …")
			b.write("b", "1")
			b.expect(10, "b: 1 …")
		}},
		{"the end of writing is told", func(b *bench) {
			b.write("a", "1")
			b.expect(20, "a: 1 …")
			b.close("a")
			b.expect(20, "a: 1")
		}},
		{"one that others write is believed to be written for two seconds after it grew", func(b *bench) {
			b.append("a", "")
			b.expect(1, "a: ")
			b.append("a", torn+"1\"}]}]}]}\n")
			b.expect(9, "a: 01 …")
			b.expect(5, "a: 01")
		}},
		{"a line that is not whole yet waits", func(b *bench) {
			b.write("a", "1")
			b.expect(1, "a: 1 …")
			b.append("a", torn)
			b.expect(20, "a: 1 …")
			b.append("a", "2\"}]}]}]}\n")
			b.expect(20, "a: 1 02 …")
		}},
		{"a line that will never be whole is a problem", func(b *bench) {
			b.write("a", "1", "2")
			b.append("a", torn)
			b.expect(1, "a: 1 2 …")
			b.close("a")
			b.expect(20, "a: 1 2 (line 3: cut off in the middle; skipped)")
		}},
		{"a line that cannot be read is a problem, with its number", func(b *bench) {
			b.write("a", "1", "2")
			b.expect(1, "a: 1 2 …")
			b.append("a", "no span\n")
			b.write("a", "3")
			b.expect(1, `a: 1 2 3 … (line 3: unexpected 'n'; skipped)`)
		}},
		{"a run that is deleted is told once", func(b *bench) {
			b.write("a", "1")
			b.expect(1, "a: 1 …")
			os.Remove(b.path("a"))
			b.expect(20, "-a")
		}},
		{"a file that takes the place of another is read from its start", func(b *bench) {
			b.write("a", "1", "2", "3")
			b.write("b", "4")
			b.expect(1, "a: 1 2 3 …", "b: 4 …")
			os.Rename(b.path("b"), b.path("a"))
			b.expect(20, "a: 4 …", "-b")
		}},
		{"and one that was cut short", func(b *bench) {
			b.write("a", "1", "2")
			b.expect(1, "a: 1 2 …")
			os.Truncate(b.path("a"), 0)
			b.write("a", "3")
			b.expect(1, "a: 3 …")
		}},
		{"a run that grows again after it was long quiet is whole", func(b *bench) {
			b.write("a", "1")
			b.close("a")
			b.expect(400, "a: 1")
			b.write("a", "2")
			b.expect(20, "a: 1 2 …")
			b.close("a")
			b.expect(400, "a: 1 2")
		}},
		{"what was read is not read again", func(b *bench) {
			b.write("a", "1")
			b.expect(1, "a: 1 …")
			whole, _ := os.ReadFile(b.path("a"))
			f, _ := os.OpenFile(b.path("a"), os.O_WRONLY, 0)
			f.WriteString(strings.Repeat("x", len(whole)-1))
			f.Close()
			b.write("a", "2")
			b.expect(1, "a: 1 2 …")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.steps(follow(t)) })
	}
}

func TestAFollowerKeepsTheLatestOfEachSpan(t *testing.T) {
	b := follow(t)
	open, ended := span("2"), span("1")
	for i := range 3000 { // more than a block
		open.Attrs = traces.Attrs{{Key: traces.KeyCheckpoint, Value: int64(i)}, {Key: "x", Value: strings.Repeat("x", 500)}}
		b.write("a")
		_ = b.writers["a"].Write(ended, open)
	}
	changes, err := b.follower.Poll()
	if err != nil || len(changes) != 1 || ids(changes[0].Records) != "1 2" {
		t.Fatalf("got %v, %v", changes, err)
	}
	if last, _ := changes[0].Records[1].Attrs.Int(traces.KeyCheckpoint); last != 2999 {
		t.Errorf("got checkpoint %d, want the last", last)
	}
}

func TestFilesCanBeFollowedOutsideAStore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace.json")
	f := store.Follow(path, filepath.Join(dir, "none"))
	if changes, err := f.Poll(); len(changes) > 0 || err != nil {
		t.Errorf("got %v, %v", changes, err)
	}
	if err := os.WriteFile(path, []byte(torn+"1\"}]}]}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	changes, err := f.Poll()
	if err != nil || len(changes) != 1 || ids(changes[0].Records) != "01" || changes[0].Writing {
		t.Errorf("got %v, %v", changes, err)
	}
}

func TestAProcessThatIsKilledNoLongerWrites(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "STORE_TEST_RECORD="+dir)
	output, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer child.Process.Kill()
	if _, err := fmt.Fscanln(output, new(int)); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir).Follow()
	changes, err := f.Poll()
	if err != nil || len(changes) != 1 || !changes[0].Writing {
		t.Fatalf("got %v, %v", changes, err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	var last store.Change
	for range 30 {
		changes, err := f.Poll()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			last = c
		}
	}
	if last.Writing || len(last.Records) == 0 {
		t.Errorf("a killed process still writes: %v with %d records", last.Writing, len(last.Records))
	}
}

// What a poll costs of 50 runs that are written and 1,000 that were.
func BenchmarkPoll(b *testing.B) {
	s, err := store.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	var writers []*store.Writer
	for i := range 1050 {
		w, _ := s.Create(fmt.Sprintf("r%04d", i))
		for k := range 20 {
			_ = w.Write(span(fmt.Sprint(k)))
		}
		if i < 50 {
			writers = append(writers, w)
		} else {
			w.Close()
		}
	}
	f := s.Follow()
	_, _ = f.Poll()
	checkpoint := span("19")
	for b.Loop() {
		b.StopTimer()
		for _, w := range writers {
			checkpoint.Attrs = traces.Attrs{{Key: traces.KeyCheckpoint, Value: time.Now().UnixNano()}, {Key: traces.KeyChunks, Value: make([]byte, 6000)}}
			_ = w.Write(checkpoint)
		}
		b.StartTimer()
		if changes, err := f.Poll(); len(changes) != 50 || err != nil {
			b.Fatal(len(changes), err)
		}
	}
}
