package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/tui"
)

// A place is where runs are read from while the screens are open: one source, or kept runs.
type place struct {
	source string
	kept   []store.Entry // nil: a source that holds who knows how many
}

// places finds what sources name; an error says which of them is nothing at all.
func places(sources []string) ([]place, error) {
	s, err := openStore()
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		kept, err := s.List()
		return []place{{kept: kept}}, err
	}
	var list []place
	for _, source := range sources {
		p := place{source: source}
		if mayBeID(source) {
			if p.kept, err = s.FindAll(source); err != nil {
				return nil, fmt.Errorf("%q is no file and no kept run: %w", source, err)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// loader reads the runs of places for the screens, oldest first, and says how many it has read. When ctx ends it returns those.
func loader(list []place, stdin io.Reader, opt traces.Options) tui.Loader {
	return func(ctx context.Context, say func(tui.Progress)) ([]*measure.Run, []traces.Problem, error) {
		var runs []*measure.Run
		var problems []traces.Problem
		add := func(records [][]traces.Record, odd []traces.Problem) {
			more, odd := measured(records, odd, opt)
			runs, problems = append(runs, more...), append(problems, odd...)
		}
		for _, p := range list {
			if p.source != "" && p.kept == nil {
				say(tui.Progress{What: p.source, Done: len(runs)})
				records, odd, err := loadRecords(ctx, []string{p.source}, stdin)
				if err != nil {
					return runs, problems, err
				}
				add(records, odd)
				continue
			}
			done := 0
			for some := range slices.Chunk(p.kept, 4*runtime.GOMAXPROCS(0)) {
				if ctx.Err() != nil {
					break
				}
				add(loadEntries(some))
				done += len(some)
				say(tui.Progress{What: "kept runs", Done: done, Total: len(p.kept)})
			}
		}
		slices.SortStableFunc(runs, func(a, b *measure.Run) int { return a.Start.Compare(b.Start) })
		return runs, problems, nil
	}
}
