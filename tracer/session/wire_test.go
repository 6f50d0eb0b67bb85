package session_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed46266073/longpole/internal/simnet"
	"github.com/seed46266073/longpole/tracer"
	"github.com/seed46266073/longpole/tracer/proxy"
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
)

// answers are what the model server sends, one a request, each piece 20 ms after the one before.
var answers = [][]string{
	nil, // 429
	{
		`{"id":"c1","model":"m-1","choices":[{"delta":{"role":"assistant","content":""}}]}`,
		`{"choices":[{"delta":{"reasoning_content":"hm"}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"ls","arguments":"{}"}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}`,
		`[DONE]`,
	}, {
		`{"id":"c2","model":"m-1","choices":[{"delta":{"content":"two "}}]}`,
		`{"choices":[{"delta":{"content":"files"}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":3}}`,
		`[DONE]`,
	},
}

func serve(rw http.ResponseWriter, pieces []string) {
	if pieces == nil {
		rw.Header().Set("Retry-After", "1")
		rw.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(rw, `{"error":{"type":"rate_limit_exceeded"}}`)
		return
	}
	rw.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range pieces {
		time.Sleep(20 * msec)
		io.WriteString(rw, "data: "+piece+"\n\n")
		rw.(http.Flusher).Flush()
	}
}

// An agent that records itself runs behind the proxy: what the wire showed must look like what the agent wrote.
func TestTheWireShowsWhatATracerInsideWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := simnet.New()
		served := 0
		net.Serve("model", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			served++
			serve(rw, answers[served-1])
		}))
		opt, wire := keep(session.Options{OneRun: true})
		tracker := session.New(opt)
		p := proxy.New(proxy.Config{Upstreams: []proxy.Upstream{{URL: &url.URL{Scheme: "http", Host: "model"}}}, Observer: tracker,
			Transport: &http.Transport{DialContext: net.DialContext}})
		go p.Serve(net.Listen("proxy"))

		inside := &memory{}
		tr := tracer.New(tracer.Options{Sink: inside})
		client := simnet.Client(net)
		runAgent(t, tr, client)
		tr.Shutdown(context.Background())

		client.CloseIdleConnections()
		p.Close()
		net.Close()
		synctest.Wait()
		tracker.Close(time.Now())

		got, want := describe(wire), describe(inside)
		if !slices.Equal(got, want) {
			for i := range max(len(got), len(want)) {
				a, b := "", ""
				if i < len(got) {
					a = got[i]
				}
				if i < len(want) {
					b = want[i]
				}
				if a != b {
					t.Errorf("wire   %s\ninside %s", a, b)
				}
			}
		}
	})
}

func runAgent(t *testing.T, tr *tracer.Tracer, client *http.Client) {
	ctx, run := tr.StartRun(t.Context(), "", tracer.RunConfig{})
	messages := `{"role":"user","content":"how many files?"}`
	for i := 1; i <= 2; i++ {
		ctx, step := tracer.StartStep(ctx, i)
		callCtx, call := tracer.StartModelCall(ctx, tracer.ModelRequest{Model: "m-1", Effort: "low", Stream: true})
		for {
			body := `{"model":"m-1","reasoning_effort":"low","stream":true,"max_tokens":99,"seed":3,"temperature":0.5,"tools":[{}],"messages":[` + messages + `]}`
			req, err := http.NewRequestWithContext(callCtx, http.MethodPost, "http://proxy/v1/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("User-Agent", "") // it would name the run
			resp, err := tr.Middleware(req, client.Do)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
			time.Sleep(1100 * msec)
		}
		call.End(nil)
		if i == 1 {
			_, tool := tracer.StartTool(ctx, "ls", "call_1")
			time.Sleep(300 * msec)
			tool.End(traces.OK, nil)
			messages += `,{"role":"assistant","tool_calls":[{"id":"call_1"}]},{"role":"tool","tool_call_id":"call_1","content":"2"}`
		}
		step.End()
	}
	run.End(traces.OK)
}

// describe lists the spans of a run by time, with what is not particular to who wrote them: their links, and their attributes
// without ids, names and what only one of the two can know.
func describe(m *memory) []string {
	var list []string
	latest := traces.Latest(m.all())
	names := map[string]string{"": ""}
	for _, rec := range latest {
		names[rec.SpanID] = rec.Name
	}
	for _, rec := range latest {
		var attrs []string
		for _, a := range rec.Attrs {
			switch a.Key {
			case traces.KeyOp, traces.KeyRunID, traces.KeyRunName, traces.KeyAgentName, traces.KeyServerAddr, traces.KeyQuality:
			case traces.KeyOutcome:
				if !strings.HasPrefix(rec.Name, "execute_tool") { // how a tool ended does not show
					attrs = append(attrs, fmt.Sprint(a))
				}
			default:
				attrs = append(attrs, fmt.Sprint(a))
			}
		}
		slices.Sort(attrs)
		var links []string
		for _, l := range rec.Links {
			links = append(links, fmt.Sprint(names[l.SpanID], l.Attrs))
		}
		list = append(list, fmt.Sprintf("%d %d %s kind %d status %d in %q attrs %v links %v",
			rec.Start, rec.End, rec.Name, rec.Kind, rec.Status, names[rec.ParentID], attrs, links))
	}
	slices.Sort(list)
	return list
}
