package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/otlp"
	"github.com/seed46266073/longpole/traces/pprofile"
)

// exportOptions are the flags of `longpole export`.
type exportOptions struct {
	to     string
	output string
	mean   bool
	only   selection
}

// profiles are the forms in which the critical paths of runs can be written.
var profiles = map[string]func(io.Writer, []*measure.Run, bool) error{
	"folded": func(w io.Writer, runs []*measure.Run, mean bool) error {
		graph := blame.Flame(runs)
		if graph.LeftOut > 0 {
			return fmt.Errorf("the runs take more than the 292 years that can be added up; leave out the longest %d, whose times must be wrong", graph.LeftOut)
		}
		if mean {
			graph = graph.PerRun()
		}
		return graph.WriteFolded(w)
	},
	"pprof": func(w io.Writer, runs []*measure.Run, mean bool) error {
		return pprofile.Write(w, runs, pprofile.Options{PerRun: mean})
	},
}

func newExport() *cobra.Command {
	var opt exportOptions
	cmd := &cobra.Command{
		Use:   "export [SOURCE…]",
		Short: "Send runs to Jaeger or any other OpenTelemetry backend, or write their critical paths as a profile",
		Long: `--to otlp sends the spans of runs to an OTLP endpoint. Where and how is set by OpenTelemetry's own variables:
OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318), OTEL_EXPORTER_OTLP_PROTOCOL (http/protobuf or grpc),
OTEL_EXPORTER_OTLP_HEADERS and the others. Every span of the sources is sent, a span that was written several times once.

--to folded and --to pprof write what the runs were waiting for, added up by kind of work, in nanoseconds: as folded stacks
for flame graphs, or as a profile for go tool pprof, where labels tell run, model, effort, task, outcome and component apart
(-tags, -tagfocus). Times are sums over the runs; to compare different numbers of runs, take --mean for both.

` + sourceHelp,
		Example: `  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 longpole export --to otlp traces.jsonl
  longpole export --to pprof -o new.pb.gz new/ && go tool pprof -http=: new.pb.gz
  longpole export --to pprof --mean -o a.pb.gz old/
  longpole export --to pprof --mean -o b.pb.gz new/ && go tool pprof -http=: -diff_base a.pb.gz b.pb.gz
  longpole export --to pprof --where effort=high -o high.pb.gz
  longpole export --to folded traces.jsonl | flamegraph.pl --countname ns > path.svg
  longpole export --to folded -o path.folded traces.jsonl    for https://www.speedscope.app`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExport(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&opt.to, "to", "otlp", "`FORM`, otlp: an OTLP endpoint, set by OTEL_EXPORTER_OTLP_* variables; folded: folded stacks; pprof: a pprof profile")
	cmd.Flags().StringVarP(&opt.output, "output", "o", "-", "`FILE` to write a profile to; - is standard output")
	cmd.Flags().BoolVar(&opt.mean, "mean", false, "write means over the runs instead of sums")
	opt.only.flags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"otlp", "folded", "pprof"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runExport(ctx context.Context, opt exportOptions, sources []string, stdin io.Reader, stdout, stderr io.Writer) error {
	switch {
	case profiles[opt.to] != nil:
		return exportProfile(ctx, opt, sources, stdin, stdout, stderr)
	case opt.to != "otlp":
		return misused("--to %q is unknown; otlp, folded and pprof are what runs can be exported to", opt.to)
	case opt.output != "-" || opt.mean:
		return misused("--to otlp sends spans to an endpoint; --output and --mean are for folded and pprof")
	}
	if _, err := opt.only.conditions(); err != nil {
		return err
	}
	lists, problems, err := loadRecords(ctx, sources, stdin)
	if err != nil {
		return err
	}
	if lists, err = opt.only.records(lists); err != nil {
		return err
	}
	sent := 0
	for _, records := range lists {
		n, err := otlp.Export(ctx, records, otlp.Options{})
		sent += n
		if err != nil {
			return fmt.Errorf("export to %s: %d spans sent, then: %w", endpoint(), sent, err)
		}
	}
	list(stderr, problems)
	fmt.Fprintf(stderr, "%d spans sent to %s\n", sent, endpoint())
	return nil
}

// exportProfile writes the critical paths of the runs of the sources.
func exportProfile(ctx context.Context, opt exportOptions, sources []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if f, ok := stdout.(*os.File); ok && opt.to == "pprof" && opt.output == "-" && term.IsTerminal(f.Fd()) {
		return misused("a pprof profile is binary and not for a terminal; name a file with -o FILE, or pipe it on")
	}
	runs, problems, err := opt.only.load(ctx, sources, stdin, traces.Options{})
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		list(stderr, problems)
		return fmt.Errorf("no runs found: nothing to export")
	}
	var profile bytes.Buffer
	if err := profiles[opt.to](&profile, runs, opt.mean); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // interrupted: no file may look as if all had gone well
		return err
	}
	list(stderr, problems)
	if opt.output == "-" {
		_, err := profile.WriteTo(stdout)
		return err
	}
	if err := os.WriteFile(opt.output, profile.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the profile: %w", err)
	}
	what := "the critical path of 1 run"
	if len(runs) > 1 {
		what = fmt.Sprintf("the critical paths of %d runs", len(runs))
	}
	fmt.Fprintf(stderr, "%s written to %s\n", what, opt.output)
	return nil
}

// list writes problems, one a line.
func list(stderr io.Writer, problems []traces.Problem) {
	for _, p := range problems {
		fmt.Fprintf(stderr, "%s: %s\n", p.Code, p.Message)
	}
}

// endpoint returns where OTLP goes, as the standard variables say.
func endpoint() string {
	for _, key := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if v := os.Getenv(key); v != "" {
			return v
		}
	}
	if strings.HasPrefix(os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "grpc") {
		return "localhost:4317"
	}
	return "http://localhost:4318"
}
