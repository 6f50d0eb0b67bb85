package tracer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/traces"
)

// sofar draws the checkpoints of an attempt: when each was, and what it tells, in milliseconds since the world began.
func (w *world) sofar() string {
	var b strings.Builder
	for _, r := range w.sink.all() {
		at, ok := r.Attrs.Int(traces.KeyCheckpoint)
		if !ok {
			continue
		}
		since := func(ns int64) int64 { return (ns - w.start.UnixNano()) / 1e6 }
		fmt.Fprintf(&b, "%d:", since(at))
		if status, ok := r.Attrs.Int(traces.KeyHTTPStatus); ok {
			fmt.Fprintf(&b, " %d", status)
		}
		for _, key := range []string{traces.KeyLastByte, traces.KeyLastEvent, traces.KeyLastToken, traces.KeyHiddenSince} {
			if ns, ok := r.Attrs.Int(key); ok {
				word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(key, "longpole."), "last_"), "_")
				fmt.Fprintf(&b, " %s %d", word, since(ns))
			}
		}
		if kind := r.Attrs.String(traces.KeyLastKind); kind != "" {
			fmt.Fprintf(&b, " of %s", kind)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestACheckpointTellsWhatCameLast(t *testing.T) {
	cases := []struct {
		name   string
		reply  reply
		killed time.Duration
		want   string
	}{
		{
			"when the request has been sent, and every second while nothing comes",
			reply{head: time.Hour}, 2600 * msec,
			"25:\n1025:\n2025:\n",
		},
		{
			"a quarter of a second after the headers, the first token and another kind, else every second",
			reply{head: 1100 * msec, writes: []write{event(1200*msec, `"reasoning":"a"`), {1300 * msec, ": ping\n\n"}, event(1400*msec, `"reasoning":"b"`),
				event(4000*msec, `"content":"c"`)}, end: time.Hour}, 4500 * msec,
			`25:
1025:
1350: 200 byte 1300 event 1200 token 1200 of reasoning
2350: 200 byte 1400 event 1400 token 1400 of reasoning
3350: 200 byte 1400 event 1400 token 1400 of reasoning
4250: 200 byte 4000 event 4000 token 4000 of output
`,
		},
		{
			"at most four times a second, however often the kind changes",
			reply{writes: []write{event(300*msec, `"reasoning":"a"`), event(320*msec, `"content":"b"`), event(340*msec, `"reasoning":"c"`),
				event(360*msec, `"content":"d"`)}, end: time.Hour}, 1500 * msec,
			"25: 200\n550: 200 byte 360 event 360 token 360 of output\n",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			simulate(t, tracer.Options{}, []reply{c.reply}, func(w *world) {
				ctx, _ := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
				go w.call(ctx)
				time.Sleep(c.killed)
				if got := w.sofar(); got != c.want {
					t.Errorf("got\n%swant\n%s", got, c.want)
				}
			})
		})
	}
}

func TestAnAttemptKeepsHowLongTheServerAskedToWait(t *testing.T) {
	refused := reply{status: 429, header: "retry-after: 20"}
	simulate(t, tracer.Options{}, []reply{refused}, func(w *world) {
		ctx, run := w.tracer.StartRun(w.Context(), "task", tracer.RunConfig{})
		_ = w.call(ctx)
		run.End(traces.Error)
		attempt := w.one("attempt 1")
		if wait, _ := attempt.Attrs.Int(traces.KeyRetryAfter); time.Duration(wait) != 20*time.Second {
			t.Errorf("got %v, want 20s", time.Duration(wait))
		}
		if attempt.Attrs.Has(traces.KeyLastByte) {
			t.Error("a finished attempt tells what came last")
		}
	})
}
