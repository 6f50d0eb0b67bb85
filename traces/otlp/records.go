package otlp

import (
	"encoding/hex"
	"math"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/seed46266073/longpole/traces"
)

// FromProtos returns the spans of OTLP messages as records, in order: the inverse of Protos, and what Read makes of the same spans
// in JSON. Ids become lower-case hexadecimal, "" where they are empty or zeros alone; spans without an id are left out; times that
// do not fit an int64 become 0, unknown. The spans of one ResourceSpans share their Resource.
func FromProtos(spans []*tracepb.ResourceSpans) []traces.Record {
	records, _ := fromProtos(spans)
	return records
}

// fromProtos also counts the spans that it leaves out.
func fromProtos(spans []*tracepb.ResourceSpans) (records []traces.Record, nameless int) {
	for _, rs := range spans {
		var resource *traces.Resource
		if rs.GetResource() != nil {
			resource = &traces.Resource{Attrs: attrsOf(rs.GetResource().GetAttributes(), 0)}
		}
		for _, ss := range rs.GetScopeSpans() {
			scope := ss.GetScope().GetName()
			for _, span := range ss.GetSpans() {
				s := recordOf(span)
				if s.SpanID == "" {
					nameless++
					continue
				}
				s.Resource, s.Scope = resource, scope
				records = append(records, s)
			}
		}
	}
	return records, nameless
}

func recordOf(span *tracepb.Span) traces.Record {
	s := traces.Record{
		TraceID:  idOf(span.GetTraceId()),
		SpanID:   idOf(span.GetSpanId()),
		ParentID: idOf(span.GetParentSpanId()),
		Name:     span.GetName(),
		Start:    instantOf(span.GetStartTimeUnixNano()),
		End:      instantOf(span.GetEndTimeUnixNano()),
		Message:  span.GetStatus().GetMessage(),
		Attrs:    attrsOf(span.GetAttributes(), 0),
		Dropped:  traces.Dropped{Attrs: span.GetDroppedAttributesCount(), Events: span.GetDroppedEventsCount(), Links: span.GetDroppedLinksCount()},
	}
	if kind := span.GetKind(); kind >= 0 && int(kind) < len(kinds) {
		s.Kind = traces.Kind(kind)
	}
	if code := span.GetStatus().GetCode(); code >= 0 && int(code) < len(statuses) {
		s.Status = traces.Status(code)
	}
	for _, e := range span.GetEvents() {
		s.Events = append(s.Events, traces.Event{Name: e.GetName(), Time: instantOf(e.GetTimeUnixNano()), Attrs: attrsOf(e.GetAttributes(), 0)})
	}
	for _, l := range span.GetLinks() {
		s.Links = append(s.Links, traces.Link{TraceID: idOf(l.GetTraceId()), SpanID: idOf(l.GetSpanId()), Attrs: attrsOf(l.GetAttributes(), 0)})
	}
	return s
}

func idOf(id []byte) string {
	for _, b := range id {
		if b != 0 {
			return hex.EncodeToString(id)
		}
	}
	return ""
}

func instantOf(t uint64) int64 {
	if t > math.MaxInt64 {
		return 0
	}
	return int64(t)
}

func attrsOf(list []*commonpb.KeyValue, depth int) traces.Attrs {
	if len(list) == 0 {
		return nil
	}
	attrs := make(traces.Attrs, len(list))
	for i, kv := range list {
		attrs[i] = traces.Attr{Key: kv.GetKey(), Value: valueOf(kv.GetValue(), depth)}
	}
	return attrs
}

func valueOf(value *commonpb.AnyValue, depth int) any {
	switch v := value.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_IntValue:
		return v.IntValue
	case *commonpb.AnyValue_DoubleValue:
		return v.DoubleValue
	case *commonpb.AnyValue_BytesValue:
		return v.BytesValue
	case *commonpb.AnyValue_ArrayValue:
		if depth >= maxNesting {
			return tooDeep
		}
		list := make([]any, len(v.ArrayValue.GetValues()))
		for i, e := range v.ArrayValue.GetValues() {
			list[i] = valueOf(e, depth+1)
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		if depth >= maxNesting {
			return tooDeep
		}
		return attrsOf(v.KvlistValue.GetValues(), depth+1)
	}
	return nil
}
