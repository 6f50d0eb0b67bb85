package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/format"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/store"
)

// sourceHelp is what every command that takes sources says about them.
const sourceHelp = `A SOURCE is a file in a known format, a directory of them, - for standard input, or the id of a kept run or the
beginning of several; without one, all runs of the store are taken ($LONGPOLE_HOME, else $XDG_DATA_HOME/longpole, else
~/.local/share/longpole).`

// loadRecords reads the records of each source, mapped to our words, one list a file or run so that equal ids in different ones
// stay apart.
func loadRecords(ctx context.Context, sources []string, stdin io.Reader) ([][]traces.Record, []traces.Problem, error) {
	if len(sources) == 0 {
		s, err := openStore()
		if err != nil {
			return nil, nil, err
		}
		kept, err := s.List()
		if err != nil {
			return nil, nil, err
		}
		lists, problems := loadEntries(kept)
		return lists, problems, nil
	}
	var lists [][]traces.Record
	var problems []traces.Problem
	for _, source := range sources {
		if mayBeID(source) {
			s, err := openStore()
			if err != nil {
				return nil, nil, err
			}
			kept, err := s.FindAll(source)
			if err != nil {
				return nil, nil, fmt.Errorf("%q is no file and no kept run: %w", source, err)
			}
			more, odd := loadEntries(kept)
			lists, problems = append(lists, more...), append(problems, odd...)
			continue
		}
		src, err := format.Open(ctx, source, stdin)
		if err != nil {
			return nil, nil, err
		}
		records, odd := understood(src.Records)
		lists = append(lists, records)
		problems = append(append(problems, src.Problems...), odd...)
	}
	return lists, problems, nil
}

// mayBeID reports whether a source can only be the id of a kept run: it is no file and not made like a path.
func mayBeID(source string) bool {
	if source == "-" || strings.ContainsAny(source, `/\`) {
		return false
	}
	_, err := os.Stat(source)
	return errors.Is(err, fs.ErrNotExist)
}

// loadEntries reads runs of the store, one list a run. A run that cannot be read is a problem.
func loadEntries(kept []store.Entry) ([][]traces.Record, []traces.Problem) {
	lists, odd := make([][]traces.Record, len(kept)), make([][]traces.Problem, len(kept))
	inParallel(len(kept), func(i int) {
		records, problems, err := kept[i].Load()
		switch {
		case errors.Is(err, store.ErrNoRun): // deleted just now
			return
		case err != nil:
			problems = append(problems, traces.Problem{Code: traces.UnreadableLine, Message: err.Error()})
		}
		var more []traces.Problem
		lists[i], more = understood(records)
		odd[i] = append(about(kept[i].ID, problems), more...)
	})
	return lists, slices.Concat(odd...)
}

// about names the run in problems that say only which line of its file they are on.
func about(id string, problems []traces.Problem) []traces.Problem {
	for i := range problems {
		problems[i].Message = id + ": " + problems[i].Message
	}
	return problems
}

func openStore() (*store.Store, error) {
	dir, err := store.Default()
	if err != nil {
		return nil, err
	}
	return store.Open(dir)
}

// whileLoading is by how many percent memory may grow from one garbage collection to the next. Of what loading takes, nearly half
// stays (176 of 406 MB at 100,000 spans), so that in the end it is hardly more than at the usual 100; but the collector looks
// at what stays a few times less often, which is a third of the time.
const whileLoading = 400

// loadRuns builds and measures the runs of the sources, oldest first.
func loadRuns(ctx context.Context, sources []string, stdin io.Reader, opt traces.Options) ([]*measure.Run, []traces.Problem, error) {
	if err := checkStall(opt.StallThreshold); err != nil {
		return nil, nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(whileLoading))
	lists, problems, err := loadRecords(ctx, sources, stdin)
	if err != nil {
		return nil, nil, err
	}
	runs, problems := measured(lists, problems, opt)
	return runs, problems, nil
}

// measured builds and measures the runs of lists of records, oldest first, and adds what is odd about them to the problems.
func measured(lists [][]traces.Record, problems []traces.Problem, opt traces.Options) ([]*measure.Run, []traces.Problem) {
	runs, odd := make([][]*measure.Run, len(lists)), make([][]traces.Problem, len(lists))
	inParallel(len(lists), func(i int) {
		var built []*traces.Run
		built, odd[i] = traces.BuildWith(lists[i], opt)
		for _, run := range built {
			runs[i] = append(runs[i], measure.Of(run))
		}
	})
	all := slices.Concat(runs...)
	slices.SortStableFunc(all, func(a, b *measure.Run) int { return a.Start.Compare(b.Start) })
	return all, append(problems, slices.Concat(odd...)...)
}
