package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/whatif"
)

// whatIfOptions are the flags of `longpole whatif`.
type whatIfOptions struct {
	reportOptions
	set      []string
	parallel string
	steps    string
}

func newWhatIf() *cobra.Command {
	var opt whatIfOptions
	cmd := &cobra.Command{
		Use:   "whatif [SOURCE…]",
		Short: "Say how long runs would have taken, had some of it been faster",
		Long: `Say how long runs would have taken, had some of it been faster: the new total, where the time would go, and where
going faster stops helping because the run waits for something else. Without changes, say what would help most.

A change is TARGET*FACTOR or TARGET=VALUE:
  output*0.5          half the time; TARGET is a component (wait, reasoning, output, tool_args, tool, approval, agent, …),
                      a family (TTFT, decode, stalls, tools, retries) or one tool
  tool[grep]*0.1      one tool
  approval=0          each takes so long: each call's wait, each execution of a tool; 0, 150ms, 2s
  retry=off           does not happen: no failed attempts and no back-off
  tool[fetch]=cached  takes no time, nor does what is below it
  wait=cached         as short as the shortest wait seen for the model with cached input
  decode.rate=120     tokens per second of all that is written; decode.rate*2 is twice as fast
Several changes are made in their order.

` + sourceHelp,
		Example: `  longpole whatif traces.jsonl
  longpole whatif --set 'output*0.5' traces.jsonl
  longpole whatif --set 'tool[go test]*0.1' --set retry=off --parallel tools traces.jsonl
  longpole whatif --steps -1 --format json traces.jsonl | jq '.runs[0].after_ns'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhatIf(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringArrayVar(&opt.set, "set", nil, "make this `CHANGE`, as output*0.5; may be repeated")
	cmd.Flags().StringVar(&opt.parallel, "parallel", "", "`WHAT` goes on at the same time: tools (those of one model message) or early (each as soon as its arguments are complete)")
	cmd.Flags().StringVar(&opt.steps, "steps", "", "`NUMBER` of steps more; only below 0: -1 is one step less, the one of median length before the last")
	_ = cmd.RegisterFlagCompletionFunc("parallel", cobra.FixedCompletions([]string{"tools", "early"}, cobra.ShellCompDirectiveNoFileComp))
	formatFlag(cmd, &opt.format)
	analysisFlags(cmd, &opt.stall, &opt.noSkewRepair)
	opt.only.flags(cmd)
	groupFlags(cmd, flagGroup{"What would have been different", []string{"set", "parallel", "steps"}})
	return cmd
}

func runWhatIf(ctx context.Context, opt whatIfOptions, sources []string, stdin io.Reader, stdout io.Writer) error {
	if err := checkFormat(opt.format); err != nil {
		return err
	}
	plan, err := opt.plan()
	if err != nil {
		return err
	}
	runs, problems, err := opt.only.load(ctx, sources, stdin, traces.Options{StallThreshold: opt.stall, NoSkewRepair: opt.noSkewRepair})
	if err != nil {
		return err
	}
	if len(runs) == 0 && len(problems) == 0 && opt.format == "text" {
		if len(sources) == 0 {
			return errors.New("the store holds no runs yet; `longpole bench` records some, or name a file")
		}
		return fmt.Errorf("%s: no spans in it", sources[0])
	}
	answers, outlook, err := answer(ctx, runs, plan)
	if err != nil {
		return err
	}
	if words := pointless(plan, answers); words != "" {
		return fmt.Errorf("nothing to change: %s", words)
	}
	if opt.format == "json" {
		return report.WriteWhatIfJSON(stdout, plan, answers, outlook, problems)
	}
	return report.WriteWhatIf(stdout, answers, outlook, problems, textOptions(stdout))
}

// answer answers a plan for each run; for an empty one it also says what would help most. The error is why ctx ended: what is under way then,
// seconds of work for a run of a hundred thousand spans, is not waited for.
func answer(ctx context.Context, runs []*measure.Run, plan whatif.Plan) ([]whatif.Answer, *whatif.Outlook, error) {
	answers, outlooks := make([]whatif.Answer, len(runs)), make([]whatif.Outlook, len(runs))
	done := make(chan struct{})
	go func() {
		defer close(done)
		prepared := whatif.PrepareAll(runs)
		inParallel(len(runs), func(i int) {
			if ctx.Err() != nil {
				return
			}
			p := prepared[i]
			prepared[i] = nil // replays are large
			answers[i] = p.Answer(plan)
			if plan.Empty() && ctx.Err() == nil {
				outlooks[i] = p.Outlook()
			}
		})
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if !plan.Empty() || len(runs) == 0 {
		return answers, nil, nil
	}
	pooled := whatif.Pool(outlooks)
	return answers, &pooled, nil
}

// pointless says why a plan of edits changes nothing in any run; "" if it changes something, or is about more than edits.
func pointless(plan whatif.Plan, answers []whatif.Answer) string {
	if len(plan.Edits) == 0 || plan.ParallelTools != whatif.AsRecorded || plan.Steps != 0 || len(answers) == 0 {
		return ""
	}
	for _, a := range answers {
		if len(a.Idle) < len(distinct(plan.Edits)) {
			return ""
		}
	}
	return strings.Join(answers[0].Idle, ". ")
}

// distinct returns edits, each once.
func distinct(edits []whatif.Edit) []whatif.Edit {
	var list []whatif.Edit
	for _, e := range edits {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// fewestSteps is how many steps less can be asked for: no run has as many.
const fewestSteps = -100_000

// plan reads the changes that were asked for.
func (opt whatIfOptions) plan() (plan whatif.Plan, err error) {
	for _, s := range opt.set {
		e, err := whatif.ParseEdit(s)
		if err != nil {
			return plan, misused("--set: %w", err)
		}
		plan.Edits = append(plan.Edits, e)
	}
	if plan.ParallelTools, err = whatif.ParseParallel(opt.parallel); err != nil {
		return plan, misused("--parallel: %w", err)
	}
	if opt.steps == "" {
		return plan, nil
	}
	switch plan.Steps, err = strconv.Atoi(opt.steps); {
	case plan.Steps > 0:
		return plan, misused("--steps %s: only fewer steps can be told, as -1", opt.steps)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return plan, misused("--steps %q: want a number of steps less, as -1", opt.steps)
	case plan.Steps < fewestSteps:
		return plan, misused("--steps %s: no run has that many steps; want a number from -1 to %d", opt.steps, fewestSteps)
	}
	return plan, nil
}
