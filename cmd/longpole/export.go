package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces/otlp"
)

// exportOptions are the flags of `longpole export`.
type exportOptions struct{ to string }

func newExport() *cobra.Command {
	var opt exportOptions
	cmd := &cobra.Command{
		Use:   "export [SOURCE…]",
		Short: "Send runs to Jaeger or any other OpenTelemetry backend",
		Long: `Send the spans of runs to an OTLP endpoint. Where and how is set by OpenTelemetry's own variables:
OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318), OTEL_EXPORTER_OTLP_PROTOCOL (http/protobuf or grpc),
OTEL_EXPORTER_OTLP_HEADERS and the others. Every span of the sources is sent, a span that was written several times once.

` + sourceHelp,
		Example: `  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 longpole export --to otlp traces.jsonl`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExport(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&opt.to, "to", "otlp", "otlp: an OTLP endpoint, set by OTEL_EXPORTER_OTLP_* variables")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"otlp"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runExport(ctx context.Context, opt exportOptions, sources []string, stdin io.Reader, stderr io.Writer) error {
	if opt.to != "otlp" {
		return misused("--to %q is unknown; otlp is what runs can be exported to", opt.to)
	}
	lists, problems, err := loadRecords(ctx, sources, stdin)
	if err != nil {
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
	for _, p := range problems {
		fmt.Fprintf(stderr, "%s: %s\n", p.Code, p.Message)
	}
	fmt.Fprintf(stderr, "%d spans sent to %s\n", sent, endpoint())
	return nil
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
