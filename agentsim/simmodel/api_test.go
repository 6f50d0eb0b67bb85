package simmodel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A dialect is an API in tests: how to ask it for a stream and for a whole response to the prompt "go".
type dialect struct {
	api         stream.API
	path, whole string // where to ask for a stream, and for a whole response
	body        string // %s: true for a stream
}

var dialects = []dialect{
	{stream.ChatAPI, "/v1/chat/completions", "/v1/chat/completions",
		`{"model":"exact","stream":%s,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]}`},
	{stream.ResponsesAPI, "/v1/responses", "/v1/responses", `{"model":"exact","stream":%s,"input":"go"}`},
	{stream.MessagesAPI, "/v1/messages", "/v1/messages",
		`{"model":"exact","stream":%s,"max_tokens":1000,"messages":[{"role":"user","content":"go"}]}`},
	{stream.OllamaChatAPI, "/api/chat", "/api/chat", `{"model":"exact","stream":%s,"messages":[{"role":"user","content":"go"}]}`},
	{stream.GeminiAPI, "/v1beta/models/exact:streamGenerateContent?alt=sse", "/v1beta/models/exact:generateContent",
		`{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},"x":%s,"contents":[{"parts":[{"text":"go"}]}]}`},
}

// ask returns the body of a request.
func (d dialect) ask(stream bool) string { return fmt.Sprintf(d.body, fmt.Sprint(stream)) }

// An exchange is a response as a decoder read it from the network.
type exchange struct {
	Status  int
	Header  http.Header
	Headers time.Duration
	Body    string
	Err     error
	*stream.Result
}

// send posts a body and decodes the response as it comes.
func (b *bench) send(ctx context.Context, t *testing.T, path, body string, header ...string) exchange {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model.test"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	d, ok := stream.New(req.URL.Path, stream.Options{Content: true})
	if !ok {
		t.Fatalf("%s is no path of an API", path)
	}
	start := time.Now()
	resp, err := b.client.Do(req)
	if err != nil {
		return exchange{Err: err, Result: d.Close(time.Since(start), err)}
	}
	defer resp.Body.Close()
	x := exchange{Status: resp.StatusCode, Header: resp.Header, Headers: time.Since(start)}
	var all []byte
	for buf := make([]byte, 64<<10); err == nil; {
		var n int
		n, err = resp.Body.Read(buf)
		d.Feed(time.Since(start), buf[:n])
		all = append(all, buf[:n]...)
	}
	if !errors.Is(err, io.EOF) {
		x.Err = err
	}
	x.Body, x.Result = string(all), d.Close(time.Since(start), err)
	return x
}

// waits returns the truth's phases as a client sees them: it cannot part queue and prefill.
func waits(truth simmodel.Truth) (list []traces.Stretch) {
	for _, p := range truth.Phases {
		c := p.Phase
		if c == traces.Queue || c == traces.Prefill {
			c = traces.Wait
		}
		if n := len(list); n > 0 && list[n-1].Component == c {
			list[n-1].To = p.End
			continue
		}
		list = append(list, traces.Stretch{Component: c, From: p.Start, To: p.End})
	}
	return list
}

// Every decoder reads what the server says in its API, and finds the server's own instants.
func TestEveryAPIIsDecodedToTheNanosecond(t *testing.T) {
	cfg := everything
	cfg.Chunks = true
	for _, d := range dialects {
		t.Run(string(d.api), func(t *testing.T) {
			b := &bench{}
			var x exchange
			serve(t, cfg, func(t *testing.T, inner *bench) {
				b = inner
				x = b.send(t.Context(), t, d.path, d.ask(true))
			})
			truth := b.truths[0]
			if truth.API != string(d.api) || !truth.Stream || truth.Status != 200 || x.Status != 200 || x.Err != nil {
				t.Fatalf("truth %+v, status %d, error %v", truth, x.Status, x.Err)
			}
			// 5 tokens of reasoning at 100/s from 300 ms on, 5 of text and 17 of calls at 40/s, and the end a step later.
			want := []traces.Stretch{
				{Component: traces.Wait, From: 0, To: 300 * ms},
				{Component: traces.Reasoning, From: 300 * ms, To: 340 * ms},
				{Component: traces.Output, From: 340 * ms, To: 465 * ms},
				{Component: traces.ToolArgs, From: 465 * ms, To: 890 * ms},
				{Component: traces.Tail, From: 890 * ms, To: 915 * ms},
			}
			if diff := cmp.Diff(want, waits(truth)); diff != "" {
				t.Errorf("truth (-want +got):\n%s", diff)
			}
			if x.End == nil || *x.End != truth.End {
				t.Fatalf("end at %v, want %v", x.End, truth.End)
			}
			if diff := cmp.Diff(want, x.Chunks.Stretches(0, *x.End, 0, traces.Response)); diff != "" {
				t.Errorf("decoded (-truth +got):\n%s", diff)
			}
			type arrival struct {
				At   time.Duration
				Kind traces.Component
			}
			var told, seen []arrival
			for _, c := range truth.Chunks {
				told = append(told, arrival{c.At, c.Kind})
			}
			for _, c := range x.Chunks.List {
				seen = append(seen, arrival{c.At, c.Kind})
			}
			if diff := cmp.Diff(told, seen); diff != "" {
				t.Errorf("chunks (-truth +got):\n%s", diff)
			}
			if x.Headers != truth.Headers || x.Outcome != traces.OK || x.Ignored != 0 || x.ID != truth.ID {
				t.Errorf("headers %v of %v, outcome %s, ignored %d, id %q of %q", x.Headers, truth.Headers, x.Outcome, x.Ignored, x.ID, truth.ID)
			}
			checkSaid(t, x, truth)
		})
	}
}

// checkSaid holds what was decoded against the script of everything.
func checkSaid(t *testing.T, x exchange, truth simmodel.Truth) {
	t.Helper()
	if x.Text != "Two files, please." || x.Model != "exact" {
		t.Errorf("text %q of %s", x.Text, x.Model)
	}
	if n := simmodel.Tokens(x.Reasoning); n != truth.Reasoning {
		t.Errorf("reasoning %q: %d tokens of %d", x.Reasoning, n, truth.Reasoning)
	}
	var calls []string
	for _, c := range x.ToolCalls {
		if !strings.HasSuffix(c.ID, "_0") {
			t.Errorf("call id %q does not name the turn", c.ID)
		}
		calls = append(calls, c.Name+strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(c.Arguments))
	}
	if diff := cmp.Diff([]string{`read{"path":"a<b>.txt"}`, `list_dir{"path":"."}`}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	count := func(n int) *int64 { m := int64(n); return &m }
	reasoning, source := count(truth.Reasoning), traces.UsageProvider
	if strings.HasPrefix(truth.API, "ollama") {
		reasoning = nil
	}
	got := x.Usage
	if got.Cached != nil && *got.Cached == int64(truth.Cached) {
		got.Cached = nil
	}
	want := traces.Usage{Input: count(truth.Prompt), Output: count(truth.Reasoning + truth.Output), Reasoning: reasoning, Source: source}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestEveryAPIAnswersWhole(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d.api), func(t *testing.T) {
			b := &bench{}
			var x exchange
			serve(t, everything, func(t *testing.T, inner *bench) {
				b = inner
				x = b.send(t.Context(), t, d.whole, d.ask(false))
			})
			if x.Status != 200 || !x.Whole || x.Outcome != traces.OK || x.Headers != 915*ms || b.truths[0].Stream {
				t.Errorf("status %d, whole %t, outcome %s, headers %v, truth %+v", x.Status, x.Whole, x.Outcome, x.Headers, b.truths[0])
			}
			checkSaid(t, x, b.truths[0])
		})
	}
}

// Reasoning that is not shown takes its time, and where the API brackets it, as long as the brackets say.
func TestHiddenReasoningInEveryAPI(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d.api), func(t *testing.T) {
			cfg := everything
			cfg.Profiles = slices.Clone(cfg.Profiles)
			cfg.Profiles[0].Reasoning = simmodel.ReasoningHidden
			b := &bench{}
			var x exchange
			serve(t, cfg, func(t *testing.T, inner *bench) {
				b = inner
				x = b.send(t.Context(), t, d.path, d.ask(true))
			})
			if x.Reasoning != "" || x.Chunks.List[0].At != 365*ms || b.truths[0].Phase(traces.Reasoning) != 40*ms {
				t.Errorf("reasoning %q, first chunk at %v", x.Reasoning, x.Chunks.List[0].At)
			}
			var want *stream.Window
			if d.api == stream.ResponsesAPI || d.api == stream.MessagesAPI {
				want = &stream.Window{From: 300 * ms, To: 340 * ms}
			}
			if diff := cmp.Diff(want, x.Window); diff != "" {
				t.Errorf("window (-want +got):\n%s", diff)
			}
			if want := map[bool]string{true: "none", false: "hidden"}[d.api == stream.OllamaChatAPI]; x.Visibility != want {
				t.Errorf("reasoning is %s, want %s", x.Visibility, want)
			}
		})
	}
}

func TestVisibilityOfReasoning(t *testing.T) {
	for _, test := range []struct {
		name, path, body string
		style            simmodel.ReasoningStyle
		want             string
	}{
		{"Responses sums it up", "/v1/responses", `{"model":"exact","stream":true,"input":"go"}`, simmodel.ReasoningContent, "summary"},
		{"Responses of an open model shows it", "/v1/responses", `{"model":"exact","stream":true,"input":"go"}`, simmodel.ReasoningPlain, "full"},
		{"Messages leaves it out if asked to", "/v1/messages", `{"model":"exact","stream":true,"max_tokens":99,` +
			`"thinking":{"type":"adaptive","display":"omitted"},"messages":[{"role":"user","content":"go"}]}`, simmodel.ReasoningContent, "hidden"},
		{"Messages does not think if asked not to", "/v1/messages", `{"model":"exact","stream":true,"max_tokens":99,` +
			`"thinking":{"type":"disabled"},"messages":[{"role":"user","content":"go"}]}`, simmodel.ReasoningContent, "none"},
		{"Ollama does not think if asked not to", "/api/chat", `{"model":"exact","think":false,"messages":[{"role":"user","content":"go"}]}`,
			simmodel.ReasoningContent, "none"},
		{"Google shows it only if asked to", "/v1beta/models/exact:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"text":"go"}]}]}`,
			simmodel.ReasoningContent, "hidden"},
		{"Google does not think without a budget", "/v1beta/models/exact:streamGenerateContent?alt=sse",
			`{"generationConfig":{"thinkingConfig":{"thinkingBudget":0}},"contents":[{"parts":[{"text":"go"}]}]}`, simmodel.ReasoningContent, "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := everything
			profile := cfg.Profiles[0]
			profile.Reasoning = test.style
			cfg.Profiles = []simmodel.Profile{profile}
			serve(t, cfg, func(t *testing.T, b *bench) {
				if x := b.send(t.Context(), t, test.path, test.body); x.Visibility != test.want {
					t.Errorf("%q, want %q: status %d, %s", x.Visibility, test.want, x.Status, x.Body)
				}
			})
		})
	}
}

// Ollama says how long it took, to the nanosecond and by its own clock.
func TestOllamaReportsItsTimes(t *testing.T) {
	serve(t, everything, func(t *testing.T, b *bench) {
		x := b.send(t.Context(), t, "/api/chat", dialects[3].ask(true))
		queue, prefill, decode := 50*ms, 250*ms, 615*ms
		if diff := cmp.Diff(stream.Timings{Queue: &queue, Prefill: &prefill, Decode: &decode}, x.Server); diff != "" || x.TimingsInconsistent {
			t.Errorf("inconsistent %t, -want +got:\n%s", x.TimingsInconsistent, diff)
		}
		if !strings.Contains(x.Body, `"total_duration":915000000`) {
			t.Error(x.Body)
		}
	})
}

func TestOllamaGenerates(t *testing.T) {
	cfg := everything
	cfg.Scripts = script(simmodel.Reply{ReasoningTokens: 2, Text: "Done so far."})
	serve(t, cfg, func(t *testing.T, b *bench) {
		for _, body := range []string{`{"model":"exact:latest","prompt":"go"}`, `{"model":"exact","stream":false,"prompt":"go"}`} {
			x := b.send(t.Context(), t, "/api/generate", body)
			if x.Text != "Done so far." || simmodel.Tokens(x.Reasoning) != 2 || x.Outcome != traces.OK || x.FinishReason != "stop" {
				t.Errorf("%s: %s", body, x.Body)
			}
		}
	})
}

// Without alt=sse, Google's stream is one JSON array that grows.
func TestGoogleStreamsAnArray(t *testing.T) {
	serve(t, everything, func(t *testing.T, b *bench) {
		x := b.send(t.Context(), t, "/v1beta/models/exact:streamGenerateContent", dialects[4].ask(true))
		if x.Whole || x.Outcome != traces.OK || x.Text != "Two files, please." || *x.End != 915*ms || !strings.HasPrefix(x.Body, "[{") || !strings.HasSuffix(x.Body, "]\n") {
			t.Errorf("whole %t, outcome %s, end %v: %s", x.Whole, x.Outcome, x.End, x.Body)
		}
	})
}

// The same holds with jitter, drafted tokens and the queue of a server that is in use.
func TestEveryAPIIsDecodedWhateverTheProfile(t *testing.T) {
	for _, profile := range simmodel.Published() {
		for _, d := range dialects {
			t.Run(profile.Name+" "+string(d.api), func(t *testing.T) {
				profile.Slots = 1
				cfg := simmodel.Config{Profiles: []simmodel.Profile{profile}, Scripts: everything.Scripts, FreshIDs: true}
				var got [][]traces.Stretch
				b := &bench{}
				serve(t, cfg, func(t *testing.T, inner *bench) {
					b = inner
					path, body := strings.Replace(d.path, "exact", profile.Name, 1), strings.Replace(d.ask(true), "exact", profile.Name, 1)
					second := make(chan exchange)
					go func() { second <- b.send(t.Context(), t, path, body) }()
					for _, x := range []exchange{b.send(t.Context(), t, path, body), <-second} {
						if x.Outcome != traces.OK || x.TimingsInconsistent {
							t.Errorf("outcome %s, inconsistent %t", x.Outcome, x.TimingsInconsistent)
						}
						got = append(got, x.Chunks.Stretches(0, *x.End, time.Hour, traces.Response))
					}
				})
				slices.SortFunc(got, func(a, b []traces.Stretch) int { return int(a[0].To - b[0].To) })
				for i, truth := range b.truths {
					if diff := cmp.Diff(waits(truth), got[i]); diff != "" {
						t.Errorf("response %d (-truth +got):\n%s", i, diff)
					}
				}
			})
		}
	}
}
