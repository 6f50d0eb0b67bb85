package simmodel_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/traces"
)

const ms = time.Millisecond

func TestExactInstants(t *testing.T) {
	cfg := everything
	cfg.Chunks = true
	serve(t, cfg, func(t *testing.T, b *bench) {
		r := b.post(t.Context(), t, ask("go"))
		p := parse(t, r)
		// 5 tokens of reasoning at 100/s, 5 of text and 17 of calls at 40/s; the opening of a call comes after the last token of its name.
		want := parsed{
			Reasoning: p.Reasoning, Text: "Two files, please.", Finish: "tool_calls", Calls: p.Calls, Usage: p.Usage, Done: true,
			FirstReasoning: 300 * ms, LastReasoning: 340 * ms,
			FirstVisible: 365 * ms, LastVisible: 365*ms + 21*25*ms,
			DoneAt: 365*ms + 22*25*ms,

			ReasoningChunks: 5, TextChunks: 5, CallChunks: 10 + 5,
		}
		if d := cmp.Diff(want, p); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
		if r.Headers != 50*ms {
			t.Errorf("headers at %v", r.Headers)
		}
		if u := *p.Usage; u.Prompt != 5 || u.Completion != 5+22 || u.Total != u.Prompt+u.Completion || u.Out.Reasoning != 5 {
			t.Errorf("usage %+v", u)
		}
		var calls []string
		for i, c := range p.Calls {
			if c.Index != i || c.Type != "function" {
				t.Errorf("call %d: %+v", i, c)
			}
			calls = append(calls, c.Function.Name+c.Function.Arguments)
		}
		if d := cmp.Diff([]string{`read{"path":"a<b>.txt"}`, `list_dir{"path":"."}`}, calls); d != "" {
			t.Errorf("calls (-want +got):\n%s", d)
		}
	})
}

// The truth of a response is what its client saw, in phases that tile it.
func TestTruth(t *testing.T) {
	cfg := everything
	cfg.Chunks = true
	b := &bench{}
	var seen response
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		seen = b.post(t.Context(), t, ask("go", `,"seed":7`))
	})
	tr := b.truths[0]
	if len(tr.Chunks) != 5+5+15 {
		t.Errorf("%d chunks", len(tr.Chunks))
	}
	if tr.RequestID != seen.Header.Get("X-Request-Id") {
		t.Errorf("request id %q", tr.RequestID)
	}
	tr.Chunks, tr.ID, tr.Received = nil, "", time.Time{}
	want := simmodel.Truth{
		API: "chat", Request: 1, RequestID: "req_000001", Model: "exact", Effort: "medium", Asked: "medium", Script: "s", Attempt: 1, Stream: true,
		Speed: 1, Status: 200, Headers: 50 * ms,
		Phases: []simmodel.TruthPhase{
			{Phase: traces.Queue, Start: 0, End: 50 * ms},
			{Phase: traces.Prefill, Start: 50 * ms, End: 300 * ms, Tokens: 1},
			{Phase: traces.Reasoning, Start: 300 * ms, End: 340 * ms, Tokens: 4},
			{Phase: traces.Output, Start: 340 * ms, End: 465 * ms, Tokens: 5},
			{Phase: traces.ToolArgs, Start: 465 * ms, End: 890 * ms, Tokens: 17},
			{Phase: traces.Tail, Start: 890 * ms, End: 915 * ms},
		},
		End: 915 * ms, Finish: "tool_calls", Prompt: 5, Reasoning: 5, Output: 22, Streams: 1,
	}
	if d := cmp.Diff(want, tr); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestFiveStepsOf600Tokens(t *testing.T) {
	call := simmodel.Call{Name: "look", Args: `{"at":"it"}`}
	steps := []simmodel.Reply{simmodel.Padded(600, call), simmodel.Padded(600, call), simmodel.Padded(600, call),
		simmodel.Padded(600, call), {Text: simmodel.Filler(600)}}
	for rate, want := range map[float64]time.Duration{40: 75 * time.Second, 120: 25 * time.Second} {
		t.Run(fmt.Sprintf("at %v tokens a second", rate), func(t *testing.T) {
			cfg := simmodel.Config{Profiles: exact(simmodel.Exact{TTFT: time.Second, Rate: rate}), Scripts: script(steps...)}
			serve(t, cfg, func(t *testing.T, b *bench) {
				var decode time.Duration
				messages := `{"role":"user","content":"go"}`
				for i := range steps {
					p := parse(t, b.post(t.Context(), t, `{"model":"exact","stream":true,"messages":[`+messages+`]}`))
					if p.FirstVisible != time.Second {
						t.Errorf("step %d: first token at %v", i, p.FirstVisible)
					}
					if i < 4 != (p.Finish == "tool_calls") {
						t.Errorf("step %d: finish %q", i, p.Finish)
					}
					decode += p.DoneAt - p.FirstVisible
					messages += `,{"role":"assistant","content":"…"},{"role":"tool","tool_call_id":"x","content":"seen"}`
				}
				if decode != want {
					t.Errorf("decode took %v, want %v", decode, want)
				}
			})
		})
	}
}

func TestSpeedDividesEveryDuration(t *testing.T) {
	cfg := everything
	cfg.Speed = 10
	serve(t, cfg, func(t *testing.T, b *bench) {
		r := b.post(t.Context(), t, ask("go"))
		if p := parse(t, r); r.Headers != 5*ms || p.FirstReasoning != 30*ms || p.DoneAt != 91500*time.Microsecond {
			t.Errorf("headers %v, first %v, done %v", r.Headers, p.FirstReasoning, p.DoneAt)
		}
	})
}

func TestAWholeResponseTakesAsLongAsAStream(t *testing.T) {
	serve(t, everything, func(t *testing.T, b *bench) {
		r := b.post(t.Context(), t, strings.Replace(ask("go"), `"stream":true`, `"stream":false`, 1))
		if r.Headers != 915*ms || r.End != 915*ms {
			t.Errorf("headers %v, end %v", r.Headers, r.End)
		}
	})
}

func TestRequestsBeyondTheSlotsQueue(t *testing.T) {
	profiles := exact(simmodel.Exact{TTFT: 100 * ms, Rate: 10})
	profiles[0].Slots = 1
	serve(t, simmodel.Config{Profiles: profiles, Scripts: script(simmodel.Reply{Text: "yes"})}, func(t *testing.T, b *bench) {
		done := make(chan parsed, 3)
		for range 3 {
			go func() { done <- parse(t, b.post(t.Context(), t, ask("go"))) }()
			synctest.Wait()
		}
		for i := range 3 {
			if p := <-done; p.FirstVisible != time.Duration(i)*200*ms+100*ms {
				t.Errorf("request %d: first token at %v", i, p.FirstVisible)
			}
		}
	})
}

// decoded is what one stream of a published profile shows.
func decoded(t *testing.T, cfg simmodel.Config, model string, more string) (p parsed, truth simmodel.Truth) {
	t.Helper()
	b := &bench{}
	cfg.Scripts = script(simmodel.Reply{ReasoningTokens: 300, Text: simmodel.Filler(1000)})
	serve(t, cfg, func(t *testing.T, inner *bench) {
		b = inner
		p = parse(t, b.post(t.Context(), t, strings.Replace(ask("go", more), `"exact"`, `"`+model+`"`, 1)))
	})
	return p, b.truths[0]
}

func TestNoProfileBeatsItsCeiling(t *testing.T) {
	for _, profile := range simmodel.Published() {
		t.Run(profile.Name, func(t *testing.T) {
			profile.Background = 0 // as fast as it can be
			profile.StepOverhead = 0
			profile.Efficiency = 1
			p, truth := decoded(t, simmodel.Config{Profiles: []simmodel.Profile{profile}, Chunks: true}, profile.Name, "")
			rate := 999 / (p.LastVisible - p.FirstVisible).Seconds()
			speculative := profile.Draft.Tokens > 0
			if rate > profile.Ceiling() != speculative {
				t.Errorf("%.1f tokens/s at a ceiling of %.1f", rate, profile.Ceiling())
			}
			if speculative != (p.TextChunks < 1000) {
				t.Errorf("%d chunks for 1000 tokens", p.TextChunks)
			}
			for i, c := range truth.Chunks[1:] {
				gap, least := c.At-truth.Chunks[i].At, time.Duration(1e9/profile.Ceiling())
				if gap < least {
					t.Fatalf("chunk %d came %v after the one before, sooner than %v", i+1, gap, least)
				}
			}
		})
	}
}

func TestCeilings(t *testing.T) {
	got := map[string]string{}
	for _, p := range simmodel.Published() {
		got[p.Name] = fmt.Sprintf("ceiling %.1f, alone %.1f, in its batch %.1f tokens/s, prefill %.0f tokens/s", p.Ceiling(),
			1/p.Step(1, 2000).Seconds(), 1/p.Step(1+p.Background, 2000).Seconds(), p.PrefillRate())
	}
	want := map[string]string{
		"sim-dense-70b":      "ceiling 47.9, alone 34.5, in its batch 34.0 tokens/s, prefill 4948 tokens/s",
		"sim-dense-70b-spec": "ceiling 47.9, alone 30.3, in its batch 30.0 tokens/s, prefill 4948 tokens/s", // times 2.8 tokens a step
		"sim-moe-104b":       "ceiling 1158.4, alone 148.6, in its batch 38.3 tokens/s, prefill 51923 tokens/s",
		"sim-moe-49b":        "ceiling 1393.2, alone 155.4, in its batch 42.8 tokens/s, prefill 48465 tokens/s",
		"sim-moe-13b":        "ceiling 1832.5, alone 196.4, in its batch 60.3 tokens/s, prefill 91338 tokens/s",
		"sim-two-efforts":    "ceiling 1832.5, alone 196.4, in its batch 60.3 tokens/s, prefill 91338 tokens/s",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestSameRequestSameBytesSameTiming(t *testing.T) {
	play := func(seed int64, more string) (r response) {
		cfg := simmodel.Config{Seed: seed, Scripts: everything.Scripts}
		serve(t, cfg, func(t *testing.T, b *bench) {
			b.post(t.Context(), t, strings.Replace(ask("something else"), `"exact"`, `"sim-moe-13b"`, 1)) // leaves no trace
			r = b.post(t.Context(), t, strings.Replace(ask("go", more), `"exact"`, `"sim-moe-13b"`, 1))
		})
		r.Header = nil
		return r
	}
	first := play(1, `,"seed":3`)
	if d := cmp.Diff(first, play(1, `,"seed":3`)); d != "" {
		t.Errorf("a second time (-first +second):\n%s", d)
	}
	for name, other := range map[string]response{
		"another server seed":  play(2, `,"seed":3`),
		"another request seed": play(1, `,"seed":4`),
		"another effort":       play(1, `,"seed":3,"reasoning_effort":"high"`),
	} {
		if other.Body == first.Body || other.End == first.End {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestEffortMakesTheModelThinkLonger(t *testing.T) {
	reasoning := func(model, effort string) (string, int) {
		_, truth := decoded(t, simmodel.Config{}, model, `,"reasoning_effort":"`+effort+`"`)
		return truth.Effort, truth.Reasoning
	}
	for effort, want := range map[string]int{"none": 0, "minimal": 36, "low": 90, "medium": 300, "high": 720, "xhigh": 1200, "max": 1800} {
		word, n := reasoning("sim-moe-49b", effort)
		if word != effort || n < want*2/3 || n > want*3/2 {
			t.Errorf("%s: %d tokens at %s, want some %d", effort, n, word, want)
		}
	}
	for effort, want := range map[string]string{"low": "high", "medium": "high", "high": "high", "xhigh": "max", "max": "max"} {
		if word, _ := reasoning("sim-two-efforts", effort); word != want {
			t.Errorf("two efforts: %s is taken for %s, want %s", effort, word, want)
		}
	}
	_, low := reasoning("sim-two-efforts", "low")
	if _, high := reasoning("sim-two-efforts", "high"); low != high {
		t.Errorf("two efforts: %d tokens at low, %d at high", low, high)
	}
}

func TestACachedPrefixIsNotReadAgain(t *testing.T) {
	profile := simmodel.Published()[0]
	profile.CacheMiss, profile.Jitter = 0, simmodel.Jitter{}
	long := simmodel.Filler(4000)
	b := &bench{}
	serve(t, simmodel.Config{Profiles: []simmodel.Profile{profile}}, func(t *testing.T, inner *bench) {
		b = inner
		first := `{"model":"sim-dense-70b","stream":true,"messages":[{"role":"user","content":"` + long + `"}`
		b.post(t.Context(), t, first+`]}`)
		b.post(t.Context(), t, first+`,{"role":"assistant","content":"ok"},{"role":"user","content":"more"}]}`)
	})
	cold, warm := b.truths[0], b.truths[1]
	if cold.Prompt != 4004 || cold.Cached != 0 || warm.Prompt != 4014 || warm.Cached != 4000 {
		t.Errorf("cold %d of %d cached, warm %d of %d", cold.Cached, cold.Prompt, warm.Cached, warm.Prompt)
	}
	// One step and the prompt at 4,948 tokens a second.
	if got := cold.Phase(traces.Prefill).Round(ms); got != 839*ms {
		t.Errorf("cold prefill takes %v", got)
	}
	if got := warm.Phase(traces.Prefill).Round(ms); got != 33*ms {
		t.Errorf("warm prefill takes %v", got)
	}
}

func TestStreamsShareABatch(t *testing.T) {
	profile := simmodel.Published()[0]
	profile.Jitter = simmodel.Jitter{}
	cfg := simmodel.Config{Profiles: []simmodel.Profile{profile}, Scripts: script(simmodel.Reply{Text: simmodel.Filler(200)})}
	serve(t, cfg, func(t *testing.T, b *bench) {
		took := func(together int) time.Duration {
			done := make(chan time.Duration, together)
			for range together {
				go func() {
					p := parse(t, b.post(t.Context(), t, strings.Replace(ask("go"), `"exact"`, `"sim-dense-70b"`, 1)))
					done <- p.LastVisible - p.FirstVisible
				}()
			}
			var longest time.Duration
			for range together {
				longest = max(longest, <-done)
			}
			return longest
		}
		one, ten := took(1), took(10)
		if ten <= one || ten > 2*one {
			t.Errorf("one stream takes %v, each of ten %v", one, ten)
		}
	})
}
