package simmodel_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/agentsim/simmodel"
	"github.com/seed46266073/longpole/internal/simnet"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A bench is a server on a network in memory, and what it knows.
type bench struct {
	client *http.Client
	truths []simmodel.Truth
}

// serve runs do against a server, in fake time.
func serve(t *testing.T, cfg simmodel.Config, do func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New()
		defer n.Close()
		b := &bench{client: simnet.Client(n)}
		var mu sync.Mutex
		cfg.Truth = func(tr simmodel.Truth) {
			mu.Lock()
			defer mu.Unlock()
			b.truths = append(b.truths, tr)
		}
		n.Serve("model.test", simmodel.New(cfg))
		do(t, b)
		synctest.Wait()
	})
}

// An event is one server-sent event and when it came, since its request was sent.
type event struct {
	At   time.Duration
	Data string
}

// A response is what a client sees.
type response struct {
	Status  int
	Header  http.Header
	Headers time.Duration // when they came
	Events  []event       // of a stream
	Body    string
	Err     error // of reading the body
	End     time.Duration
}

// post sends a chat completion and reads the response to its end.
func (b *bench) post(ctx context.Context, t *testing.T, body string, header ...string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model.test/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	start := time.Now()
	resp, err := b.client.Do(req)
	if err != nil {
		return response{Err: err, End: time.Since(start)}
	}
	defer resp.Body.Close()
	r := response{Status: resp.StatusCode, Header: resp.Header, Headers: time.Since(start)}
	var all strings.Builder
	in := bufio.NewReader(resp.Body)
	for {
		line, err := in.ReadString('\n')
		all.WriteString(line)
		if data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: "); ok {
			r.Events = append(r.Events, event{time.Since(start), data})
		}
		if err != nil {
			if err != io.EOF {
				r.Err = err
			}
			break
		}
	}
	r.Body, r.End = all.String(), time.Since(start)
	return r
}

// A chunk is the part of an event that tests look at.
type chunk struct {
	Choices []struct {
		Delta struct {
			Role             string  `json:"role"`
			Content          string  `json:"content"`
			ReasoningContent string  `json:"reasoning_content"`
			Reasoning        string  `json:"reasoning"`
			ToolCalls        []delta `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage `json:"usage"`
}

type delta struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	In         struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// parsed is a stream put together again.
type parsed struct {
	Reasoning, Text, Finish                 string
	Calls                                   []delta
	Usage                                   *usage
	Done                                    bool
	FirstReasoning, LastReasoning           time.Duration
	FirstVisible, LastVisible               time.Duration // of text and calls
	DoneAt                                  time.Duration
	ReasoningChunks, TextChunks, CallChunks int
}

func parse(t *testing.T, r response) parsed {
	t.Helper()
	var p parsed
	for i, e := range r.Events {
		if e.Data == "[DONE]" {
			p.Done, p.DoneAt = true, e.At
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(e.Data), &c); err != nil {
			t.Fatalf("event %d: %v: %s", i, err, e.Data)
		}
		if c.Usage != nil {
			p.Usage = c.Usage
		}
		for _, choice := range c.Choices {
			d := choice.Delta
			if i == 0 && d.Role != "assistant" {
				t.Errorf("the first event has no role: %s", e.Data)
			}
			if choice.FinishReason != "" {
				p.Finish = choice.FinishReason
			}
			visible := func(chunks *int) {
				if *chunks++; p.TextChunks+p.CallChunks == 1 {
					p.FirstVisible = e.At
				}
				p.LastVisible = e.At
			}
			if s := d.ReasoningContent + d.Reasoning; s != "" {
				if p.ReasoningChunks++; p.ReasoningChunks == 1 {
					p.FirstReasoning = e.At
				}
				p.LastReasoning = e.At
				p.Reasoning += s
			}
			if d.Content != "" {
				visible(&p.TextChunks)
				p.Text += d.Content
			}
			for _, c := range d.ToolCalls {
				visible(&p.CallChunks)
				if c.ID != "" {
					p.Calls = append(p.Calls, c)
					continue
				}
				p.Calls[c.Index].Function.Arguments += c.Function.Arguments
			}
		}
	}
	return p
}

// ask is the body of a streamed request with one user message.
func ask(prompt string, more ...string) string {
	return `{"model":"exact","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"` + prompt + `"}]` +
		strings.Join(more, "") + `}`
}

func exact(e simmodel.Exact) []simmodel.Profile {
	return []simmodel.Profile{{Name: "exact", Exact: &e}}
}

func script(replies ...simmodel.Reply) []simmodel.Script {
	return []simmodel.Script{{Name: "s", Prompt: "go", Play: simmodel.Linear(replies...)}}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

var everything = simmodel.Config{
	Profiles: exact(simmodel.Exact{Headers: 50 * time.Millisecond, TTFT: 300 * time.Millisecond, Rate: 40, ReasoningRate: 100}),
	Scripts: script(simmodel.Reply{
		ReasoningTokens: 5,
		Text:            "Two files, please.",
		Calls: []simmodel.Call{
			{Name: "read", Args: map[string]any{"path": "a<b>.txt"}},
			{Name: "list_dir", Args: `{"path":"."}`},
		},
	}, simmodel.Reply{Text: "Done."}),
}

// The golden files are what is on the wire, read line by line against the references of the APIs.
func TestStreamOnTheWire(t *testing.T) {
	serve(t, everything, func(t *testing.T, b *bench) {
		for _, d := range dialects {
			golden(t, string(d.api)+"_stream.txt", b.send(t.Context(), t, d.path, d.ask(true)).Body)
			golden(t, string(d.api)+"_whole.json", b.send(t.Context(), t, d.whole, d.ask(false)).Body)
		}
	})
}
