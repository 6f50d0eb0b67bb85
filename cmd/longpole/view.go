package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui"
)

// viewOptions are the flags of `longpole view`.
type viewOptions struct {
	stall        time.Duration
	noSkewRepair bool
	follow       bool
}

func newView() *cobra.Command {
	var opt viewOptions
	cmd := &cobra.Command{
		Use:   "view [SOURCE…]",
		Short: "Look at runs on screens: list, waterfall, critical path, breakdown, comparison; live with --follow",
		Long: `Look at runs on screens. Without a terminal the report is printed as plain text instead.

With --follow runs are shown while they are recorded, by record, proxy, bench or a program with the tracer library: what each agent is
waiting for right now, the stuck ones on top. All screens go on as the runs grow.

` + sourceHelp,
		Example: "  longpole view\n  longpole view traces.jsonl\n  longpole view --follow",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.follow {
				options := traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair}
				return runFollow(cmd.Context(), options, args, cmd.InOrStdin(), cmd.OutOrStdout())
			}
			return runView(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVarP(&opt.follow, "follow", "f", false, "show runs while they are recorded: what every agent is waiting for right now")
	analysisFlags(cmd, &opt.stall, &opt.noSkewRepair)
	return cmd
}

func runView(ctx context.Context, opt viewOptions, sources []string, stdin io.Reader, stdout io.Writer) error {
	runs, problems, err := loadRuns(ctx, sources, stdin, traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair})
	if err != nil {
		return err
	}
	if !isTerminal(stdin, stdout) {
		return report.WriteText(stdout, runs, problems, textOptions(stdout))
	}
	return tui.Run(ctx, tui.New(runs, tui.Options{Problems: problems}), stdin, stdout)
}
