package traces_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// addEvents puts phase events on records: "model wait@1 output@4.5 post reasoning@2" names a span, then phases and milliseconds.
func addEvents(t *testing.T, recs []traces.Record, events string) {
	t.Helper()
	var rec *traces.Record
	for _, word := range strings.Fields(events) {
		phase, at, ok := strings.Cut(word, "@")
		if !ok {
			for i := range recs {
				if recs[i].SpanID == word {
					rec = &recs[i]
				}
			}
			continue
		}
		ms, err := strconv.ParseFloat(at, 64)
		if err != nil || rec == nil {
			t.Fatal(events)
		}
		phase, quality, _ := strings.Cut(phase, ":")
		e := traces.Event{Name: traces.EventPhase, Time: tracetest.Epoch.Add(time.Duration(ms * 1e6)).UnixNano(), Attrs: traces.Attrs{{Key: traces.KeyPhase, Value: phase}}}
		if quality != "" {
			e.Attrs = e.Attrs.With(traces.KeyQuality, quality)
		}
		rec.Events = append(rec.Events, e)
	}
}

func TestPhasesFromEvents(t *testing.T) {
	for _, c := range []struct{ name, run, events, want, problem string }{
		{
			name: "each lasts until the next, the last one to the end", run: `
			run    ==========
			 model ==========`,
			events: "model wait@1 reasoning@3 output@5.5 tool_args@7 tail@9.000001",
			want: "model#connect 0s-1ms, model#wait 1ms-3ms, model#reasoning 3ms-5.5ms, model#output 5.5ms-7ms, model#tool_args 7ms-9.000001ms, " +
				"model#tail 9.000001ms-10ms",
		},
		{
			name: "several blocks of one kind are several phases", run: `
			run    ==========
			 model ==========`,
			events: "model reasoning@2 output@3 reasoning@4 tool_args@5 tool_args@7",
			want: "model#wait 0s-2ms, model#reasoning 2ms-3ms, model#output 3ms-4ms, model#reasoning.2 4ms-5ms, model#tool_args 5ms-7ms, " +
				"model#tool_args.2 7ms-10ms",
		},
		{
			name: "their order carries no meaning, and repeats none", run: `
			run    ==========
			 model ==========`,
			events: "model output@5 wait@1 output@5 reasoning@3",
			want:   "model#connect 0s-1ms, model#wait 1ms-3ms, model#reasoning 3ms-5ms, model#output 5ms-10ms",
		},
		{
			name: "a kind that nobody knows is a response", run: `
			run    ==========
			 model ==========`,
			events: "model wait@0 image@4 output@6",
			want:   "model#wait 0s-4ms, model#response 4ms-6ms, model#output 6ms-10ms",
		},
		{
			name: "one outside of its span is left out", run: `
			run     ============
			 model   =========`,
			events:  "model wait@0 reasoning@3 output@11",
			want:    "model#wait 1ms-3ms, model#reasoning 3ms-10ms",
			problem: "wait event of \"model\" lies outside of its span; left out; output event of \"model\" lies outside of its span; left out",
		},
		{
			name: "one at the very end says nothing", run: `
			run    ==========
			 model ==========`,
			events: "model output@4 tail@10",
			want:   "model#wait 0s-4ms, model#output 4ms-10ms",
		},
		{
			name: "an attempt's own events beat those of its call", run: `
			run       ==========
			 model    ==========
			  attempt  ========`,
			events: "model output@2 attempt wait@2 output@6",
			want:   "attempt#connect 1ms-2ms, attempt#wait 2ms-6ms, attempt#output 6ms-9ms",
		},
		{
			name: "a call's events go to the attempt of their time, the last beyond its span", run: `
			run            ==============
			 model         ==============
			  POST1:client  ===              status:429
			  POST2:client       ===         status:200`,
			events: "model wait@2 wait@5 wait@7 output@8.5 tail@12",
			want: "POST1#connect 1ms-2ms, POST1#wait 2ms-4ms, POST2#connect 6ms-7ms, POST2#wait 7ms-8.5ms, POST2#output 8.5ms-9ms, " +
				"model#output 9ms-12ms, model#tail 12ms-14ms",
		},
		{
			name: "what was sent when beats the first event", run: `
			run       ==========
			 model    ==========
			  attempt ==========    longpole.sent_ns=1000000`,
			events: "attempt output@4",
			want:   "attempt#connect 0s-1ms, attempt#wait 1ms-4ms, attempt#output 4ms-10ms",
		},
		{
			name: "they beat the reported first chunk", run: `
			run    ==========
			 model ==========  ttft:4`,
			events: "model reasoning@3",
			want:   "model#wait 0s-3ms, model#reasoning 3ms-10ms",
		},
		{
			name: "phase spans beat them", run: `
			run       ==========
			 model    ==========
			  attempt wwwwoooooo`,
			events: "attempt reasoning@2",
			want:   "attempt/wait 0s-4ms, attempt/output 4ms-10ms",
		},
		{
			name: "a call that goes on is in the last of them", run: `
			run    =====>
			 model =====>`,
			events: "model wait@1 reasoning@3",
			want:   "model#connect 0s-1ms, model#wait 1ms-3ms, model#reasoning 3ms-5ms",
		},
		{
			name: "they may say that they are inferred", run: `
			run    ==========
			 model ==========`,
			events: "model reasoning:inferred@2 output@6",
			want:   "model#wait 0s-2ms, model#reasoning 2ms-6ms inferred, model#output 6ms-10ms",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			recs := tracetest.Records(t, c.run)
			addEvents(t, recs, c.events)
			runs, _ := traces.Build(recs)
			var problems []string
			for _, p := range runs[0].Problems {
				if p.Code == traces.BadAttribute {
					problems = append(problems, p.Message)
				}
			}
			if got := phasesOf(runs[0]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := strings.Join(problems, "; "); got != c.problem {
				t.Errorf("got problems %s\nwant %s", got, c.problem)
			}
			if err := checkRun(runs[0]); err != nil {
				t.Error(err)
			}
		})
	}
}

func phasesOf(run *traces.Run) string {
	var list []string
	for _, call := range run.ModelCalls {
		for _, a := range call.Attempts {
			for _, p := range a.Phases {
				quality := ""
				if p.Quality != traces.Measured {
					quality = " " + string(p.Quality)
				}
				list = append(list, fmt.Sprintf("%s %v-%v%s", p.Span.ID, p.Start, p.End, quality))
			}
		}
	}
	return strings.Join(list, ", ")
}

func TestEventsOfWhichSomeWereCutOffAreNotBelieved(t *testing.T) {
	recs := tracetest.Records(t, `
		run    ==========
		 model ==========  ttft:2`)
	addEvents(t, recs, "model output@5")
	recs[1].Dropped.Events = 1
	runs, _ := traces.Build(recs)
	if got, want := phasesOf(runs[0]), "model#wait 0s-2ms, model#response 2ms-10ms"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
