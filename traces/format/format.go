// Package format opens traces, whatever file they are in: it looks at the content, never at the name, and picks the
// reader. To read one more format, add a line to the table of formats.
//
// What goes in is a file, a directory or standard input, compressed with gzip or not; what comes out are the records
// as they were written down, before any interpretation, and the problems met on the way, with the file's name.
package format

import (
	"io"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// A format is a way in which traces are written down.
type format struct {
	name  string
	sniff func(head []byte) bool // head: the beginning of the content, not compressed, up to sniffLength
	read  func(io.Reader) ([]traces.Record, []traces.Problem, error)
}

// formats lists what can be read; the first one whose sniff says yes is taken.
var formats = []format{
	{"OTLP JSON", hasKey("resourceSpans", "resource_spans", "batches", "resourceLogs", "resourceMetrics"), otlp.Read},
}

// A look is what something that is no format to be read looks like, and what to do about it.
type look struct {
	sniff  func(head []byte) bool
	name   string
	advice string
}

// looks lists what is recognised only so that it can be named, the most telling first.
var looks = []look{
	{startsWith("\x28\xb5\x2f\xfd"), "compressed with zstd", "decompress it first: zstd -d"},
	{startsWith("PK\x03\x04"), "a zip archive", "unpack it first"},
	{startsWith("<"), "HTML or XML", "was it saved from a web page, or is it a server's error message? Download the trace as JSON"},
	{hasKeys("data", "processes", "operationName"), "Jaeger JSON", "fetch it as OTLP: Jaeger's /api/v3/traces/TRACE_ID"},
	{hasKeys("traceId", "localEndpoint"), "Zipkin JSON", "export OTLP instead"},
	{hasKeys("traceEvents", "ph"), "a Chrome or Perfetto trace", "export OTLP from where it was made"},
	{hasKeys("ph", "ts", "pid"), "a Chrome or Perfetto trace", "export OTLP from where it was made"},
	{hasKeys("run_type", "dotted_order"), "a LangSmith run tree", "turn on its OpenTelemetry export (LANGSMITH_OTEL_ENABLED=true)"},
	{hasText(`"object":"trace.span"`, `"object": "trace.span"`), "spans of the OpenAI Agents SDK", "send them through an OpenTelemetry exporter"},
	{hasKeys("SpanContext", "TraceID", "SpanKind"), "spans of Go's stdout exporter", "use the OTLP exporter instead"},
	{hasText(`"kind": "SpanKind.`), "spans of Python's console exporter", "use the OTLP exporter instead"},
	{hasKeys("sessionId", "parentUuid"), "a session log of Claude Code", "turn on its OpenTelemetry export"},
	{hasKeys("entries", "startedDateTime"), "an HTTP archive (HAR)", "it holds requests, not spans"},
	{hasKeys("method", "path", "headers"), "a log of HTTP requests", "it holds requests, not spans"},
	{isJSON, "JSON that holds no spans known here", "export the traces as OTLP JSON"},
	{isBinary, "binary data, perhaps OTLP as protobuf", "export it as OTLP JSON"},
	{isEmpty, "empty", "nothing was recorded, or it was not written yet"},
	{anything, "plain text", "export the traces as OTLP JSON"},
}
