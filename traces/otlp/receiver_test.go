package otlp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	otelattr "go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// A sink keeps what a receiver hands on.
type sink struct {
	mu      sync.Mutex
	records []traces.Record
}

func (s *sink) take(records []traces.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, records...)
}

// serve starts a receiver on a port of this machine and returns its address.
func serve(t *testing.T, r *otlp.Receiver) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := r.Serve(listener); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		serving.Wait()
	})
	return listener.Addr().String()
}

func TestExportersOfTheSDKAreUnderstood(t *testing.T) {
	for _, name := range []string{"TRACES_ENDPOINT", "ENDPOINT", "PROTOCOL", "HEADERS", "COMPRESSION"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
	}
	for _, c := range []struct {
		name string
		new  func(addr string) (sdktrace.SpanExporter, error)
	}{
		{"HTTP, protobuf", func(addr string) (sdktrace.SpanExporter, error) {
			return otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL("http://"+addr+"/v1/traces"))
		}},
		{"HTTP, protobuf, gzip", func(addr string) (sdktrace.SpanExporter, error) {
			return otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL("http://"+addr+"/v1/traces"), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
		}},
		{"HTTP, JSON", func(addr string) (sdktrace.SpanExporter, error) {
			return otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL("http://"+addr+"/v1/traces"), otlptracehttp.WithEncoding(otlptracehttp.EncodingJSON))
		}},
		{"gRPC", func(addr string) (sdktrace.SpanExporter, error) {
			return otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpointURL("http://"+addr))
		}},
		{"gRPC, gzip", func(addr string) (sdktrace.SpanExporter, error) {
			return otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpointURL("http://"+addr), otlptracegrpc.WithCompressor("gzip"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got sink
			r := otlp.NewReceiver(got.take)
			exporter, err := c.new(serve(t, r))
			if err != nil {
				t.Fatal(err)
			}
			agent, tool := emit(t, exporter)
			if err := r.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(got.records) != 2 {
				t.Fatalf("got %d records, want 2", len(got.records))
			}
			res := &traces.Resource{Attrs: traces.Attrs{{Key: "service.name", Value: "my-agent"}}}
			start := time.Date(2026, 11, 29, 12, 0, 0, 1, time.UTC)
			want := []traces.Record{
				{TraceID: tool.TraceID().String(), SpanID: tool.SpanID().String(), ParentID: agent.SpanID().String(), Name: "execute_tool grep",
					Kind: traces.KindInternal, Start: start.UnixNano(), End: start.Add(time.Second).UnixNano(), Status: traces.StatusError, Message: "exit 1",
					Attrs:  traces.Attrs{{Key: "gen_ai.tool.name", Value: "grep"}, {Key: "n", Value: int64(7)}, {Key: "list", Value: []any{"a", "b"}}},
					Events: []traces.Event{{Name: "output", Time: start.Add(time.Millisecond).UnixNano(), Attrs: traces.Attrs{{Key: "f", Value: 0.5}}}},
					Links:  []traces.Link{{TraceID: agent.TraceID().String(), SpanID: agent.SpanID().String(), Attrs: traces.Attrs{{Key: "longpole.dep", Value: true}}}},
					Scope:  "scope", Resource: res},
				{TraceID: agent.TraceID().String(), SpanID: agent.SpanID().String(), Name: "invoke_agent", Kind: traces.KindClient,
					Start: start.UnixNano(), End: start.Add(time.Minute).UnixNano(), Scope: "scope", Resource: res},
			}
			if diff := cmp.Diff(want, got.records, same); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if got, want := r.Received(), (otlp.Received{Spans: 2}); got != want {
				t.Errorf("received %+v, want %+v", got, want)
			}
		})
	}
}

// emit makes two spans and sends them.
func emit(t *testing.T, exporter sdktrace.SpanExporter) (agent, tool trace.SpanContext) {
	t.Helper()
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(otelattr.String("service.name", "my-agent"))))
	tracer := provider.Tracer("scope")
	start := time.Date(2026, 11, 29, 12, 0, 0, 1, time.UTC)
	ctx, outer := tracer.Start(t.Context(), "invoke_agent", trace.WithTimestamp(start), trace.WithSpanKind(trace.SpanKindClient))
	_, inner := tracer.Start(ctx, "execute_tool grep", trace.WithTimestamp(start),
		trace.WithAttributes(otelattr.String("gen_ai.tool.name", "grep"), otelattr.Int("n", 7), otelattr.StringSlice("list", []string{"a", "b"})),
		trace.WithLinks(trace.Link{SpanContext: outer.SpanContext(), Attributes: []otelattr.KeyValue{otelattr.Bool("longpole.dep", true)}}))
	inner.AddEvent("output", trace.WithTimestamp(start.Add(time.Millisecond)), trace.WithAttributes(otelattr.Float64("f", 0.5)))
	inner.SetStatus(otelcodes.Error, "exit 1")
	inner.End(trace.WithTimestamp(start.Add(time.Second)))
	outer.End(trace.WithTimestamp(start.Add(time.Minute)))
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return outer.SpanContext(), inner.SpanContext()
}

func TestLogsAndMetricsAreAnsweredAndCounted(t *testing.T) {
	r := otlp.NewReceiver(func([]traces.Record) { t.Error("records were handed on") })
	addr := serve(t, r)
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := logspb.NewLogsServiceClient(conn).Export(t.Context(), &logspb.ExportLogsServiceRequest{}); err != nil {
		t.Error(err)
	}
	if _, err := metricspb.NewMetricsServiceClient(conn).Export(t.Context(), &metricspb.ExportMetricsServiceRequest{}); err != nil {
		t.Error(err)
	}
	for _, signal := range []string{"logs", "metrics"} {
		resp, err := http.Post("http://"+addr+"/v1/"+signal, "application/json", strings.NewReader(strings.Repeat("x", 1<<20)))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || string(body) != "{}" || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %q %s", signal, resp.Status, body, resp.Header.Get("Content-Type"))
		}
	}
	if got, want := r.Received(), (otlp.Received{Logs: 2, Metrics: 2}); got != want {
		t.Errorf("received %+v, want %+v", got, want)
	}
}

func TestAnswersOverHTTP(t *testing.T) {
	good, _ := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: otlp.Protos([]traces.Record{{TraceID: "01", SpanID: "02", End: 1}})})
	nameless, _ := proto.Marshal(&collectorpb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{
		{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{Name: "a"}, {Name: "b", SpanId: []byte{1, 2, 3, 4, 5, 6, 7, 8}}}}}}}})
	const pb, js = "application/x-protobuf", "application/json"
	for _, c := range []struct {
		name                           string
		method, path, kind, coding     string
		body                           []byte
		status                         int
		answer                         string // as JSON, of a request in JSON; "" where the message is empty
		spans, rejected, logs, metrics int64
	}{
		{"spans in protobuf", "POST", "/v1/traces", pb, "", good, 200, "", 1, 0, 0, 0},
		{"protobuf by its other name", "POST", "/v1/traces", "application/protobuf", "identity", good, 200, "", 1, 0, 0, 0},
		{"spans in gzip", "POST", "/v1/traces", pb, "gzip", zipped(good), 200, "", 1, 0, 0, 0},
		{"spans in JSON with a charset", "POST", "/v1/traces", js + "; charset=utf-8", "", []byte(span("a")), 200, `{}`, 1, 0, 0, 0},
		{"no spans in JSON", "POST", "/v1/traces", js, "", []byte(`{}`), 200, `{}`, 0, 0, 0, 0},
		{"no spans in protobuf", "POST", "/v1/traces", pb, "", nil, 200, "", 0, 0, 0, 0},
		{"a span without an id is a partial success", "POST", "/v1/traces", pb, "", nameless, 200, "", 1, 1, 0, 0},
		{"a span without an id, in JSON", "POST", "/v1/traces", js, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"}]}]}]}`), 200,
			`{"partialSuccess":{"rejectedSpans":"1","errorMessage":"spans without an id"}}`, 0, 1, 0, 0},
		{"a time that is none is a warning", "POST", "/v1/traces", js, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"01","name":"a","endTimeUnixNano":"soon"}]}]}]}`), 200,
			`{"partialSuccess":{"errorMessage":"line 1: end time \"soon\" of span \"a\" is not a number of nanoseconds; taken as unknown"}}`, 1, 0, 0, 0},
		{"JSON that is cut off is refused whole", "POST", "/v1/traces", js, "", []byte(span("a")[:len(span("a"))-4]), 400,
			`{"code":3,"message":"line 1: cut off in the middle; kept the whole spans before the cut (1)"}`, 0, 0, 0, 0},
		{"logs sent to the path of spans", "POST", "/v1/traces", js, "", []byte(`{"resourceLogs":[]}`), 400,
			`{"code":3,"message":"line 1 holds OTLP logs, not OTLP/JSON spans; export the traces"}`, 0, 0, 0, 0},
		{"protobuf that is cut off", "POST", "/v1/traces", pb, "", good[:len(good)-1], 400, "", 0, 0, 0, 0},
		{"text", "POST", "/v1/traces", "text/plain", "", good, 415, "", 0, 0, 0, 0},
		{"no content type", "POST", "/v1/traces", "", "", good, 415, "", 0, 0, 0, 0},
		{"a coding that is not known", "POST", "/v1/traces", pb, "zstd", good, 415, "", 0, 0, 0, 0},
		{"gzip that is none", "POST", "/v1/traces", pb, "gzip", good, 400, "", 0, 0, 0, 0},
		{"gzip that is cut off", "POST", "/v1/traces", pb, "gzip", zipped(good)[:20], 400, "", 0, 0, 0, 0},
		{"a body that is too large", "POST", "/v1/traces", pb, "", make([]byte, 20<<20+1), 413, "", 0, 0, 0, 0},
		{"a small body that unpacks to a large one", "POST", "/v1/traces", pb, "gzip", zipped(make([]byte, 20<<20+1)), 413, "", 0, 0, 0, 0},
		{"another path", "POST", "/v2/traces", js, "", nil, 404, `{"code":3,"message":"there is nothing at /v2/traces; OTLP goes to /v1/traces"}`, 0, 0, 0, 0},
		{"another method", "GET", "/v1/traces", js, "", nil, 405, `{"code":3,"message":"OTLP is sent with POST"}`, 0, 0, 0, 0},
		{"logs", "POST", "/v1/logs", pb, "", []byte("whatever"), 200, "", 0, 0, 1, 0},
		{"metrics", "POST", "/v1/metrics", js, "gzip", []byte("whatever"), 200, `{}`, 0, 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got sink
			r := otlp.NewReceiver(got.take)
			req := httptest.NewRequest(c.method, c.path, bytes.NewReader(c.body))
			req.Header.Set("Content-Type", c.kind)
			if c.coding != "" {
				req.Header.Set("Content-Encoding", c.coding)
			}
			w := httptest.NewRecorder()
			r.ServeHTTP(w, req)
			if err := r.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantKind := pb
			if strings.HasPrefix(c.kind, js) {
				wantKind = js
				if compact(w.Body.Bytes()) != c.answer {
					t.Errorf("answer %s, want %s", w.Body, c.answer)
				}
			} else if c.status == 200 {
				answer := &collectorpb.ExportTraceServiceResponse{}
				if err := proto.Unmarshal(w.Body.Bytes(), answer); err != nil || answer.GetPartialSuccess().GetRejectedSpans() != c.rejected {
					t.Errorf("answer %v, %v; want %d spans rejected", answer, err, c.rejected)
				}
			} else if w.Body.Len() == 0 {
				t.Error("no reason is given")
			}
			if w.Code != c.status || w.Header().Get("Content-Type") != wantKind {
				t.Errorf("status %d, type %q; want %d, %q", w.Code, w.Header().Get("Content-Type"), c.status, wantKind)
			}
			want := otlp.Received{Spans: c.spans, Rejected: c.rejected, Logs: c.logs, Metrics: c.metrics}
			if received := r.Received(); received != want || int64(len(got.records)) != c.spans {
				t.Errorf("received %+v and %d records, want %+v", received, len(got.records), want)
			}
		})
	}
}

// compact takes out the spaces that protojson puts in at random.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

func zipped(b []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write(b)
	_ = w.Close()
	return buf.Bytes()
}

// Bodies whose parts are many or deep take a hundred times their size in memory, or the whole stack.
func TestBodiesThatWouldFillTheMemoryAreRefused(t *testing.T) {
	field := func(number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	deep := []byte{}
	for range 5000 { // AnyValue.array_value and ArrayValue.values
		deep = field(5, field(1, deep))
	}
	inSpan := func(spans []byte) []byte { return field(1, field(2, spans)) } // resource_spans, scope_spans
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"two million empty spans", inSpan(bytes.Repeat([]byte{0x12, 0}, 2<<20))},
		{"two million empty attributes", inSpan(field(2, bytes.Repeat([]byte{0x4a, 0}, 2<<20)))},
		{"a value nested deep", inSpan(field(2, field(9, field(2, deep))))},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := otlp.NewReceiver(func([]traces.Record) { t.Error("records were handed on") })
			req := httptest.NewRequest("POST", "/v1/traces", bytes.NewReader(c.body))
			req.Header.Set("Content-Type", "application/x-protobuf")
			w := httptest.NewRecorder()
			r.ServeHTTP(w, req)
			if w.Code != 400 || !strings.Contains(w.Body.String(), "nested too deep") {
				t.Errorf("over HTTP: %d %q", w.Code, w.Body)
			}
			conn, err := grpc.NewClient(serve(t, r), grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			raw := &collectorpb.ExportTraceServiceRequest{}
			raw.ProtoReflect().SetUnknown(c.body)
			if _, err := collectorpb.NewTraceServiceClient(conn).Export(t.Context(), raw); err == nil || !strings.Contains(err.Error(), "nested too deep") {
				t.Errorf("over gRPC: %v", err)
			}
		})
	}
}

// Whoever gets the records may be as slow as it likes: senders are answered at once.
func TestASenderDoesNotWaitForTheRecordsToBeHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got sink
		r := otlp.NewReceiver(func(records []traces.Record) {
			time.Sleep(time.Hour)
			got.take(records)
		})
		start := time.Now()
		for _, id := range []string{"a", "b", "c"} {
			if code := post(r, strings.NewReader(span(id))); code != 200 {
				t.Errorf("status %d, want 200", code)
			}
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("senders waited %s, want not at all", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := r.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("flush for a minute: %v, want that it took too long", err)
		}
		if err := r.Close(t.Context()); err != nil || ids(got.records) != "a b c" || time.Since(start) != 3*time.Hour {
			t.Errorf("close: %v after %s with records %q; want a b c after 3 h", err, time.Since(start), ids(got.records))
		}
	})
}

// post sends spans in JSON and returns the status of the answer.
func post(r *otlp.Receiver, body io.Reader) int {
	req := httptest.NewRequest("POST", "/v1/traces", body)
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w.Code
}

func TestRequestsBeyondThePlacesAreRefusedAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := otlp.NewReceiver(func([]traces.Record) {})
		slow, send := io.Pipe()
		var sending sync.WaitGroup
		for range 4 {
			sending.Go(func() { post(r, slow) })
		}
		synctest.Wait()
		start := time.Now()
		req := httptest.NewRequest("POST", "/v1/traces", strings.NewReader(span("a")))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		if w.Code != 503 || w.Header().Get("Retry-After") != "1" || time.Since(start) != time.Second {
			t.Errorf("status %d, retry after %q s, after %s; want 503, 1 s, after 1 s", w.Code, w.Header().Get("Retry-After"), time.Since(start))
		}
		overGRPC := httptest.NewRequest("POST", "/opentelemetry.proto.collector.trace.v1.TraceService/Export", nil)
		overGRPC.ProtoMajor = 2
		overGRPC.Header.Set("Content-Type", "application/grpc")
		w = httptest.NewRecorder()
		r.ServeHTTP(w, overGRPC)
		if w.Code != 200 || w.Header().Get("Grpc-Status") != fmt.Sprint(uint32(codes.Unavailable)) {
			t.Errorf("over gRPC: %d, %v; want status unavailable", w.Code, w.Header())
		}
		send.Close()
		sending.Wait()
		if code := post(r, strings.NewReader(span("a"))); code != 200 {
			t.Errorf("when there is a place again: %d, want 200", code)
		}
	})
}

func TestAPanicWhereTheRecordsGoIsContained(t *testing.T) {
	var got sink
	r := otlp.NewReceiver(func(records []traces.Record) {
		if records[0].SpanID == "bad" {
			panic("no")
		}
		got.take(records)
	})
	for _, name := range []string{"bad", "good"} {
		if code := post(r, strings.NewReader(span(name))); code != 200 {
			t.Errorf("%s: status %d, want 200", name, code)
		}
	}
	if err := r.Flush(t.Context()); err != nil || len(got.records) != 1 {
		t.Errorf("got %d records, %v; want the good one", len(got.records), err)
	}
	if got, want := r.Received(), (otlp.Received{Spans: 1, Lost: 1}); got != want {
		t.Errorf("received %+v, want %+v", got, want)
	}
}

func TestSpansOfManySendersArriveOnceAndOneBatchAtATime(t *testing.T) {
	seen := map[string]int{}
	r := otlp.NewReceiver(func(records []traces.Record) { // no lock: the race detector would tell
		for _, s := range records {
			seen[s.SpanID]++
		}
	})
	addr := serve(t, r)
	const senders, spans = 8, 50
	var sending sync.WaitGroup
	for i := range senders {
		sending.Go(func() {
			opt := otlp.Options{Endpoint: "http://" + addr, Protocol: protocols[1+i%3]}
			for k := range spans {
				if _, err := otlp.Export(t.Context(), []traces.Record{{TraceID: "01", SpanID: fmt.Sprintf("%016x", 1+i*spans+k), End: 1}}, opt); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	sending.Wait()
	if err := r.Flush(t.Context()); err != nil || len(seen) != senders*spans || r.Received().Spans != senders*spans {
		t.Errorf("%d spans arrived, %+v, %v; want %d", len(seen), r.Received(), err, senders*spans)
	}
}

func TestCloseDoesNotWaitForIdleConnections(t *testing.T) {
	r := otlp.NewReceiver(func([]traces.Record) {})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- r.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := collectorpb.NewTraceServiceClient(conn)
	if _, err := client.Export(t.Context(), &collectorpb.ExportTraceServiceRequest{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
	if _, err := client.Export(ctx, &collectorpb.ExportTraceServiceRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("after close: %v, want that it is unavailable", err)
	}
}
