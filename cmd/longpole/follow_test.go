package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/tui"
)

// A watched is a store that is written and followed in fake time.
type watched struct {
	*testing.T
	store   *store.Store
	writer  *store.Writer
	began   time.Time
	updates chan tui.Update

	mu    sync.Mutex
	seen  map[string]tui.Source // by run
	count int                   // updates since it was last asked
}

func watch(t *testing.T, f func(w *watched)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(filepath.Join(dir, "runs"))
		if err != nil {
			t.Fatal(err)
		}
		w := &watched{T: t, store: s, began: time.Now(), updates: make(chan tui.Update), seen: map[string]tui.Source{}}
		if w.writer, err = s.Create("r"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go newFollower(s.Follow(), traces.Options{}).run(ctx, w.updates)
		go func() {
			for {
				select {
				case u := <-w.updates:
					w.mu.Lock()
					w.count++
					for _, s := range u.Sources {
						w.seen[strings.TrimSuffix(filepath.Base(s.ID), ".jsonl")] = s
					}
					w.mu.Unlock()
				case <-ctx.Done():
					return
				}
			}
		}()
		synctest.Wait() // for its first look
		f(w)
		cancel()
		w.writer.Close()
		synctest.Wait()
	})
}

// write writes a span that begins now; until is its end, 0 while it is open.
func (w *watched) write(id, parent string, role traces.Role, from, until time.Duration, attrs ...traces.Attr) {
	w.Helper()
	r := traces.Record{TraceID: "t", SpanID: id, ParentID: parent, Name: id, Start: w.began.Add(from).UnixNano(),
		Attrs: append(traces.Attrs{{Key: traces.KeyRole, Value: string(role)}}, attrs...)}
	if until > 0 {
		r.End = w.began.Add(until).UnixNano()
	}
	if err := w.writer.Write(r); err != nil {
		w.Fatal(err)
	}
}

// expect waits, and compares what is known of the run then: what it does, for how long, its wall time, and how many updates came.
func (w *watched) expect(wait time.Duration, want string) {
	w.Helper()
	time.Sleep(wait)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.seen["r"]
	got := "gone"
	if len(s.Runs) > 0 {
		state := s.Runs[0].Doing.At(time.Now(), s.Writing)
		got = fmt.Sprintf("%s %v, wall %v, %d updates", state.Kind, state.For, s.Runs[0].Wall, w.count)
	}
	if w.count = 0; got != want {
		w.Errorf("after %v: got  %s\nwant %s", time.Since(w.began), got, want)
	}
}

func checkpoint(at time.Time) traces.Attr {
	return traces.Attr{Key: traces.KeyCheckpoint, Value: at.UnixNano()}
}

func TestARunIsFollowedFromItsStartToItsEnd(t *testing.T) {
	watch(t, func(w *watched) {
		w.expect(time.Second, "gone")
		w.write("run", "", traces.RoleAgent, time.Second, 0)
		w.expect(300*ms, "starting 300ms, wall 200ms, 1 updates")
		w.write("ls", "run", traces.RoleTool, 1300*ms, 0, traces.Attr{Key: traces.KeyToolName, Value: "ls"})
		w.expect(300*ms, "tool 300ms, wall 400ms, 1 updates")
		w.expect(3*time.Second, "tool 3.3s, wall 3.4s, 3 updates") // its time passes
		w.write("ls", "run", traces.RoleTool, 1300*ms, 4600*ms, traces.Attr{Key: traces.KeyToolName, Value: "ls"})
		w.write("run", "", traces.RoleAgent, time.Second, 4600*ms, traces.Attr{Key: traces.KeyOutcome, Value: "ok"})
		w.expect(400*ms, "ended 400ms, wall 3.6s, 1 updates")
		w.writer.Close()
		w.expect(5*time.Second, "ended 5.4s, wall 3.6s, 1 updates") // nobody writes it any more
		w.expect(time.Hour, "ended 1h0m5.4s, wall 3.6s, 0 updates")
		if err := w.store.Remove("r"); err != nil {
			w.Fatal(err)
		}
		w.expect(3*time.Second, "gone")
	})
}

func TestARecordingThatDiesIsNotTakenToGoOn(t *testing.T) {
	cases := []struct {
		name string
		die  func(w *watched)
		want string // ten seconds after its last sign
	}{
		{"without checkpoints", func(*watched) {}, "lost 10s, wall 2s, 10 updates"},
		{"without a writer", func(w *watched) { w.writer.Close() }, "lost 10s, wall 2s, 3 updates"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			watch(t, func(w *watched) {
				w.write("run", "", traces.RoleAgent, 0, 0)
				w.write("chat", "run", traces.RoleModel, 0, 0)
				w.write("attempt", "chat", traces.RoleAttempt, 0, 0, traces.Attr{Key: traces.KeySentTime, Value: int64(1)}, checkpoint(w.began))
				w.expect(2*time.Second, "waiting 1.999999999s, wall 1.2s, 2 updates")
				w.write("attempt", "chat", traces.RoleAttempt, 0, 0, traces.Attr{Key: traces.KeySentTime, Value: int64(1)}, checkpoint(time.Now()))
				c.die(w)
				w.expect(10*time.Second, c.want)
			})
		})
	}
}

func TestWhatIsRecordedFasterIsFollowedOnItsOwnClock(t *testing.T) {
	watch(t, func(w *watched) {
		w.write("run", "", traces.RoleAgent, 0, 0, traces.Attr{Key: traces.KeyTimeScale, Value: 10.0})
		w.expect(time.Second, "starting 10s, wall 2s, 1 updates")
		w.expect(250*ms, "starting 12.5s, wall 12s, 1 updates")
	})
}

func TestSourcesToFollow(t *testing.T) {
	t.Setenv("LONGPOLE_HOME", t.TempDir())
	s, err := openStore()
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create("7f3a")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Write(traces.Record{TraceID: "t", SpanID: "1", Name: "run"}); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.jsonl")
	line, err := os.ReadFile(w.Path())
	if err == nil {
		err = os.WriteFile(other, line, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		sources []string
		want    string // what is found, or the end of the error
	}{
		{"none: the store", nil, "7f3a"},
		{"the beginning of a run's id", []string{"7f"}, "7f3a"},
		{"a file", []string{other}, "other"},
		{"a directory", []string{filepath.Dir(other)}, "other"},
		{"several", []string{other, "7f3a"}, "7f3a other"},
		{"one that is there twice", []string{other, filepath.Dir(other)}, "other"},
		{"standard input", []string{"-"}, "name a file that is written, a directory of them or a run"},
		{"nothing there is", []string{"80"}, "`longpole runs` lists them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := followSources(c.sources)
			if err != nil {
				if !strings.HasSuffix(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			changes, err := files.Poll()
			var got []string
			for _, change := range changes {
				got = append(got, change.ID)
			}
			if text := strings.Join(got, " "); text != c.want && text != "other 7f3a" || err != nil {
				t.Errorf("got %s, %v, want %s", text, err, c.want)
			}
		})
	}
}

// One round of following 50 agents that all have grown: reading, building and measuring. It is to be done once a second.
func BenchmarkFollow(b *testing.B) {
	s, err := store.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	var writers []*store.Writer
	start := time.Now()
	record := func(id, parent string, role traces.Role, from, to time.Duration, attrs ...traces.Attr) traces.Record {
		r := traces.Record{TraceID: "t", SpanID: id, ParentID: parent, Name: id, Start: start.Add(from).UnixNano(),
			Attrs: append(traces.Attrs{{Key: traces.KeyRole, Value: string(role)}}, attrs...)}
		if to > 0 {
			r.End = start.Add(to).UnixNano()
		}
		return r
	}
	for i := range 50 {
		w, _ := s.Create(fmt.Sprint("agent", i))
		_ = w.Write(record("run", "", traces.RoleAgent, 0, 0))
		for k := range 30 {
			at := time.Duration(k) * time.Second
			step, chat := fmt.Sprint("step", k), fmt.Sprint("chat", k)
			_ = w.Write(record(step, "run", traces.RoleStep, at, at+900*ms), record(chat, step, traces.RoleModel, at, at+500*ms),
				record("a"+chat, chat, traces.RoleAttempt, at, at+500*ms), record("t"+chat, step, traces.RoleTool, at+500*ms, at+900*ms))
		}
		_ = w.Write(record("chat", "run", traces.RoleModel, 30*time.Second, 0))
		writers = append(writers, w)
	}
	chunks := traces.Chunks{}
	for at := time.Duration(0); at < time.Minute; at += 20 * ms {
		chunks.Add(at, traces.Output, 4)
	}
	f := newFollower(s.Follow(), traces.Options{})
	for b.Loop() {
		b.StopTimer()
		for _, w := range writers {
			_ = w.Write(record("attempt", "chat", traces.RoleAttempt, 30*time.Second, 0, traces.Attr{Key: traces.KeySentTime, Value: int64(1)},
				traces.Attr{Key: traces.KeyChunks, Value: chunks.Encode()}, checkpoint(time.Now())))
		}
		b.StartTimer()
		if _, err := f.poll(); err != nil {
			b.Fatal(err)
		}
		for _, src := range f.sources {
			src.build(time.Now(), f.opt)
		}
	}
}
