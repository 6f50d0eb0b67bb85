package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagGroup is flags that belong together in the help of a command that has many.
type flagGroup struct {
	title string
	names []string
}

// helpWidth is that of the texts above the flags.
const helpWidth = 120

// groupFlags makes a command's help list its flags by group; those of no group come last.
func groupFlags(cmd *cobra.Command, groups ...flagGroup) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		out := cmd.OutOrStderr()
		fmt.Fprintf(out, "Usage:\n  %s\n", cmd.UseLine())
		if cmd.HasExample() {
			fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
		}
		left := pflag.NewFlagSet("", pflag.ContinueOnError)
		left.AddFlagSet(cmd.Flags())
		for _, g := range groups {
			these := pflag.NewFlagSet("", pflag.ContinueOnError)
			these.SortFlags = false
			for _, name := range g.names {
				if f := cmd.Flags().Lookup(name); f != nil {
					these.AddFlag(f)
				}
			}
			left = without(left, these)
			fmt.Fprintf(out, "\n%s:\n%s\n", g.title, strings.TrimRight(these.FlagUsagesWrapped(helpWidth), "\n"))
		}
		fmt.Fprintf(out, "\nFlags:\n%s\n", strings.TrimRight(left.FlagUsagesWrapped(helpWidth), "\n"))
		return nil
	})
}

// without returns the flags of a that b does not have.
func without(a, b *pflag.FlagSet) *pflag.FlagSet {
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	a.VisitAll(func(f *pflag.Flag) {
		if b.Lookup(f.Name) == nil {
			rest.AddFlag(f)
		}
	})
	return rest
}
