package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui"
)

// viewOptions are the flags of `longpole view`.
type viewOptions struct {
	stall        time.Duration
	noSkewRepair bool
	follow, demo bool
	only         selection
}

func newView() *cobra.Command {
	var opt viewOptions
	cmd := &cobra.Command{
		Use:   "view [SOURCE…]",
		Short: "Look at runs on screens: list, waterfall, critical path, breakdown, comparison; live with --follow",
		Long: `Look at runs on screens. Without a terminal the report is printed as plain text instead.

With --follow runs are shown while they are recorded, by record, proxy, bench or a program with the tracer library: what each agent is
waiting for right now, the stuck ones on top. All screens go on as the runs grow.

With --demo runs are shown that come with the program: four tasks at three reasoning efforts, asked of the simulated model, often
enough to tell which effort to use (C).

` + sourceHelp,
		Example: "  longpole view\n  longpole view traces.jsonl\n  longpole view --follow\n  longpole view --demo",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.demo && (opt.follow || len(args) > 0) {
				return misused("--demo shows the built-in recording and takes no source")
			}
			if opt.follow {
				if opt.only.given() {
					return misused("--where and --slowest choose among runs that were read; they cannot be used with --follow")
				}
				options := traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair}
				return runFollow(cmd.Context(), options, args, cmd.InOrStdin(), cmd.OutOrStdout())
			}
			return runView(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVarP(&opt.follow, "follow", "f", false, "show runs while they are recorded: what every agent is waiting for right now")
	cmd.Flags().BoolVar(&opt.demo, "demo", false, "show a built-in recording")
	analysisFlags(cmd, &opt.stall, &opt.noSkewRepair)
	opt.only.flags(cmd)
	return cmd
}

// runView opens the screens at once and reads the sources while they are open.
func runView(ctx context.Context, opt viewOptions, sources []string, stdin io.Reader, stdout io.Writer) error {
	options := traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair}
	if !isTerminal(stdin, stdout) {
		load := func() ([]*measure.Run, []traces.Problem, error) { return loadRuns(ctx, sources, stdin, options) }
		if opt.demo {
			load = func() ([]*measure.Run, []traces.Problem, error) { return loadDemo(options) }
		}
		runs, problems, err := load()
		if err == nil {
			runs, err = opt.only.of(runs)
		}
		switch {
		case err != nil:
			return err
		case len(runs) == 0 && len(problems) == 0:
			return nothingIn(sources)
		}
		return report.WriteText(stdout, runs, problems, textOptions(stdout))
	}
	if err := checkStall(opt.stall); err != nil {
		return err
	}
	if _, err := opt.only.conditions(); err != nil {
		return err
	}
	if opt.demo {
		return showScreens(ctx, nil, tui.Options{Title: "demo", Load: opt.only.loader(demoLoader(options))}, stdin, stdout)
	}
	list, err := places(sources)
	if err != nil {
		return err
	}
	return showScreens(ctx, nil, tui.Options{Load: opt.only.loader(loader(list, stdin, options))}, stdin, stdout)
}
