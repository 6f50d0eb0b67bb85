package proxy_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/cassette"
	"github.com/seed46266073/longpole/tracer/proxy"
)

// A troubleCase is one concrete situation that users of such tools ran into, with the right answer.
type troubleCase struct {
	Input struct {
		API     string
		Records []record
		Close   struct {
			How  string
			AtMS float64 `json:"at_ms"`
		}
		Client struct {
			URL     string
			Headers map[string]string
		}
		Upstream struct {
			Status  int
			Headers map[string]string
		} `json:"upstream_response"`
		UpstreamRecords []record `json:"upstream_records"`
		Frames          []struct {
			AtMS float64 `json:"at_ms"`
			Dir  string
			Text string
		}
		Secrets map[string][]string `json:"secrets_in_parts"`
	}
	Expected struct {
		Outcome        string
		TTFT           *float64 `json:"ttft_ms"`
		FirstReasoning *float64 `json:"first_reasoning_ms"`
		LastReasoning  *float64 `json:"last_reasoning_ms"`
		End            *float64 `json:"end_ms"`
		Usage          struct {
			Input  *int64 `json:"input_tokens"`
			Output *int64 `json:"output_tokens"`
		}
		ToolCalls []struct {
			ID, Name string
			First    float64 `json:"first_ms"`
			Last     float64 `json:"last_ms"`
		} `json:"tool_calls"`
		Text    string `json:"visible_text"`
		Markers []string
		Status  int `json:"http_status_recorded"`
	}
}

type record struct {
	AtMS   float64 `json:"at_ms"`
	Raw    string
	RawB64 []byte `json:"raw_b64"`
}

func (r record) write() write {
	if r.RawB64 != nil {
		return write{msec(r.AtMS), string(r.RawB64)}
	}
	return write{msec(r.AtMS), r.Raw}
}

func msec(f float64) time.Duration { return time.Duration(f * float64(ms)) }

func load(t *testing.T, id string) troubleCase {
	t.Helper()
	b, err := os.ReadFile("testdata/cases/" + id + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var c troubleCase
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func writes(records []record) []write {
	var out []write
	for _, r := range records {
		out = append(out, r.write())
	}
	return out
}

// expect compares an exchange with what the case says of it.
func (c troubleCase) expect(w *world, x *proxy.Exchange) {
	w.Helper()
	want := c.Expected
	if got := strings.Replace(string(x.Outcome), "cancelled", "cancelled_by_client", 1); want.Outcome != "" && got != want.Outcome {
		w.Errorf("outcome %s, want %s", got, want.Outcome)
	}
	same := func(name string, got time.Duration, want *float64) {
		if want != nil && got != msec(*want) {
			w.Errorf("%s at %v, want %v ms", name, got, *want)
		}
	}
	chunks := x.Result.Chunks.List
	same("first output", chunks[0].At, want.TTFT)
	same("end", x.End.Sub(x.Sent), want.End)
	if want.FirstReasoning != nil {
		same("first reasoning", chunks[0].At, want.FirstReasoning)
		same("last reasoning", chunks[len(chunks)-1].At, want.LastReasoning)
	}
	number := func(n *int64) string {
		if n == nil {
			return "null"
		}
		return fmt.Sprint(*n)
	}
	if u := x.Result.Usage; number(u.Input) != number(want.Usage.Input) || number(u.Output) != number(want.Usage.Output) {
		w.Errorf("usage %s/%s, want %s/%s", number(u.Input), number(u.Output), number(want.Usage.Input), number(want.Usage.Output))
	}
	if n := len(x.Result.ToolCalls); n != len(want.ToolCalls) {
		w.Fatalf("%d tool calls", n)
	}
	for i, call := range want.ToolCalls {
		if got := x.Result.ToolCalls[i]; got.ID != call.ID || got.Name != call.Name || got.First != msec(call.First) || got.Last != msec(call.Last) {
			w.Errorf("tool call %+v, want %+v", got, call)
		}
	}
}

func TestCaseGzipResponseStillMeasured(t *testing.T) {
	c := load(t, "proxy-gzip-response-still-measured")
	server := plays(writes(c.Input.UpstreamRecords), "Content-Type: text/event-stream", "Content-Encoding: gzip")
	simulate(t, server, nil, func(w *world) {
		resp, err := w.post(ask, "Accept-Encoding: gzip, br")
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.reads(resp.Body)
		if err != nil || len(got) != 3 {
			t.Fatalf("%d reads: %v", len(got), err)
		}
		var body bytes.Buffer
		for i, r := range got {
			if r != (read{msec(c.Input.UpstreamRecords[i].AtMS), string(c.Input.UpstreamRecords[i].RawB64)}) {
				t.Errorf("read %d at %v has changed", i, r.at)
			}
			body.WriteString(r.text)
		}
		z, err := gzip.NewReader(&body)
		if err != nil || resp.Header.Get("Content-Encoding") != "gzip" {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(z); err != nil || !strings.Contains(string(plain), c.Expected.Text) {
			t.Errorf("the client cannot decode it: %v", err)
		}
		c.expect(w, w.only())
	})
}

func TestCaseClientStopsAfterToolCall(t *testing.T) {
	c := load(t, "outcome-client-stops-after-tool-call")
	simulate(t, plays(append(writes(c.Input.Records), write{960 * ms, "never"})), nil, func(w *world) {
		ctx, cancel := context.WithTimeout(w.Context(), msec(c.Input.Close.AtMS))
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://proxy/v1/responses", strings.NewReader(ask))
		resp, err := w.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		w.reads(resp.Body)
		c.expect(w, w.only())
		if gone := w.seen[0].gone; gone != 905*ms {
			t.Errorf("the upstream was cancelled at %v", gone)
		}
	})
}

func TestCaseTruncatedDuringReasoning(t *testing.T) {
	c := load(t, "outcome-truncated-during-reasoning")
	simulate(t, plays(append(writes(c.Input.Records), write{msec(c.Input.Close.AtMS), ""})), nil, func(w *world) {
		w.must(w.post(ask))
		c.expect(w, w.only())
	})
}

// A spy sees everything that the proxy gives away of an exchange.
func spy(w *world, tape []byte, extra ...any) string {
	var all strings.Builder
	for _, list := range append([][]*proxy.Exchange{w.book.begun, w.book.ended}, slices.Collect(mapValues(w.book.progress))...) {
		for _, x := range list {
			b, _ := json.Marshal(x)
			all.Write(b)
			fmt.Fprintf(&all, "%+v %+v", x, x.Result)
		}
	}
	all.Write(tape)
	fmt.Fprintf(&all, "%+v", extra)
	return all.String()
}

func mapValues[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestCaseNeverStoresCredentials(t *testing.T) {
	c := load(t, "proxy-never-stores-credentials")
	server := func(rw http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for name, value := range c.Input.Upstream.Headers {
			rw.Header().Set(name, value)
		}
		rw.WriteHeader(c.Input.Upstream.Status)
		time.Sleep(msec(c.Input.UpstreamRecords[0].AtMS))
		io.WriteString(rw, c.Input.UpstreamRecords[0].Raw)
	}
	for _, reachable := range []bool{true, false} {
		var tape bytes.Buffer
		change := func(cfg *proxy.Config) {
			cfg.Tap = cassette.NewWriter(&tape, false)
			if !reachable {
				cfg.Upstreams[0].URL.Host = "nobody"
			}
		}
		simulate(t, server, change, func(w *world) {
			logged := capture(t)
			req, _ := http.NewRequestWithContext(w.Context(), http.MethodPost, strings.Replace(c.Input.Client.URL, "127.0.0.1:PORT", "proxy", 1), strings.NewReader(ask))
			for name, value := range c.Input.Client.Headers {
				req.Header.Set(name, value)
			}
			resp, err := w.client.Do(req)
			w.must(resp, err)
			x := w.only()
			if reachable {
				upstream := fmt.Sprint(w.seen[0].Header, w.seen[0].URL)
				for _, m := range c.Expected.Markers[:6] {
					if !strings.Contains(upstream, m) {
						t.Errorf("the upstream did not get %s", m)
					}
				}
				if x.Status != c.Expected.Status || x.Outcome != "error" || x.Err != "401" {
					t.Errorf("recorded %d %s %q", x.Status, x.Outcome, x.Err)
				}
			}
			all := spy(w, tape.Bytes(), w.proxy.SelfCheck()) + logged()
			for _, m := range c.Expected.Markers {
				if strings.Contains(all, m) {
					t.Errorf("%s is in what was recorded", m)
				}
			}
		})
	}
}

func TestCaseContentIsOffByDefault(t *testing.T) {
	c := load(t, "sec-content-off-by-default")
	secret := func(name string) string { return strings.Join(c.Input.Secrets[name], "") }
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	request := `{"model":"m","stream":true,"messages":[{"role":"system","content":` + text(secret("openai")) + `},{"role":"user","content":` + text(secret("aws")) +
		`},{"role":"tool","tool_call_id":"call_0","content":` + text(secret("jwt")) + `}]}`
	half := len(secret("openai")) / 2
	server := plays([]write{
		event(10*ms, `"tool_calls":[{"index":0,"id":"call_1","function":{"name":"f","arguments":`+text(`{"token":"`+secret("github")+`"}`)+`}}]`),
		event(20*ms, `"content":`+text(secret("openai")[:half])), event(30*ms, `"content":`+text(secret("openai")[half:])),
		{40 * ms, `data: {"error":{"message":` + text(secret("bearer")+secret("pem")) + `,"type":` + text(secret("dsn")) + `}}` + "\n\n"},
	})
	var tape bytes.Buffer
	simulate(t, server, func(cfg *proxy.Config) { cfg.Tap = cassette.NewWriter(&tape, false) }, func(w *world) {
		logged := capture(t)
		resp, err := w.client.Post("http://proxy/v1/chat/completions?dsn="+secret("dsn"), "application/json", strings.NewReader(request))
		w.must(resp, err)
		x := w.only()
		if len(x.Result.Chunks.List) != 3 || x.Result.OutputChars != len(secret("openai")) {
			t.Errorf("timings and lengths are not there: %+v", x.Result)
		}
		all := spy(w, tape.Bytes()) + logged()
		for name := range c.Input.Secrets {
			if strings.Contains(all, secret(name)) || strings.Contains(all, strings.Trim(text(secret(name)), `"`)) {
				t.Errorf("the %s secret is in what was recorded", name)
			}
		}
		if strings.Contains(all, secret("openai")[:half]) || strings.Contains(all, secret("openai")[half:]) {
			t.Error("half a secret is in what was recorded")
		}
	})
}

// capture redirects what is written to standard error, where logs and panics go, until the function that it returns.
func capture(t *testing.T) func() string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = f
	return func() string {
		os.Stderr = before
		b, _ := os.ReadFile(f.Name())
		f.Close()
		return string(b)
	}
}
