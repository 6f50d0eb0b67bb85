package otlp_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// A collector takes spans over gRPC and HTTP, as a real one does.
type collector struct {
	collectorpb.UnimplementedTraceServiceServer
	reject int64  // spans of each request that it says it rejected
	refuse string // why it refuses every request, "" if it does not

	mu       sync.Mutex
	requests []*collectorpb.ExportTraceServiceRequest
	token    string // of the last request's header "token"
}

func (c *collector) take(req *collectorpb.ExportTraceServiceRequest, token string) *collectorpb.ExportTraceServiceResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, req)
	c.token = token
	answer := &collectorpb.ExportTraceServiceResponse{}
	if c.reject > 0 {
		answer.PartialSuccess = &collectorpb.ExportTracePartialSuccess{RejectedSpans: c.reject, ErrorMessage: "too old"}
	}
	return answer
}

func (c *collector) Export(ctx context.Context, req *collectorpb.ExportTraceServiceRequest) (*collectorpb.ExportTraceServiceResponse, error) {
	if c.refuse != "" {
		return nil, status.Error(codes.InvalidArgument, c.refuse)
	}
	header, _ := metadata.FromIncomingContext(ctx)
	return c.take(req, strings.Join(header.Get("token"), ",")), nil
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	req := &collectorpb.ExportTraceServiceRequest{}
	var err error
	switch kind := r.Header.Get("Content-Type"); kind {
	case "application/x-protobuf":
		err = proto.Unmarshal(body, req)
	case "application/json": // OTLP's ids are hexadecimal, protojson's base64; Read knows
		records, problems, readErr := otlp.Read(strings.NewReader(string(body)))
		if err = readErr; err == nil && len(problems) == 0 {
			req.ResourceSpans = otlp.Protos(records)
		}
	default:
		err = fmt.Errorf("content type %q", kind)
	}
	switch {
	case r.URL.Path != "/v1/traces":
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnsupportedMediaType)
	case c.refuse != "":
		http.Error(w, c.refuse, http.StatusBadRequest)
	default:
		answer, _ := proto.Marshal(c.take(req, r.Header.Get("token")))
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}
}

// spans returns what was sent, in order.
func (c *collector) spans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*tracepb.Span
	for _, req := range c.requests {
		for _, resource := range req.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				list = append(list, scope.Spans...)
			}
		}
	}
	return list
}

// listen starts the collector and points the environment at it.
func (c *collector) listen(t *testing.T, protocol string) {
	for _, name := range []string{"ENDPOINT", "TRACES_ENDPOINT", "TRACES_PROTOCOL", "HEADERS"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "token=abc")
	if protocol != "grpc" {
		server := httptest.NewServer(c)
		t.Cleanup(server.Close)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collectorpb.RegisterTraceServiceServer(server, c)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+listener.Addr().String())
}

var protocols = []string{"", "http/protobuf", "http/json", "grpc"}

func TestExportSendsEachSpanOnceAndWhole(t *testing.T) {
	agent := &traces.Resource{Attrs: traces.Attrs{{Key: traces.KeyServiceName, Value: "my-agent"}}}
	trace := "5b8efff798038103d269b633813fc60c"
	records := []traces.Record{
		{TraceID: trace, SpanID: "0000000000000001", Name: "invoke_agent", Start: 100, Resource: agent, Scope: "longpole"},
		{TraceID: trace, SpanID: "0000000000000002", ParentID: "0000000000000001", Name: "attempt", Start: 110, Resource: agent, Scope: "longpole",
			Attrs: traces.Attrs{{Key: traces.KeyCheckpoint, Value: int64(180)}}},
		{TraceID: trace, SpanID: "0000000000000001", Name: "invoke_agent", Kind: traces.KindInternal, Start: 100, End: 200, Resource: agent, Scope: "longpole",
			Status: traces.StatusError, Message: "429", Dropped: traces.Dropped{Attrs: 1, Events: 2, Links: 3},
			Attrs: traces.Attrs{{Key: traces.KeyChunks, Value: []byte{1, 2}}, {Key: "i", Value: int64(7)}, {Key: "l", Value: []any{"a", 0.5, true, nil}},
				{Key: "m", Value: traces.Attrs{{Key: "b", Value: []byte{255}}}}, {Key: "bad", Value: "\xff"}},
			Events: []traces.Event{{Name: "first", Time: 150}},
			Links:  []traces.Link{{TraceID: trace, SpanID: "0000000000000009", Attrs: traces.Attrs{{Key: traces.KeyDep, Value: true}}}}},
	}
	for _, protocol := range protocols {
		t.Run("over "+protocol, func(t *testing.T) {
			var c collector
			c.listen(t, protocol)
			sent, err := otlp.Export(t.Context(), records, otlp.Options{})
			if err != nil || sent != 2 || len(c.requests) != 1 || c.token != "abc" {
				t.Fatalf("sent %d in %d requests with token %q, %v; want 2 in 1 with abc", sent, len(c.requests), c.token, err)
			}
			resource := c.requests[0].ResourceSpans[0]
			if got := resource.Resource.Attributes[0].Value.GetStringValue(); got != "my-agent" || resource.ScopeSpans[0].Scope.Name != "longpole" {
				t.Errorf("got service %q, scope %v", got, resource.ScopeSpans[0].Scope)
			}
			root, attempt := c.spans()[0], c.spans()[1]
			want := `{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"AAAAAAAAAAE=","name":"invoke_agent","kind":1,"startTimeUnixNano":"100","endTimeUnixNano":"200",` +
				`"attributes":[{"key":"i","value":{"intValue":"7"}},` +
				`{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"a"},{"doubleValue":0.5},{"boolValue":true},{}]}}},` +
				`{"key":"m","value":{"kvlistValue":{"values":[{"key":"b","value":{"bytesValue":"/w=="}}]}}},` +
				`{"key":"bad","value":{"stringValue":"` + "\ufffd" + `"}},{"key":"longpole.repaired","value":{"arrayValue":{"values":[{"stringValue":"bad"}]}}}],` +
				`"droppedAttributesCount":1,"events":[{"timeUnixNano":"150","name":"first"}],"droppedEventsCount":2,` +
				`"links":[{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"AAAAAAAAAAk=","attributes":[{"key":"longpole.dep","value":{"boolValue":true}}]}],` +
				`"droppedLinksCount":3,"status":{"message":"429","code":2}}`
			wanted := &tracepb.Span{}
			if err := protojson.Unmarshal([]byte(want), wanted); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(wanted, root) {
				t.Errorf("root: got\n%v\nwant\n%v", root, wanted)
			}
			// The attempt was still open: it lasted at least until the end of its trace.
			if got := attribute(attempt, traces.KeyOpen); !got.GetBoolValue() || attempt.EndTimeUnixNano != 200 || hex.EncodeToString(attempt.ParentSpanId) != "0000000000000001" {
				t.Errorf("got open attempt %v, want its end at 200 and %s", attempt, traces.KeyOpen)
			}
		})
	}
}

func attribute(span *tracepb.Span, key string) *commonpb.AnyValue {
	for _, a := range span.Attributes {
		if a.Key == key {
			return a.Value
		}
	}
	return nil
}

func TestExportSplitsWhatIsTooMuchForOneRequest(t *testing.T) {
	many := make([]traces.Record, 2500)
	for i := range many {
		many[i] = traces.Record{TraceID: "01", SpanID: fmt.Sprintf("%016x", i+1), End: 1}
	}
	large := make([]traces.Record, 3)
	for i := range large {
		large[i] = traces.Record{TraceID: "01", SpanID: fmt.Sprintf("%016x", i+1), End: 1, Attrs: traces.Attrs{{Key: "text", Value: strings.Repeat("x", 1_500_000)}}}
	}
	for _, c := range []struct {
		name     string
		records  []traces.Record
		requests int
	}{{"many spans", many, 3}, {"large spans", large, 3}, {"no spans", nil, 0}} {
		for _, protocol := range protocols {
			t.Run(c.name+" over "+protocol, func(t *testing.T) {
				var to collector
				to.listen(t, protocol)
				sent, err := otlp.Export(t.Context(), c.records, otlp.Options{})
				if err != nil || sent != len(c.records) || len(to.requests) != c.requests || len(to.spans()) != len(c.records) {
					t.Errorf("sent %d in %d requests, %d arrived, %v; want %d in %d", sent, len(to.requests), len(to.spans()), err, len(c.records), c.requests)
				}
			})
		}
	}
}

func TestExportTellsHowManySpansWereRejected(t *testing.T) {
	records := make([]traces.Record, 1200) // two requests
	for i := range records {
		records[i] = traces.Record{TraceID: "01", SpanID: fmt.Sprintf("%016x", i+1), End: 1}
	}
	for _, protocol := range protocols {
		t.Run("over "+protocol, func(t *testing.T) {
			c := collector{reject: 7}
			c.listen(t, protocol)
			sent, err := otlp.Export(t.Context(), records, otlp.Options{})
			const want = "export spans: the collector rejected 14 of 1200: too old"
			if sent != 1200-14 || err == nil || err.Error() != want {
				t.Errorf("sent %d, %v; want 1186, %s", sent, err, want)
			}
		})
	}
}

func TestExportStopsWhenTheCollectorRefuses(t *testing.T) {
	for _, protocol := range protocols {
		t.Run("over "+protocol, func(t *testing.T) {
			c := collector{refuse: "no such tenant"}
			c.listen(t, protocol)
			sent, err := otlp.Export(t.Context(), []traces.Record{{TraceID: "01", SpanID: "01", End: 1}}, otlp.Options{})
			if sent != 0 || err == nil || !strings.HasPrefix(err.Error(), "export spans: 0 of 1 sent: ") || !strings.Contains(err.Error(), "no such tenant") {
				t.Errorf("sent %d, %v", sent, err)
			}
		})
	}
}

func TestExportGoesWhereItIsTold(t *testing.T) {
	var c collector
	c.listen(t, "http/protobuf")
	server := httptest.NewServer(&c)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	host := strings.TrimPrefix(server.URL, "http://")
	for _, endpoint := range []string{server.URL, server.URL + "/", server.URL + "/v1/traces", host} {
		if sent, err := otlp.Export(t.Context(), []traces.Record{{TraceID: "01", SpanID: "01", End: 1}}, otlp.Options{Endpoint: endpoint}); sent != 1 || err != nil {
			t.Errorf("to %s: sent %d, %v", endpoint, sent, err)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL+"/v1/traces")
	if sent, err := otlp.Export(t.Context(), []traces.Record{{TraceID: "01", SpanID: "01", End: 1}}, otlp.Options{}); sent != 1 || err != nil {
		t.Errorf("to the endpoint for traces: sent %d, %v", sent, err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", host)
	if _, err := otlp.Export(t.Context(), nil, otlp.Options{}); err == nil || !strings.HasSuffix(err.Error(), "has no scheme; write http://"+host) {
		t.Errorf("to an endpoint without a scheme: %v", err)
	}
	if _, err := otlp.Export(t.Context(), nil, otlp.Options{Protocol: "carrier pigeon"}); err == nil || !strings.Contains(err.Error(), "use grpc, http/protobuf or http/json") {
		t.Errorf("over a protocol that there is not: %v", err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if sent, err := otlp.Export(cancelled, []traces.Record{{TraceID: "01", SpanID: "01", End: 1}}, otlp.Options{Endpoint: server.URL}); sent != 0 || err == nil {
		t.Errorf("after a cancel: sent %d, %v", sent, err)
	}
}

func TestProtosMakesIdsOfTheLengthsThatOTLPDemands(t *testing.T) {
	cases := []struct{ name, trace, span, wantTrace, wantSpan string }{
		{"whole ones stay", "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"},
		{"short ones are filled with zeros", "a1b2c3d4e5f60718", "1f", "0000000000000000a1b2c3d4e5f60718", "000000000000001f"},
		{"other ones are hashed", "trace_3945", "span_a4fd", "55cbadcfff89d7b5a87d42fc40049365", "c4e3fdf053a85981"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			span := otlp.Protos([]traces.Record{{TraceID: c.trace, SpanID: c.span, End: 1}})[0].ScopeSpans[0].Spans[0]
			got := [2]string{hex.EncodeToString(span.TraceId), hex.EncodeToString(span.SpanId)}
			if diff := cmp.Diff([2]string{c.wantTrace, c.wantSpan}, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}
