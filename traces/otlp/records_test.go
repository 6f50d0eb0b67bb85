package otlp_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// onTheWire gives records what OTLP demands: ids of full length, each span once, and an end.
func onTheWire(records []traces.Record) []traces.Record {
	id := func(s string, n int) string { return fmt.Sprintf("%0*x", n, s[len(s)-2:]) }
	for i := range records {
		s := &records[i]
		s.TraceID, s.SpanID = id(s.TraceID, 32), fmt.Sprintf("%016x", i+1)
		if s.ParentID != "" {
			s.ParentID = id(s.ParentID, 16)
		}
		s.Start, s.End = max(s.Start, 0), max(s.End, 1)
		s.Attrs = slices.DeleteFunc(s.Attrs, func(a traces.Attr) bool { return a.Key == traces.KeyChunks })
		for k := range s.Events {
			s.Events[k].Time = max(s.Events[k].Time, 0)
		}
		for k := range s.Links {
			s.Links[k].TraceID, s.Links[k].SpanID = id(s.Links[k].TraceID, 32), id(s.Links[k].SpanID, 16)
		}
	}
	return records
}

func TestFromProtosIsTheInverseOfProtos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := onTheWire(records().Draw(t, "records"))
		got := otlp.FromProtos(otlp.Protos(want))
		slices.SortFunc(got, func(a, b traces.Record) int { return cmp.Compare(a.SpanID, b.SpanID) })
		if diff := gocmp.Diff(want, got, same); diff != "" {
			t.Fatalf("records (-sent +received):\n%s", diff)
		}
	})
}

func TestProtobufAndJSONSayTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := otlp.FromProtos(otlp.Protos(records().Draw(t, "records")))
		got, problems, err := otlp.Read(bytes.NewReader(otlp.AppendJSON(nil, want...)))
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		if diff := gocmp.Diff(want, got, same); diff != "" {
			t.Fatalf("records (-protobuf +JSON):\n%s", diff)
		}
	})
}

func TestFromProtosOfOddMessages(t *testing.T) {
	deep := &commonpb.AnyValue{}
	for range 100 {
		deep = &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{deep}}}}
	}
	one := func(s *tracepb.Span) []*tracepb.ResourceSpans {
		return []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{s}}}}}
	}
	for _, c := range []struct {
		name string
		in   []*tracepb.ResourceSpans
		want []traces.Record
	}{
		{"nothing", nil, nil},
		{"messages that are not there", []*tracepb.ResourceSpans{nil, {ScopeSpans: []*tracepb.ScopeSpans{nil, {Spans: []*tracepb.Span{nil}}}}}, nil},
		{"a span without an id", one(&tracepb.Span{Name: "a", SpanId: make([]byte, 8)}), nil},
		{"enumerations out of range, a parent of zeros", one(&tracepb.Span{SpanId: []byte{0xAB}, ParentSpanId: make([]byte, 8), Kind: 9, Status: &tracepb.Status{Code: -1}}),
			[]traces.Record{{SpanID: "ab"}}},
		{"a time beyond the year 2262", one(&tracepb.Span{SpanId: []byte{1}, StartTimeUnixNano: 1 << 63, EndTimeUnixNano: 5}), []traces.Record{{SpanID: "01", End: 5}}},
		{"attributes without a value", one(&tracepb.Span{SpanId: []byte{1}, Attributes: []*commonpb.KeyValue{nil, {Key: "a"}, {Key: "b", Value: &commonpb.AnyValue{}}}}),
			[]traces.Record{{SpanID: "01", Attrs: traces.Attrs{{}, {Key: "a"}, {Key: "b"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := gocmp.Diff(c.want, otlp.FromProtos(c.in), same); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
	levels, value := 0, otlp.FromProtos(one(&tracepb.Span{SpanId: []byte{1}, Attributes: []*commonpb.KeyValue{{Key: "a", Value: deep}}}))[0].Attrs[0].Value
	for list, ok := value.([]any); ok; list, ok = value.([]any) {
		levels++
		value = list[0]
	}
	if levels != 64 || value != "(nested too deep)" {
		t.Errorf("a value of 100 levels: got %d levels and %v, want 64 and that it is nested too deep", levels, value)
	}
}

// Whatever is sent, a receiver takes it or says why not, and what it takes can be written down.
func FuzzReceiver(f *testing.F) {
	for _, records := range [][]traces.Record{nil, {{TraceID: "01", SpanID: "02", End: 1, Attrs: traces.Attrs{{Key: "a", Value: []any{int64(1), "b"}}}}}} {
		body, err := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: otlp.Protos(records)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(false, false, body)
		f.Add(false, true, zipped(body))
	}
	files, _ := filepath.Glob("testdata/*.json")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(true, false, text)
	}
	f.Fuzz(func(t *testing.T, asJSON, packed bool, body []byte) {
		var got sink
		r := otlp.NewReceiver(got.take)
		req := httptest.NewRequest("POST", "/v1/traces", bytes.NewReader(body))
		req.Header.Set("Content-Type", "application/x-protobuf")
		if asJSON {
			req.Header.Set("Content-Type", "application/json")
		}
		if packed {
			req.Header.Set("Content-Encoding", "gzip")
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		if err := r.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w.Code != 200 && (w.Code != 400 && w.Code != 413 || len(got.records) > 0) {
			t.Fatalf("status %d with %d records", w.Code, len(got.records))
		}
		if received := r.Received(); received.Spans != int64(len(got.records)) || received.Lost != 0 {
			t.Fatalf("%+v, but %d records", received, len(got.records))
		}
		if line := otlp.AppendJSON(nil, got.records...); !json.Valid(line) {
			t.Fatalf("not JSON: %q", line)
		}
		otlp.FromProtos(otlp.Protos(got.records))
	})
}
