package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/attribute"

	"github.com/seed46266073/longpole/agentsim/bench"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/tracer/export"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/store"
	"github.com/seed46266073/longpole/tui"
)

// benchOptions are the flags of `longpole bench`.
type benchOptions struct {
	efforts, models, tasks []string
	trials, concurrency    int
	seed                   int64
	speed                  string
	baseURL                string
	faults                 []string
	limit, stall           time.Duration
	parallel, maxSteps     int
	noWarmUp, noTUI        bool
	format                 string
}

// defaultModel is the simulated model that bench asks when none is named.
const defaultModel = "sim-moe-13b"

// defaultFaults are what the simulated model does wrong unless --fault says otherwise: enough that retries are there to see.
var defaultFaults = simmodel.Faults{RateLimit: 0.04, Cut: 0.02, Stall: 0.02}

func newBench() *cobra.Command {
	var opt benchOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Let an agent do the built-in tasks at several reasoning efforts, and compare",
		Long: `Let an agent do the built-in tasks at several reasoning efforts, record every run, and compare: how often the answer is
correct, how long a correct answer takes, and what that time is spent on.

Without --base-url the agent asks a simulated model inside the program, over a real socket, which at times answers 429 or
breaks a stream off, so that retries are there to see. Its runs are made at 10x: all times are scaled back, tools
included. --speed 1x is the mode for measuring. With --base-url any OpenAI-compatible server is asked, at 1x.

The runs are kept (see ` + "`longpole runs`" + `); each can be looked at with ` + "`longpole view ID`" + `. With
OTEL_EXPORTER_OTLP_ENDPOINT set, their spans also go to that endpoint, Jaeger for one. On a terminal the screens open at the end.`,
		Example: `  longpole bench
  longpole bench --effort low,high --task csv-total,fix-config --trials 10 --no-tui
  OPENAI_API_KEY=… longpole bench --base-url https://api.example.org/v1 --model some-model --trials 3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runBench(cmd.Context(), opt, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&opt.efforts, "effort", []string{"low", "medium", "high"}, "reasoning efforts to compare")
	f.StringSliceVar(&opt.models, "model", nil, "models to ask (default "+defaultModel+"; the simulated ones are "+strings.Join(modelNames(), ", ")+"; required with --base-url)")
	f.StringSliceVar(&opt.tasks, "task", nil, "tasks to do (default: all; "+strings.Join(taskNames(), ", ")+")")
	f.IntVar(&opt.trials, "trials", 4, "runs of each task at each setting")
	f.IntVar(&opt.concurrency, "concurrency", 6, "runs at the same time")
	f.Int64Var(&opt.seed, "seed", 1, "source of everything random: the same answers and faults again; times still vary with the machine")
	f.StringVar(&opt.speed, "speed", "", "recorded time over real time (default 10x, with --base-url 1x)")
	f.StringVar(&opt.baseURL, "base-url", "", "OpenAI-compatible server, with its /v1; the key is taken from OPENAI_API_KEY")
	f.StringArrayVar(&opt.faults, "fault", nil, "faults of the simulated model: "+faultHelp+" (default rate_limit=0.04, cut=0.02, stall=0.02)")
	f.DurationVar(&opt.limit, "limit", 5*time.Minute, "recorded time after which a run is cut off")
	f.DurationVar(&opt.stall, "stall-threshold", 0, "silence in a stream that counts as a stall (default: the larger of 500ms and 20 × its median gap)")
	f.IntVar(&opt.parallel, "tool-parallelism", 0, "tool calls of a step at the same time (default: all; 1: one after the other)")
	f.IntVar(&opt.maxSteps, "max-steps", 25, "turns of the loop after which a run is given up")
	f.BoolVar(&opt.noWarmUp, "no-warm-up", false, "leave out the unrecorded run before the first one")
	f.BoolVar(&opt.noTUI, "no-tui", false, "print the comparison and end, also on a terminal")
	formatFlag(cmd, &opt.format)
	_ = cmd.RegisterFlagCompletionFunc("task", cobra.FixedCompletions(taskNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runBench(ctx context.Context, opt benchOptions, stdin io.Reader, stdout, stderr io.Writer) error {
	plan, err := opt.plan()
	if err != nil {
		return err
	}
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
	sayUnsent(stderr, plan.Tracer, tallies)
	if len(made) == 0 {
		return runErr
	}

	runs, problems, err := loadMade(plan.Store, made)
	if err != nil {
		return errors.Join(runErr, err)
	}
	groups := measure.GroupBy(runs, opt.keys()...)
	if opt.format == "json" {
		if err := report.WriteGroupsJSON(stdout, groups, problems); err != nil {
			return err
		}
	} else {
		draw := textOptions(stdout)
		if err := report.WriteGroups(stdout, groups, draw); err != nil {
			return err
		}
		if text := check.against(runs); text != "" {
			if draw.ASCII {
				text = strings.ReplaceAll(text, "µs", "us")
			}
			fmt.Fprintf(stdout, "\n%s\n", ansi.Wordwrap(text, draw.Width, ""))
		}
	}
	sayEnds(stderr, made)
	if runErr == nil && !slices.ContainsFunc(made, replied) {
		runErr = errors.New("no run got a reply from the model; is the server there, and are model, effort and key right?")
	}
	if runErr == nil && !opt.noTUI && opt.format == "text" && isTerminal(stdin, stdout) {
		runErr = tui.Run(ctx, tui.New(runs, tui.Options{Title: "bench", Start: tui.Compare, Problems: problems}), stdin, stdout)
	}
	fmt.Fprintf(stderr, "%s kept in %s; `longpole view %s` shows them again\n", plural(len(made), "run"), plan.Store.Dir(), experiment(made[0].ID))
	return runErr
}

// experiment returns the beginning that the ids of a plan's runs have in common: bench and the time.
func experiment(id string) string {
	parts := strings.SplitN(id, "-", 3)
	return strings.Join(parts[:min(2, len(parts))], "-")
}

// plan turns the flags into a plan, without its tracer and store.
func (opt *benchOptions) plan() (bench.Plan, error) {
	plan := bench.Plan{Models: opt.models, Efforts: opt.efforts, Trials: opt.trials, Concurrency: opt.concurrency, Seed: opt.seed,
		Parallel: opt.parallel, MaxSteps: opt.maxSteps, Limit: opt.limit, StallThreshold: opt.stall, NoWarmUp: opt.noWarmUp}
	if err := checkFormat(opt.format); err != nil {
		return plan, err
	}
	if opt.trials < 1 || opt.concurrency < 1 || opt.parallel < 0 || opt.maxSteps < 1 || opt.limit < 0 {
		return plan, misused("--trials, --concurrency and --max-steps want at least 1; --tool-parallelism and --limit nothing negative")
	}
	if err := cmp.Or(once("effort", opt.efforts), once("model", opt.models), once("task", opt.tasks), checkStall(opt.stall)); err != nil {
		return plan, err
	}
	speed := opt.speed
	switch {
	case opt.baseURL != "" && len(opt.models) == 0:
		return plan, misused("--base-url needs --model NAME: which of the server's models to ask")
	case opt.baseURL != "" && len(opt.faults) > 0:
		return plan, misused("--fault is for the simulated model; it cannot be used with --base-url")
	case opt.baseURL != "":
		if err := checkBaseURL(opt.baseURL); err != nil {
			return plan, err
		}
		plan.BaseURL, plan.APIKey = strings.TrimSuffix(opt.baseURL, "/"), os.Getenv("OPENAI_API_KEY")
		if speed == "" {
			speed = "1x"
		}
	default:
		sim := simmodel.Config{Faults: defaultFaults}
		if len(opt.faults) > 0 {
			faults, err := parseFaults(opt.faults)
			if err != nil {
				return plan, err
			}
			sim.Faults = faults
		}
		plan.Sim = &sim
		if len(plan.Models) == 0 {
			plan.Models = []string{defaultModel}
		}
		if err := knownModels(plan.Models); err != nil {
			return plan, err
		}
		if speed == "" {
			speed = "10x"
		}
	}
	var err error
	if plan.Speed, err = parseSpeed(speed); err != nil {
		return plan, err
	}
	plan.Tasks, err = chooseTasks(opt.tasks)
	return plan, err
}

// once refuses a list flag that names something twice: runs would be made twice, under the same tags.
func once(flag string, values []string) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return misused("--%s %q: named twice; --trials makes more runs of it", flag, v)
		}
	}
	return nil
}

// checkBaseURL refuses what is no address to append to. It does not repeat it: there may be a password in it.
func checkBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return misused("--base-url: want http:// or https://, a host and a path without a query, as https://api.example.org/v1")
	}
	return nil
}

// keys are the tags that tell the settings apart.
func (opt *benchOptions) keys() []string {
	if len(opt.models) > 1 {
		return []string{"model", "effort"}
	}
	return []string{"effort"}
}

func taskNames() []string {
	var names []string
	for _, t := range tasks.All() {
		names = append(names, t.Name)
	}
	return names
}

// chooseTasks returns the named tasks, or all that can run on this machine.
func chooseTasks(names []string) ([]tasks.Task, error) {
	all := tasks.All()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(t tasks.Task) bool { return t.Missing() != "" }), nil
	}
	var chosen []tasks.Task
	for _, name := range names {
		i := slices.IndexFunc(all, func(t tasks.Task) bool { return t.Name == name })
		if i < 0 {
			return nil, misused("--task %q: there are %s", name, strings.Join(taskNames(), ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// modelNames are the simulated models.
func modelNames() []string {
	var names []string
	for _, p := range simmodel.Published() {
		names = append(names, p.Name)
	}
	return names
}

func knownModels(names []string) error {
	known := modelNames()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return misused("--model %q: the simulated ones are %s; with --base-url any of the server's", name, strings.Join(known, ", "))
		}
	}
	return nil
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
		return nil, nil, fmt.Errorf("none of %s could be kept in %s; is there space, and may it be written?", plural(len(made), "run"), s.Dir())
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
			fmt.Fprintf(stderr, "longpole: %d of %s did not reach %s: %s\n", made-sent, plural(made, "span"), export.Endpoint(),
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
		fmt.Fprintf(stderr, "longpole: %s without an answer: %s\n", plural(count[text], "run"), report.Clean(text))
	}
	if lost > 0 {
		fmt.Fprintf(stderr, "longpole: %s could not be written; the runs they belong to are incomplete\n", plural(lost, "record"))
	}
}

// plural is a number of things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
