package simmodel_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A fault is the same event in every API, in that API's words.
func TestFaultsInEveryAPI(t *testing.T) {
	for _, test := range []struct {
		fault   simmodel.Fault
		status  int
		outcome traces.Outcome
		end     time.Duration
		chunks  int
		err     error
		words   map[stream.API]string // of the error; nil: none
	}{
		{
			fault:  simmodel.Fault{Kind: simmodel.RateLimit, For: 1500 * ms},
			status: 429, outcome: traces.Error,
			words: map[stream.API]string{stream.ChatAPI: "rate_limit_exceeded", stream.ResponsesAPI: "rate_limit_exceeded",
				stream.MessagesAPI: "rate_limit_error", stream.OllamaChatAPI: "_OTHER", stream.GeminiAPI: "RESOURCE_EXHAUSTED"},
		},
		{
			fault:  simmodel.Fault{Kind: simmodel.ServerError},
			status: 500, outcome: traces.Error,
			words: map[stream.API]string{stream.ChatAPI: "server_error", stream.ResponsesAPI: "server_error",
				stream.MessagesAPI: "api_error", stream.OllamaChatAPI: "_OTHER", stream.GeminiAPI: "INTERNAL"},
		},
		{
			fault:  simmodel.Fault{Kind: simmodel.StreamError, After: 3},
			status: 200, outcome: traces.Error, end: 300 * ms, chunks: 3,
			words: map[stream.API]string{stream.ChatAPI: "server_error", stream.ResponsesAPI: "server_error",
				stream.MessagesAPI: "api_error", stream.OllamaChatAPI: "_OTHER", stream.GeminiAPI: "INTERNAL"},
		},
		{fault: simmodel.Fault{Kind: simmodel.Cut, After: 3}, status: 200, outcome: traces.Truncated, end: 300 * ms, chunks: 3, err: io.ErrUnexpectedEOF},
		{fault: simmodel.Fault{Kind: simmodel.EarlyEnd, After: 3}, status: 200, outcome: traces.Truncated, end: 300 * ms, chunks: 3},
		{fault: simmodel.Fault{Kind: simmodel.Stall, After: 3, For: 2 * time.Second}, status: 200, outcome: traces.OK, end: 3100 * ms, chunks: 10},
		{fault: simmodel.Fault{Kind: simmodel.SlowHeaders, For: 2 * time.Second}, status: 200, outcome: traces.OK, end: 3100 * ms, chunks: 10},
	} {
		test.fault.Request = 1
		for _, d := range dialects {
			t.Run(fmt.Sprint(test.fault.Kind, " ", d.api), func(t *testing.T) {
				b := &bench{}
				serve(t, tenTokens(simmodel.Faults{List: []simmodel.Fault{test.fault}}), func(t *testing.T, inner *bench) {
					b = inner
					x := b.send(t.Context(), t, d.path, d.ask(true))
					end := time.Duration(-1)
					if x.End != nil {
						end = *x.End
					}
					if x.Status != test.status || x.Outcome != test.outcome || !errors.Is(x.Err, test.err) || len(x.Chunks.List) != test.chunks || end != test.end {
						t.Errorf("status %d, outcome %s, error %v, %d chunks, end %v: %s", x.Status, x.Outcome, x.Err, len(x.Chunks.List), end, x.Body)
					}
					if x.ErrorType != test.words[d.api] {
						t.Errorf("error %q, want %q: %s", x.ErrorType, test.words[d.api], x.Body)
					}
					if got := x.Header.Get("Retry-After-Ms"); (got == "1500") != (test.status == 429) {
						t.Errorf("retry after %q ms", got)
					}
				})
				if tr := b.truths[0]; tr.End != test.end || tr.Fault != test.fault.Kind || tr.Status != test.status {
					t.Errorf("truth: fault %q, status %d, end %v", tr.Fault, tr.Status, tr.End)
				}
			})
		}
	}
}

// Clients that do not count their retries put clocks and ids into them.
func TestARetryIsRecognisedByWhatItAsks(t *testing.T) {
	b := &bench{}
	serve(t, tenTokens(simmodel.Faults{Cut: 1}), func(t *testing.T, inner *bench) {
		b = inner
		for i := range 4 {
			b.send(t.Context(), t, "/v1/responses", fmt.Sprintf(`{"model":"exact","stream":true,"input":"go","client_metadata":{"at":"%d"}}`, i))
		}
	})
	for i, truth := range b.truths {
		if want := []string{"cut", "stop"}[i%2]; truth.Finish != want || truth.Attempt != i%2+1 {
			t.Errorf("request %d: attempt %d, finish %q", i, truth.Attempt, truth.Finish)
		}
	}
}

// The golden file is what each API says is wrong, read against its reference.
func TestErrorsOnTheWire(t *testing.T) {
	var all strings.Builder
	for _, d := range dialects {
		cfg := tenTokens(simmodel.Faults{List: []simmodel.Fault{
			{Request: 1, Kind: simmodel.RateLimit, For: 1500 * ms}, {Request: 2, Kind: simmodel.ServerError}, {Request: 3, Kind: simmodel.StreamError, After: 1},
			{Request: 4, Kind: simmodel.StreamError, After: 1},
		}})
		serve(t, cfg, func(t *testing.T, b *bench) {
			say := func(what, path, body string) {
				x := b.send(t.Context(), t, path, body)
				fmt.Fprintf(&all, "# %s: %s: %d\n%s\n", d.api, what, x.Status, strings.TrimRight(x.Body, "\n"))
			}
			say("too many requests", d.path, d.ask(true))
			say("broken", d.path, d.ask(true))
			say("broken in mid-stream", d.path, d.ask(true))
			say("broken when whole", d.whole, d.ask(false))
			say("an unknown model", strings.Replace(d.path, "exact", "other", 1), strings.Replace(d.ask(true), "exact", "other", 1))
			say("no JSON", d.path, `{"model":`)
			say("no messages", d.path, strings.NewReplacer(`"input":"go"`, `"input":[]`, `"messages":[{"role":"user","content":"go"}]`, `"messages":[]`,
				`"contents":[{"parts":[{"text":"go"}]}]`, `"contents":[]`).Replace(d.ask(true)))
		})
	}
	golden(t, "errors.txt", all.String())
}
