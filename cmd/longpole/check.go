package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/budget"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

// checkOptions are the flags of `longpole check`.
type checkOptions struct {
	budgets      []string
	by           []string
	baseline     []string
	allowed      string
	format       string
	stall        time.Duration
	noSkewRepair bool
	only         selection
}

func newCheck() *cobra.Command {
	var opt checkOptions
	cmd := &cobra.Command{
		Use:   "check [SOURCE…]",
		Short: "Hold runs against budgets or a baseline, for CI",
		Long: `Hold runs against budgets or against the runs of a baseline. The exit status is 0 if all is kept, 1 if something is broken, a
budget cannot be told or runs cannot be read, 2 if the command was misused.

A budget is AGGREGATE(QUANTITY) OP LIMIT, also written QUANTITY.AGGREGATE OP LIMIT:

  AGGREGATE  p50 (median), p95, any other percentile, mean, min, max
  QUANTITY   of each run: run, answer (runs that were right), a component's or family's time on the critical path (reasoning, stall,
             decode, tools, …), tool[NAME], steps, calls, retries, input_tokens, output_tokens, reasoning_tokens;
             of each model call: ttft, felt_ttft, tpot, worst_gap, output_rate (tokens/s); of each tool call: exec, exec[NAME]
  OP, LIMIT  < <= > >=, and a duration (30s), a share (5%) or a number

and three stand alone: share(X), the part of all run time that went to a component, family or tool; success; runs. A percentile
that the runs are too few for cannot be told, and is not kept.

Against a baseline a setting is broken only if the whole 95 % interval of its time to a correct answer, or of its success rate, is
worse by more than --max-regression: noise breaks nothing. Settings are told apart by the tags that differ within the runs of either
side, or --by others; a baseline without a run of any of them is an error.

` + sourceHelp,
		Example: `  longpole check --budget 'p50(run) < 30s' --budget 'p95(ttft) < 1.5s' --budget 'share(retry) < 5%' --budget 'success >= 0.9' runs/
  longpole check --by effort --budget 'answer.p50 < 20s'
  longpole check --baseline main.jsonl --max-regression 5% pr.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("max-regression") && len(opt.baseline) == 0 {
				return misused("--max-regression %s: more than what? Name a --baseline with it", opt.allowed)
			}
			return runCheck(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringArrayVar(&opt.budgets, "budget", nil, "a `LIMIT`, such as 'p95(ttft) < 1.5s'; may be repeated")
	cmd.Flags().StringSliceVar(&opt.by, "by", nil, "check each group of runs with the same value of these `TAGS` by itself: effort, model, task, …")
	cmd.Flags().StringArrayVar(&opt.baseline, "baseline", nil, "a `SOURCE` of runs to be no worse than; may be repeated")
	cmd.Flags().StringVar(&opt.allowed, "max-regression", "5%", "`SHARE` by which it may be slower, or less often right, than the baseline")
	formatFlag(cmd, &opt.format)
	analysisFlags(cmd, &opt.stall, &opt.noSkewRepair)
	opt.only.flags(cmd)
	return cmd
}

func runCheck(ctx context.Context, opt checkOptions, sources []string, stdin io.Reader, stdout io.Writer) error {
	if err := checkFormat(opt.format); err != nil {
		return err
	}
	if len(opt.budgets) == 0 && len(opt.baseline) == 0 {
		return misused("nothing to check; name a --budget, such as 'p50(run) < 30s', or a --baseline")
	}
	var budgets []budget.Budget
	for _, text := range opt.budgets {
		b, err := budget.Parse(text)
		if err != nil {
			return misused("--%w", err)
		}
		budgets = append(budgets, b)
	}
	allowed, err := parseAllowed(opt.allowed)
	if err != nil {
		return err
	}
	if err := onceTag(opt.by); err != nil {
		return err
	}
	options := traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair}
	runs, problems, err := opt.runs(ctx, sources, stdin, options)
	if err != nil {
		return err
	}
	groups := measure.GroupBy(runs, opt.by...)
	var check report.Check
	for i := range groups {
		for _, b := range budgets {
			check.Budgets = append(check.Budgets, b.Check(&groups[i]))
		}
	}
	if len(opt.baseline) > 0 {
		before, more, err := opt.runs(ctx, opt.baseline, stdin, options)
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		by := opt.by
		if len(by) == 0 {
			by = settings(before, runs)
		}
		check.Baselines = budget.Regressions(measure.GroupBy(before, by...), measure.GroupBy(runs, by...), allowed)
		problems = append(problems, more...)
	}
	if opt.format == "json" {
		err = report.WriteCheckJSON(stdout, check, problems)
	} else {
		err = report.WriteCheck(stdout, check, problems, textOptions(stdout))
	}
	if err != nil {
		return err
	}
	return verdictOf(check)
}

// runs loads runs; to check nothing would look like success.
func (opt checkOptions) runs(ctx context.Context, sources []string, stdin io.Reader, options traces.Options) ([]*measure.Run, []traces.Problem, error) {
	runs, problems, err := opt.only.load(ctx, sources, stdin, options)
	switch {
	case err != nil:
		return nil, nil, err
	case len(runs) == 0 && len(sources) == 0:
		return nil, nil, errors.New("the store holds no runs to check")
	case len(runs) == 0:
		return nil, nil, fmt.Errorf("%s: no runs in it to check", strings.Join(sources, ", "))
	}
	if err := knownTags(opt.by, runs); err != nil {
		return nil, nil, err
	}
	return runs, problems, nil
}

// parseAllowed reads a share such as 5% or 0.05.
func parseAllowed(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, misused("--max-regression %q: want a share, such as 5%% or 0.05", s)
	}
	return f, nil
}

// settings returns the tags that tell settings apart within the baseline or within the runs that are checked, so that unlike ones
// are not pooled. What only differs between the two, as a commit does, is what is checked.
func settings(before, now []*measure.Run) []string {
	var by []string
	for _, runs := range [][]*measure.Run{before, now} {
		for _, k := range varyingTags(runs) {
			if k != "task" && k != "time" && k != "hour" && !slices.Contains(by, k) {
				by = append(by, k)
			}
		}
	}
	return by
}

// verdictOf makes what is not kept the command's failure.
func verdictOf(c report.Check) error {
	broken, untold := c.Failed()
	var parts []string
	if len(c.Baselines) > 0 && !slices.ContainsFunc(c.Baselines, func(r budget.Regression) bool { return !r.Alone }) {
		parts = append(parts, "the baseline has no runs of the same settings")
	}
	if broken > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d checks broken", broken, len(c.Budgets)+len(c.Baselines)))
	}
	if untold > 0 {
		parts = append(parts, fmt.Sprintf("%d cannot be told: record more runs, or ask for less", untold))
	}
	if len(parts) == 0 {
		return nil
	}
	return errors.New(strings.Join(parts, ", "))
}
