package simmodel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/traces"
)

// tenTokens takes a second to its end, with a first token at 100 ms.
func tenTokens(f simmodel.Faults) simmodel.Config {
	return simmodel.Config{
		Profiles: exact(simmodel.Exact{TTFT: 100 * ms, Rate: 10}),
		Scripts:  script(simmodel.Reply{Text: simmodel.Filler(10)}),
		Faults:   f,
	}
}

func TestFaults(t *testing.T) {
	type seen struct {
		Status     int
		Headers    time.Duration
		Chunks     int // of text
		Last       time.Duration
		End        time.Duration
		Done       bool
		RetryAfter string
	}
	for _, test := range []struct {
		name    string
		fault   simmodel.Fault
		want    seen
		wantErr error
		finish  string
		phases  []simmodel.TruthPhase
	}{
		{
			name:   "429 asks for a pause in modelled seconds",
			fault:  simmodel.Fault{Kind: simmodel.RateLimit, For: 7 * time.Second},
			want:   seen{Status: 429, RetryAfter: "7"},
			finish: "error",
		},
		{
			name:   "429 says milliseconds where seconds are too coarse",
			fault:  simmodel.Fault{Kind: simmodel.RateLimit, For: 1250 * ms},
			want:   seen{Status: 429, RetryAfter: "2 1250"},
			finish: "error",
		},
		{
			name:   "500",
			fault:  simmodel.Fault{Kind: simmodel.ServerError},
			want:   seen{Status: 500},
			finish: "error",
		},
		{
			name:   "slow headers put off everything",
			fault:  simmodel.Fault{Kind: simmodel.SlowHeaders, For: 4 * time.Second},
			want:   seen{Status: 200, Headers: 4 * time.Second, Chunks: 10, Last: 5 * time.Second, End: 5100 * ms, Done: true},
			finish: "stop",
			phases: []simmodel.TruthPhase{
				{Phase: traces.Queue, End: 4 * time.Second},
				{Phase: traces.Prefill, Start: 4 * time.Second, End: 4100 * ms, Tokens: 1},
				{Phase: traces.Output, Start: 4100 * ms, End: 5 * time.Second, Tokens: 9},
				{Phase: traces.Tail, Start: 5 * time.Second, End: 5100 * ms},
			},
		},
		{
			name:   "a stall is a gap in the stream",
			fault:  simmodel.Fault{Kind: simmodel.Stall, After: 4, For: 3 * time.Second},
			want:   seen{Status: 200, Chunks: 10, Last: 4 * time.Second, End: 4100 * ms, Done: true},
			finish: "stop",
			phases: []simmodel.TruthPhase{
				{Phase: traces.Prefill, End: 100 * ms, Tokens: 1},
				{Phase: traces.Output, Start: 100 * ms, End: 400 * ms, Tokens: 3},
				{Phase: traces.Stall, Start: 400 * ms, End: 3500 * ms, Tokens: 1},
				{Phase: traces.Output, Start: 3500 * ms, End: 4 * time.Second, Tokens: 5},
				{Phase: traces.Tail, Start: 4 * time.Second, End: 4100 * ms},
			},
		},
		{
			name:    "a cut ends the connection, not the body",
			fault:   simmodel.Fault{Kind: simmodel.Cut, After: 3},
			want:    seen{Status: 200, Chunks: 3, Last: 300 * ms, End: 300 * ms},
			wantErr: io.ErrUnexpectedEOF,
			finish:  "cut",
			phases: []simmodel.TruthPhase{
				{Phase: traces.Prefill, End: 100 * ms, Tokens: 1},
				{Phase: traces.Output, Start: 100 * ms, End: 300 * ms, Tokens: 2},
			},
		},
		{
			name:    "a cut in the middle, if it does not say where",
			fault:   simmodel.Fault{Kind: simmodel.Cut},
			want:    seen{Status: 200, Chunks: 5, Last: 500 * ms, End: 500 * ms},
			wantErr: io.ErrUnexpectedEOF,
			finish:  "cut",
			phases: []simmodel.TruthPhase{
				{Phase: traces.Prefill, End: 100 * ms, Tokens: 1},
				{Phase: traces.Output, Start: 100 * ms, End: 500 * ms, Tokens: 4},
			},
		},
		{
			name:    "a cut after the last token leaves out the end",
			fault:   simmodel.Fault{Kind: simmodel.Cut, After: 99},
			want:    seen{Status: 200, Chunks: 10, Last: time.Second, End: time.Second},
			wantErr: io.ErrUnexpectedEOF,
			finish:  "cut",
			phases: []simmodel.TruthPhase{
				{Phase: traces.Prefill, End: 100 * ms, Tokens: 1},
				{Phase: traces.Output, Start: 100 * ms, End: time.Second, Tokens: 9},
			},
		},
		{
			name:    "a reset is seen as one",
			fault:   simmodel.Fault{Kind: simmodel.Reset, After: 1},
			want:    seen{Status: 200, Chunks: 1, Last: 100 * ms, End: 100 * ms},
			wantErr: syscall.ECONNRESET,
			finish:  "cut",
			phases:  []simmodel.TruthPhase{{Phase: traces.Prefill, End: 100 * ms, Tokens: 1}},
		},
		{
			name:   "an early end is no error of the transport",
			fault:  simmodel.Fault{Kind: simmodel.EarlyEnd, After: 1},
			want:   seen{Status: 200, Chunks: 1, Last: 100 * ms, End: 100 * ms},
			finish: "cut",
			phases: []simmodel.TruthPhase{{Phase: traces.Prefill, End: 100 * ms, Tokens: 1}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.fault.Request = 2
			b := &bench{}
			serve(t, tenTokens(simmodel.Faults{List: []simmodel.Fault{test.fault}}), func(t *testing.T, inner *bench) {
				b = inner
				for n := 1; n <= 3; n++ {
					r := b.post(t.Context(), t, ask("go"))
					if n != 2 {
						if p := parse(t, r); !p.Done || p.DoneAt != 1100*ms {
							t.Errorf("request %d is hit too", n)
						}
						continue
					}
					if !errors.Is(r.Err, test.wantErr) {
						t.Errorf("error %v, want %v", r.Err, test.wantErr)
					}
					p := parse(t, r)
					got := seen{r.Status, r.Headers, p.TextChunks, p.LastVisible, r.End, p.Done,
						strings.TrimSpace(r.Header.Get("Retry-After") + " " + r.Header.Get("Retry-After-Ms"))}
					if d := cmp.Diff(test.want, got); d != "" {
						t.Errorf("-want +got:\n%s", d)
					}
				}
			})
			truth := b.truths[1]
			if truth.Fault != test.fault.Kind || truth.Finish != test.finish || truth.Status != test.want.Status {
				t.Errorf("truth: fault %q, finish %q, status %d", truth.Fault, truth.Finish, truth.Status)
			}
			if d := cmp.Diff(test.phases, truth.Phases); d != "" {
				t.Errorf("phases (-want +got):\n%s", d)
			}
		})
	}
}

func TestADrawnFaultSparesTheRetry(t *testing.T) {
	for name, header := range map[string][]string{
		"a client that counts its retries": {"X-Stainless-Retry-Count", "1"},
		"a client that does not":           nil,
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{}
			serve(t, tenTokens(simmodel.Faults{Cut: 1}), func(t *testing.T, inner *bench) {
				b = inner
				for range 2 { // conversations: the second has the fault of the first
					b.post(t.Context(), t, ask("go"))
					b.post(t.Context(), t, ask("go"), header...)
				}
			})
			for i, truth := range b.truths {
				want, fault := "cut", simmodel.Cut
				if i%2 == 1 {
					want, fault = "stop", ""
				}
				if truth.Finish != want || truth.Fault != fault || truth.Attempt != i%2+1 {
					t.Errorf("request %d: attempt %d, fault %q, finish %q", i, truth.Attempt, truth.Fault, truth.Finish)
				}
			}
		})
	}
}

func TestFaultsAreDrawnAsOftenAsAsked(t *testing.T) {
	const n = 2000
	faults := simmodel.Faults{RateLimit: 0.1, ServerError: 0.05, SlowHeaders: 0.05, Stall: 0.1, Cut: 0.2}
	count := map[simmodel.FaultKind]int{}
	b := &bench{}
	cfg := tenTokens(simmodel.Faults{Cut: 1})
	cfg.Profiles[0].Faults = &faults // beats the server's
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		for i := range n {
			b.post(t.Context(), t, ask("go", fmt.Sprintf(`,"seed":%d`, i)))
		}
	})
	for _, truth := range b.truths {
		count[truth.Fault]++
	}
	for kind, p := range map[simmodel.FaultKind]float64{"": 0.5, simmodel.RateLimit: 0.1, simmodel.ServerError: 0.05,
		simmodel.SlowHeaders: 0.05, simmodel.Stall: 0.1, simmodel.Cut: 0.2} {
		if got := float64(count[kind]) / n; math.Abs(got-p) > 0.04 {
			t.Errorf("%q hits %.3f of the requests, want %.3f", kind, got, p)
		}
	}
}

func TestAClientThatGoesAwayStopsTheWork(t *testing.T) {
	for _, test := range []struct {
		name   string
		after  time.Duration
		phases []simmodel.TruthPhase
	}{
		{"before the first token", 50 * ms, []simmodel.TruthPhase{{Phase: traces.Prefill, End: 50 * ms}}},
		{"in mid-stream", 250 * ms, []simmodel.TruthPhase{
			{Phase: traces.Prefill, End: 100 * ms, Tokens: 1},
			{Phase: traces.Output, Start: 100 * ms, End: 200 * ms, Tokens: 1},
			{Phase: traces.Tail, Start: 200 * ms, End: 250 * ms},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bench{}
			serve(t, tenTokens(simmodel.Faults{}), func(t *testing.T, inner *bench) {
				b = inner
				ctx, cancel := context.WithTimeout(t.Context(), test.after)
				defer cancel()
				if r := b.post(ctx, t, ask("go")); !errors.Is(r.Err, context.DeadlineExceeded) {
					t.Errorf("error %v", r.Err)
				}
			})
			truth := b.truths[0]
			if truth.Finish != "cancelled" || truth.End != test.after {
				t.Errorf("finish %q at %v", truth.Finish, truth.End)
			}
			if d := cmp.Diff(test.phases, truth.Phases); d != "" {
				t.Errorf("phases (-want +got):\n%s", d)
			}
		})
	}
}

// Whatever happens to a request: its phases tile its time, its tokens are in them, and its client saw it end then.
func TestPhasesTileEveryRequest(t *testing.T) {
	for _, profile := range simmodel.Published() {
		t.Run(profile.Name, func(t *testing.T) {
			cfg := simmodel.Config{
				Profiles: []simmodel.Profile{profile},
				Scripts:  everything.Scripts,
				Faults:   simmodel.Faults{RateLimit: 0.1, SlowHeaders: 0.1, Stall: 0.3, Cut: 0.3},
			}
			var ends []time.Duration
			b := &bench{}
			serve(t, cfg, func(t *testing.T, inner *bench) {
				b = inner
				for seed := range 40 {
					body := strings.Replace(ask("go", fmt.Sprintf(`,"seed":%d`, seed)), `"exact"`, `"`+profile.Name+`"`, 1)
					ends = append(ends, b.post(t.Context(), t, body).End)
				}
			})
			for i, truth := range b.truths {
				if truth.End != ends[i] {
					t.Errorf("request %d ends at %v, for its client at %v", i, truth.End, ends[i])
				}
				if truth.Status != 200 {
					continue
				}
				var at time.Duration
				tokens := 0
				for _, p := range truth.Phases {
					if p.Start != at || p.End <= p.Start {
						t.Errorf("request %d: %s from %v to %v after %v", i, p.Phase, p.Start, p.End, at)
					}
					at, tokens = p.End, tokens+p.Tokens
				}
				if at != truth.End || tokens != truth.Reasoning+truth.Output {
					t.Errorf("request %d: phases end at %v of %v, with %d tokens of %d", i, at, truth.End, tokens, truth.Reasoning+truth.Output)
				}
			}
		})
	}
}
