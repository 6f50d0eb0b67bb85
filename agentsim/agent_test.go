package agentsim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed46266073/longpole/agentsim"
	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tools"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
)

const ms = time.Millisecond

// kept is a sink in memory.
type kept struct {
	mu   sync.Mutex
	recs []traces.Record
}

func (k *kept) Write(recs ...traces.Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.recs = append(k.recs, recs...)
	return nil
}

// A world is a model server, a network and a tracer inside one bubble of fake time.
type world struct {
	net    *simnet.Net
	tracer *tracer.Tracer
	sink   *kept
}

// inWorld runs f in a bubble where handler answers as the model.
func inWorld(t *testing.T, handler http.Handler, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{net: simnet.New(), sink: &kept{}}
		w.tracer = tracer.New(tracer.Options{Sink: w.sink})
		w.net.Serve("model.test", handler)
		f(t, w)
		if err := w.tracer.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		w.net.Close()
	})
}

// agent returns an agent of this world.
func (w *world) agent(list ...tools.Tool) *agentsim.Agent {
	return &agentsim.Agent{
		Client: openai.NewClient(option.WithBaseURL("http://model.test/v1"), option.WithAPIKey("none"), option.WithHTTPClient(simnet.Client(w.net))),
		Model:  "exact", Effort: "medium", Seed: 1, Tools: list, Tracer: w.tracer,
	}
}

// run returns what was recorded of the only run, and how long each component held it up.
func (w *world) run(t *testing.T) (*traces.Run, map[traces.Component]time.Duration) {
	t.Helper()
	w.sink.mu.Lock()
	defer w.sink.mu.Unlock()
	runs, problems := traces.Build(w.sink.recs)
	if len(runs) != 1 || len(problems) > 0 || len(runs[0].Problems) > 0 || runs[0].Open {
		t.Fatalf("%d runs, problems %v, %v", len(runs), problems, runs[0].Problems)
	}
	times := map[traces.Component]time.Duration{}
	var at time.Duration
	for _, s := range critpath.Find(runs[0]).Segments {
		if s.From != at {
			t.Errorf("a segment begins at %v, the one before ended at %v", s.From, at)
		}
		at = s.To
		times[s.Component] += s.To - s.From
	}
	if at != runs[0].Wall {
		t.Errorf("the components are %v, the run is %v", at, runs[0].Wall)
	}
	return runs[0], times
}

// want compares times of components, leaving out those of no time.
func want(t *testing.T, got, want map[traces.Component]time.Duration) {
	t.Helper()
	maps.DeleteFunc(got, func(_ traces.Component, d time.Duration) bool { return d == 0 })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("time by component (-want +got):\n%s", diff)
	}
}

// exact is a model of constant timing that plays the replies.
func exact(timing simmodel.Exact, faults simmodel.Faults, replies ...simmodel.Reply) simmodel.Config {
	return simmodel.Config{
		Profiles: []simmodel.Profile{{Name: "exact", Exact: &timing}},
		Scripts:  []simmodel.Script{{Name: "s", Prompt: "go", Play: simmodel.Linear(replies...)}},
		Faults:   faults,
	}
}

// wait is a tool that takes as long as its argument says, in recorded time.
func wait(name string) tools.Tool {
	return tools.Tool{Name: name, Run: func(ctx context.Context, raw json.RawMessage) (string, error) {
		var args struct{ For string }
		if err := json.Unmarshal(raw, &args); err != nil {
			return "", err
		}
		d, err := time.ParseDuration(args.For)
		if err != nil {
			return "", err
		}
		return "waited " + args.For, tracer.Sleep(ctx, d)
	}}
}

func waitFor(name, d string) simmodel.Call {
	return simmodel.Call{Name: name, Args: map[string]string{"for": d}}
}

var task = agentsim.Task{Name: "t", Prompt: "go"}

// The chain that everything else is measured against: 5 steps of 600 tokens are 75 s of decode at 40 tokens/s and 25 s
// at 120, on any time scale.
func TestFiveStepsOf600TokensToTheNanosecond(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		scale  float64
		decode time.Duration
	}{{40, 1, 75 * time.Second}, {120, 1, 25 * time.Second}, {40, 10, 75 * time.Second}} {
		t.Run(fmt.Sprintf("%v tokens a second, scale %v", c.rate, c.scale), func(t *testing.T) {
			call := waitFor("look", "2s")
			replies := []simmodel.Reply{simmodel.Padded(600, call), simmodel.Padded(600, call), simmodel.Padded(600, call),
				simmodel.Padded(600, call), {Text: simmodel.Filler(600)}}
			cfg := exact(simmodel.Exact{Headers: 50 * ms, TTFT: 300 * ms, Rate: c.rate}, simmodel.Faults{}, replies...)
			cfg.Speed = c.scale
			inWorld(t, simmodel.New(cfg), func(t *testing.T, w *world) {
				result, err := w.agent(wait("look")).Do(t.Context(), task, tracer.RunConfig{TimeScale: c.scale})
				if err != nil || result.Outcome != traces.OK || result.Steps != 5 || result.ToolCalls != 4 {
					t.Fatalf("%+v, %v", result, err)
				}
				run, times := w.run(t)
				if decode := times[traces.Output] + times[traces.ToolArgs] + times[traces.Tail]; decode != c.decode {
					t.Errorf("decode %v, want %v", decode, c.decode)
				}
				if wall := 5*300*ms + c.decode + 4*2*time.Second; run.Wall != wall {
					t.Errorf("wall time %v, want %v", run.Wall, wall)
				}
				delete(times, traces.Output)
				delete(times, traces.ToolArgs)
				delete(times, traces.Tail)
				want(t, times, map[traces.Component]time.Duration{traces.Wait: 5 * 300 * ms, traces.Tool: 4 * 2 * time.Second})
			})
		})
	}
}

func TestEveryPartOfARunIsAsScripted(t *testing.T) {
	replies := []simmodel.Reply{
		{ReasoningTokens: 41, Text: simmodel.Filler(20), Calls: []simmodel.Call{waitFor("short", "1s"), waitFor("long", "3s")}},
		{ReasoningTokens: 21, Text: simmodel.Filler(40)},
	}
	calls := time.Duration(replies[0].Tokens() - 20)
	faults := simmodel.Faults{List: []simmodel.Fault{{Request: 2, Kind: simmodel.RateLimit, For: 7 * time.Second}}}
	cfg := exact(simmodel.Exact{Headers: 50 * ms, TTFT: 300 * ms, Rate: 40, ReasoningRate: 100}, faults, replies...)
	inWorld(t, simmodel.New(cfg), func(t *testing.T, w *world) {
		result, err := w.agent(wait("short"), wait("long")).Do(t.Context(), task, tracer.RunConfig{})
		if err != nil || result.Outcome != traces.OK {
			t.Fatalf("%+v, %v", result, err)
		}
		run, times := w.run(t)
		want(t, times, map[traces.Component]time.Duration{
			traces.Wait:      2 * 300 * ms,
			traces.Reasoning: (40 + 20) * 10 * ms,
			traces.Output:    (20 + 40) * 25 * ms,
			traces.ToolArgs:  calls * 25 * ms,
			traces.Tail:      2 * 25 * ms,
			traces.Tool:      3 * time.Second,
			traces.Backoff:   7 * time.Second,
		})
		if n := len(run.ModelCalls); n != 2 || len(run.ModelCalls[1].Attempts) != 2 || run.ModelCalls[1].Attempts[0].Status != 429 {
			t.Errorf("%d model calls, the second with %d attempts", n, len(run.ModelCalls[1].Attempts))
		}
		if len(run.Steps) != 2 || len(run.ToolCalls) != 2 || run.ToolCalls[0].Step != run.Steps[0] {
			t.Errorf("%d steps, %d tool calls", len(run.Steps), len(run.ToolCalls))
		}
		if u := run.ModelCalls[1].Usage; u.Output == nil || *u.Output != 61 || u.Reasoning == nil || *u.Reasoning != 21 {
			t.Errorf("usage %+v", u)
		}
	})
}

func TestToolsRunAsManyAtOnceAsParallelSays(t *testing.T) {
	reply := simmodel.Reply{Calls: []simmodel.Call{waitFor("a", "1s"), waitFor("b", "2s"), waitFor("c", "3s")}}
	for _, c := range []struct {
		name     string
		parallel int
		took     time.Duration
	}{
		{"all at once", 0, 3 * time.Second},
		{"one after the other", 1, 6 * time.Second},
		{"two at a time", 2, 4 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, simmodel.New(exact(simmodel.Exact{TTFT: ms, Rate: 1000}, simmodel.Faults{}, reply, simmodel.Reply{Text: "done"})),
				func(t *testing.T, w *world) {
					a := w.agent(wait("a"), wait("b"), wait("c"))
					a.Parallel = c.parallel
					if result, err := a.Do(t.Context(), task, tracer.RunConfig{}); err != nil || result.Answer != "done" {
						t.Fatalf("%+v, %v", result, err)
					}
					if _, times := w.run(t); times[traces.Tool] != c.took {
						t.Errorf("the tools took %v, want %v", times[traces.Tool], c.took)
					}
				})
		})
	}
}

func TestHowARunEnds(t *testing.T) {
	correct := func(_ context.Context, answer string) (bool, string) {
		return answer == "the right answer", "it should be right"
	}
	look := simmodel.Reply{Text: "I look", Calls: []simmodel.Call{waitFor("look", "10s")}}
	down := simmodel.Faults{}
	for n := range 10 {
		down.List = append(down.List, simmodel.Fault{Request: n + 1, Kind: simmodel.ServerError})
	}
	for _, c := range []struct {
		name    string
		replies []simmodel.Reply
		faults  simmodel.Faults
		setup   func(*agentsim.Agent)
		cancel  time.Duration // when the caller gives up
		outcome traces.Outcome
		err     string
		check   string
		wall    time.Duration // 0: does not matter
	}{
		{
			name:    "a right answer is ok",
			replies: []simmodel.Reply{{Text: "the right answer"}}, outcome: traces.OK, check: "it should be right",
		}, {
			name:    "a wrong answer fails the check and is no error",
			replies: []simmodel.Reply{{Text: "another answer"}}, outcome: traces.FailedCheck, check: "it should be right",
		}, {
			name: "the time limit ends a tool", replies: []simmodel.Reply{look}, setup: func(a *agentsim.Agent) { a.Limit = 5 * time.Second },
			outcome: traces.Timeout, err: "task t, step 1: the run's time limit is over", wall: 5 * time.Second,
		}, {
			name: "the time limit ends a stream", replies: []simmodel.Reply{{Text: simmodel.Filler(100_000)}},
			setup: func(a *agentsim.Agent) { a.Limit = 5 * time.Second }, outcome: traces.Timeout, err: "time limit", wall: 5 * time.Second,
		}, {
			name: "the time limit ends a backoff", replies: []simmodel.Reply{{Text: "late"}},
			faults: simmodel.Faults{List: []simmodel.Fault{{Request: 1, Kind: simmodel.RateLimit, For: time.Minute}}},
			setup:  func(a *agentsim.Agent) { a.Limit = 5 * time.Second }, outcome: traces.Timeout,
			err: `task t, step 1: the run's time limit is over; the last attempt had failed: OpenAI API error: 429 Too Many Requests`, wall: 5 * time.Second,
		}, {
			name: "a caller who gives up cancels", replies: []simmodel.Reply{look}, cancel: 3 * time.Second,
			outcome: traces.Cancelled, err: "context canceled", wall: 3 * time.Second,
		}, {
			name: "the step limit is an error", replies: []simmodel.Reply{look}, setup: func(a *agentsim.Agent) { a.MaxSteps = 3 },
			outcome: traces.Error, err: "task t, step 3: the run's step limit is over: 3 steps without an answer",
		}, {
			name: "a server that stays broken is an error", replies: []simmodel.Reply{look}, faults: down,
			outcome: traces.Error, err: "500 Internal Server Error",
		}, {
			name: "a server that asks for too much patience is an error", replies: []simmodel.Reply{look},
			faults:  simmodel.Faults{List: []simmodel.Fault{{Request: 1, Kind: simmodel.RateLimit, For: time.Hour}}},
			outcome: traces.Error, err: "429 Too Many Requests",
		}, {
			name: "an unknown model is an error at once", replies: []simmodel.Reply{look}, setup: func(a *agentsim.Agent) { a.Model = "other" },
			outcome: traces.Error, err: `404 Not Found: `,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, simmodel.New(exact(simmodel.Exact{TTFT: 10 * ms, Rate: 100}, c.faults, c.replies...)), func(t *testing.T, w *world) {
				a := w.agent(wait("look"))
				if c.setup != nil {
					c.setup(a)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				result, err := a.Do(ctx, agentsim.Task{Name: "t", Prompt: "go", Verify: correct}, tracer.RunConfig{ID: "r1"})
				if result.Outcome != c.outcome || result.Check != c.check || result.RunID != "r1" {
					t.Errorf("%+v, want outcome %s, check %q", result, c.outcome, c.check)
				}
				if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				run, _ := w.run(t)
				if run.Outcome != c.outcome || run.Check != c.check || run.ID != "r1" || run.Name != "t" {
					t.Errorf("recorded: %s, %q, %s", run.Outcome, run.Check, run.ID)
				}
				if c.wall != 0 && run.Wall != c.wall {
					t.Errorf("recorded wall time %v, want %v", run.Wall, c.wall)
				}
			})
		})
	}
}

func TestBrokenStreamsAreAskedForAgain(t *testing.T) {
	for _, kind := range []simmodel.FaultKind{simmodel.Cut, simmodel.Reset, simmodel.EarlyEnd} {
		t.Run(string(kind), func(t *testing.T) {
			faults := simmodel.Faults{List: []simmodel.Fault{{Request: 1, Kind: kind, After: 10}}}
			reply := simmodel.Reply{Text: simmodel.Filler(30)}
			inWorld(t, simmodel.New(exact(simmodel.Exact{TTFT: 100 * ms, Rate: 100}, faults, reply)), func(t *testing.T, w *world) {
				result, err := w.agent().Do(t.Context(), task, tracer.RunConfig{})
				if err != nil || result.Answer != reply.Text {
					t.Fatalf("%+v, %v", result, err)
				}
				run, times := w.run(t)
				attempts := run.ModelCalls[0].Attempts
				if len(attempts) != 2 || !attempts[0].Outcome.Failed() || attempts[1].Outcome != traces.OK {
					t.Errorf("attempts %+v", attempts)
				}
				if b := times[traces.Backoff]; b < 375*ms || b > 500*ms {
					t.Errorf("backoff of %v, want 500 ms less at most a quarter", b)
				}
				if got := times[traces.Wait] + times[traces.Output] + times[traces.Tail]; got != 400*ms {
					t.Errorf("the second attempt took %v", got)
				}
			})
		})
	}
}

func TestTheModelReadsWhatBecameOfItsTools(t *testing.T) {
	var messages []string // of the tools, as the model got them
	script := simmodel.Script{Name: "s", Prompt: "go", Play: func(t simmodel.Turn) simmodel.Reply {
		if t.Index == 0 {
			return simmodel.Reply{Calls: []simmodel.Call{
				{Name: "fine"}, {Name: "missing"}, {Name: "fails"}, {Name: "breaks"}, {Name: "slow"}, {Name: "picky", Args: `{"x":1}`}, {Name: "fine", Args: `{`}}}
		}
		for _, m := range t.Messages {
			if m.Role == "tool" {
				messages = append(messages, m.Content)
			}
		}
		return simmodel.Reply{Text: "done"}
	}}
	cfg := exact(simmodel.Exact{TTFT: ms, Rate: 1000}, simmodel.Faults{})
	cfg.Scripts = []simmodel.Script{script}
	run := func(text string, err error) func(context.Context, json.RawMessage) (string, error) {
		return func(context.Context, json.RawMessage) (string, error) { return text, err }
	}
	list := []tools.Tool{
		{Name: "fine", Run: run("all is well", nil)},
		{Name: "fails", Run: run("", errors.New(`no file "x"`))},
		{Name: "breaks", Run: func(context.Context, json.RawMessage) (string, error) { panic("glass") }},
		{Name: "slow", Timeout: 2 * time.Second, Run: func(ctx context.Context, _ json.RawMessage) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}},
		{Name: "picky", Run: run("", nil), Schema: json.RawMessage(`{"type":"object","properties":{"y":{"type":"string"}},"required":["y"],"additionalProperties":false}`)},
	}
	inWorld(t, simmodel.New(cfg), func(t *testing.T, w *world) {
		if _, err := w.agent(list...).Do(t.Context(), task, tracer.RunConfig{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{
			"all is well",
			`error: there is no tool "missing"; the tools are: fine, fails, breaks, slow, picky`,
			`error: no file "x"`,
			"error: the tool breaks broke: glass",
			"error: slow took longer than 2s: context deadline exceeded",
			`error: "y" is missing; "x" is not known; known are: y`,
			"error: the arguments are not valid JSON: unexpected end of JSON input",
		}, messages); diff != "" {
			t.Errorf("what the model read (-want +got):\n%s", diff)
		}
		recorded, times := w.run(t)
		var outcomes []traces.Outcome
		for _, c := range recorded.ToolCalls {
			outcomes = append(outcomes, c.Outcome)
		}
		slices.Sort(outcomes)
		wanted := []traces.Outcome{traces.Error, traces.Error, traces.Error, traces.Error, traces.Error, traces.OK, traces.Timeout}
		if !slices.Equal(outcomes, wanted) || times[traces.Tool] != 2*time.Second {
			t.Errorf("outcomes %v, %v of tools", outcomes, times[traces.Tool])
		}
	})
}

func TestCheckingTheAnswerIsNotTheRunsTime(t *testing.T) {
	slowly := func(ctx context.Context, _ string) (bool, string) {
		select {
		case <-time.After(time.Minute):
			return true, "after a minute"
		case <-ctx.Done():
			return false, "never"
		}
	}
	for _, c := range []struct {
		name    string
		stop    time.Duration // after which the context ends
		outcome traces.Outcome
		check   string
	}{
		{"a minute of checking does not count, nor has it a limit", time.Hour, traces.OK, "after a minute"},
		{"a run that is cancelled while it is checked is neither right nor wrong", 10 * time.Second, traces.Cancelled, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := simmodel.New(exact(simmodel.Exact{TTFT: 100 * ms, Rate: 1000}, simmodel.Faults{}, simmodel.Reply{Text: "x"}))
			inWorld(t, model, func(t *testing.T, w *world) {
				ctx, stop := context.WithTimeout(t.Context(), c.stop)
				defer stop()
				a := w.agent()
				a.Limit = time.Second
				result, _ := a.Do(ctx, agentsim.Task{Name: "t", Prompt: "go", Verify: slowly}, tracer.RunConfig{})
				run, _ := w.run(t)
				if result.Wall != run.Wall || run.Wall > 200*ms || run.Outcome != c.outcome || result.Outcome != c.outcome || run.Check != c.check {
					t.Errorf("%s after %v, recorded as %s after %v: %q", result.Outcome, result.Wall, run.Outcome, run.Wall, run.Check)
				}
			})
		})
	}
}

func TestFurtherFieldsGoIntoEachRequest(t *testing.T) {
	model := simmodel.New(exact(simmodel.Exact{TTFT: ms, Rate: 1000}, simmodel.Faults{}, simmodel.Reply{Text: "x"}))
	var body struct {
		Stream bool    `json:"stream"`
		Tier   string  `json:"service_tier"`
		TopP   float64 `json:"top_p"`
	}
	spy := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &body); err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		model.ServeHTTP(rw, r)
	})
	inWorld(t, spy, func(t *testing.T, w *world) {
		a := w.agent()
		a.Fields = map[string]any{"service_tier": "flex", "top_p": 0.5}
		if _, err := a.Do(t.Context(), agentsim.Task{Name: "t", Prompt: "go"}, tracer.RunConfig{}); err != nil {
			t.Fatal(err)
		}
	})
	if !body.Stream || body.Tier != "flex" || body.TopP != 0.5 {
		t.Errorf("asked for %+v", body)
	}
}

func TestAPanicOfTheVerifierStillEndsTheRun(t *testing.T) {
	inWorld(t, simmodel.New(exact(simmodel.Exact{TTFT: ms, Rate: 1000}, simmodel.Faults{}, simmodel.Reply{Text: "x"})), func(t *testing.T, w *world) {
		func() {
			defer func() {
				if recover() != "glass" {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = w.agent().Do(t.Context(), agentsim.Task{Name: "t", Prompt: "go", Verify: func(context.Context, string) (bool, string) { panic("glass") }}, tracer.RunConfig{})
		}()
		if run, _ := w.run(t); run.Outcome != traces.Error {
			t.Errorf("recorded outcome %s", run.Outcome)
		}
	})
}
