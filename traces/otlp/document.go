package otlp

import (
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// document reads one document, or an array of documents.
func (r *reader) document() {
	switch r.in.peek() {
	case '[':
		for range r.in.array {
			r.document()
		}
		return
	case '{':
	default:
		r.in.unexpected()
		return
	}
	if r.samePreamble() {
		return
	}
	r.began = r.beginning()
	fields, known, wraps := 0, false, false
	for key := range r.in.object {
		fields++
		switch string(key) {
		case "resourceSpans", "resource_spans", "batches":
			known = true
			r.expectList("resourceSpans")
			for range r.in.array {
				r.resourceSpans()
			}
		case "trace", "result":
			if r.in.peek() == '{' {
				wraps = true
				r.document()
			}
		case "resourceLogs", "resource_logs":
			known = true
			r.signals.add("logs", r.line)
		case "resourceMetrics", "resource_metrics":
			known = true
			r.signals.add("metrics", r.line)
		case "status":
			if status, _ := r.in.scalar(); string(status) == "PARTIAL" {
				r.problem(traces.MissingData, "", "line %d: the trace store marked its answer as partial; spans are missing", r.line)
			}
		}
	}
	switch {
	case known || fields == 0:
		r.documents++
	case !wraps: // what it wraps has been counted
		r.others.add("JSON without resourceSpans", r.line)
	}
}

// expectList says it if what comes is no list, for then the loop over it skips it.
func (r *reader) expectList(name string) {
	if c := r.in.peek(); c != '[' && c != 'n' && r.in.err == nil {
		r.problem(traces.UnreadableLine, "", "line %d: %s is not a list; skipped", r.line, name)
	}
}

// resourceSpans reads the spans of one resource. Its parts may come in any order.
func (r *reader) resourceSpans() {
	first := len(r.records)
	var resource *traces.Resource
	for key := range r.in.object {
		switch string(key) {
		case "resource":
			resource = r.resource()
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			r.expectList("scopeSpans")
			for range r.in.array {
				r.scopeSpans(resource)
			}
		}
	}
	for i := range r.records[first:] {
		r.records[first+i].Resource = resource
	}
}

// scopeSpans reads the spans of one instrumentation scope; the resource is the one around it, as far as that was read.
func (r *reader) scopeSpans(resource *traces.Resource) {
	first := len(r.records)
	scope := ""
	for key := range r.in.object {
		switch string(key) {
		case "scope", "instrumentationLibrary", "instrumentation_library":
			for key := range r.in.object {
				if string(key) == "name" {
					scope = r.string()
				}
			}
		case "spans":
			r.keepPreamble(resource, scope)
			r.expectList("spans")
			for range r.in.array {
				r.span()
			}
		}
	}
	for i := range r.records[first:] {
		r.records[first+i].Scope = scope
	}
}

// span reads one span. Only whole ones become records.
func (r *reader) span() {
	var s traces.Record
	near := &traces.Record{}
	if n := len(r.records); n > 0 {
		near = &r.records[n-1]
	}
	for key := range r.in.object {
		switch string(key) {
		case "traceId", "trace_id":
			s.TraceID = r.id(near.TraceID, "")
		case "spanId", "span_id":
			s.SpanID = r.id(near.SpanID, near.ParentID)
		case "parentSpanId", "parent_span_id":
			s.ParentID = r.id(near.ParentID, near.SpanID)
		case "name":
			s.Name = r.string()
		case "kind":
			s.Kind = traces.Kind(r.enum("SPAN_KIND_", kinds))
		case "startTimeUnixNano", "start_time_unix_nano":
			s.Start = r.time(&s, "start")
		case "endTimeUnixNano", "end_time_unix_nano":
			s.End = r.time(&s, "end")
		case "attributes":
			s.Attrs = r.attributes()
		case "events":
			for range r.in.array {
				s.Events = append(s.Events, r.event(&s))
			}
		case "links":
			for range r.in.array {
				s.Links = append(s.Links, r.link(&s))
			}
		case "status":
			for key := range r.in.object {
				switch string(key) {
				case "code":
					s.Status = traces.Status(r.enum("STATUS_CODE_", statuses))
				case "message":
					s.Message = r.string()
				}
			}
		case "droppedAttributesCount", "dropped_attributes_count":
			s.Dropped.Attrs = r.count()
		case "droppedEventsCount", "dropped_events_count":
			s.Dropped.Events = r.count()
		case "droppedLinksCount", "dropped_links_count":
			s.Dropped.Links = r.count()
		}
	}
	switch {
	case r.in.err != nil:
	case s.SpanID == "":
		r.nameless.add("", r.line)
	default:
		r.records = append(r.records, s)
	}
}

func (r *reader) event(s *traces.Record) traces.Event {
	var e traces.Event
	for key := range r.in.object {
		switch string(key) {
		case "name":
			e.Name = r.string()
		case "timeUnixNano", "time_unix_nano":
			e.Time = r.time(s, "an event's")
		case "attributes":
			e.Attrs = r.attributes()
		}
	}
	return e
}

func (r *reader) link(s *traces.Record) traces.Link {
	var l traces.Link
	for key := range r.in.object {
		switch string(key) {
		case "traceId", "trace_id":
			l.TraceID = r.id(s.TraceID, "")
		case "spanId", "span_id":
			l.SpanID = r.id(s.ParentID, "")
		case "attributes":
			l.Attrs = r.attributes()
		}
	}
	return l
}

// The names of the enumerations, by number.
var (
	kinds    = []string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}
	statuses = []string{"UNSET", "OK", "ERROR"}
)

// enum reads a number, or a name with or without its prefix; 0 for one that there is not.
func (r *reader) enum(prefix string, names []string) int {
	text, _ := r.in.scalar()
	if n, ok := parseInt(text); ok {
		if n < 0 || n >= int64(len(names)) {
			return 0
		}
		return int(n)
	}
	return max(0, slices.Index(names, strings.TrimPrefix(strings.ToUpper(string(text)), prefix)))
}
