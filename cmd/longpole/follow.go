package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/tui"
)

// runFollow shows runs while they are written, until the user quits.
func runFollow(ctx context.Context, opt traces.Options, sources []string, stdin io.Reader, stdout io.Writer) error {
	if err := checkStall(opt.StallThreshold); err != nil {
		return err
	}
	if !isTerminal(stdin, stdout) {
		return misused("--follow shows screens, which need a terminal; `longpole report` prints what there is so far")
	}
	files, err := followSources(sources)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	updates := make(chan tui.Update)
	var following sync.WaitGroup
	following.Go(func() { newFollower(files, opt).run(ctx, updates) })
	defer following.Wait()
	defer cancel()
	return showScreens(ctx, nil, tui.Options{Start: tui.Live, Updates: updates}, stdin, stdout)
}

// followSources finds the files to follow: of the store, of kept runs, or any.
func followSources(sources []string) (*store.Follower, error) {
	s, err := openStore()
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return s.Follow(), nil
	}
	var paths []string
	for _, source := range sources {
		if source == "-" {
			return nil, misused("standard input cannot be followed; name a file that is written, a directory of them or a run")
		}
		path := source
		if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(source, `/\`) {
			run, err := s.Find(source)
			if err != nil {
				return nil, err
			}
			path = run.Path
		} else if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return store.Follow(paths...), nil
}

// A follower turns files that grow into updates for the screens. Each change costs one reading of what was appended and one building of
// that file's runs; runs that are going on are built again once a second, since their time passes.
type follower struct {
	files   *store.Follower
	opt     traces.Options
	sources map[string]*source // by path
}

// A source is a file that is followed.
type source struct {
	change store.Change // the last one; without records once all its runs have ended
	runs   []tui.LiveRun
	stale  bool // the file is not what runs were built from
	open   bool // one of the runs has not ended
	built  time.Time
	took   time.Duration
}

func newFollower(files *store.Follower, opt traces.Options) *follower {
	return &follower{files: files, opt: opt, sources: map[string]*source{}}
}

// batch is after how long what was built so far is shown while more is.
const batch = 100 * time.Millisecond

// run sends updates until ctx ends. It waits for who takes them, and takes at most half of a processor's time.
func (f *follower) run(ctx context.Context, updates chan<- tui.Update) {
	fault := ""
	for {
		began := time.Now()
		var update tui.Update
		send := func() bool {
			select {
			case updates <- update:
				update.Sources = nil
				return true
			case <-ctx.Done():
				return false
			}
		}
		gone, err := f.poll()
		before := fault
		if fault = ""; err != nil {
			fault = err.Error()
			update.Problems = []traces.Problem{{Code: traces.MissingData, Message: fault}}
		}
		update.Sources = gone
		shown := began
		for _, path := range f.due(began) {
			update.Sources = append(update.Sources, f.sources[path].build(time.Now(), f.opt))
			if time.Since(shown) > batch {
				if !send() {
					return
				}
				shown = time.Now()
			}
		}
		if (len(update.Sources) > 0 || fault != before) && !send() {
			return
		}
		select {
		case <-time.After(max(store.FollowEvery, time.Since(began))):
		case <-ctx.Done():
			return
		}
	}
}

// poll notes which files have changed, and returns those that are gone.
func (f *follower) poll() (gone []tui.Source, err error) {
	changes, err := f.files.Poll()
	for _, c := range changes {
		if c.Removed {
			delete(f.sources, c.Path)
			gone = append(gone, tui.Source{ID: c.Path})
			continue
		}
		s := f.sources[c.Path]
		if s == nil {
			s = &source{}
			f.sources[c.Path] = s
		}
		s.change, s.stale = c, true
	}
	return gone, err
}

// due returns the files whose runs are to be built, those first that were written last. A run that takes long to build is built seldom.
func (f *follower) due(now time.Time) []string {
	var paths []string
	for path, s := range f.sources {
		since := now.Sub(s.built)
		if s.stale && since >= 4*s.took || s.open && s.change.Writing && since >= max(time.Second, 10*s.took) {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if c := f.sources[b].change.Written.Compare(f.sources[a].change.Written); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return paths
}

// build makes the runs of the file as of now.
func (s *source) build(now time.Time, opt traces.Options) tui.Source {
	records, odd := understood(s.change.Records)
	odd = slices.Concat(about(s.change.ID, slices.Clone(s.change.Problems)), odd)
	opt.Now = s.present(now)
	more := s.read(records, opt)
	if again := s.present(now); again.IsZero() != opt.Now.IsZero() { // it has come to life, or died
		opt.Now = again
		more = s.read(records, opt)
	}
	s.open = slices.ContainsFunc(s.runs, func(r tui.LiveRun) bool { return r.Open })
	if !s.open {
		s.change.Records = nil
	}
	s.stale, s.built, s.took = false, now, time.Since(now)
	return tui.Source{ID: s.change.Path, Runs: s.runs, Problems: append(odd, more...), Writing: s.change.Writing}
}

func (s *source) read(records []traces.Record, opt traces.Options) []traces.Problem {
	built, odd := traces.BuildWith(records, opt)
	s.runs = nil
	for _, run := range built {
		s.runs = append(s.runs, tui.LiveRun{Run: measure.Of(run), Doing: activity.Of(run, opt.StallThreshold)})
	}
	return odd
}

// present returns now on the recording's clock if one of the runs goes on; zero if none does.
func (s *source) present(now time.Time) time.Time {
	for _, r := range s.runs {
		switch r.Doing.At(now, s.change.Writing).Kind {
		case activity.Ended, activity.Lost:
		default:
			return r.Doing.Present(now)
		}
	}
	return time.Time{}
}
