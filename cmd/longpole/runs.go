package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "runs",
		Short:   "List the kept runs, or delete some",
		Example: "  longpole runs\n  longpole runs delete bench-20261130T012031431",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runRuns(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "delete ID…",
		Short:   "Delete kept runs by id, or by the beginning of one id",
		Example: "  longpole runs delete bench-20261130T012031431-03",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return runDelete(ids, cmd.ErrOrStderr())
		},
	})
	return cmd
}

func runRuns(_ context.Context, stdout, stderr io.Writer) error {
	s, err := openStore()
	if err != nil {
		return err
	}
	entries, err := s.List()
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&list, "%s  %s  %6d kB\n", e.ModTime.Format("2006-01-02 15:04:05"), e.ID, (e.Size+1023)/1024)
	}
	if len(entries) == 0 {
		fmt.Fprintln(stderr, "no runs are kept yet; `longpole bench` records some")
	}
	_, err = list.WriteTo(stdout)
	return err
}

func runDelete(ids []string, stderr io.Writer) error {
	s, err := openStore()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.Remove(id); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "deleted %s\n", id)
	}
	return nil
}
