package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/report"
)

// comparisonFormats are the values of --format where groups are compared.
var comparisonFormats = []string{"text", "json", "markdown", "csv", "benchfmt"}

func comparisonFormatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "`FORMAT`: "+strings.Join(comparisonFormats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(comparisonFormats, cobra.ShellCompDirectiveNoFileComp))
}

func checkComparisonFormat(format string) error {
	if !slices.Contains(comparisonFormats, format) {
		return misused("--format %q is unknown; %s are", format, strings.Join(comparisonFormats, ", "))
	}
	return nil
}

// writeComparison writes a comparison in one of the formats. Problems go to stderr where the format has no place for them.
func writeComparison(stdout, stderr io.Writer, format string, c *compare.Comparison, against report.Yardsticks, problems []traces.Problem) error {
	switch format {
	case "text":
		draw := textOptions(stdout)
		if err := report.WriteComparison(stdout, c, problems, draw); err != nil {
			return err
		}
		return against.WriteText(stdout, c.Groups, draw)
	case "json":
		return against.WriteComparisonJSON(stdout, c, problems)
	}
	for _, p := range problems {
		fmt.Fprintf(stderr, "%s: %s\n", report.Clean(string(p.Code)), report.Clean(p.Message))
	}
	switch format {
	case "markdown":
		return against.WriteComparisonMarkdown(stdout, c)
	case "csv":
		return against.WriteComparisonCSV(stdout, c)
	}
	return against.WriteBenchmarks(stdout, c.Groups)
}
