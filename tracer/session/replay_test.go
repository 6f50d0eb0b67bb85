package session_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A recorded request, as in testdata/*/requests.jsonl: what a client sent, and what the server knows of it.
type recorded struct {
	N       int               `json:"n"`
	UnixMS  int64             `json:"unix_ms"`
	At      float64           `json:"t_ms"`
	Read    float64           `json:"body_received_ms"`
	Conn    int64             `json:"conn"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Truth   struct {
		Main    bool `json:"main"`
		Planned *struct {
			Calls []struct {
				Name string `json:"name"`
			} `json:"calls"`
		} `json:"planned"`
		Fault *struct {
			Headers map[string]string `json:"headers"`
		} `json:"fault"`
		Outcome        string   `json:"outcome"`
		Status         int      `json:"status"`
		Headers        *float64 `json:"response_headers_ms"`
		FirstByte      *float64 `json:"first_byte_ms"`
		FirstReasoning *float64 `json:"first_reasoning_ms"`
		LastReasoning  *float64 `json:"last_reasoning_ms"`
		FirstText      *float64 `json:"first_text_ms"`
		FirstCall      *float64 `json:"first_tool_call_ms"`
		LastCall       *float64 `json:"last_tool_call_ms"`
		End            float64  `json:"end_ms"`
	} `json:"truth"`
}

// expected is what testdata/*/expected.json says of a recording.
type expected struct {
	Main      int `json:"main_requests"`
	Side      int `json:"side_requests"`
	Completed int `json:"completed_steps"`
	Failed    []struct {
		N int `json:"n"`
	} `json:"failed_attempts"`
	Tools []struct {
		In   int    `json:"in_request"`
		Name string `json:"name"`
	} `json:"tool_calls"`
	Gaps []struct {
		After, Before int
		MS            float64
		Kind          string
		Tools         []string
	} `json:"gaps"`
}

func readRecording(t *testing.T, dir string) ([]recorded, expected) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var reqs []recorded
	for line := range bytes.Lines(b) {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		reqs = append(reqs, r)
	}
	if b, err = os.ReadFile(filepath.Join(dir, "expected.json")); err != nil {
		t.Fatal(err)
	}
	var want expected
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	return reqs, want
}

// ms converts milliseconds of a recording, which has tenths.
func ms(f float64) time.Duration {
	return time.Duration(math.Round(f*10)) * (time.Millisecond / 10)
}

// exchanges makes what the proxy would have seen. The ids that the server gave are found in the requests that followed.
func exchanges(reqs []recorded) []*proxy.Exchange {
	start := time.UnixMilli(reqs[0].UnixMS)
	list := make([]*proxy.Exchange, len(reqs))
	for i, r := range reqs {
		h := http.Header{}
		for k, v := range r.Headers {
			h.Set(k, v)
		}
		x := &proxy.Exchange{ID: int64(r.N), Upstream: "127.0.0.1:8089", Method: r.Method, Path: r.Path, Conn: r.Conn,
			Request: stream.ParseRequest(r.Method, r.Path, h, r.Body), Start: start.Add(ms(r.At)), Sent: start.Add(ms(r.Read)),
			End: start.Add(ms(r.Truth.End)), Status: r.Truth.Status, Measured: true}
		x.Facts.UserAgent = h.Get("User-Agent")
		if n, err := strconv.Atoi(h.Get("X-Stainless-Retry-Count")); err == nil {
			x.Facts.RetryCount = &n
		}
		x.Result = &stream.Result{}
		x.Outcome = traces.OK
		switch r.Truth.Outcome {
		case "fault_status":
			x.Outcome = traces.Error
			if f := r.Truth.Fault; f != nil && f.Headers["retry-after"] == "1" {
				second := time.Second
				x.Facts.RetryAfter = &second
			}
		case "fault_disconnect":
			x.Outcome = traces.Truncated
		}
		x.Result.Outcome = x.Outcome
		since := func(at *float64) (time.Duration, bool) {
			if at == nil {
				return 0, false
			}
			return ms(*at) - ms(r.At), true
		}
		if at, ok := since(r.Truth.FirstByte); ok {
			x.Result.FirstByte = &at
			x.FirstByte = x.Start.Add(at)
		}
		if at, ok := since(r.Truth.Headers); ok {
			x.Headers = x.Start.Add(at)
		}
		end := x.End.Sub(x.Start)
		x.Result.End = &end
		for _, c := range []struct {
			at   *float64
			kind traces.Component
		}{{r.Truth.FirstReasoning, traces.Reasoning}, {r.Truth.LastReasoning, traces.Reasoning}, {r.Truth.FirstText, traces.Output},
			{r.Truth.FirstCall, traces.ToolArgs}, {r.Truth.LastCall, traces.ToolArgs}} {
			if at, ok := since(c.at); ok {
				x.Result.Chunks.Add(at, c.kind, 1)
			}
		}
		list[i] = x
	}
	for i, r := range reqs {
		if list[i].Outcome != traces.OK || !r.Truth.Main {
			continue
		}
		next := slices.IndexFunc(reqs[i+1:], func(o recorded) bool { return o.Truth.Main })
		var ids []string
		if next >= 0 {
			q := &list[i+1+next].Request
			ids = q.Fresh
			list[i].Result.ID = q.PreviousID
		}
		for k, c := range r.Truth.Planned.Calls {
			call := stream.ToolCall{Name: c.Name, First: ms(*orZero(r.Truth.FirstCall)), Last: ms(*orZero(r.Truth.LastCall))}
			if k < len(ids) {
				call.ID = ids[k]
			}
			list[i].Result.ToolCalls = append(list[i].Result.ToolCalls, call)
		}
	}
	return list
}

func orZero(f *float64) *float64 {
	if f == nil {
		return new(float64)
	}
	return f
}

func TestRecordedAgents(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/requests.jsonl")
	if err != nil || len(dirs) != 10 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		dir = filepath.Dir(dir)
		for _, one := range []bool{true, false} {
			t.Run(filepath.Base(dir)+"/"+map[bool]string{true: "recorded command", false: "proxy"}[one], func(t *testing.T) {
				reqs, want := readRecording(t, dir)
				list := exchanges(reqs)
				runs := observe(t, session.Options{OneRun: one}, list...)
				if len(runs) != 1 {
					t.Fatalf("%d runs, want 1", len(runs))
				}
				checkRecording(t, runs[0], list, want)
			})
		}
	}
}

func checkRecording(t *testing.T, run *traces.Run, list []*proxy.Exchange, want expected) {
	t.Helper()
	base := list[0].Start
	attempts := map[int]*traces.Attempt{} // by number of the request
	callOf := map[int]*traces.ModelCall{}
	main, side, completed := 0, 0, 0
	for _, c := range run.ModelCalls {
		if c.Side {
			side++
		} else {
			main += len(c.Attempts)
		}
		if !c.Side && c.Outcome == traces.OK {
			completed++
		}
		for _, a := range c.Attempts {
			n := slices.IndexFunc(list, func(x *proxy.Exchange) bool {
				return x.Start.Sub(base) == a.Span.Start && x.End.Sub(base) == a.Span.End
			}) + 1
			attempts[n], callOf[n] = a, c
		}
	}
	if len(attempts) != len(list) {
		t.Errorf("%d of %d requests are attempts", len(attempts), len(list))
	}
	steps := len(run.Steps)
	for _, c := range run.ModelCalls {
		if !c.Side && c.Outcome != traces.OK {
			steps--
		}
	}
	if main != want.Main || side != want.Side || completed != want.Completed || steps != want.Completed {
		t.Errorf("main attempts %d, side calls %d, completed calls %d, completed steps %d; want %d, %d, %d, %[7]d",
			main, side, completed, steps, want.Main, want.Side, want.Completed)
	}
	var failed, wantFailed []int
	for n, a := range attempts {
		if a.Outcome.Failed() {
			failed = append(failed, n)
		}
	}
	slices.Sort(failed)
	for _, f := range want.Failed {
		wantFailed = append(wantFailed, f.N)
	}
	if !slices.Equal(failed, wantFailed) {
		t.Errorf("failed attempts %v, want %v", failed, wantFailed)
	}
	type tool struct {
		In   int
		Name string
	}
	var tools, wantTools []tool
	for _, tc := range run.ToolCalls {
		in := 0
		for n, c := range callOf {
			if c == tc.Call && attempts[n] == c.Final() {
				in = n
			}
		}
		tools = append(tools, tool{in, tc.Name})
		if tc.Run != nil || tc.Span.Quality() != traces.Bound {
			t.Errorf("tool %q after request %d: quality %s, run %v; want a bound without a time of its own", tc.Name, in, tc.Span.Quality(), tc.Run)
		}
	}
	for _, w := range want.Tools {
		wantTools = append(wantTools, tool{w.In, w.Name})
	}
	slices.SortStableFunc(tools, func(a, b tool) int { return cmp.Compare(a.In, b.In) })
	if !slices.Equal(tools, wantTools) {
		t.Errorf("tool calls %v, want %v", tools, wantTools)
	}
	near := func(d time.Duration, ms float64) bool { return math.Abs(d.Seconds()*1e3-ms) < 0.11 } // times come in tenths
	for _, g := range want.Gaps {
		from, to := attempts[g.After].Span.End, attempts[g.Before].Span.Start
		var spans []*traces.Span
		for _, s := range run.Spans {
			switch {
			case s.Start != from || s.End != to:
			case g.Kind == "retry_wait" && s.Role == traces.RoleWait && s.Attrs().String(traces.KeyWait) == "backoff",
				g.Kind == "tools+client" && s.Role == traces.RoleTool:
				spans = append(spans, s)
			}
		}
		if n := max(1, len(g.Tools)); len(spans) != n || !near(spans[0].Duration(), g.MS) {
			t.Errorf("gap between requests %d and %d: %d spans of its kind, %v; want %d of %g ms of %s", g.After, g.Before, len(spans), to-from, n, g.MS, g.Kind)
		}
	}
}
