package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/seed46266073/longpole/traces"
)

// Protos returns the records as OTLP messages for other people's backends, grouped by resource and scope. Each span
// is there once, in its latest state (traces.Latest), without its chunk series (longpole.chunks).
//
// A span that had not ended gets the attribute longpole.open, and as its end the last instant that is known of its
// trace: it was open at least until then. Ids become what OTLP demands, 16 and 8 bytes: shorter hexadecimal ones are
// filled with zeros from the left, others are hashed. Text is repaired as by AppendJSON.
func Protos(records []traces.Record) []*tracepb.ResourceSpans { return envelope(outgoing(records)) }

// A message is a span ready to be sent.
type message struct {
	resource *traces.Resource
	scope    string
	span     *tracepb.Span
}

// outgoing prepares each span of the records once.
func outgoing(records []traces.Record) []message {
	records = traces.Latest(records)
	last := map[string]int64{} // the last instant known, by trace
	for i := range records {
		s := &records[i]
		checkpoint, _ := s.Attrs.Int(traces.KeyCheckpoint)
		at := max(s.Start, s.End, checkpoint)
		for _, e := range s.Events {
			at = max(at, e.Time)
		}
		last[s.TraceID] = max(last[s.TraceID], at)
	}
	messages := make([]message, len(records))
	for i := range records {
		s := records[i]
		if s.Attrs.Has(traces.KeyChunks) {
			s.Attrs = slices.DeleteFunc(slices.Clone(s.Attrs), func(a traces.Attr) bool { return a.Key == traces.KeyChunks })
		}
		if s.End == 0 {
			s.End = last[s.TraceID]
			s.Attrs = slices.Clone(s.Attrs).With(traces.KeyOpen, true)
		}
		s = repaired(s)
		messages[i] = message{s.Resource, s.Scope, spanProto(&s)}
	}
	return messages
}

// envelope groups spans by resource and scope, both in the order of their first span.
func envelope(messages []message) []*tracepb.ResourceSpans {
	type scopeKey struct {
		resource *traces.Resource
		scope    string
	}
	resources := map[*traces.Resource]*tracepb.ResourceSpans{}
	scopes := map[scopeKey]*tracepb.ScopeSpans{}
	var list []*tracepb.ResourceSpans
	for _, m := range messages {
		key := scopeKey{m.resource, m.scope}
		scope := scopes[key]
		if scope == nil {
			resource := resources[m.resource]
			if resource == nil {
				resource = &tracepb.ResourceSpans{}
				if m.resource != nil {
					resource.Resource = &resourcepb.Resource{Attributes: keyValues(repairedResource(m.resource.Attrs), 0)}
				}
				resources[m.resource] = resource
				list = append(list, resource)
			}
			scope = &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: m.scope}}
			scopes[key] = scope
			resource.ScopeSpans = append(resource.ScopeSpans, scope)
		}
		scope.Spans = append(scope.Spans, m.span)
	}
	return list
}

func spanProto(s *traces.Record) *tracepb.Span {
	span := &tracepb.Span{
		TraceId:                idBytes(s.TraceID, 16),
		SpanId:                 idBytes(s.SpanID, 8),
		Name:                   s.Name,
		Kind:                   tracepb.Span_SpanKind(s.Kind),
		StartTimeUnixNano:      uint64(max(s.Start, 0)),
		EndTimeUnixNano:        uint64(max(s.End, 0)),
		Attributes:             keyValues(s.Attrs, 0),
		DroppedAttributesCount: s.Dropped.Attrs,
		DroppedEventsCount:     s.Dropped.Events,
		DroppedLinksCount:      s.Dropped.Links,
		Status:                 &tracepb.Status{Code: tracepb.Status_StatusCode(s.Status), Message: s.Message},
	}
	if s.ParentID != "" {
		span.ParentSpanId = idBytes(s.ParentID, 8)
	}
	for _, e := range s.Events {
		span.Events = append(span.Events, &tracepb.Span_Event{Name: e.Name, TimeUnixNano: uint64(max(e.Time, 0)), Attributes: keyValues(e.Attrs, 0)})
	}
	for _, l := range s.Links {
		span.Links = append(span.Links, &tracepb.Span_Link{TraceId: idBytes(l.TraceID, 16), SpanId: idBytes(l.SpanID, 8), Attributes: keyValues(l.Attrs, 0)})
	}
	return span
}

// idBytes returns an id as n bytes.
func idBytes(id string, n int) []byte {
	if len(id) > 0 && len(id) <= 2*n {
		if b, err := hex.DecodeString(strings.Repeat("0", 2*n-len(id)) + id); err == nil {
			return b
		}
	}
	hash := sha256.Sum256([]byte(id))
	return hash[:n]
}

func keyValues(attrs traces.Attrs, depth int) []*commonpb.KeyValue {
	list := make([]*commonpb.KeyValue, len(attrs))
	for i, a := range attrs {
		list[i] = &commonpb.KeyValue{Key: a.Key, Value: anyValue(a.Value, depth)}
	}
	return list
}

func anyValue(value any, depth int) *commonpb.AnyValue {
	text := func(s string) *commonpb.AnyValue {
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
	}
	switch v := value.(type) {
	case nil:
		return &commonpb.AnyValue{}
	case string:
		return text(v)
	case bool:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: v}}
	case int64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: v}}
	case float64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v}}
	case []byte:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: v}}
	case []any:
		if depth >= maxNesting {
			return text(tooDeep)
		}
		list := &commonpb.ArrayValue{Values: make([]*commonpb.AnyValue, len(v))}
		for i, e := range v {
			list.Values[i] = anyValue(e, depth+1)
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}}
	case traces.Attrs:
		if depth >= maxNesting {
			return text(tooDeep)
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: keyValues(v, depth+1)}}}
	}
	return text(fmt.Sprint(value))
}
