package join_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/dialect"
	"github.com/seed46266073/longpole/traces/join"
	"github.com/seed46266073/longpole/traces/otlp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var samples = []string{"ai7-chat-stream", "ai7-chat-faults1", "qwen-faults1", "opencode-base", "sdk-anthropic-faults1"}

// A request is what a scripted server noted of one request of a real agent; times are milliseconds since the first one.
type request struct {
	UnixMS      int64   `json:"unix_ms"`
	At          float64 `json:"t_ms"`
	Sent        float64 `json:"body_received_ms"`
	Model       string
	Traceparent string
	Fresh       []string `json:"fresh_results"` // ids of the tool calls whose results it brings
	Truth       struct {
		Main    bool
		Step    int
		Outcome string
		Status  int
		Planned *struct{ Calls []struct{ Name string } }
		Usage   *struct{ In, Cached, Out, Rea int64 }

		FirstReasoning *float64 `json:"first_reasoning_ms"`
		LastReasoning  *float64 `json:"last_reasoning_ms"`
		FirstText      *float64 `json:"first_text_ms"`
		FirstTool      *float64 `json:"first_tool_call_ms"`
		LastTool       *float64 `json:"last_tool_call_ms"`
		End            float64  `json:"end_ms"`
	}
}

func readRequests(t *testing.T, name string) []request {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name, "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []request
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func readSpans(t *testing.T, name string) []traces.Record {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name, "spans.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	spans, problems, err := otlp.Read(f)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	spans, _ = dialect.Normalise(spans)
	return spans
}

// A wire makes the records that a proxy writes of requests.
type wire struct {
	zero    int64 // instant of the first request
	records []traces.Record
}

func (w *wire) span(parent *traces.Record, role traces.Role, name string, from, to float64, attrs ...traces.Attr) *traces.Record {
	at := func(ms float64) int64 { return w.zero + int64(math.Round(ms*1000))*1000 }
	r := traces.Record{TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: fmt.Sprintf("b7ad6b71692033%02x", len(w.records)), Name: name, Kind: traces.KindInternal,
		Start: at(from), End: at(to), Attrs: append(traces.Attrs{{Key: traces.KeyRole, Value: string(role)}}, attrs...), Scope: "wire"}
	if parent != nil {
		r.ParentID = parent.SpanID
	}
	if role == traces.RoleModel || role == traces.RoleAttempt {
		r.Kind = traces.KindClient
	}
	w.records = append(w.records, r)
	return &r
}

func attr(key string, value any) traces.Attr { return traces.Attr{Key: key, Value: value} }

// onTheWire returns the run as a proxy records it: from and to are when the command began and ended.
func onTheWire(requests []request, from, to int64) []traces.Record {
	w := &wire{zero: requests[0].UnixMS * 1e6}
	ms := func(at int64) float64 { return float64(at-w.zero) / 1e6 }
	root := w.span(nil, traces.RoleAgent, "invoke_agent my-agent", ms(from), ms(to), attr(traces.KeyRunID, "run1"), attr(traces.KeyRunName, "my-agent"))
	var tools []*traces.Record // of the step before
	steps := 0
	for len(requests) > 0 {
		n := 1 // attempts of one call
		for n < len(requests) && requests[n].Truth.Main == requests[0].Truth.Main && requests[n].Truth.Step == requests[0].Truth.Step {
			n++
		}
		attempts, last := requests[:n], requests[n-1]
		requests = requests[n:]
		next, results := last.Truth.End, []string(nil) // when the results of its tools came back
		for _, r := range requests {
			if r.Truth.Main {
				next, results = r.At, r.Fresh
				break
			}
		}
		var calls []struct{ Name string }
		if p := last.Truth.Planned; p != nil && last.Truth.Outcome == "ok" {
			calls = p.Calls
		}
		parent := root
		if last.Truth.Main {
			steps++
			end := last.Truth.End
			if len(calls) > 0 {
				end = next
			}
			parent = w.span(root, traces.RoleStep, fmt.Sprintf("step %d", steps), attempts[0].At, end, attr(traces.KeyStepIndex, int64(steps)))
		}
		call := w.call(parent, attempts, tools)
		tools = nil
		for i, c := range calls {
			tool := w.span(parent, traces.RoleTool, "execute_tool "+c.Name, last.Truth.End, next, attr(traces.KeyToolName, c.Name),
				attr(traces.KeyQuality, string(traces.Bound)), attr(traces.KeyToolCallID, results[i]))
			w.records[len(w.records)-1].Links = []traces.Link{{TraceID: call.TraceID, SpanID: call.SpanID}}
			tools = append(tools, tool)
		}
	}
	return w.records
}

// call makes a model call with its attempts, and links it to the tools whose results it brings.
func (w *wire) call(parent *traces.Record, attempts []request, tools []*traces.Record) *traces.Record {
	first, last := attempts[0], attempts[len(attempts)-1]
	attrs := traces.Attrs{attr(traces.KeyOperation, "chat"), attr(traces.KeyProvider, "openai"), attr(traces.KeyRequestModel, last.Model),
		attr(traces.KeyRequestStream, true), attr(traces.KeyOutcome, string(outcome(last)))}
	if !first.Truth.Main {
		attrs = append(attrs, attr(traces.KeySide, true))
	}
	if u := last.Truth.Usage; u != nil && last.Truth.Outcome == "ok" {
		attrs = append(attrs, attr(traces.KeyInputTokens, u.In), attr(traces.KeyCachedTokens, u.Cached), attr(traces.KeyOutputTokens, u.Out), attr(traces.KeyReasoningTokens, u.Rea))
	}
	if at := last.Truth.FirstReasoning; at != nil {
		attrs = append(attrs, attr(traces.KeyTTFT, (*at-last.Sent)/1000))
	}
	call := w.span(parent, traces.RoleModel, "chat "+last.Model, first.At, last.Truth.End, attrs...)
	for _, tool := range tools {
		r := &w.records[len(w.records)-1]
		r.Links = append(r.Links, traces.Link{TraceID: tool.TraceID, SpanID: tool.SpanID, Attrs: traces.Attrs{attr(traces.KeyDep, true)}})
	}
	for i, r := range attempts {
		if i > 0 {
			w.span(call, traces.RoleWait, "backoff", attempts[i-1].Truth.End, r.At, attr(traces.KeyWait, "backoff"))
		}
		attrs := traces.Attrs{attr(traces.KeyOp, call.SpanID), attr(traces.KeyAttempt, int64(i+1)), attr(traces.KeyHTTPMethod, "POST"), attr(traces.KeyHTTPStatus, int64(r.Truth.Status)),
			attr(traces.KeySentTime, int64((r.Sent-r.At)*1e6)), attr(traces.KeyOutcome, string(outcome(r)))}
		if r.Traceparent != "" {
			attrs = append(attrs, attr(traces.KeyTraceparent, r.Traceparent))
		}
		attempt := w.span(call, traces.RoleAttempt, fmt.Sprintf("attempt %d", i+1), r.At, r.Truth.End, attrs...)
		w.phases(attempt, r)
	}
	return call
}

func (w *wire) phases(attempt *traces.Record, r request) {
	at := r.At
	until := func(kind traces.Component, to *float64) {
		if to != nil && *to > at {
			w.span(attempt, traces.RolePhase, string(kind), at, *to, attr(traces.KeyPhase, string(kind)))
			at = *to
		}
	}
	until(traces.Connect, &r.Sent)
	until(traces.Wait, r.Truth.FirstReasoning)
	until(traces.Reasoning, r.Truth.LastReasoning)
	if r.Truth.FirstText != nil {
		until(traces.Output, r.Truth.FirstTool)
		until(traces.ToolArgs, r.Truth.LastTool)
		until(traces.Output, &r.Truth.End)
	}
	until(traces.Tail, &r.Truth.End)
}

func outcome(r request) traces.Outcome {
	switch r.Truth.Outcome {
	case "ok":
		return traces.OK
	case "fault_disconnect":
		return traces.Truncated
	}
	return traces.Error
}

// sample returns both sides of a recording.
func sample(t *testing.T, name string) (requests []request, onWire, spans []traces.Record) {
	t.Helper()
	requests, spans = readRequests(t, name), readSpans(t, name)
	from := requests[0].UnixMS * 1e6
	to := from
	for _, s := range spans {
		from, to = min(from, s.Start), max(to, s.End)
	}
	for _, r := range requests {
		to = max(to, requests[0].UnixMS*1e6+int64(r.Truth.End*1e6))
	}
	const margin = int64(10 * time.Millisecond)
	return requests, onTheWire(requests, from-margin, to+margin), spans
}

// What real agents and SDKs wrote of themselves, joined with what the server they talked to saw.
func TestSamples(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			requests, onWire, spans := sample(t, name)
			records, problems := join.Join(onWire, spans)
			checkJoined(t, onWire, spans, records, problems)
			if diff := differ(records, first(join.Join(records, spans))); diff != "" {
				t.Errorf("joined again (-once +again):\n%s", diff)
			}
			runs, more := traces.Build(records)
			if len(runs) != 1 || runs[0].ID != "run1" {
				t.Fatalf("got %d runs, want run1", len(runs))
			}
			run := runs[0]
			var expected struct {
				Requests  int               `json:"llm_requests"`
				Side      int               `json:"side_requests"`
				Completed int               `json:"completed_steps"`
				Failed    []json.RawMessage `json:"failed_attempts"`
				Tools     []json.RawMessage `json:"tool_calls"`
			}
			text, err := os.ReadFile(filepath.Join("testdata", name, "expected.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &expected); err != nil {
				t.Fatal(err)
			}
			steps, calls := map[int]bool{}, map[string]bool{}
			for _, r := range requests {
				if r.Truth.Main {
					steps[r.Truth.Step] = true
				}
				calls[fmt.Sprint(r.Truth.Main, r.Truth.Step)] = true
			}
			type count struct{ Steps, Completed, Calls, Side, Attempts, Failed, Tools int }
			want := count{len(steps), expected.Completed, len(calls), expected.Side, expected.Requests, len(expected.Failed), len(expected.Tools)}
			got := count{Steps: len(run.Steps), Calls: len(run.ModelCalls), Tools: len(run.ToolCalls)}
			starts := map[time.Duration]bool{}
			for _, c := range run.ModelCalls {
				if c.Side {
					got.Side++
				} else if c.Outcome == traces.OK {
					got.Completed++
				}
				for _, a := range c.Attempts {
					got.Attempts++
					starts[a.Span.Start] = true
					if a.Span.Has(traces.FlagFailed) {
						got.Failed++
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			for _, r := range requests {
				at := time.Unix(0, requests[0].UnixMS*1e6+int64(math.Round(r.At*1000))*1000).Sub(run.Start)
				if !starts[at] {
					t.Errorf("no attempt began %s after the run, as a request did", at)
				}
			}
			path := critpath.Find(run)
			var sum time.Duration
			parts := map[traces.Component]time.Duration{}
			for _, s := range path.Segments {
				sum += s.To - s.From
				parts[s.Component] += s.To - s.From
			}
			if sum != run.Wall {
				t.Errorf("the components add up to %v, want %v", sum, run.Wall)
			}
			golden(t, filepath.Join("testdata", name, "run.golden"), summary(run, parts, append(problems, more...), path))
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// summary draws the run: the spans that have a role, with their times in milliseconds, and what the path is made of.
func summary(run *traces.Run, parts map[traces.Component]time.Duration, problems []traces.Problem, path *critpath.Path) string {
	var b strings.Builder
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/1e6) }
	fmt.Fprintf(&b, "%s %s\n", run.Name, ms(run.Wall))
	depth := map[*traces.Span]int{}
	for _, s := range run.Spans {
		if s.Parent != nil {
			depth[s] = depth[s.Parent]
		}
		switch s.Role {
		case traces.RoleAgent, traces.RoleStep, traces.RoleModel, traces.RoleAttempt, traces.RoleTool, traces.RoleWait:
		default:
			continue
		}
		depth[s]++
		fmt.Fprintf(&b, "%*s%s %s %s..%s\n", 2*depth[s], "", s.Role, s.Name, ms(s.Start), ms(s.End))
	}
	for _, c := range traces.Components {
		if d := parts[c]; d > 0 {
			fmt.Fprintf(&b, "%s %s\n", c, ms(d))
		}
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Code, p.Message)
	}
	odd := map[traces.ProblemCode]int{}
	for _, p := range append(run.Problems, path.Problems...) {
		odd[p.Code]++
	}
	for _, code := range slices.Sorted(maps.Keys(odd)) {
		fmt.Fprintf(&b, "%d %s\n", odd[code], code)
	}
	return b.String()
}
