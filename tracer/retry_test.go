package tracer_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

var (
	limited = reply{status: 429, header: "retry-after: 2", head: 100 * msec, writes: []write{{100 * msec, `{"error":{"type":"rate_limit_exceeded"}}`}}}
	broken  = reply{status: 500, head: 50 * msec, writes: []write{{50 * msec, `{"error":{"message":"x"}}`}}}
	good    = reply{writes: []write{event(300*msec, `"content":"a"`), event(400*msec, `"content":"b"`), done(400 * msec)}}
	cut     = reply{writes: []write{event(300*msec, `"content":"a"`)}, cut: true}
)

func TestRetries(t *testing.T) {
	keys := []string{traces.KeyErrorType, traces.KeyAttempt, traces.KeyResendCount, traces.KeyPlanned, traces.KeyReason}
	cases := []struct {
		name    string
		replies []reply
		do      func(w *world, ctx context.Context)
		want    string
	}{
		{
			name:    "requests of one call are its attempts, with the backoff between them",
			replies: []reply{limited, broken, good},
			do: func(w *world, ctx context.Context) {
				ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
				w.read(ctx, request)
				time.Sleep(2050 * msec)
				w.read(ctx, request)
				time.Sleep(500 * msec)
				call.End(w.read(ctx, request))
			},
			want: `
			invoke_agent task 0-3100 ok
			  chat m 0-3100 ok
			    attempt 1 0-100 error 429 1
			      response 0-100
			    backoff 100-2150 2000000000 429
			    attempt 2 2150-2200 error 500 2 1
			      response 2150-2200
			    backoff 2200-2700 500
			    attempt 3 2700-3100 ok 3 2
			      wait 2700-3000
			      output 3000-3100`,
		},
		{
			name:    "a cut stream that is asked for again is a failed attempt",
			replies: []reply{cut, good},
			do: func(w *world, ctx context.Context) {
				ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
				w.read(ctx, request)
				time.Sleep(100 * msec)
				call.End(w.read(ctx, request))
			},
			want: `
			invoke_agent task 0-800 ok
			  chat m 0-800 ok
			    attempt 1 0-300 truncated truncated 1
			      wait 0-300
			    backoff 300-400 truncated
			    attempt 2 400-800 ok 2 1
			      wait 400-700
			      output 700-800`,
		},
		{
			name:    "a call that fails for good has its last attempt's outcome",
			replies: []reply{broken},
			do: func(w *world, ctx context.Context) {
				ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
				err := w.read(ctx, request)
				time.Sleep(50 * msec)
				call.End(err)
			},
			want: `
			invoke_agent task 0-100 ok
			  chat m 0-100 error 500
			    attempt 1 0-50 error 500 1
			      response 0-50`,
		},
		{
			name: "a server that cannot be reached is an error",
			do: func(w *world, ctx context.Context) {
				ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://nowhere/v1/chat/completions", nil)
				_, err := w.tracer.Middleware(req, w.client.Do)
				call.End(err)
			},
			want: `
			invoke_agent task 0-0 ok
			  chat m 0-0 error syscall.Errno
			    attempt 1 0-0 error syscall.Errno 1`,
		},
		{
			name:    "an attempt given up for another of the same call does not make it fail",
			replies: []reply{{head: time.Hour}, good},
			do: func(w *world, ctx context.Context) {
				ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
				first, cancel := context.WithCancel(ctx)
				gone := make(chan error)
				go func() { gone <- w.read(first, request) }()
				time.Sleep(100 * msec)
				err := w.read(ctx, request)
				cancel()
				<-gone
				call.End(err)
			},
			want: `
			invoke_agent task 0-500 ok
			  chat m 0-500 ok
			    attempt 1 0-500 cancelled 1
			      response 0-500
			    attempt 2 100-500 ok 2 1
			      wait 100-400
			      output 400-500`,
		},
		{
			name:    "without a call, a request makes its own, which ends with it",
			replies: []reply{good},
			do: func(w *world, ctx context.Context) {
				w.read(ctx, request, "X-Stainless-Retry-Count", "0")
				time.Sleep(time.Second)
			},
			want: `
			invoke_agent task 0-1400 ok
			  chat m 0-400 ok
			    attempt 1 0-400 ok 1
			      wait 0-300
			      output 300-400`,
		},
		{
			name:    "an equal request with a retry count joins the failed one",
			replies: []reply{limited, good},
			do: func(w *world, ctx context.Context) {
				w.read(ctx, request, "X-Stainless-Retry-Count", "0")
				time.Sleep(2000 * msec)
				w.read(ctx, request, "X-Stainless-Retry-Count", "1")
			},
			want: `
			invoke_agent task 0-2500 ok
			  chat m 0-2500 ok
			    attempt 1 0-100 error 429 1
			      response 0-100
			    backoff 100-2100 2000000000 429
			    attempt 2 2100-2500 ok 2 1
			      wait 2100-2400
			      output 2400-2500`,
		},
		{
			name:    "an equal request that says it is the first is another call",
			replies: []reply{broken, good},
			do: func(w *world, ctx context.Context) {
				w.read(ctx, request, "X-Stainless-Retry-Count", "0")
				time.Sleep(50 * msec)
				w.read(ctx, request, "X-Stainless-Retry-Count", "0")
			},
			want: `
			invoke_agent task 0-500 ok
			  chat m 0-50 error 500
			    attempt 1 0-50 error 500 1
			      response 0-50
			  chat m 100-500 ok
			    attempt 1 100-500 ok 1
			      wait 100-400
			      output 400-500`,
		},
		{
			name:    "another request after a failed one is another call",
			replies: []reply{broken, good},
			do: func(w *world, ctx context.Context) {
				w.read(ctx, request)
				w.read(ctx, `{"model":"n"}`)
			},
			want: `
			invoke_agent task 0-450 ok
			  chat m 0-50 error 500
			    attempt 1 0-50 error 500 1
			      response 0-50
			  chat n 50-450 ok
			    attempt 1 50-450 ok 1
			      wait 50-350
			      output 350-450`,
		},
		{
			name:    "a failed call whose retry never comes ends where its attempt did",
			replies: []reply{broken},
			do: func(w *world, ctx context.Context) {
				w.read(ctx, request)
				time.Sleep(time.Hour)
				if rec := w.one("chat m"); rec.End == 0 {
					w.Error("it is still open an hour later")
				}
			},
			want: `
			invoke_agent task 0-3600050 ok
			  chat m 0-50 error 500
			    attempt 1 0-50 error 500 1
			      response 0-50`,
		},
		{
			name:    "a refused request is not waited for",
			replies: []reply{{status: 400, writes: []write{{0, `{}`}}}},
			do: func(w *world, ctx context.Context) {
				w.read(ctx, request)
				synctest.Wait()
				if rec := w.one("chat m"); rec.End == 0 {
					w.Error("it is still open")
				}
			},
			want: `
			invoke_agent task 0-0 ok
			  chat m 0-0 error 400
			    attempt 1 0-0 error 400 1`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			simulate(t, tracer.Options{}, c.replies, func(w *world) {
				ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
				c.do(w, ctx)
				run.End(traces.OK)
				w.expect(c.want, keys...)
			})
		})
	}
}

func TestPlannedBackoff(t *testing.T) {
	cases := []struct {
		name, header string
		want         int64
	}{
		{"seconds", "Retry-After: 1.5", 1_500_000_000},
		{"milliseconds", "Retry-After-Ms: 250", 250_000_000},
		{"a date", "Retry-After: Sat, 01 Jan 2000 00:00:07 GMT", 7_000_000_000},
		{"a date that has passed", "Retry-After: Fri, 31 Dec 1999 00:00:07 GMT", 0},
		{"nonsense", "Retry-After: soon", -1},
		{"a negative wait", "Retry-After: -3", -1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			first := reply{status: 503, header: c.header, writes: []write{{0, "{}"}}}
			simulate(t, tracer.Options{}, []reply{first, good}, func(w *world) {
				ctx, _ := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
				w.read(ctx, request)
				time.Sleep(msec)
				w.read(ctx, request)
				got, ok := w.one("backoff").Attrs.Int(traces.KeyPlanned)
				if !ok {
					got = -1
				}
				if got != c.want {
					t.Errorf("got %d ns, want %d", got, c.want)
				}
			})
		})
	}
}

// The case of a rate limit, a wait and a success, as Build explains it.
func TestARateLimitIsBookedOnTheRetry(t *testing.T) {
	b, err := os.ReadFile("testdata/cases/retry-429-with-retry-after.json")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Input struct {
			Exchanges []struct {
				StartMS  int `json:"start_ms"`
				Request  struct{ Headers map[string]string }
				Response struct {
					Status    int
					Headers   map[string]string
					HeadersMS int `json:"headers_at_ms"`
					Records   []struct {
						AtMS int `json:"at_ms"`
						Raw  string
					}
				}
			}
		}
		Expected struct {
			Calls     int              `json:"logical_calls"`
			Attempts  int              `json:"attempts"`
			Failed    int              `json:"failed_attempt_ms"`
			Backoff   int              `json:"backoff_ms"`
			FeltTTFT  int              `json:"felt_ttft_ms"`
			TTFT      int              `json:"final_attempt_ttft_ms"`
			Stream    int              `json:"final_attempt_stream_ms"`
			Total     int              `json:"total_ms"`
			Hint      int              `json:"retry_after_hint_ms"`
			Usage     map[string]int64 `json:"usage"`
			Partition map[string]int   `json:"partition_ms"`
		}
	}
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	var replies []reply
	for _, x := range c.Input.Exchanges {
		r := reply{status: x.Response.Status, head: time.Duration(x.Response.HeadersMS-x.StartMS) * msec}
		for name, value := range x.Response.Headers {
			r.header = name + ": " + value
		}
		for _, rec := range x.Response.Records {
			r.writes = append(r.writes, write{time.Duration(rec.AtMS-x.StartMS) * msec, rec.Raw})
		}
		replies = append(replies, r)
	}
	simulate(t, tracer.Options{}, replies, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
		for _, x := range c.Input.Exchanges {
			time.Sleep(time.Until(w.start.Add(time.Duration(x.StartMS) * msec)))
			w.read(ctx, request, "X-Stainless-Retry-Count", x.Request.Headers["x-stainless-retry-count"])
		}
		run.End(traces.OK)

		runs, problems := traces.Build(w.sink.all())
		if len(runs) != 1 || len(problems) != 0 || len(runs[0].Problems) != 0 {
			t.Fatalf("got %d runs, problems %v %v", len(runs), problems, runs[0].Problems)
		}
		want := c.Expected
		at := func(what string, got time.Duration, want int) {
			if got != time.Duration(want)*msec {
				t.Errorf("%s: got %v, want %d ms", what, got, want)
			}
		}
		calls := runs[0].ModelCalls
		if len(calls) != want.Calls || len(calls[0].Attempts) != want.Attempts {
			t.Fatalf("got %d calls", len(calls))
		}
		call := calls[0]
		first, final := call.Attempts[0], call.Final()
		ttft := final.Chunks.List[0].At
		at("failed attempt", first.Span.Duration(), want.Failed)
		at("backoff", final.Span.Start-first.Span.End, want.Backoff)
		at("felt TTFT", final.Span.Start+ttft, want.FeltTTFT)
		at("TTFT", *call.TTFT, want.TTFT)
		at("stream", final.Span.Duration()-ttft, want.Stream)
		at("total", call.Span.Duration(), want.Total)
		planned, _ := w.one("backoff").Attrs.Int(traces.KeyPlanned)
		at("planned", time.Duration(planned), want.Hint)
		if *call.Usage.Input != want.Usage["input_tokens"] || *call.Usage.Output != want.Usage["output_tokens"] {
			t.Errorf("got usage %v", call.Usage)
		}
	})
}

var errAgent = errors.New("the answer makes no sense")

func TestACallThatItsCallerFindsWrongIsAnError(t *testing.T) {
	simulate(t, tracer.Options{}, []reply{good}, func(w *world) {
		w.net.SetLink("model", simnet.Link{})
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
		ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
		w.read(ctx, request)
		call.End(errAgent)
		run.End(traces.OK)
		w.expect(`
		invoke_agent task 0-400 ok
		  chat m 0-400 error
		    attempt 1 0-400 ok
		      wait 0-300
		      output 300-400`)
	})
}
