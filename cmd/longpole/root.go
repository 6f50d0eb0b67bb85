package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "longpole",
		Short: "Find what an LLM agent was waiting for",
		Long: `longpole records what an LLM agent did, books every nanosecond of its runs on the model, the tools, the
retries or the agent itself, and shows which of them the run was really waiting for.`,
		Example: `  longpole bench                      run the built-in tasks at three reasoning efforts and compare
  longpole record -- codex exec "…"   run any agent and record where its time goes
  longpole report traces.json         where did the time go? as text, or --format json
  longpole view traces.json           the same on screens`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("longpole {{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", helpWidth)))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return misused("%w; see `%s --help`", err, cmd.CommandPath())
	})
	root.AddCommand(newBench(), newRecord(), newProxy(), newReport(), newCompare(), newCheck(), newWhatIf(), newView(), newExport(), newModel(), newRuns())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	misuseOfArguments(root)
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return misused("there is no command %q; `longpole --help` lists them", args[0])
		}
		return nil
	}
	return root
}

// misuseOfArguments makes wrong arguments of the commands below cmd misuse, and says where help is. A command that only
// holds others takes none.
func misuseOfArguments(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		misuseOfArguments(sub)
		if !sub.Runnable() {
			sub.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		check := sub.Args
		switch {
		case sub.Name() == "help":
			check = func(cmd *cobra.Command, args []string) error {
				if _, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
					return fmt.Errorf("there is no command %q", strings.Join(args, " "))
				}
				return nil
			}
		case check == nil:
			continue
		}
		sub.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return misused("%w; see `%s --help`", err, cmd.CommandPath())
			}
			return nil
		}
	}
}

// version returns the module version that was built, "devel" from a work tree.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
