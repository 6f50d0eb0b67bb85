// Package export makes the exporter that OpenTelemetry's own environment variables ask for, so that a program that
// records with tracer sends the same spans to Jaeger or any other backend without a line of configuration.
//
// It is a package of its own so that a program that only records to files does not link gRPC.
package export

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// FromEnv returns the exporters for tracer.Options.Exporters: one if OTEL_EXPORTER_OTLP_ENDPOINT or
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, none if neither is, or if OTEL_SDK_DISABLED is true or OTEL_TRACES_EXPORTER
// is none. OTEL_EXPORTER_OTLP_PROTOCOL (grpc, http/protobuf: the default) is read here, headers, time-out, compression and
// certificates by the exporter itself. Nothing is connected yet: an unreachable endpoint shows when spans are sent.
func FromEnv(ctx context.Context) ([]sdktrace.SpanExporter, error) {
	if Endpoint() == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || !wanted() {
		return nil, nil
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf")
	var exporter sdktrace.SpanExporter
	var err error
	switch protocol {
	case "grpc":
		exporter, err = otlptracegrpc.New(ctx)
	case "http/protobuf":
		exporter, err = otlptracehttp.New(ctx)
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%s: grpc and http/protobuf are spoken; set one of them", protocol)
	}
	if err != nil {
		return nil, fmt.Errorf("exporter for %s: %w", Endpoint(), err)
	}
	return []sdktrace.SpanExporter{exporter}, nil
}

// Endpoint returns the endpoint that the environment names for spans, "" if it names none.
func Endpoint() string {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
}

// wanted reports whether OTEL_TRACES_EXPORTER leaves OTLP on; unset, it does.
func wanted() bool {
	names := os.Getenv("OTEL_TRACES_EXPORTER")
	return names == "" || slices.Contains(strings.Split(strings.ReplaceAll(names, " ", ""), ","), "otlp")
}
