package stream_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/seed46266073/longpole/tracer/stream"
	"github.com/seed46266073/longpole/traces"
)

// A troubleCase is one concrete situation that users of such tools ran into, with the right answer.
type troubleCase struct {
	ID    string
	Input struct {
		Kind    string
		API     string
		Records []caseRecord
		Frames  []caseRecord
		Options struct {
			StallThresholdMS float64 `json:"stall_threshold_ms"`
		}
		Close struct {
			How  string
			AtMS float64 `json:"at_ms"`
		}
	}
	Expected map[string]any
}

type caseRecord struct {
	AtMS   float64 `json:"at_ms"`
	Raw    string
	Text   string
	Dir    string
	RawB64 []byte `json:"raw_b64"`
	ID     string
	API    string
	Usage  json.RawMessage
}

func (r caseRecord) bytes() []byte {
	if r.RawB64 != nil {
		return r.RawB64
	}
	return []byte(r.Raw)
}

func ms(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }

// elsewhere are expectations about rates, costs and views, which are not the decoder's to answer.
var elsewhere = map[string]bool{"headers_ms": true, "delivery": true, "tpot_ms": true, "tokens_per_second": true, "must_not": true,
	"tokens_per_chunk": true, "cost": true, "span_ended_exactly_once": true, "included_in_success_percentiles": true,
	"parse_errors_fatal": true, "tpot_excluding_stalls_ms": true, "upstream_cancelled_within_ms": true}

var apis = []string{"chat", "responses", "anthropic", "ollama", "gemini"}

// decoders are named as the cases name them.
var decoders = map[string]func(stream.Options) stream.Decoder{
	"chat":      func(o stream.Options) stream.Decoder { return stream.NewChat(o) },
	"responses": func(o stream.Options) stream.Decoder { return stream.NewResponses(o) },
	"anthropic": func(o stream.Options) stream.Decoder { return stream.NewMessages(o) },
	"ollama":    func(o stream.Options) stream.Decoder { return stream.NewOllama(o) },
	"gemini":    func(o stream.Options) stream.Decoder { return stream.NewGemini(o) },
}

func TestTroubleCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c troubleCase
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(file, err)
		}
		t.Run(c.ID, func(t *testing.T) {
			switch c.Input.Kind {
			case "usage_records":
				checkUsage(t, c)
				return
			case "websocket_exchange":
				checkSocket(t, c)
				return
			}
			d, bytewise := decoders[c.Input.API](stream.Options{Content: true}), decoders[c.Input.API](stream.Options{Content: true})
			for _, r := range c.Input.Records {
				d.Feed(ms(r.AtMS), r.bytes())
				for _, b := range r.bytes() {
					bytewise.Feed(ms(r.AtMS), []byte{b})
				}
			}
			how := map[string]error{"eof": io.EOF, "reset": syscall.ECONNRESET, "client_cancel": context.Canceled}
			end, threshold := ms(c.Input.Close.AtMS), ms(c.Input.Options.StallThresholdMS)
			result, again := d.Close(end, how[c.Input.Close.How]), bytewise.Close(end, how[c.Input.Close.How])
			if !reflect.DeepEqual(result, again) {
				t.Errorf("byte by byte: got %+v, want %+v", again, result)
			}
			got := answers(result, threshold)
			for key, want := range c.Expected {
				if elsewhere[key] {
					continue
				}
				answer, ok := got[key]
				if !ok {
					t.Errorf("%s: no answer to compare", key)
				} else if answer = plain(answer); !covers(answer, want) {
					t.Errorf("%s: got %v, want %v", key, answer, want)
				}
			}
		})
	}
}

// answers puts a result into the vocabulary of the cases: milliseconds, null for unknown.
func answers(r *stream.Result, threshold time.Duration) map[string]any {
	at := func(d *time.Duration) any {
		if d == nil {
			return nil
		}
		return float64(*d) / 1e6
	}
	first, last := map[traces.Component]any{}, map[traces.Component]any{}
	var ttft, lastToken any
	var times []any
	for _, c := range r.Chunks.List {
		lastToken = at(&c.At)
		if ttft == nil {
			ttft = lastToken
		}
		if first[c.Kind] == nil {
			first[c.Kind] = lastToken
		}
		last[c.Kind] = lastToken
		times = append(times, lastToken)
	}
	var gaps []any
	var longest time.Duration
	for _, g := range r.Chunks.Gaps() {
		gaps = append(gaps, at(&g))
		longest = max(longest, g)
	}
	segments, thought := segments(r)
	var window any
	if w := r.Window; w != nil {
		window = map[string]any{"start_ms": at(&w.From), "end_ms": at(&w.To), "basis": "item boundaries"}
	}
	var stalls []any
	for _, p := range r.Phases(0, *r.End, threshold) {
		if p.Component == traces.Stall {
			pings := 0
			for _, ping := range r.Pings {
				if p.From < ping && ping < p.To {
					pings++
				}
			}
			stalls = append(stalls, map[string]any{"start_ms": at(&p.From), "end_ms": at(&p.To), "duration_ms": inMS(p.To - p.From), "pings_during": pings})
		}
	}
	outcome := string(r.Outcome)
	if r.Outcome == traces.Cancelled {
		outcome = "cancelled_by_client"
	}
	var calls []any
	for _, c := range r.ToolCalls {
		calls = append(calls, map[string]any{"id": c.ID, "name": c.Name, "arguments": c.Arguments, "first_ms": at(&c.First), "last_ms": at(&c.Last)})
	}
	damaged := 0
	for _, c := range r.Text {
		if c == '\uFFFD' {
			damaged++
		}
	}
	return map[string]any{
		"outcome": outcome, "first_byte_ms": at(r.FirstByte), "first_event_ms": at(r.FirstEvent), "end_ms": at(r.End),
		"ttft_ms": ttft, "last_token_ms": lastToken, "token_event_times_ms": times, "chunk_gaps_ms": gaps,
		"first_reasoning_ms": first[traces.Reasoning], "last_reasoning_ms": last[traces.Reasoning],
		"first_visible_ms": first[traces.Output], "last_visible_ms": last[traces.Output],
		"first_tool_call_ms": first[traces.ToolArgs], "last_tool_call_ms": last[traces.ToolArgs],
		"reasoning_segments": segments, "reasoning_segment_sum_ms": inMS(thought), "max_token_gap_ms": inMS(longest), "stalls": stalls,
		"reasoning_window": window, "reasoning_text": r.Reasoning, "visible_text": r.Text, "tool_calls": calls, "replacement_characters": damaged,
		"comment_lines": r.Comments, "ignored_data_frames": r.Ignored, "reasoning_visibility": r.Visibility,
		"usage": map[string]any{"input_tokens": r.Usage.Input, "cached_input_tokens": r.Usage.Cached, "output_tokens": r.Usage.Output,
			"reasoning_tokens": r.Usage.Reasoning, "visible_output_tokens": visible(r), "source": string(r.Usage.Source)},
	}
}

func inMS(d time.Duration) float64 { return float64(d) / 1e6 }

func visible(r *stream.Result) *int64 {
	if r.Usage.Output == nil || r.Usage.Reasoning == nil {
		return nil
	}
	n := *r.Usage.Output - *r.Usage.Reasoning
	return &n
}

// segments lists the stretches in which reasoning came, and the sum of their lengths.
func segments(r *stream.Result) (list []any, sum time.Duration) {
	var from, to time.Duration
	before := traces.Output
	end := func() {
		if before == traces.Reasoning {
			list = append(list, map[string]any{"first_ms": inMS(from), "last_ms": inMS(to)})
			sum += to - from
		}
	}
	for _, c := range r.Chunks.List {
		if c.Kind != before {
			end()
			from = c.At
		}
		before, to = c.Kind, c.At
	}
	end()
	return list, sum
}

// plain makes of any value what encoding/json would have read.
func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var out any
	json.Unmarshal(b, &out)
	return out
}

// covers reports whether got has every key that want has, with equal values.
func covers(got, want any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(got, want)
	}
	g, _ := got.(map[string]any)
	for key, value := range w {
		if v, ok := g[key]; !ok || !covers(v, value) {
			return false
		}
	}
	return true
}

// counted are whole responses with a place for the usage.
var counted = map[string]string{
	"chat":      `{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"x"}}],"usage":%s}`,
	"responses": `{"status":"completed","usage":%s}`,
	"anthropic": `{"type":"message","stop_reason":"end_turn","usage":%s}`,
	"gemini":    `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":%s}`,
}

func checkUsage(t *testing.T, c troubleCase) {
	want := c.Expected["records"].(map[string]any)
	for _, record := range c.Input.Records {
		d := decoders[record.API](stream.Options{})
		d.Feed(0, fmt.Appendf(nil, counted[record.API], record.Usage))
		r := d.Close(0, io.EOF)
		got := map[string]any{"flagged": r.UsageInconsistent}
		if r.Usage.Output != nil && r.Usage.Reasoning != nil {
			got["output_total"], got["reasoning"], got["visible"] = *r.Usage.Output, *r.Usage.Reasoning, *r.Usage.Output-*r.Usage.Reasoning
		}
		if !covers(plain(got), want[record.ID]) {
			t.Errorf("%s: got %v, want %v", record.ID, got, want[record.ID])
		}
		if flagged := cmp.Or(want[record.ID].(map[string]any)["flagged"] == true, false); flagged != r.UsageInconsistent {
			t.Errorf("%s: got flagged %v, want %v", record.ID, r.UsageInconsistent, flagged)
		}
	}
}

func checkSocket(t *testing.T, c troubleCase) {
	s := stream.NewSocket(stream.Options{})
	var calls, warm int
	for _, f := range c.Input.Frames {
		if f.Dir == "client" {
			s.Client(ms(f.AtMS), []byte(f.Text))
		} else if call := s.Server(ms(f.AtMS), []byte(f.Text)); call.Ended() && call.Request.Generates {
			calls++
			if got, want := call.Result().Chunks.List[0].At, ms(1400); got != want {
				t.Errorf("first token: got %v, want %v", got, want)
			}
		} else if call.Ended() {
			warm++
		}
	}
	if calls != 1 || warm != 1 || len(s.Open()) != 0 {
		t.Errorf("got %d calls and %d that warm up, %d open, want 1, 1, 0", calls, warm, len(s.Open()))
	}
}
