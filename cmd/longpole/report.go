package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
)

// reportOptions are the flags of `longpole report`.
type reportOptions struct {
	format       string
	stall        time.Duration
	noSkewRepair bool
	only         selection
	yardsticks   yardsticks
}

func newReport() *cobra.Command {
	var opt reportOptions
	cmd := &cobra.Command{
		Use:   "report [SOURCE…]",
		Short: "Print where the time of each run went",
		Long: `Print where the time of each run went: its components, steps, model calls, tools and critical path. Of several runs it also
says how fast they wrote, and whether that is enough for chat, voice, agents and batches; of one run, if one of the flags asks.

` + sourceHelp + "\n\n" + yardstickHelp,
		Example: `  longpole report traces.jsonl
  longpole report --format json traces.jsonl | jq '.runs[0].components'
  longpole report --where effort=high --where outcome!=ok --slowest 3
  longpole report --prices prices.yaml traces.jsonl
  longpole report --hardware h100,count=8 --active-params 70b --bytes-per-param fp8 --claim 500 traces.jsonl
  curl -s https://example.org/trace.json | longpole report -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReport(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	formatFlag(cmd, &opt.format)
	analysisFlags(cmd, &opt.stall, &opt.noSkewRepair)
	opt.only.flags(cmd)
	opt.yardsticks.flags(cmd)
	groupFlags(cmd, yardstickFlags)
	return cmd
}

func runReport(ctx context.Context, opt reportOptions, sources []string, stdin io.Reader, stdout io.Writer) error {
	if err := checkFormat(opt.format); err != nil {
		return err
	}
	against, err := opt.yardsticks.load()
	if err != nil {
		return err
	}
	runs, problems, err := opt.only.load(ctx, sources, stdin, traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair})
	if err != nil {
		return err
	}
	if opt.format == "json" {
		return against.WriteJSON(stdout, runs, problems)
	}
	if len(runs) == 0 && len(problems) == 0 {
		return nothingIn(sources)
	}
	draw := textOptions(stdout)
	if err := report.WriteText(stdout, runs, problems, draw); err != nil {
		return err
	}
	if len(runs) > 1 || opt.yardsticks.given() {
		return against.WriteRuns(stdout, runs, draw)
	}
	return nil
}

// nothingIn says of sources without a run what to do about that.
func nothingIn(sources []string) error {
	if len(sources) == 0 {
		return errors.New("the store holds no runs yet; `longpole bench` records some, or name a file")
	}
	return fmt.Errorf("%s: no spans in it", sources[0])
}

// formatFlag declares --format.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "`FORMAT`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return misused("--format %q is unknown; text and json are", format)
	}
	return nil
}

// checkStall refuses a threshold that no silence is shorter than. 0 is the default rule.
func checkStall(threshold time.Duration) error {
	if threshold < 0 {
		return misused("--stall-threshold %v: want a duration above 0, or leave it out", threshold)
	}
	return nil
}

// analysisFlags declares the flags that change how records are understood.
func analysisFlags(cmd *cobra.Command, stall *time.Duration, noSkewRepair *bool) {
	cmd.Flags().DurationVar(stall, "stall-threshold", 0, "silence in a stream that counts as a stall (default: the larger of 500ms and 20 × its median gap)")
	cmd.Flags().BoolVar(noSkewRepair, "no-skew-repair", false, "take the clocks of all hosts as they are")
}
