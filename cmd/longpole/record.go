package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/internal/launch"
	"github.com/seed46266073/longpole/tracer/detour"
	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui"
)

// recordOptions are the flags of `longpole record`.
type recordOptions struct {
	recordingOptions
	name, task, effort string
	group, env         []string
	quiet, tui         bool
	format, output     string
}

func newRecord() *cobra.Command {
	var opt recordOptions
	cmd := &cobra.Command{
		Use:   "record [flags] [--] CMD [ARG…]",
		Short: "Run any agent and record where its time goes, without changing it",
		Long: `Run a command, record the requests that it makes to models, and print where its time went when it has ended.

The command runs as if longpole were not there: in the same terminal, with the same keys, and its exit status is passed on
(128 + N if signal N killed it; 127 if there is no such command, 126 if it cannot be executed). Its requests go through a
proxy on this machine that passes every byte on at once: the variables that agents and SDKs read their base URLs from
(` + strings.Join(detour.Environment(), ", ") + `, and those of other
providers where they are set) lead to it, and from there to the servers that were set before, else to the provider's own. codex,
opencode and pi are led past their settings files. Keys are passed on and never kept, nor is anything that was said.
The proxy ends with the command: requests of programs that it leaves running are broken off, and later ones refused.

If the agent sends OpenTelemetry spans they become part of the run, unless OTEL_EXPORTER_OTLP_ENDPOINT says where they go.

The run is written while it goes on: ` + "`longpole view`" + ` shows it, also if everything is killed. If it cannot be recorded, the
command runs all the same.`,
		Example: `  longpole record -- codex exec "find the slow test"
  longpole record --upstream http://127.0.0.1:8089/v1 -- python agent.py
  longpole record --task fix-config --effort high --group trial=3 -- ./agent.sh`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRecord(cmd.Context(), opt, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringArrayVar(&opt.upstreams, "upstream", nil, "`SERVER` to send requests to instead of those that are set: URL, or openai=, anthropic=, google= or ollama=URL; may be repeated")
	f.StringArrayVar(&opt.env, "env", nil, "`NAME=PATH`: another variable that the command reads a base URL from, and the URL's path; may be repeated")
	f.StringVar(&opt.listen, "listen", "127.0.0.1:0", "`ADDRESS` of the proxy; port 0 picks a free one")
	f.StringVar(&opt.name, "name", "", "`NAME` of the run (default: the command's)")
	f.StringArrayVar(&opt.group, "group", nil, "`KEY=VALUE`: a tag of the run, to compare by; may be repeated")
	f.StringVar(&opt.task, "task", "", "the same as --group task=`NAME`")
	f.StringVar(&opt.effort, "effort", "", "the same as --group effort=`LEVEL`")
	f.BoolVar(&opt.quiet, "quiet", false, "say only the run's id at the end")
	f.BoolVar(&opt.tui, "tui", false, "open the screens at the end")
	f.StringVar(&opt.output, "output", "", "`FILE` for the report, instead of standard error")
	formatFlag(cmd, &opt.format)
	opt.flags(cmd)
	return cmd
}

func runRecord(ctx context.Context, opt recordOptions, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	plan, err := opt.plan(args)
	if err != nil {
		return err
	}
	takeSignals(ctx)
	session, err := recovered(func() (*recordSession, error) { return plan.start(ctx, stderr) })
	if err != nil {
		fmt.Fprintf(stderr, "longpole: running %s without recording it: %v\n", args[0], err)
		session = plan.startUnrecorded(ctx)
	}
	process, err := launch.Start(launch.Command{Args: session.args, Env: session.env,
		Stdin: file(stdin, os.Stdin), Stdout: file(stdout, os.Stdout), Stderr: file(stderr, os.Stderr)})
	if err != nil {
		fmt.Fprintf(stderr, "longpole: %v\n", err)
		session.discard()
		var start *launch.StartError
		if errors.As(err, &start) {
			return statusError(start.ExitStatus())
		}
		return statusError(126)
	}
	status := process.Wait()
	_, err = recovered(func() (struct{}, error) { return struct{}{}, session.end(ctx, stdin, stdout, stderr) })
	if err != nil {
		fmt.Fprintf(stderr, "longpole: %v\n", err)
	}
	if code := status.ExitStatus(); code != 0 {
		return statusError(code)
	}
	return nil
}

// recovered calls f, and makes an error of a panic: the command must not suffer from it.
func recovered[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a fault of longpole's own: %v; please report it", p)
		}
	}()
	return f()
}

// file returns the file behind a stream of this program: commands are given descriptors.
func file(stream any, other *os.File) *os.File {
	if f, ok := stream.(*os.File); ok {
		return f
	}
	return other
}

// A recordPlan is what the flags ask for.
type recordPlan struct {
	recordOptions
	args      []string
	upstreams []proxy.Upstream
	id        string
	tags      map[string]string
	variables []detour.Variable
}

// plan reads the flags.
func (opt recordOptions) plan(args []string) (*recordPlan, error) {
	p := &recordPlan{recordOptions: opt, args: args, tags: map[string]string{}}
	if err := checkFormat(opt.format); err != nil {
		return nil, err
	}
	if opt.format != "text" && opt.output == "" {
		return nil, misused("--format %s needs --output FILE: standard output is the command's", opt.format)
	}
	var err error
	if p.upstreams, err = opt.check(); err != nil {
		return nil, err
	}
	for _, up := range p.upstreams {
		if up.Prefix != "" {
			return nil, misused("--upstream %s=…: paths are for `longpole proxy`; here each server gets its own", up.Prefix)
		}
	}
	for _, text := range opt.group {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, misused("--group %q: want KEY=VALUE, as trial=3", text)
		}
		p.tags[key] = value
	}
	for key, value := range map[string]string{"task": opt.task, "effort": opt.effort} {
		if value != "" {
			p.tags[key] = value
		}
	}
	for _, text := range opt.env {
		name, path, _ := strings.Cut(text, "=")
		if name == "" || path != "" && path[0] != '/' {
			return nil, misused("--env %q: want NAME=PATH, as MY_BASE_URL=/v1", text)
		}
		p.variables = append(p.variables, detour.Variable{Name: name, Path: path})
	}
	p.id = recordID(args[0], time.Now())
	return p, nil
}

// recordID returns the id of a run of a command: readable, in the order of time, and no other's.
func recordID(command string, now time.Time) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, command[strings.LastIndexAny(command, `/\`)+1:])
	return fmt.Sprintf("record-%s-%s-%s", now.UTC().Format("20060102-150405"), strings.Trim(name[:min(len(name), 24)], "-"), randomHex(2))
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// tell prints what the end of a recording has to say.
func (s *recordSession) tell(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	runs, problems, err := measureKept(s.store, s.plan.id, traces.Options{StallThreshold: s.plan.stall})
	if err != nil {
		return err
	}
	kept := fmt.Sprintf("recorded as %s; `longpole view %s` shows it", s.plan.id, s.plan.id)
	switch {
	case s.plan.output != "":
		if err := s.write(runs, problems, s.plan.output); err != nil {
			return err
		}
	case s.plan.tui && isTerminal(stdin, stdout):
		return showScreens(ctx, runs, tui.Options{Title: "record", Problems: problems}, stdin, stdout)
	case !s.plan.quiet:
		fmt.Fprintln(stderr)
		if err := report.WriteText(stderr, runs, problems, textOptions(stderr)); err != nil {
			return err
		}
		fmt.Fprintln(stderr)
	}
	fmt.Fprintf(stderr, "longpole: %s\n", kept)
	return nil
}

// write puts the report into a file.
func (s *recordSession) write(runs []*measure.Run, problems []traces.Problem, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if s.plan.format == "json" {
		err = report.WriteJSON(f, runs, problems)
	} else {
		err = report.WriteText(f, runs, problems, textOptions(f))
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("report %s: %w", path, err)
	}
	return nil
}
