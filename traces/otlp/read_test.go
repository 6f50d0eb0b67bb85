package otlp_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// span is the least document with one span of the given id.
func span(id string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"` + id + `"}]}]}]}`
}

// ids returns the span ids of records, in order.
func ids(records []traces.Record) string {
	var ids []string
	for _, s := range records {
		ids = append(ids, s.SpanID)
	}
	return strings.Join(ids, " ")
}

func TestReadFindsTheSpansInEveryShapeOfDocument(t *testing.T) {
	a, b, c := span("a"), span("b"), span("c")
	pretty := strings.NewReplacer("{", "{\n  ", "}", "\n}", "[", "[\n    ", "]", "\n  ]", ",", ",\n  ").Replace
	cases := []struct{ name, text, want string }{
		{"nothing is no span", "", ""},
		{"white space is no span", " \n\r\n\t", ""},
		{"a document without spans", `{}`, ""},
		{"one document", a, "a"},
		{"JSON lines", a + "\n" + b + "\n" + c + "\n", "a b c"},
		{"JSON lines with an empty line and carriage returns", a + "\r\n\r\n" + b + "\r\n", "a b"},
		{"a mark of the byte order", "\ufeff" + a, "a"},
		{"JSON text sequences", "\x1e" + a + "\n\x1e" + b + "\n", "a b"},
		{"pretty-printed documents one after another", pretty(a) + "\n" + pretty(b), "a b"},
		{"documents with nothing between them", a + b, "a b"},
		{"an array of documents", "[" + a + "," + b + "]", "a b"},
		{"an array of arrays", "[[" + a + "],[],[" + b + "]]", "a b"},
		{"Tempo's batches", strings.Replace(a, "resourceSpans", "batches", 1), "a"},
		{"Tempo's trace", `{"metrics":{"inspectedBytes":"5"},"trace":` + a + `}`, "a"},
		{"Jaeger's result", `{"result":` + a + `}` + "\n" + `{"result":` + b + `}`, "a b"},
		{"instrumentation libraries", `{"resourceSpans":[{"instrumentationLibrarySpans":[{"spans":[{"spanId":"a"}]}]}]}`, "a"},
		{"snake case", `{"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"01","span_id":"a"}]}]}]}`, "a"},
		{"unknown fields of all kinds", `{"x":{"y":[1,{"z":null}]},"resourceSpans":[{"schemaUrl":"u","scopeSpans":[{"spans":[{"flags":257,"spanId":"a","z":[[]]}]}]}]}`, "a"},
		{"null in the place of things", `{"resourceSpans":[null,{"resource":null,"scopeSpans":[null,{"scope":null,"spans":[null,{"spanId":"a","attributes":null,"events":null,"links":null,"status":null,"parentSpanId":null}]}]}]}`, "a"},
		{"things of another kind than expected", `{"resourceSpans":[5,{"resource":[],"scopeSpans":["x",{"scope":7,"spans":[{"spanId":"a","attributes":"x","events":{},"links":3,"status":[],"kind":{},"name":9}]}]}]}`, "a"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records, problems, err := otlp.Read(strings.NewReader(c.text))
			if got := ids(records); got != c.want || err != nil {
				t.Errorf("got spans %q, error %v, want %q", got, err, c.want)
			}
			for _, p := range problems {
				if p.Code != traces.MissingData { // null in the place of a span
					t.Errorf("problem %v", p)
				}
			}
		})
	}
}

func TestReadTakesEveryFieldOfASpan(t *testing.T) {
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[{
		"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","parentSpanId":"eee19b7ec3c1b173",
		"name":"chat m","kind":3,"startTimeUnixNano":"1544712660000000001","endTimeUnixNano":1544712661000000003,
		"attributes":[{"key":"k","value":{"stringValue":"v"}},{"key":"k","value":{"intValue":"2"}}],"droppedAttributesCount":1,
		"events":[{"timeUnixNano":"1544712660500000001","name":"first","attributes":[{"key":"n","value":{"intValue":1}}]}],"droppedEventsCount":2,
		"links":[{"traceId":"5b8efff798038103d269b633813fc60d","spanId":"AAA19b7ec3c1b174","attributes":[{"key":"longpole.dep","value":{"boolValue":true}}]}],"droppedLinksCount":"3",
		"status":{"code":2,"message":"429"}}],
		"scope":{"name":"lib","version":"1"}}],
		"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"agent"}}]}}]}`
	want := traces.Record{
		TraceID: "5b8efff798038103d269b633813fc60c", SpanID: "eee19b7ec3c1b174", ParentID: "eee19b7ec3c1b173",
		Name: "chat m", Kind: traces.KindClient, Start: 1544712660000000001, End: 1544712661000000003,
		Status: traces.StatusError, Message: "429",
		Attrs:    traces.Attrs{{Key: "k", Value: "v"}, {Key: "k", Value: int64(2)}},
		Events:   []traces.Event{{Name: "first", Time: 1544712660500000001, Attrs: traces.Attrs{{Key: "n", Value: int64(1)}}}},
		Links:    []traces.Link{{TraceID: "5b8efff798038103d269b633813fc60d", SpanID: "aaa19b7ec3c1b174", Attrs: traces.Attrs{{Key: "longpole.dep", Value: true}}}},
		Resource: &traces.Resource{Attrs: traces.Attrs{{Key: "service.name", Value: "agent"}}},
		Scope:    "lib",
		Dropped:  traces.Dropped{Attrs: 1, Events: 2, Links: 3},
	}
	records, problems, err := otlp.Read(strings.NewReader(text))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if diff := cmp.Diff([]traces.Record{want}, records); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestReadTakesAttributesInEveryForm(t *testing.T) {
	cases := []struct {
		name, attributes string
		want             traces.Attrs
	}{
		{"nothing", `[]`, nil},
		{"an empty value", `[{"key":"k","value":{}},{"key":"l","value":null},{"key":"m"}]`, traces.Attrs{{Key: "k"}, {Key: "l"}, {Key: "m"}}},
		{"null within a value", `[{"key":"k","value":{"stringValue":null}}]`, traces.Attrs{{Key: "k"}}},
		{"the largest and smallest integer", `[{"key":"k","value":{"intValue":"9223372036854775807"}},{"key":"l","value":{"intValue":-9223372036854775808}}]`,
			traces.Attrs{{Key: "k", Value: int64(math.MaxInt64)}, {Key: "l", Value: int64(math.MinInt64)}}},
		{"an integer above 2^53 is exact", `[{"key":"k","value":{"intValue":9007199254740993}}]`, traces.Attrs{{Key: "k", Value: int64(9007199254740993)}}},
		{"an integer with an exponent or an empty fraction", `[{"key":"k","value":{"intValue":1.5e3}},{"key":"l","value":{"intValue":"12.0"}}]`,
			traces.Attrs{{Key: "k", Value: int64(1500)}, {Key: "l", Value: int64(12)}}},
		{"an integer of more than 64 bits keeps its digits", `[{"key":"k","value":{"intValue":"18446744073709551615"}}]`, traces.Attrs{{Key: "k", Value: "18446744073709551615"}}},
		{"doubles, also as whole numbers and strings", `[{"key":"k","value":{"doubleValue":0.1}},{"key":"l","value":{"doubleValue":3}},{"key":"m","value":{"doubleValue":"2.5"}}]`,
			traces.Attrs{{Key: "k", Value: 0.1}, {Key: "l", Value: 3.0}, {Key: "m", Value: 2.5}}},
		{"infinite doubles", `[{"key":"k","value":{"doubleValue":"Infinity"}},{"key":"l","value":{"doubleValue":"-Infinity"}},{"key":"m","value":{"doubleValue":-Infinity}}]`,
			traces.Attrs{{Key: "k", Value: math.Inf(1)}, {Key: "l", Value: math.Inf(-1)}, {Key: "m", Value: math.Inf(-1)}}},
		{"truth values, also as strings", `[{"key":"k","value":{"boolValue":true}},{"key":"l","value":{"boolValue":"false"}}]`, traces.Attrs{{Key: "k", Value: true}, {Key: "l", Value: false}}},
		{"bytes", `[{"key":"k","value":{"bytesValue":"AP+A"}},{"key":"l","value":{"bytesValue":""}},{"key":"m","value":{"bytesValue":"_w"}}]`,
			traces.Attrs{{Key: "k", Value: []byte{0, 255, 128}}, {Key: "l", Value: []byte{}}, {Key: "m", Value: []byte{255}}}},
		{"lists and maps", `[{"key":"k","value":{"arrayValue":{"values":[{"stringValue":"a"},{"kvlistValue":{"values":[{"key":"x","value":{"intValue":"1"}}]}},{}]}}}]`,
			traces.Attrs{{Key: "k", Value: []any{"a", traces.Attrs{{Key: "x", Value: int64(1)}}, nil}}}},
		{"empty lists and maps", `[{"key":"k","value":{"arrayValue":{}}},{"key":"l","value":{"kvlistValue":{}}},{"key":"m","value":{"arrayValue":{"values":[]}}}]`,
			traces.Attrs{{Key: "k", Value: []any(nil)}, {Key: "l", Value: traces.Attrs(nil)}, {Key: "m", Value: []any(nil)}}},
		{"snake case", `[{"key":"k","value":{"string_value":"v"}},{"key":"l","value":{"int_value":"1"}}]`, traces.Attrs{{Key: "k", Value: "v"}, {Key: "l", Value: int64(1)}}},
		{"a plain map", `{"s":"v","i":7,"f":0.5,"b":true,"n":null,"l":[1,"x"],"m":{"x":1}}`,
			traces.Attrs{{Key: "s", Value: "v"}, {Key: "i", Value: int64(7)}, {Key: "f", Value: 0.5}, {Key: "b", Value: true}, {Key: "n"},
				{Key: "l", Value: []any{int64(1), "x"}}, {Key: "m", Value: traces.Attrs{{Key: "x", Value: int64(1)}}}}},
		{"a map of typed values", `{"s":{"stringValue":"v"},"i":{"intValue":"7"}}`, traces.Attrs{{Key: "s", Value: "v"}, {Key: "i", Value: int64(7)}}},
		{"a list with plain values", `[{"key":"k","value":"v"},{"key":"l","value":2}]`, traces.Attrs{{Key: "k", Value: "v"}, {Key: "l", Value: int64(2)}}},
		{"escapes", `[{"key":"k","value":{"stringValue":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800x"}}]`, traces.Attrs{{Key: "k", Value: "\"\\/\b\f\n\r\té😀\ufffdx"}}},
		{"bytes that are not UTF-8, and raw control characters, stay", "[{\"key\":\"k\",\"value\":{\"stringValue\":\"a\xc3(\t\x01\"}}]", traces.Attrs{{Key: "k", Value: "a\xc3(\t\x01"}}},
		{"an empty key", `[{"key":"","value":{"stringValue":""}}]`, traces.Attrs{{Key: "", Value: ""}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records, problems, err := otlp.Read(strings.NewReader(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","attributes":` + c.attributes + `}]}]}]}`))
			if err != nil || len(problems) > 0 || len(records) != 1 {
				t.Fatal(records, problems, err)
			}
			if diff := cmp.Diff(c.want, records[0].Attrs); diff != "" {
				t.Errorf("attributes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTakesIdsInEveryForm(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"lower case", `"0a1b2c3d4e5f6071"`, "0a1b2c3d4e5f6071"},
		{"upper case", `"0A1B2C3D4E5F6071"`, "0a1b2c3d4e5f6071"},
		{"a span's in base64", `"Chss\/U5fYHE="`, "0a1b2cfd4e5f6071"},
		{"a trace's in base64", `"AAAAAAAAAAAKGyw9Tl9gcQ=="`, "00000000000000000a1b2c3d4e5f6071"},
		{"a short one", `"a1"`, "a1"},
		{"one that is neither", `"span_A4FD"`, "span_A4FD"},
		{"one of 12 digits is not base64", `"aabbccddeeff"`, "aabbccddeeff"},
		{"a number", `17`, "17"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records, _, err := otlp.Read(strings.NewReader(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":` + c.text + `}]}]}]}`))
			if got := ids(records); got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
	for _, root := range []string{`""`, `null`, `"0000000000000000"`, `"AAAAAAAAAAA="`} {
		records, _, err := otlp.Read(strings.NewReader(`{"batches":[{"scopeSpans":[{"spans":[{"spanId":"a","parentSpanId":` + root + `}]}]}]}`))
		if err != nil || len(records) != 1 || records[0].ParentID != "" {
			t.Errorf("parent %s: got %v, %v, want a root", root, records, err)
		}
	}
}

func TestReadTakesEnumerationsByNumberAndName(t *testing.T) {
	for text, want := range map[string]traces.Kind{
		`0`: traces.KindUnspecified, `1`: traces.KindInternal, `"5"`: traces.KindConsumer, `6`: 0, `-1`: 0, `null`: 0,
		`"SPAN_KIND_CLIENT"`: traces.KindClient, `"server"`: traces.KindServer, `"nonsense"`: 0,
	} {
		records, _, err := otlp.Read(strings.NewReader(`{"batches":[{"scopeSpans":[{"spans":[{"spanId":"a","kind":` + text + `}]}]}]}`))
		if err != nil || len(records) != 1 || records[0].Kind != want {
			t.Errorf("kind %s: got %v, %v, want %v", text, records, err, want)
		}
	}
	for text, want := range map[string]traces.Status{`1`: traces.StatusOK, `"STATUS_CODE_ERROR"`: traces.StatusError, `"STATUS_CODE_UNSET"`: 0, `{}`: 0} {
		records, _, err := otlp.Read(strings.NewReader(`{"batches":[{"scopeSpans":[{"spans":[{"spanId":"a","status":{"code":` + text + `}}]}]}]}`))
		if err != nil || len(records) != 1 || records[0].Status != want {
			t.Errorf("status %s: got %v, %v, want %v", text, records, err, want)
		}
	}
}

func TestReadListsWhatItLeavesOut(t *testing.T) {
	a, b, c := span("a"), span("b"), span("c")
	two := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"d"},{"spanId":"e"},{"spanId":"f`
	cases := []struct{ name, text, spans, problem string }{
		{"a last line that is torn", a + "\n" + b[:len(b)-9], "a", "line 2: cut off in the middle; skipped"},
		{"the whole spans of a torn last line stay", a + "\n" + two, "a d e", "line 2: cut off in the middle; kept the whole spans before the cut (2)"},
		{"a line that is torn within a string", a + "\n" + b[:24] + "\n" + c + "\n", "a c", "line 2: line feed within a string; skipped"},
		{"a line that is torn between values", a + "\n" + b[:18] + "\n" + c + "\n" + a + "\n", "a c a", "line 2: unexpected '{'; skipped"},
		{"the last but one line is torn between values", a + "\n" + b[:18] + "\n" + c + "\n", "a c", "line 2: cut off in the middle; skipped"},
		{"a torn line that the next one continues", a + "\n" + b[:24] + c + "\n" + a + "\n", "a a", "line 2: unexpected 'r'; skipped"},
		{"a file that is one torn line", a[:30], "", "line 1: cut off in the middle; skipped"},
		{"garbage", a + "\nhello\n" + b, "a b", "line 2: unexpected 'h'; skipped"},
		{"lines of garbage are one problem", a + "\n{x\n{y\n[z\n" + b, "a b", "lines 2 to 4: unexpected 'x'; skipped"},
		{"nesting without end", a + "\n" + strings.Repeat("[", 1_000_000) + "\n" + b, "a b", "line 2: nested deeper than 400 levels; skipped"},
		{"other JSON among the lines", a + "\n{\"level\":\"info\"}\n{\"level\":\"info\"}\n" + b, "a b", "line 2: JSON without resourceSpans; skipped (2 in all)"},
		{"logs among the lines", a + "\n" + `{"resourceLogs":[]}`, "a", "line 2: OTLP logs among the spans; skipped (1 in all)"},
		{"a list that is none", a + "\n" + `{"resourceSpans":{"a":1}}`, "a", "line 2: resourceSpans is not a list; skipped"},
		{"a span without an id", a + "\n" + `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}`, "a", "line 2: a span without an id; skipped (1 in all)"},
		{"a time that is none", `{"batches":[{"scopeSpans":[{"spans":[{"spanId":"a","name":"n","startTimeUnixNano":"2026-01-01"}]}]}]}`, "a",
			`line 1: start time "2026-01-01" of span "n" is not a number of nanoseconds; taken as unknown`},
		{"a time beyond 64 bits", `{"batches":[{"scopeSpans":[{"spans":[{"spanId":"a","name":"n","endTimeUnixNano":18446744073709551534}]}]}]}`, "a",
			`line 1: end time "18446744073709551534" of span "n" is not a number of nanoseconds; taken as unknown`},
		{"a trace that the store knows to be partial", `{"trace":` + a + `,"status":"PARTIAL"}`, "a", "line 1: the trace store marked its answer as partial; spans are missing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records, problems, err := otlp.Read(strings.NewReader(c.text))
			if got := ids(records); got != c.spans || err != nil {
				t.Errorf("got spans %q, error %v, want %q", got, err, c.spans)
			}
			if len(problems) != 1 || problems[0].Message != c.problem {
				t.Errorf("got problems %v, want %q", problems, c.problem)
			}
		})
	}
}

func TestReadSaysWhatTheTextHoldsInsteadOfSpans(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"logs", `{"resourceLogs":[{}]}`, "line 1 holds OTLP logs, not OTLP/JSON spans; export the traces"},
		{"metrics", "\n" + `{"resourceMetrics":[{}]}`, "line 2 holds OTLP metrics, not OTLP/JSON spans; export the traces"},
		{"log records that were sent as spans", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"body":{"stringValue":"x"}}]}]}]}`,
			"line 1: the spans have no ids, not OTLP/JSON spans; are they log records that were sent to a trace endpoint?"},
		{"other JSON", `{"data":[]}`, "line 1 holds JSON without resourceSpans, not OTLP/JSON spans"},
		{"other JSON with a trace", `{"trace":{"id":"x"}}`, "line 1 holds JSON without resourceSpans, not OTLP/JSON spans"},
		{"no JSON", "hello\nworld", "line 1: unexpected 'h', not OTLP/JSON spans"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records, _, err := otlp.Read(strings.NewReader(c.text))
			if !errors.Is(err, otlp.ErrNotOTLP) || err.Error() != c.want || len(records) > 0 {
				t.Errorf("got %v, %v\nwant %q", records, err, c.want)
			}
		})
	}
}

func TestReadGivesWhatCameBeforeTheSourceFailed(t *testing.T) {
	broken := errors.New("disk on fire")
	records, _, err := otlp.Read(failing{span("a") + "\n" + span("b")[:9], broken})
	if !errors.Is(err, broken) || ids(records) != "a" {
		t.Errorf("got %v, %v, want span a and the error of the source", records, err)
	}
}

// A failing reader gives a text and an error.
type failing struct {
	text string
	err  error
}

func (r failing) Read(p []byte) (int, error) { return copy(p, r.text), r.err }

func TestReadSharesResourcesAndHoldsNoText(t *testing.T) {
	document := func(id, service string) string {
		return fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":%q}}]},"scopeSpans":[{"spans":[{"spanId":%q}]}]}]}`, service, id)
	}
	records, _, err := otlp.Read(strings.NewReader(document("a", "x") + "\n" + document("b", "y") + "\n" + document("c", "x")))
	if err != nil || len(records) != 3 {
		t.Fatal(records, err)
	}
	if records[0].Resource != records[2].Resource || records[0].Resource == records[1].Resource {
		t.Errorf("equal resources must be one, different ones two: %v", records)
	}
}
