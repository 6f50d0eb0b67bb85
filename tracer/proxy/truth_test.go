package proxy_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/traces"
)

// apis are requests that the simulated model answers, one for each API.
var apis = map[string]string{
	"/v1/chat/completions": `{"model":"exact","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]}`,
	"/v1/responses":        `{"model":"exact","stream":true,"input":"go"}`,
	"/v1/messages":         `{"model":"exact","stream":true,"max_tokens":1000,"messages":[{"role":"user","content":"go"}]}`,
	"/api/chat":            `{"model":"exact","stream":true,"messages":[{"role":"user","content":"go"}]}`,
	"/v1beta/models/exact:streamGenerateContent?alt=sse": `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},"contents":[{"parts":[{"text":"go"}]}]}`,
}

// What is measured through the proxy is what the simulated model did, in every API, to the nanosecond.
func TestWhatIsMeasuredIsWhatTheModelDid(t *testing.T) {
	for target, body := range apis {
		path, _, _ := strings.Cut(target, "?")
		t.Run(path, func(t *testing.T) {
			var truth simmodel.Truth
			model := simmodel.New(simmodel.Config{
				Profiles: []simmodel.Profile{{Name: "exact", Exact: &simmodel.Exact{Headers: 40 * ms, TTFT: 300 * ms, Rate: 50, ReasoningRate: 100}}},
				Scripts: []simmodel.Script{{Name: "s", Prompt: "go", Play: simmodel.Linear(simmodel.Reply{
					ReasoningTokens: 30, Text: "two words", Calls: []simmodel.Call{{Name: "read", Args: `{"path":"a/b/c"}`}, {Name: "list"}},
				})}},
				Chunks: true, Truth: func(t simmodel.Truth) { truth = t },
			})
			simulate(t, model.ServeHTTP, nil, func(w *world) {
				req, err := http.NewRequestWithContext(w.Context(), http.MethodPost, "http://proxy"+target, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				w.must(w.client.Do(req))
				x := w.only()
				if x.Outcome != traces.OK || !x.Measured || x.Headers.Sub(x.Sent) != truth.Headers || x.End.Sub(x.Sent) != truth.End || len(x.Result.ToolCalls) != 2 ||
					*x.Result.Usage.Output != int64(truth.Output+truth.Reasoning) {
					t.Errorf("%+v %+v\n%+v", x, x.Result, truth)
				}
				instants := func(kind traces.Component) (got, want []time.Duration) {
					for _, c := range x.Result.Chunks.List {
						if c.Kind == kind {
							got = append(got, c.At)
						}
					}
					for _, c := range truth.Chunks {
						if c.Kind == kind {
							want = append(want, c.At)
						}
					}
					return slices.Compact(got), slices.Compact(want)
				}
				for _, kind := range []traces.Component{traces.Reasoning, traces.Output, traces.ToolArgs} {
					if got, want := instants(kind); !slices.Equal(got, want) || len(want) == 0 {
						t.Errorf("%s at %v, want %v", kind, got, want)
					}
				}
			})
		})
	}
}

// One proxy serves an agent that uses several APIs, each with its own server.
func TestSeveralUpstreamsAtOnce(t *testing.T) {
	change := func(c *proxy.Config) {
		c.Upstreams = nil
		for _, s := range []string{"openai=http://openai", "anthropic=http://anthropic", "google=http://google", "ollama=http://ollama"} {
			c.Upstreams = append(c.Upstreams, upstream(t, s))
		}
	}
	simulate(t, nil, change, func(w *world) {
		for _, host := range []string{"openai", "anthropic", "google", "ollama"} {
			w.net.Serve(host, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { rw.Write([]byte(host)) }))
		}
		var all sync.WaitGroup
		for target, body := range apis {
			all.Go(func() {
				req, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://proxy"+target, strings.NewReader(body))
				got := w.must(w.client.Do(req))
				want := map[string]string{"/v1/messages": "anthropic", "/api/chat": "ollama", "/v1beta/models/exact:streamGenerateContent?alt=sse": "google"}[target]
				if want == "" {
					want = "openai"
				}
				if got != want {
					t.Errorf("%s went to %s", target, got)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if len(w.book.ended) != len(apis) {
			t.Errorf("%d exchanges", len(w.book.ended))
		}
	})
}
