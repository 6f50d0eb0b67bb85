package otlp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

func ExampleAppendJSON() {
	line := otlp.AppendJSON(nil, traces.Record{
		TraceID: "5b8efff798038103d269b633813fc60c", SpanID: "eee19b7ec3c1b174", Name: "chat m", Kind: traces.KindClient,
		Start: 1767225600000000000, End: 1767225600312000000,
		Attrs: traces.Attrs{{Key: traces.KeyInputTokens, Value: int64(120)}, {Key: traces.KeyTTFT, Value: 0.3}},
	})
	fmt.Println(string(line))
	// Output:
	// {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"chat m","kind":3,"startTimeUnixNano":"1767225600000000000","endTimeUnixNano":"1767225600312000000","attributes":[{"key":"gen_ai.usage.input_tokens","value":{"intValue":"120"}},{"key":"gen_ai.response.time_to_first_chunk","value":{"doubleValue":0.3}}]}]}]}]}
}

func ExampleRead() {
	file := strings.NewReader(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"02","name":"invoke_agent demo"}]}]}]}
{"resourceSpans":[{"scopeSpans":[{"spans":[{"tra`)
	records, problems, err := otlp.Read(file)
	fmt.Println(records[0].Name, problems[0].Message, err)
	// Output: invoke_agent demo line 2: cut off in the middle; skipped <nil>
}

func TestAppendJSONSharesTheEnvelopeOfNeighbours(t *testing.T) {
	a, b := &traces.Resource{}, &traces.Resource{Attrs: traces.Attrs{{Key: "host.name", Value: "h"}}}
	line := string(otlp.AppendJSON([]byte("> "),
		traces.Record{SpanID: "1", Resource: a, Scope: "x"}, traces.Record{SpanID: "2", Resource: a, Scope: "x"},
		traces.Record{SpanID: "3", Resource: a, Scope: "y"}, traces.Record{SpanID: "4", Resource: b, Scope: "y"},
		traces.Record{SpanID: "5"}))
	if got := [3]int{strings.Count(line, `"resource":`), strings.Count(line, `"spans":`), strings.Count(line, `"spanId"`)}; got != [3]int{2, 4, 5} || !strings.HasPrefix(line, "> {") {
		t.Errorf("got %v resources, lists and spans, want 2 4 5 in %s", got, line)
	}
}

func TestAppendJSONRepairsTextThatIsNotUTF8(t *testing.T) {
	bad := "ok \xc3( end"
	record := traces.Record{
		SpanID: "1", Name: "run \xff\xfe",
		Attrs:    traces.Attrs{{Key: "tool.output", Value: bad}, {Key: "text", Value: "日本語"}, {Key: "list", Value: []any{bad, traces.Attrs{{Key: "k", Value: bad}}}}},
		Events:   []traces.Event{{Name: "e", Attrs: traces.Attrs{{Key: "k", Value: bad}}}},
		Links:    []traces.Link{{SpanID: "2", Attrs: traces.Attrs{{Key: "k\xff", Value: true}}}},
		Resource: &traces.Resource{Attrs: traces.Attrs{{Key: "host.name", Value: "\x80"}}},
	}
	before := fmt.Sprint(record, *record.Resource)
	records, problems, err := otlp.Read(bytes.NewReader(otlp.AppendJSON(nil, record)))
	if err != nil || len(problems) > 0 || len(records) != 1 {
		t.Fatal(records, problems, err)
	}
	want := traces.Record{
		SpanID: "1", Name: "run \ufffd",
		Attrs: traces.Attrs{{Key: "tool.output", Value: "ok \ufffd( end"}, {Key: "text", Value: "日本語"},
			{Key: "list", Value: []any{"ok \ufffd( end", traces.Attrs{{Key: "k", Value: "ok \ufffd( end"}}}},
			{Key: traces.KeyRepaired, Value: []any{"name", "tool.output", "list", "event", "link"}}},
		Events:   []traces.Event{{Name: "e", Attrs: traces.Attrs{{Key: "k", Value: "ok \ufffd( end"}}}},
		Links:    []traces.Link{{SpanID: "2", Attrs: traces.Attrs{{Key: "k\ufffd", Value: true}}}},
		Resource: &traces.Resource{Attrs: traces.Attrs{{Key: "host.name", Value: "\ufffd"}, {Key: traces.KeyRepaired, Value: []any{"host.name"}}}},
	}
	if diff := cmp.Diff(want, records[0]); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if after := fmt.Sprint(record, *record.Resource); after != before {
		t.Errorf("the record given was changed:\n%s\n%s", before, after)
	}
}

func TestAppendJSONWritesWhatAttributesShouldNotHold(t *testing.T) {
	var deep any = "bottom"
	for range 1000 {
		deep = []any{traces.Attrs{{Key: "k", Value: deep}}}
	}
	line := otlp.AppendJSON(nil, traces.Record{SpanID: "1", Attrs: traces.Attrs{{Key: "deep", Value: deep}, {Key: "int", Value: 7}, {Key: "nan", Value: math.NaN()}}})
	records, problems, err := otlp.Read(bytes.NewReader(line))
	if !json.Valid(line) || err != nil || len(problems) > 0 || len(records) != 1 || !records[0].Attrs.Has("deep") {
		t.Fatalf("%v, %v, %v", records, problems, err)
	}
	if got := records[0].Attrs.String("int"); got != "7" {
		t.Errorf("a value of another type reads %q, want its text", got)
	}
}

// The recordings are those of real agents; the counts were made with another program.
func TestReadTakesRecordingsOfRealAgents(t *testing.T) {
	cases := []struct {
		file, service, first, scope string
		spans                       int
	}{
		{"ai7-chat-stream", "ai7-chat", "chat mock-model", "gen_ai", 10},
		{"qwen-faults1", "qwen-code", "qwen-code.tool.execution", "qwen-code", 6},
		{"sdk-anthropic-faults1", "anthropic-sdk", "anthropic.messages.create", "com.anthropic.sdk.typescript", 1},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + c.file + ".json")
			if err != nil {
				t.Fatal(err)
			}
			records, problems, err := otlp.Read(bytes.NewReader(text))
			if err != nil || len(problems) > 0 || len(records) != c.spans {
				t.Fatalf("got %d spans, %v, %v, want %d", len(records), problems, err, c.spans)
			}
			s := records[0]
			if got := s.Resource.Attrs.String(traces.KeyServiceName); got != c.service || s.Name != c.first || s.Scope != c.scope {
				t.Errorf("got %q %q %q, want %q %q %q", got, s.Name, s.Scope, c.service, c.first, c.scope)
			}
			for _, s := range records {
				if len(s.TraceID) != 32 || len(s.SpanID) != 16 || s.Start == 0 || s.End < s.Start || len(s.Attrs) == 0 {
					t.Errorf("span %+v lacks something", s)
				}
			}
		})
	}
}
