package otlp

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"google.golang.org/protobuf/proto"

	"github.com/seed46266073/longpole/traces"
)

// Options say where Export sends to. What is left empty comes from the environment, by the variables of the
// OpenTelemetry specification: OTEL_EXPORTER_OTLP_ENDPOINT, _PROTOCOL, _HEADERS, _TIMEOUT, _COMPRESSION, _CERTIFICATE
// and so on, and the same with _TRACES_, which wins.
type Options struct {
	Endpoint string // base URL, as in OTEL_EXPORTER_OTLP_ENDPOINT; default http://localhost:4318, for grpc port 4317
	Protocol string // "grpc", "http/protobuf" or "http/json"; default "http/protobuf"
}

// Spans and bytes in one request, at most, unless one span alone is larger: collectors refuse more than 4 MiB.
const (
	batchSpans = 1000
	batchBytes = 2 << 20
)

// Export sends the records to a collector, each span once, as Protos prepares them, and returns how many spans the
// collector took. It stops at the first request that fails, after the retries the specification asks for, with
// an error; spans that the collector rejected do not stop it, but are an error too, with their number.
func Export(ctx context.Context, records []traces.Record, opt Options) (sent int, err error) {
	client, err := newClient(opt)
	if err != nil {
		return 0, fmt.Errorf("export spans: %w", err)
	}
	if err := client.Start(ctx); err != nil {
		return 0, fmt.Errorf("export spans: %w", err)
	}
	defer stop(ctx, client)
	messages := outgoing(records)
	total, rejected, reason := len(messages), 0, ""
	for len(messages) > 0 {
		n := batch(messages)
		err := client.UploadTraces(ctx, envelope(messages[:n]))
		refused, why, answered := partialSuccess(err)
		if err != nil && !answered {
			return sent, fmt.Errorf("export spans: %d of %d sent: %w; is a collector there? OTEL_EXPORTER_OTLP_ENDPOINT says where", sent, total, err)
		}
		if refused > 0 && rejected == 0 {
			reason = why
		}
		rejected += refused
		sent += n - refused
		messages = messages[n:]
	}
	if rejected > 0 {
		return sent, fmt.Errorf("export spans: the collector rejected %d of %d: %s", rejected, total, reason)
	}
	return sent, nil
}

// batch returns how many of the messages, at least one, go into the next request.
func batch(messages []message) int {
	bytes := 0
	for i, m := range messages[:min(len(messages), batchSpans)] {
		if bytes += proto.Size(m.span); bytes > batchBytes && i > 0 {
			return i
		}
	}
	return min(len(messages), batchSpans)
}

// partial is how the official clients word a collector's partial success, whose type they do not export.
var partial = regexp.MustCompile(`OTLP partial success: (.*) \((\d+) spans rejected\)`)

// partialSuccess takes an error of a client apart that says that the collector did answer, but rejected spans or warns.
func partialSuccess(err error) (rejected int, reason string, ok bool) {
	if err == nil {
		return 0, "", true
	}
	match := partial.FindStringSubmatch(err.Error())
	if match == nil {
		return 0, "", false
	}
	rejected, _ = strconv.Atoi(match[2])
	return rejected, match[1], true
}

// stop ends the client, also after a cancel, without waiting for long.
func stop(ctx context.Context, client otlptrace.Client) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = client.Stop(ctx) // all requests were answered or given up
}

// newClient returns an official client, which reads the rest of the environment by itself.
func newClient(opt Options) (otlptrace.Client, error) {
	protocol := cmp.Or(opt.Protocol, environment("PROTOCOL"), "http/protobuf")
	endpoint := opt.Endpoint
	if endpoint != "" && !strings.Contains(endpoint, "://") {
		endpoint = "http://" + endpoint
	}
	given := environment("ENDPOINT")
	switch protocol {
	case "grpc":
		if endpoint == "" && given == "" {
			endpoint = "http://localhost:4317"
		}
		if endpoint == "" {
			return otlptracegrpc.NewClient(), nil
		}
		return otlptracegrpc.NewClient(otlptracegrpc.WithEndpointURL(endpoint)), nil
	case "http/protobuf", "http/json":
	default:
		return nil, fmt.Errorf("protocol %q is not known; use grpc, http/protobuf or http/json", protocol)
	}
	encoding := otlptracehttp.EncodingProtobuf
	if protocol == "http/json" {
		encoding = otlptracehttp.EncodingJSON
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEncoding(encoding)}
	switch {
	case endpoint == "" && given == "":
		endpoint = "http://localhost:4318"
	case endpoint == "" && !strings.Contains(given, "://"):
		return nil, fmt.Errorf("endpoint %q has no scheme; write http://%s", given, given)
	}
	if endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(strings.TrimSuffix(strings.TrimRight(endpoint, "/"), "/v1/traces")+"/v1/traces"))
	}
	return otlptracehttp.NewClient(options...), nil
}

// environment returns a variable of the OTLP exporters, the one for traces first.
func environment(name string) string {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
}
