package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

// compareOptions are the flags of `longpole compare`.
type compareOptions struct {
	reportOptions
	by    []string
	pairs string
}

// bySource is the key that sources are told apart by.
const bySource = compare.Source

func newCompare() *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare [SOURCE…]",
		Short: "Say which setting is faster to a correct answer, how sure that is, and why",
		Long: `Say which setting is faster to a correct answer, how sure that is, and why: sources against each other, or the runs of
one source split by their tags.

Times are compared by ranks (Mann-Whitney, Hodges-Lehmann), task by task where both settings did the same tasks (signed
ranks from six tasks on, or as many as it takes for several pairs). Runs that were cut off count as longer than their
limit. All pairs together have one 5 % chance of a false alarm (Holm); intervals are those of each pair. "No difference
seen" comes with the smallest that would have been seen four times in five.

Why: ` + ansi.Wordwrap("the difference of the means of the correct runs, on the critical path, split by cause. "+report.Method, 115, "") + `

Go benchmark lines (--format benchfmt) are what benchstat reads, one a correct run: benchstat -col /effort FILE.

` + sourceHelp + "\n\n" + yardstickHelp,
		Example: `  longpole compare monday.jsonl friday.jsonl
  longpole compare --by effort bench-20261130T012031431
  longpole compare --by model,effort --pairs first --format markdown runs.jsonl
  longpole compare --format benchfmt runs.jsonl | benchstat -col /effort -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringSliceVar(&opt.by, "by", nil, "`TAGS` to split the runs by (default: of one source those that vary)")
	cmd.Flags().StringVar(&opt.pairs, "pairs", "", "`WHICH` pairs to show: all, first (each against the first) or best (each against the best)\n(default: first for several sources, else best)")
	comparisonFormatFlag(cmd, &opt.format)
	_ = cmd.RegisterFlagCompletionFunc("pairs", cobra.FixedCompletions([]string{"all", "first", "best"}, cobra.ShellCompDirectiveNoFileComp))
	analysisFlags(cmd, &opt.stall, &opt.noSkewRepair)
	opt.only.flags(cmd)
	opt.yardsticks.flags(cmd)
	groupFlags(cmd, yardstickFlags)
	return cmd
}

func runCompare(ctx context.Context, opt compareOptions, sources []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := opt.check(); err != nil {
		return err
	}
	against, err := opt.yardsticks.load()
	if err != nil {
		return err
	}
	var groups []measure.Group
	var problems []traces.Problem
	if len(sources) > 1 {
		groups, problems, err = opt.apart(ctx, sources, stdin)
	} else {
		groups, problems, err = opt.split(ctx, sources, stdin)
	}
	if err != nil {
		return err
	}
	pairs := compare.Pairs(opt.pairs)
	if pairs == "" && len(sources) > 1 {
		pairs = compare.First
	}
	c := compare.Of(groups, compare.Options{Pairs: pairs})
	return writeComparison(stdout, stderr, opt.format, c, against, problems)
}

func (opt compareOptions) check() error {
	if err := checkComparisonFormat(opt.format); err != nil {
		return err
	}
	switch {
	case opt.pairs != "" && !slices.Contains([]string{"all", "first", "best"}, opt.pairs):
		return misused("--pairs %q is unknown; all, first and best are", opt.pairs)
	case slices.Contains(opt.by, bySource):
		return misused("--by %s: several sources are always compared with each other", bySource)
	}
	return onceTag(opt.by)
}

// onceTag refuses a tag that runs are split by twice.
func onceTag(by []string) error {
	for i, k := range by {
		if slices.Contains(by[:i], k) {
			return misused("--by %q: named twice", k)
		}
	}
	return nil
}

// apart groups each source's runs by the keys, in the order of the sources.
func (opt compareOptions) apart(ctx context.Context, sources []string, stdin io.Reader) ([]measure.Group, []traces.Problem, error) {
	var groups []measure.Group
	var all []*measure.Run
	var problems []traces.Problem
	for i, name := range sourceNames(sources) {
		runs, odd, err := opt.only.load(ctx, sources[i:i+1], stdin, opt.options())
		if err != nil {
			return nil, nil, err
		}
		if len(runs) == 0 {
			return nil, nil, fmt.Errorf("%s: no runs in it to compare", sources[i])
		}
		for _, r := range runs {
			r.Group[bySource] = name
		}
		groups = append(groups, measure.GroupBy(runs, append([]string{bySource}, opt.by...)...)...)
		all, problems = append(all, runs...), append(problems, odd...)
	}
	return groups, problems, knownTags(opt.by, all)
}

// split groups the runs of one source, or of the store, by the keys or by what varies.
func (opt compareOptions) split(ctx context.Context, sources []string, stdin io.Reader) ([]measure.Group, []traces.Problem, error) {
	runs, problems, err := opt.only.load(ctx, sources, stdin, opt.options())
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(runs) == 0 && len(sources) == 0:
		return nil, nil, errors.New("the store holds no runs yet; `longpole bench` records some, or name two files")
	case len(runs) == 0:
		return nil, nil, fmt.Errorf("%s: no runs in it to compare", sources[0])
	}
	by := opt.by
	if len(by) == 0 {
		by = varyingTags(runs)
	}
	if err := knownTags(by, runs); err != nil {
		return nil, nil, err
	}
	groups := measure.GroupBy(runs, by...)
	switch {
	case len(by) == 0:
		return nil, nil, misused("there is nothing to compare: no tag varies among %s; name two sources", traces.FormatCount(len(runs), "run"))
	case len(groups) < 2:
		return nil, nil, misused("there is nothing to compare: all of %s have the same %s; name two sources, or split --by another tag", traces.FormatCount(len(runs), "run"), strings.Join(by, " and "))
	}
	return groups, problems, nil
}

func (opt compareOptions) options() traces.Options {
	return traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair}
}

// sourceNames returns names that tell sources apart: the last part of each path where that is enough, numbered where one comes twice.
func sourceNames(sources []string) []string {
	short := make([]string, len(sources))
	seen := map[string]bool{}
	for i, s := range sources {
		short[i] = filepath.Base(s)
		if s == "-" {
			short[i] = "standard input"
		}
		if seen[short[i]] {
			short = slices.Clone(sources)
			break
		}
		seen[short[i]] = true
	}
	count := map[string]int{}
	for i, name := range short {
		if count[name]++; count[name] > 1 {
			short[i] = fmt.Sprintf("%s (%d)", name, count[name])
		}
	}
	return short
}

// varyingTags returns the tags that differ between runs: model and effort if they do, else whatever else does but what tells
// single runs apart, else the task.
func varyingTags(runs []*measure.Run) []string {
	values := map[string]map[string]bool{}
	for _, r := range runs {
		for k := range r.Group {
			values[k] = map[string]bool{}
		}
	}
	for k, seen := range values {
		for _, r := range runs {
			seen[r.Group[k]] = true
		}
	}
	var settings, others []string
	for _, k := range slices.Sorted(maps.Keys(values)) {
		switch {
		case len(values[k]) < 2:
		case k == "model", k == "effort":
			settings = append([]string{k}, settings...) // model before effort
		case k != "trial" && k != "experiment" && k != "task" && k != "seed":
			others = append(others, k)
		}
	}
	switch {
	case len(settings)+len(others) > 0:
		return append(settings, others...)
	case len(values["task"]) > 1:
		return []string{"task"}
	}
	return nil
}

// knownTags refuses tags that no run has.
func knownTags(by []string, runs []*measure.Run) error {
	known := map[string]bool{}
	for _, r := range runs {
		for k := range r.Group {
			known[k] = true
		}
	}
	delete(known, bySource)
	for _, k := range by {
		if !known[k] {
			if len(known) == 0 {
				return misused("--by %s: the runs have no tags", k)
			}
			return misused("--by %s: no run has that tag; there are %s", k, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return nil
}
