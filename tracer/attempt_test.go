package tracer_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

func TestAttempts(t *testing.T) {
	cases := []struct {
		name  string
		link  simnet.Link
		cfg   tracer.RunConfig
		reply reply
		keys  []string
		want  string
	}{
		{
			name: "every phase has its own nanoseconds",
			link: simnet.Link{Connect: 20 * msec},
			cfg:  tracer.RunConfig{StallThreshold: 500 * msec},
			reply: reply{head: 50 * msec, writes: []write{
				event(100*msec, `"role":"assistant","content":""`), event(300*msec, `"reasoning_content":"a"`), event(400*msec, `"reasoning_content":"b"`),
				event(450*msec, `"content":"c"`), event(1200*msec, `"content":"d"`), event(1300*msec, `"content":"e"`),
				event(1301*msec+1, `"tool_calls":[{"index":0,"id":"t1","function":{"name":"ls","arguments":"{}"}}]`),
				finish(1310*msec, "tool_calls"), done(1320 * msec)}},
			want: `
			invoke_agent task 0-1340 ok
			  chat m 0-1340 ok
			    attempt 1 0-1340 ok
			      connect 0-20
			      wait 20-320
			      reasoning 320-420
			      output 420-470
			      stall 470-1220
			      output 1220-1320
			      tool_args 1320-1321.000001
			      tail 1321.000001-1340`,
		},
		{
			name:  "the run's own stall threshold counts",
			cfg:   tracer.RunConfig{StallThreshold: 50 * msec},
			reply: reply{writes: []write{event(100*msec, `"content":"a"`), event(150*msec, `"content":"b"`), event(201*msec, `"content":"c"`), done(210 * msec)}},
			keys:  []string{traces.KeyStallThreshold},
			want: `
			invoke_agent task 0-210 ok
			  chat m 0-210 ok
			    attempt 1 0-210 ok 50000000
			      wait 0-100
			      output 100-150
			      stall 150-201
			      tail 201-210`,
		},
		{
			name:  "instants count from the request being sent",
			link:  simnet.Link{Connect: 20 * msec, Latency: 5 * msec},
			reply: reply{head: 50 * msec, writes: []write{event(60*msec, `"role":"assistant"`), event(100*msec, `"content":"a"`), event(110*msec, `"content":"bé"`), finish(120*msec, "stop"), done(130 * msec)}},
			keys: []string{traces.KeySentTime, traces.KeyHeadersTime, traces.KeyFirstByteTime, traces.KeyFirstEventTime, traces.KeyEndMarkerTime,
				traces.KeyChunkCount, traces.KeyChunkGapMax, traces.KeyChars, traces.KeyHTTPStatus, traces.KeyTTFT, traces.KeyResponseModel, traces.KeyResponseID, traces.KeyFinishReasons, traces.KeyVisibility},
			want: `
			invoke_agent task 0-160 ok
			  chat m 0-160 ok 0.11 m-1 c1 [stop]
			    attempt 1 0-160 ok 20000000 60000000 70000000 70000000 140000000 2 10000000 3 200 none
			      connect 0-20
			      wait 20-130
			      output 130-140
			      tail 140-160`,
		},
		{
			name:  "counts that do not add up are said to be in doubt, and left out",
			reply: reply{head: 400 * msec, writes: []write{{400 * msec, `{"id":"c1","model":"m-1","choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":50,"completion_tokens_details":{"reasoning_tokens":1}}}`}}},
			keys:  []string{traces.KeyOutputTokens, traces.KeyUsageDoubt},
			want: `
			invoke_agent task 0-400 ok
			  chat m 0-400 ok
			    attempt 1 0-400 ok true
			      response 0-400`,
		},
		{
			name:  "a response that is not streamed is one phase",
			reply: reply{head: 400 * msec, writes: []write{{400 * msec, `{"id":"c1","model":"m-1","choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`}}},
			keys:  []string{traces.KeyInputTokens, traces.KeyOutputTokens, traces.KeyTTFT, traces.KeyFirstEventTime},
			want: `
			invoke_agent task 0-400 ok
			  chat m 0-400 ok 3 2
			    attempt 1 0-400 ok
			      response 0-400`,
		},
		{
			name: "the server's own timings split the wait",
			reply: reply{writes: []write{event(300*msec, `"content":"a"`), event(310*msec, `"content":"b"`),
				{320 * msec, `data: {"choices":[],"timings":{"prompt_ms":200},"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}` + "\n\n"}, done(320 * msec)}},
			want: `
			invoke_agent task 0-320 ok
			  chat m 0-320 ok
			    attempt 1 0-320 ok
			      wait 0-100
			      prefill 100-300 inferred
			      output 300-310
			      tail 310-320`,
		},
		{
			name: "a wait that holds hidden reasoning is a bound",
			reply: reply{writes: []write{event(300*msec, `"content":"a"`), event(310*msec, `"content":"b"`),
				{320 * msec, `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":7}}}` + "\n\n"}, done(320 * msec)}},
			keys: []string{traces.KeyVisibility, traces.KeyReasoningTokens},
			want: `
			invoke_agent task 0-320 ok
			  chat m 0-320 ok 7
			    attempt 1 0-320 ok hidden
			      wait 0-300 bound
			      output 300-310
			      tail 310-320`,
		},
		{
			name:  "an early end is truncated",
			reply: reply{writes: []write{event(100*msec, `"content":"a"`)}, end: 150 * msec},
			keys:  []string{traces.KeyErrorType},
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 truncated truncated
			    attempt 1 0-150 truncated truncated
			      wait 0-100
			      tail 100-150`,
		},
		{
			name:  "a reset is truncated",
			reply: reply{writes: []write{event(100*msec, `"content":"a"`)}, end: 150 * msec, cut: true},
			keys:  []string{traces.KeyErrorType},
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 truncated truncated
			    attempt 1 0-150 truncated truncated
			      wait 0-100
			      tail 100-150`,
		},
		{
			name:  "an error inside a 200 is an error",
			reply: reply{writes: []write{event(100*msec, `"content":"a"`), {150 * msec, `data: {"error":{"message":"sk-secret","type":"server_error"}}` + "\n\n"}}},
			keys:  []string{traces.KeyErrorType},
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 error server_error
			    attempt 1 0-150 error server_error
			      wait 0-100
			      tail 100-150`,
		},
		{
			name:  "what a server does after the end marker is not the response's time",
			reply: reply{writes: []write{event(100*msec, `"content":"a"`), done(150 * msec)}, end: 900 * msec},
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 ok
			    attempt 1 0-150 ok
			      wait 0-100
			      tail 100-150`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			simulate(t, tracer.Options{}, []reply{c.reply}, func(w *world) {
				w.net.SetLink("model", c.link)
				ctx, run := w.tracer.StartRun(w.Context(), "task", c.cfg)
				w.call(ctx)
				run.End(traces.OK)
				w.expect(c.want, c.keys...)
			})
		})
	}
}

func TestWhoEndsAStream(t *testing.T) {
	stream := reply{writes: []write{event(100*msec, `"content":"a"`), event(200*msec, `"content":"b"`), finish(300*msec, "stop"), done(310 * msec)}}
	cases := []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		read func(w *world, body io.ReadCloser)
		gone int
		want string
	}{
		{
			name: "closing early is cancelled, and cancels the request",
			read: func(w *world, body io.ReadCloser) { time.Sleep(150 * msec); body.Close() },
			gone: 1,
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 cancelled
			    attempt 1 0-150 cancelled
			      wait 0-100
			      tail 100-150`,
		},
		{
			name: "a cancelled context is cancelled",
			ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(150*msec, cancel)
				return ctx, cancel
			},
			read: func(w *world, body io.ReadCloser) {
				if _, err := io.ReadAll(body); !errors.Is(err, context.Canceled) {
					w.Errorf("got error %v, want that of the context", err)
				}
			},
			gone: 1,
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 cancelled
			    attempt 1 0-150 cancelled
			      wait 0-100
			      tail 100-150`,
		},
		{
			name: "a context cancelled with a cause of its own is cancelled all the same",
			ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				time.AfterFunc(150*msec, func() { cancel(errors.New("interrupt")) })
				return ctx, func() { cancel(nil) }
			},
			read: func(w *world, body io.ReadCloser) { _, _ = io.ReadAll(body) },
			gone: 1,
			want: `
			invoke_agent task 0-150 ok
			  chat m 0-150 cancelled
			    attempt 1 0-150 cancelled
			      wait 0-100
			      tail 100-150`,
		},
		{
			name: "a time limit is a timeout",
			ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 250*msec)
			},
			read: func(w *world, body io.ReadCloser) {
				if _, err := io.ReadAll(body); !errors.Is(err, context.DeadlineExceeded) {
					w.Errorf("got error %v, want that of the context", err)
				}
			},
			gone: 1,
			want: `
			invoke_agent task 0-250 ok
			  chat m 0-250 timeout
			    attempt 1 0-250 timeout
			      wait 0-100
			      output 100-200
			      tail 200-250`,
		},
		{
			name: "closing after the end marker is ok, however late",
			read: func(w *world, body io.ReadCloser) { time.Sleep(time.Second); body.Close() },
			want: `
			invoke_agent task 0-1000 ok
			  chat m 0-1000 ok
			    attempt 1 0-310 ok
			      wait 0-100
			      output 100-200
			      tail 200-310`,
		},
		{
			name: "a slow reader does not blur the arrivals",
			read: func(w *world, body io.ReadCloser) {
				for buf := make([]byte, 64); ; time.Sleep(170 * msec) {
					if _, err := body.Read(buf); err != nil {
						return
					}
				}
			},
			want: `
			invoke_agent task 0-950 ok
			  chat m 0-950 ok
			    attempt 1 0-310 ok
			      wait 0-100
			      output 100-200
			      tail 200-310`,
		},
		{
			name: "a call that ends before its body was closed is cancelled there",
			read: func(w *world, body io.ReadCloser) {
				time.Sleep(120 * msec)
				w.Cleanup(func() { body.Close() })
			},
			want: `
			invoke_agent task 0-120 ok
			  chat m 0-120 cancelled
			    attempt 1 0-120 cancelled
			      wait 0-100
			      tail 100-120`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			simulate(t, tracer.Options{}, []reply{stream}, func(w *world) {
				ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
				inner := ctx
				if c.ctx != nil {
					var cancel context.CancelFunc
					inner, cancel = c.ctx(ctx)
					defer cancel()
				}
				inner, call := tracer.StartModelCall(inner, tracer.ModelRequest{Model: "m"})
				resp, err := w.send(inner, request)
				if err != nil {
					t.Fatal(err)
				}
				c.read(w, resp.Body)
				call.End(nil)
				run.End(traces.OK)
				w.expect(c.want)
				time.Sleep(time.Second)
				resp.Body.Close()
				if w.gone != c.gone {
					t.Errorf("the server saw %d clients go away, want %d", w.gone, c.gone)
				}
			})
		})
	}
}

func TestAReaderThatHoldsUpTheNetworkIsSaid(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	simulate(t, tracer.Options{}, []reply{{writes: []write{event(100*msec, `"content":"`+huge+huge+`"`), done(100 * msec)}}}, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
		ctx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m"})
		resp, err := w.send(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil || n < 2<<20 {
			t.Errorf("got %d bytes, error %v", n, err)
		}
		resp.Body.Close()
		call.End(nil)
		run.End(traces.OK)
		if got := w.one("attempt 1").Attrs.String(traces.KeyPaced); got != "consumer" {
			t.Errorf("paced by %q, want consumer", got)
		}
	})
}
