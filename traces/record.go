package traces

// A Record is one span as its source wrote it down. Nothing in it is repaired or interpreted.
//
// Records of one span may repeat (written when it starts, and again when it ends): Build keeps the last
// one that says most.
type Record struct {
	TraceID  string // lower-case hex, or whatever id the source has
	SpanID   string // unique within the trace
	ParentID string // "" for a root
	Name     string
	Kind     Kind
	Start    int64 // nanoseconds since the Unix epoch; 0: unknown
	End      int64 // nanoseconds since the Unix epoch; 0: not ended when this was written
	Status   Status
	Message  string // status message, mostly of an error
	Attrs    Attrs
	Events   []Event
	Links    []Link
	Resource *Resource // shared between records; nil if the source names none
	Scope    string    // name of the instrumentation scope, "" if unknown
	Dropped  Dropped
}

// Kind is OpenTelemetry's span kind, with its numbers.
type Kind uint8

// The span kinds of OTLP.
const (
	KindUnspecified Kind = iota
	KindInternal
	KindServer
	KindClient
	KindProducer
	KindConsumer
)

// Status is OpenTelemetry's status code, with its numbers.
type Status uint8

// The status codes of OTLP.
const (
	StatusUnset Status = iota
	StatusOK
	StatusError
)

// An Event is something that happened at one instant of a span.
type Event struct {
	Name  string
	Time  int64 // nanoseconds since the Unix epoch
	Attrs Attrs
}

// A Link points from a span to another one, possibly of another trace.
type Link struct {
	TraceID string
	SpanID  string
	Attrs   Attrs
}

// A Resource is what a process said of itself (service.name, host.name, …).
type Resource struct {
	Attrs Attrs
}

// Dropped counts what the source cut off a span; a number above 0 makes conclusions from the rest doubtful.
type Dropped struct {
	Attrs, Events, Links uint32
}
