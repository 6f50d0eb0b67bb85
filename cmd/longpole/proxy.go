package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/store"
)

func newProxy() *cobra.Command {
	var opt recordingOptions
	cmd := &cobra.Command{
		Use:   "proxy --upstream URL",
		Short: "Record the traffic of agents that are started elsewhere: the proxy of record alone",
		Long: `Forward requests to model servers and record them, until interrupted. For each server the URL is printed that agents are to be
given in place of the server's, whatever way they have for that. Each conversation becomes a run of its own in the store; when one is over, a line
says so.

Several servers are told apart by path (--upstream /a=URL), or by the API that a request speaks (--upstream anthropic=URL).`,
		Example: `  longpole proxy --upstream https://api.openai.com/v1
  longpole proxy --listen 127.0.0.1:8787 --upstream openai=https://api.openai.com --upstream anthropic=https://api.anthropic.com
  longpole proxy --upstream /a=http://10.0.0.1:8000/v1 --upstream /b=http://10.0.0.2:8000/v1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runProxy(cmd.Context(), opt, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&opt.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 picks a free one")
	cmd.Flags().StringArrayVar(&opt.upstreams, "upstream", nil, "`SERVER` to forward to: URL, /PATH=URL, or openai=, anthropic=, google= or ollama=URL; may be repeated")
	opt.flags(cmd)
	return cmd
}

func runProxy(ctx context.Context, opt recordingOptions, stdout, stderr io.Writer) error {
	upstreams, err := opt.check()
	if err != nil {
		return err
	}
	if len(upstreams) == 0 {
		return misused("proxy needs --upstream URL: the server to forward to")
	}
	kept, err := openStore()
	if err != nil {
		return err
	}
	if err := kept.Writable(); err != nil {
		return err
	}
	listener, err := opt.listenFor(ctx, stderr)
	if err != nil {
		return err
	}
	ended := make(chan string, 64)
	tracker := session.New(session.Options{StallThreshold: opt.stall, Open: func(id string) (session.Sink, error) {
		writer, err := kept.Create(id)
		return &endingSink{writer, id, ended}, err
	}})
	for i, up := range upstreams {
		fmt.Fprintf(stdout, "%s → %s\n", baseURL(reachable(listener), up), up.URL.Redacted())
		server := *up.URL
		server.Path, server.RawPath = "", ""
		upstreams[i].URL = &server
	}
	recording, err := opt.start(listener, upstreams, tracker)
	if err != nil {
		return err
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		for id := range ended {
			sayRun(stderr, kept, id, opt.stall)
		}
	}()
	select {
	case <-ctx.Done():
	case err = <-recording.served:
	}
	if failed := recording.end(time.Now()); err == nil {
		err = failed
	}
	close(ended)
	<-said
	if opt.selfCheck {
		recording.sayOverhead(stderr)
	}
	return err
}

// baseURL returns what stands for an upstream's URL in the settings of a client. The path is the same, for clients that want to see it.
func baseURL(addr string, up proxy.Upstream) string {
	base := "http://" + addr + strings.TrimRight(up.Prefix, "/") + up.URL.EscapedPath()
	if up.API != "" {
		base += " (" + string(up.API) + ")"
	}
	return base
}

// An endingSink is the file of a run that tells when the run has ended.
type endingSink struct {
	*store.Writer
	id    string
	ended chan<- string
}

// Close closes the file.
func (s *endingSink) Close() error {
	err := s.Writer.Close()
	s.ended <- s.id
	return err
}

// sayRun prints a line about a run that has ended.
func sayRun(w io.Writer, kept *store.Store, id string, stall time.Duration) {
	runs, _, err := measureKept(kept, id, traces.Options{StallThreshold: stall})
	if err != nil || len(runs) == 0 {
		fmt.Fprintf(w, "%s  could not be kept\n", id)
		return
	}
	run := runs[0]
	fmt.Fprintf(w, "%s  %s  %s  %s  %s, %s\n", id, report.Clean(run.Name), run.Outcome, report.Duration(run.Wall),
		traces.FormatCount(len(run.Steps), "step"), traces.FormatCount(len(run.ToolCalls), "tool call"))
}
