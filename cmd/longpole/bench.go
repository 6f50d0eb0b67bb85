package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/attribute"

	"github.com/seed46266073/longpole/agentsim/bench"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/tracer/export"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/tui"
)

// benchOptions are the flags of `longpole bench`.
type benchOptions struct {
	flags *pflag.FlagSet // the same, to tell which were given

	efforts, models, baseURLs, systems, requests []string
	temperatures                                 []float64
	parallel, concurrency                        []int
	rates                                        []string
	arrivals                                     string
	tasks, groups                                []string
	tasksFile                                    string

	trials, maxTrials int
	until, schedule   string
	resume            string

	seed            int64
	speed           string
	faults          []string
	limit, stall    time.Duration
	maxSteps        int
	noWarmUp, noTUI bool
	format          string
	yardsticks
}

// defaultModel is the simulated model that bench asks when none is named.
const defaultModel = "sim-moe-13b"

// lastExperiment is what --resume is without a value.
const lastExperiment = "the last one"

// defaultFaults are what the simulated model does wrong unless --fault says otherwise: enough that retries are there to see.
var defaultFaults = simmodel.Faults{RateLimit: 0.04, Cut: 0.02, Stall: 0.02}

func newBench() *cobra.Command {
	var opt benchOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Let an agent do tasks at several settings, and compare",
		Long: `Let an agent do tasks at several settings, record every run, and compare: how often the answer is correct, how long a
correct answer takes, and what that time is spent on. Every combination of the values given is a setting; each trial runs
every task once at each of them, in random order.

Without --base-url the agent asks a simulated model inside the program, over a real socket, which at times answers 429 or
breaks a stream off, so that retries are there to see. Its runs are made at 10x: all times are scaled back, tools
included. --speed 1x is the mode for measuring. With --base-url any OpenAI-compatible server is asked, at 1x; its key is
taken from OPENAI_API_KEY, or, for one that is given as NAME=URL, from OPENAI_API_KEY_NAME.

The tasks are built in, or come from a YAML file: prompt, tools, files, and how an answer is verified. A verifier that is a
command is run because the file says so: take such files only from where you would take programs. The simulated model
plays a task of yours if the file has a script for it.

--concurrency 4 is four users, each of whom begins the next run when the last one has ended. --rate 2/s begins runs at that
rate, whatever has ended, and counts the time to an answer from when a run should have begun. --until ±5% makes trials
until the 95 % interval of every setting's median time to a correct answer is that narrow.

The runs are kept (see ` + "`longpole runs`" + `), and so is the plan: what was interrupted goes on with --resume. Each run can be
looked at with ` + "`longpole view ID`" + `. With OTEL_EXPORTER_OTLP_ENDPOINT set, their spans also go to that endpoint, Jaeger for
one. On a terminal the screens open at the end.`,
		Example: `  longpole bench
  longpole bench --effort low,high --task csv-total,fix-config --trials 10 --no-tui
  longpole bench --tasks mine.yaml --base-url https://api.example.org/v1 --model small,large --until ±5%
  longpole bench --base-url http://localhost:8000/v1 --model m --concurrency 1,4,16 --request top_p=0.5,1
  longpole bench --base-url https://api.example.org/v1 --model m --schedule 1h/24h --trials 2
  longpole bench --resume`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opt.resume == lastExperiment && len(args) == 1 {
				return nil
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 { // --resume EXPERIMENT
				opt.resume = args[0]
			}
			return runBench(cmd.Context(), &opt, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	opt.flags = f
	f.StringSliceVar(&opt.efforts, "effort", []string{"low", "medium", "high"}, "`LIST` of reasoning efforts")
	f.StringSliceVar(&opt.models, "model", nil, "`LIST` of models; required with --base-url (default "+defaultModel+"; the simulated ones are "+strings.Join(modelNames(), ", ")+")")
	f.StringSliceVar(&opt.baseURLs, "base-url", nil, "`LIST` of OpenAI-compatible servers, each with its /v1, as URL or NAME=URL")
	f.StringSliceVar(&opt.systems, "system", nil, "`LIST` of files with system messages, as FILE or NAME=FILE; \"default\" is the agent's own")
	f.Float64SliceVar(&opt.temperatures, "temperature", nil, "`LIST` of temperatures (default: what the server takes)")
	f.Lookup("temperature").DefValue = ""
	f.IntSliceVar(&opt.parallel, "tool-parallelism", nil, "`LIST` of how many tool calls of a step go on at the same time, 0 for all (default: all)")
	f.StringArrayVar(&opt.requests, "request", nil, "further `FIELD=LIST` of each request; a JSON list is a list of values; may be repeated")
	f.IntSliceVar(&opt.concurrency, "concurrency", []int{6}, "`LIST` of numbers of users; with --rate, of how many runs go on at the same time at most (then by default any number)")
	f.StringSliceVar(&opt.rates, "rate", nil, "`LIST` of rates at which runs begin, as 2/s or 30/min, in place of users")
	f.StringVar(&opt.arrivals, "arrivals", "random", "`KIND` of gaps between runs at a rate: random (of a Poisson process) or even")
	f.StringArrayVar(&opt.groups, "group", nil, "tag `KEY=VALUE` of all runs, to compare experiments by; may be repeated")

	f.StringSliceVar(&opt.tasks, "task", nil, "`LIST` of tasks (default: all of --tasks, else all of "+strings.Join(taskNames(), ", ")+")")
	f.StringVar(&opt.tasksFile, "tasks", "", "YAML or JSON `FILE` with tasks of your own")
	f.DurationVar(&opt.limit, "limit", 5*time.Minute, "recorded time after which a run is cut off")
	f.IntVar(&opt.maxSteps, "max-steps", 25, "turns of the loop after which a run is given up")

	f.IntVar(&opt.trials, "trials", 4, "runs of each task at each setting")
	f.StringVar(&opt.until, "until", "", "go on until the interval of every median is of this `WIDTH`, as ±5%")
	f.IntVar(&opt.maxTrials, "max-trials", 50, "trials after which --until is given up")
	f.StringVar(&opt.schedule, "schedule", "", "repeat all `EVERY/FOR`, as 1h/24h, and split the results by the hour of the day too")
	f.StringVar(&opt.resume, "resume", "", "go on with an `EXPERIMENT` that was interrupted")
	f.Lookup("resume").NoOptDefVal = lastExperiment
	f.Int64Var(&opt.seed, "seed", 1, "source of everything random: the same answers and faults again; times still vary with the machine")
	f.BoolVar(&opt.noWarmUp, "no-warm-up", false, "leave out the unrecorded runs before the first one")

	f.StringVar(&opt.speed, "speed", "", "`FACTOR` of recorded time over real time (default 10x, with --base-url 1x)")
	f.StringArrayVar(&opt.faults, "fault", nil, "`FAULTS` of the simulated model: "+faultHelp+" (default rate_limit=0.04, cut=0.02, stall=0.02)")
	f.DurationVar(&opt.stall, "stall-threshold", 0, "silence in a stream that counts as a stall (default: the larger of 500ms and 20 × its median gap)")
	f.BoolVar(&opt.noTUI, "no-tui", false, "print the comparison and end, also on a terminal")
	comparisonFormatFlag(cmd, &opt.format)
	opt.yardsticks.flags(cmd)
	groupFlags(cmd,
		flagGroup{"What is compared", []string{"effort", "model", "base-url", "system", "temperature", "tool-parallelism", "request", "concurrency", "rate", "arrivals", "group"}},
		flagGroup{"What is done", []string{"task", "tasks", "limit", "max-steps"}},
		flagGroup{"How often", []string{"trials", "until", "max-trials", "schedule", "resume", "seed", "no-warm-up"}},
		flagGroup{"How it is measured", []string{"speed", "fault", "stall-threshold"}},
		yardstickFlags)
	_ = cmd.RegisterFlagCompletionFunc("task", cobra.FixedCompletions(taskNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runBench(ctx context.Context, opt *benchOptions, stdin io.Reader, stdout, stderr io.Writer) error {
	before, err := resumed(opt)
	if err != nil {
		return err
	}
	plan, err := opt.plan()
	if err != nil {
		return err
	}
	against, err := opt.yardsticks.load()
	if err != nil {
		return err
	}
	plan.Resume, plan.Options = before, keptOptions(opt.flags)
	exporters, err := export.FromEnv(ctx)
	if err != nil {
		return err
	}
	var tallies []*export.Tally
	for i, e := range exporters {
		tallies = append(tallies, export.NewTally(e))
		exporters[i] = tallies[i]
	}
	if plan.Store, err = openStore(); err != nil {
		return err
	}
	if err := plan.Store.Writable(); err != nil {
		return err
	}
	var check truths
	if plan.Sim != nil {
		plan.Sim.Truth = check.add
	}
	plan.Tracer = tracer.New(tracer.Options{Exporters: exporters, Resource: serviceName()})
	bar := newProgressBar(stderr)
	plan.Progress = bar.show
	made, runErr := plan.Run(ctx)
	bar.end()
	stopped := runErr != nil
	sayUnsent(stderr, plan.Tracer, tallies)
	if other := (bench.OtherPlan{}); errors.As(runErr, &other) {
		return usageError{runErr}
	}
	if len(made) == 0 {
		return runErr
	}

	runs, problems, err := loadMade(plan.Store, made)
	if err != nil {
		sayEnds(stderr, made) // why there is nothing to be kept, perhaps
		return errors.Join(runErr, err)
	}
	if opt.format == "text" {
		err = opt.writeText(stdout, &plan, runs, against, &check)
	} else {
		c := compare.Of(measure.GroupBy(runs, plan.Varied()...), compare.Options{})
		err = writeComparison(stdout, stderr, opt.format, c, against, problems)
	}
	if err != nil {
		return err
	}
	if plan.Until > 0 {
		fmt.Fprintln(stderr, precision(plan.Precision(made), plan.Until))
	}
	sayEnds(stderr, made)
	if runErr == nil && !slices.ContainsFunc(made, replied) {
		runErr = errors.New("no run got a reply from the model; is the server there, and are model, effort and key right?")
	}
	if runErr == nil && !opt.noTUI && opt.format == "text" && isTerminal(stdin, stdout) {
		runErr = showScreens(ctx, runs, tui.Options{Title: "bench", Start: tui.Compare, Problems: problems}, stdin, stdout)
	}
	if missing := len(made) - len(runs); missing > 0 {
		fmt.Fprintf(stderr, "longpole: of %s no record can be read back\n", traces.FormatCount(missing, "run"))
	}
	fmt.Fprintf(stderr, "%s kept in %s; `longpole view %s` shows them again\n", traces.FormatCount(len(runs), "run"), plan.Store.Dir(), experiment(made[0].ID))
	if stopped {
		fmt.Fprintf(stderr, "`longpole bench --resume %s` goes on\n", experiment(made[0].ID))
	}
	return runErr
}

// writeText writes the comparison of the settings, of the hours of a schedule, and of the clocks of a simulated model; what they are
// held against only where that was asked for, or where loads are compared, whose rates are the point.
func (opt *benchOptions) writeText(w io.Writer, plan *bench.Plan, runs []*measure.Run, against report.Yardsticks, check *truths) error {
	draw := textOptions(w)
	groups := measure.GroupBy(runs, plan.Varied()...)
	if err := report.WriteGroups(w, groups, draw); err != nil {
		return err
	}
	if opt.yardsticks.given() || len(plan.Loads) > 1 {
		if err := against.WriteText(w, groups, draw); err != nil {
			return err
		}
	}
	if plan.Rounds > 1 {
		fmt.Fprintln(w)
		if err := report.WriteGroups(w, measure.GroupBy(runs, append(plan.Varied(), "hour")...), draw); err != nil {
			return err
		}
	}
	if text := check.against(runs); text != "" {
		if draw.ASCII {
			text = strings.ReplaceAll(text, "µs", "us")
		}
		fmt.Fprintf(w, "\n%s\n", ansi.Wordwrap(text, draw.Width, ""))
	}
	return nil
}

// precision says whether the settings are known as well as was asked for.
func precision(p bench.Precision, until float64) string {
	known := fmt.Sprintf("after %s, %s is known worst: its median time to a correct answer ", traces.FormatCount(p.Trials, "trial"), p.Setting)
	switch {
	case math.IsInf(p.Width, 1):
		return known + "has no interval yet; more trials are needed"
	case p.More == 0:
		return known + fmt.Sprintf("to %s, as asked for", within(p.Width))
	case p.More < 0:
		return known + fmt.Sprintf("to %s; %s is out of reach", within(p.Width), within(until))
	}
	return known + fmt.Sprintf("to %s; %s would take about %s", within(p.Width), within(until), traces.FormatCount(p.More, "more trial"))
}

// within is a share as what may be added or taken off.
func within(share float64) string {
	mark := "±"
	if asciiOnly() {
		mark = "+-"
	}
	return fmt.Sprintf("%s%.3g %%", mark, 100*share)
}

// experiment returns the beginning that the ids of a plan's runs have in common: bench and the time.
func experiment(id string) string {
	parts := strings.SplitN(id, "-", 3)
	return strings.Join(parts[:min(2, len(parts))], "-")
}

// loadMade reads the runs back from the store, as anyone else would. Those that the disk did not take are problems.
func loadMade(s *store.Store, made []bench.Run) ([]*measure.Run, []traces.Problem, error) {
	var runs []*measure.Run
	var problems []traces.Problem
	for _, m := range made {
		records, odd, err := s.Load(m.ID)
		if err != nil {
			odd = append(odd, traces.Problem{Code: traces.UnreadableLine, Message: err.Error()})
		}
		built, more := traces.Build(records)
		problems = append(append(problems, about(m.ID, odd)...), more...)
		for _, run := range built {
			runs = append(runs, measure.Of(run))
		}
	}
	if len(runs) == 0 {
		return nil, nil, fmt.Errorf("none of %s left a record in %s; if nothing above says why: is there space, and may it be written?", traces.FormatCount(len(made), "run"), s.Dir())
	}
	return runs, problems, nil
}

// serviceName is how backends call what bench records, unless OTEL_SERVICE_NAME says otherwise.
func serviceName() []attribute.KeyValue {
	if os.Getenv("OTEL_SERVICE_NAME") != "" || strings.Contains(os.Getenv("OTEL_RESOURCE_ATTRIBUTES"), "service.name=") {
		return nil
	}
	return []attribute.KeyValue{attribute.String("service.name", "longpole-bench")}
}

// sayUnsent ends the tracer and tells how many of its spans did not reach the endpoint. It waits two seconds for that at most,
// also after an interrupt.
func sayUnsent(stderr io.Writer, t *tracer.Tracer, tallies []*export.Tally) {
	late := t.Shutdown(context.Background())
	for _, tally := range tallies {
		sent, fault := tally.Sent()
		if made := t.Spans(); sent < made {
			fmt.Fprintf(stderr, "longpole: %d of %s did not reach %s: %s\n", made-sent, traces.FormatCount(made, "span"), export.Endpoint(),
				report.Clean(fmt.Sprint(cmp.Or(fault, late, errors.New("more than can wait to be sent")))))
		}
	}
}

// replied reports whether a run got as far as the model's first reply. Cut off or wrong, it is a result; what never began
// is none.
func replied(m bench.Run) bool {
	return m.Result.Outcome != traces.Error || m.Result.Steps > 1 || m.Result.ToolCalls > 0 || m.Result.Answer != ""
}

// sayEnds tells of runs that have no answer, each kind once, and of records that were lost.
func sayEnds(stderr io.Writer, made []bench.Run) {
	lost := 0
	count := map[string]int{}
	var order []string
	for _, m := range made {
		lost += m.Lost
		if m.Err == nil || m.Result.Outcome == traces.Cancelled {
			continue
		}
		text := fmt.Sprintf("%s: %v", m.Result.Outcome, m.Err)
		if count[text]++; count[text] == 1 {
			order = append(order, text)
		}
	}
	for i, text := range order {
		if i == 5 {
			fmt.Fprintf(stderr, "longpole: and %d more kinds of ends without an answer\n", len(order)-i)
			break
		}
		fmt.Fprintf(stderr, "longpole: %s without an answer: %s\n", traces.FormatCount(count[text], "run"), report.Clean(text))
	}
	if lost > 0 {
		fmt.Fprintf(stderr, "longpole: %s could not be written; the runs they belong to are incomplete\n", traces.FormatCount(lost, "record"))
	}
}
