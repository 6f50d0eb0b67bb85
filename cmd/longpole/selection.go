package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
	"github.com/seed46266073/longpole/tui"
)

// A selection says which runs of the sources are taken; the zero value takes all.
type selection struct {
	where   []string
	slowest int
}

// flags declares the flags that choose runs.
func (s *selection) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.where, "where", nil, "take the runs whose tag is that, `KEY=VALUE`, or is not, KEY!=VALUE: effort, model, task, outcome, …; may be repeated, and of one KEY any VALUE will do")
	cmd.Flags().IntVar(&s.slowest, "slowest", 0, "take the `N` runs that took longest, the longest first (default: all)")
	_ = cmd.RegisterFlagCompletionFunc("where", cobra.NoFileCompletions)
}

// given reports whether a flag chooses among the runs.
func (s selection) given() bool { return len(s.where) > 0 || s.slowest != 0 }

// A condition is what one tag has to be, or must not be.
type condition struct {
	key     string
	is, not []string // one of is, if there are any, and none of not
}

// conditions reads the flags: one condition a key.
func (s selection) conditions() ([]condition, error) {
	if s.slowest < 0 {
		return nil, misused("--slowest %d: want how many runs, 1 or more", s.slowest)
	}
	var list []condition
	for _, text := range s.where {
		key, value, ok := strings.Cut(text, "=")
		key, not := strings.CutSuffix(key, "!")
		if !ok || key == "" || value == "" {
			return nil, misused("--where %q: want KEY=VALUE or KEY!=VALUE, as effort=high", text)
		}
		i := slices.IndexFunc(list, func(c condition) bool { return c.key == key })
		if i < 0 {
			i, list = len(list), append(list, condition{key: key})
		}
		if not {
			list[i].not = append(list[i].not, value)
		} else {
			list[i].is = append(list[i].is, value)
		}
	}
	return list, nil
}

// fits reports whether the value of a tag, "" if there is none, is what it has to be.
func (c condition) fits(value string) bool {
	return (len(c.is) == 0 || slices.Contains(c.is, value)) && !slices.Contains(c.not, value)
}

// String is the condition as it was given.
func (c condition) String() string {
	var parts []string
	for _, v := range c.is {
		parts = append(parts, "--where "+c.key+"="+v)
	}
	for _, v := range c.not {
		parts = append(parts, "--where "+c.key+"!="+v)
	}
	return strings.Join(parts, " ")
}

// of returns the runs that are chosen, in their order, or the slowest first if that was asked for. Where there are runs and none is
// chosen, the error says what there is.
func (s selection) of(runs []*measure.Run) ([]*measure.Run, error) {
	list, err := s.conditions()
	if err != nil || len(runs) == 0 {
		return runs, err
	}
	for _, c := range list {
		chosen := slices.DeleteFunc(slices.Clone(runs), func(r *measure.Run) bool { return !c.fits(tag(r, c.key)) })
		if len(chosen) == 0 || !slices.ContainsFunc(runs, func(r *measure.Run) bool { return tag(r, c.key) != "" }) {
			return nil, noneFits(c, runs)
		}
		runs = chosen
	}
	if s.slowest > 0 {
		runs = slices.SortedStableFunc(slices.Values(runs), func(a, b *measure.Run) int { return cmp.Compare(b.Wall, a.Wall) })
		runs = runs[:min(s.slowest, len(runs))]
	}
	return runs, nil
}

// outcomeTag is the key under which conditions find how a run ended.
const outcomeTag = "outcome"

// tag returns the value of a run's tag, "" if it has none.
func tag(r *measure.Run, key string) string {
	if value := r.Group[key]; value != "" || key != outcomeTag {
		return value
	}
	return string(r.Outcome)
}

// noneFits says what the values of a tag are instead.
func noneFits(c condition, runs []*measure.Run) error {
	values, keys := map[string]bool{}, map[string]bool{outcomeTag: true}
	for _, r := range runs {
		if v := tag(r, c.key); v != "" {
			values[v] = true
		}
		for k := range r.Group {
			keys[k] = true
		}
	}
	if len(values) == 0 {
		return misused("%s: no run has that tag; there are %s", c, some(keys))
	}
	return misused("%s: fits none of %s; their %s is %s", c, traces.FormatCount(len(runs), "run"), c.key, some(values))
}

// some lists words, of many the first.
func some(words map[string]bool) string {
	const shown = 12
	list := slices.SortedFunc(maps.Keys(words), stats.Natural)
	if more := len(list) - shown; more > 0 {
		list = append(list[:shown], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// load is loadRuns of the chosen runs only.
func (s selection) load(ctx context.Context, sources []string, stdin io.Reader, opt traces.Options) ([]*measure.Run, []traces.Problem, error) {
	if _, err := s.conditions(); err != nil {
		return nil, nil, err
	}
	runs, problems, err := loadRuns(ctx, sources, stdin, opt)
	if err != nil {
		return nil, nil, err
	}
	runs, err = s.of(runs)
	return runs, problems, err
}

// loader chooses among the runs that another loader reads.
func (s selection) loader(load tui.Loader) tui.Loader {
	if !s.given() {
		return load
	}
	return func(ctx context.Context, say func(tui.Progress)) ([]*measure.Run, []traces.Problem, error) {
		runs, problems, err := load(ctx, say)
		if err != nil {
			return runs, problems, err
		}
		runs, err = s.of(runs)
		return runs, problems, err
	}
}

// records keeps what was recorded of the runs that are chosen: in each list the spans of their traces.
func (s selection) records(lists [][]traces.Record) ([][]traces.Record, error) {
	if !s.given() {
		return lists, nil
	}
	var all []*measure.Run
	list := map[*measure.Run]int{}
	for i := range lists {
		runs, _ := measured(lists[i:i+1], nil, traces.Options{})
		for _, r := range runs {
			list[r] = i
		}
		all = append(all, runs...)
	}
	chosen, err := s.of(all)
	if err != nil {
		return nil, err
	}
	kept := make([]map[string]bool, len(lists))
	for _, r := range chosen {
		for _, id := range r.TraceIDs {
			if kept[list[r]] == nil {
				kept[list[r]] = map[string]bool{}
			}
			kept[list[r]][id] = true
		}
	}
	left := make([][]traces.Record, len(lists))
	for i, records := range lists {
		left[i] = slices.DeleteFunc(slices.Clone(records), func(r traces.Record) bool { return !kept[i][r.TraceID] })
	}
	return left, nil
}
