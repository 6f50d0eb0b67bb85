package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/agentsim/tasks"
)

// modelOptions are the flags of `longpole model`.
type modelOptions struct {
	listen string
	speed  string
	seed   int64
	faults []string
	truth  string
	replay string
}

// defaultProfile plays the models that agents are configured with.
const defaultProfile = "sim-moe-13b"

func newModel() *cobra.Command {
	var opt modelOptions
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Serve the simulated model alone, with the timing of real serving, in the APIs of OpenAI, Anthropic, Ollama and Google",
		Long: `Serve the simulated models until interrupted, to any client of Chat Completions, Responses (also over a WebSocket),
Messages, Ollama's API or Google's generateContent. Prompts of the built-in tasks are played; for any other, the model asks
for the shell that the client offers, a few harmless commands in two turns, and then answers. A name that is none of the
models' is played by ` + defaultProfile + `. --truth writes what really happened to each request as JSON lines, to check a
profiler against.

With --replay the responses of a cassette, which ` + "`longpole record --cassette`" + ` wrote, are served instead: each once, to the
first request that has the same path, rather one for the same model and for a stream alike, with the timing it had.`,
		Example: `  longpole model --listen 127.0.0.1:8089
  longpole model --replay slow-run.cassette --speed 10x
  OPENAI_BASE_URL=http://127.0.0.1:8089/v1 my-agent
  longpole model --fault rate_limit=0.1 --fault cut=0.05 --truth truth.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.replay != "" {
				if cmd.Flags().Changed("seed") || len(opt.faults) > 0 || opt.truth != "" {
					return misused("--replay serves what was recorded: --seed, --fault and --truth are for the simulated models")
				}
				return runReplay(cmd.Context(), opt, cmd.ErrOrStderr())
			}
			return runModel(cmd.Context(), opt, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&opt.listen, "listen", "127.0.0.1:8089", "`ADDRESS` to listen on; port 0 picks a free one")
	cmd.Flags().StringVar(&opt.speed, "speed", "1x", "`FACTOR` of modelled time over real time: at 10x a second takes 100 ms")
	cmd.Flags().Int64Var(&opt.seed, "seed", 1, "source of everything random")
	cmd.Flags().StringArrayVar(&opt.faults, "fault", nil, faultHelp)
	cmd.Flags().StringVar(&opt.truth, "truth", "", "`FILE` for the truth about each request")
	cmd.Flags().StringVar(&opt.replay, "replay", "", "`CASSETTE` to serve instead of the simulated models")
	return cmd
}

func runModel(ctx context.Context, opt modelOptions, stderr io.Writer) error {
	speed, err := parseSpeed(opt.speed)
	if err != nil {
		return err
	}
	faults, err := parseFaults(opt.faults)
	if err != nil {
		return err
	}
	cfg := simmodel.Config{Scripts: tasks.Scripts(tasks.All()), Fallback: simmodel.Errand(), Default: defaultProfile, FreshIDs: true,
		Seed: opt.seed, Speed: speed, Faults: faults}
	if opt.truth != "" {
		f, err := os.OpenFile(opt.truth, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("truth log: %w", err)
		}
		defer f.Close()
		log := simmodel.NewLog(f)
		cfg.Truth = log.Write
		defer func() {
			if err := log.Err(); err != nil {
				fmt.Fprintf(stderr, "longpole: truth log %s is incomplete: %v\n", opt.truth, err)
			}
		}()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opt.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", opt.listen, err)
	}
	fmt.Fprintf(stderr, "simulated models on http://%s/v1", listener.Addr())
	if speed != 1 {
		fmt.Fprintf(stderr, " at %gx", speed)
	}
	fmt.Fprint(stderr, ": ")
	for i, p := range simmodel.Published() {
		if i > 0 {
			fmt.Fprint(stderr, ", ")
		}
		fmt.Fprint(stderr, p.Name)
	}
	fmt.Fprintln(stderr)
	return serve(ctx, listener, simmodel.New(cfg))
}

// serve answers on listener until ctx is done, then lets open responses go within two seconds.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 30 * time.Second}
	stopped := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// parseSpeed reads a time scale such as 10x or 2.5.
func parseSpeed(text string) (float64, error) {
	speed, err := strconv.ParseFloat(strings.TrimSuffix(strings.ToLower(text), "x"), 64)
	if err != nil || !(speed >= 0.001 && speed <= 1000) {
		return 0, misused("--speed %q: want a factor from 0.001 to 1000, as 10x", text)
	}
	return speed, nil
}

const faultHelp = "KIND=PROBABILITY of rate_limit, server_error, slow_headers, stall or cut; may be repeated; none turns them off"

// parseFaults reads the values of --fault.
func parseFaults(list []string) (simmodel.Faults, error) {
	var f simmodel.Faults
	sum := 0.0
	for _, text := range list {
		switch {
		case text == "none" && len(list) == 1:
			return f, nil
		case text == "none":
			return f, misused("--fault none turns all of them off; it cannot stand beside another --fault")
		}
		kind, value, _ := strings.Cut(text, "=")
		p, err := strconv.ParseFloat(value, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return f, misused("--fault %q: want KIND=PROBABILITY with a probability from 0 to 1, as rate_limit=0.1", text)
		}
		into := map[simmodel.FaultKind]*float64{simmodel.RateLimit: &f.RateLimit, simmodel.ServerError: &f.ServerError,
			simmodel.SlowHeaders: &f.SlowHeaders, simmodel.Stall: &f.Stall, simmodel.Cut: &f.Cut}[simmodel.FaultKind(kind)]
		if into == nil {
			return f, misused("--fault %q: the kinds are rate_limit, server_error, slow_headers, stall, cut", text)
		}
		*into = p
		sum += p
	}
	if sum > 1 {
		return f, misused("--fault: the probabilities add up to %g, more than 1", sum)
	}
	return f, nil
}
