package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
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
	fields, known, wraps := 0, false, false
	for key := range r.in.object {
		fields++
		switch string(key) {
		case "resourceSpans", "resource_spans", "batches":
			known = true
			for range r.items("resourceSpans") {
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

// items goes through what should be a list. Anything else but null is skipped as a problem.
func (r *reader) items(name string) func(yield func(index int) bool) {
	if c := r.in.peek(); c != '[' && c != 'n' && r.in.err == nil {
		r.problem(traces.UnreadableLine, "", "line %d: %s is not a list; skipped", r.line, name)
	}
	return r.in.array
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
			for range r.items("scopeSpans") {
				r.scopeSpans()
			}
		}
	}
	for i := range r.records[first:] {
		r.records[first+i].Resource = resource
	}
}

// resource reads a resource; equal texts give the same one.
func (r *reader) resource() *traces.Resource {
	if r.in.peek() != '{' {
		r.in.skip()
		return nil
	}
	start := r.in.at
	r.in.skip()
	if r.in.err != nil {
		return nil
	}
	text := r.in.text[start:r.in.at]
	if known := r.resources[string(text)]; known != nil {
		return known
	}
	after := r.in.at
	r.in.at = start
	resource := &traces.Resource{}
	for key := range r.in.object {
		if string(key) == "attributes" {
			resource.Attrs = r.attributes()
		}
	}
	r.in.at = after
	r.resources[string(text)] = resource
	return resource
}

// scopeSpans reads the spans of one instrumentation scope.
func (r *reader) scopeSpans() {
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
			for range r.items("spans") {
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
	for key := range r.in.object {
		switch string(key) {
		case "traceId", "trace_id":
			s.TraceID = r.id()
		case "spanId", "span_id":
			s.SpanID = r.id()
		case "parentSpanId", "parent_span_id":
			s.ParentID = r.id()
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
				s.Links = append(s.Links, r.link())
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

func (r *reader) link() traces.Link {
	var l traces.Link
	for key := range r.in.object {
		switch string(key) {
		case "traceId", "trace_id":
			l.TraceID = r.id()
		case "spanId", "span_id":
			l.SpanID = r.id()
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

// id reads the id of a trace or span: hexadecimal in lower case, "" for one of zeros alone. Ids in base64 are known by
// their length and padding, which no hexadecimal id has; ids of other kinds stay as they are.
func (r *reader) id() string {
	text, isString := r.in.scalar()
	if !isString && string(text) == "null" {
		return ""
	}
	if n := len(text); (n == 24 || n == 12) && text[n-1] == '=' {
		var raw [18]byte
		if n, err := base64.StdEncoding.Decode(raw[:], text); err == nil && (n == 16 || n == 8) {
			text = hex.AppendEncode(nil, raw[:n])
		}
	}
	zeros, hexadecimal, upper := true, true, false
	for _, b := range text {
		zeros = zeros && b == '0'
		upper = upper || b >= 'A' && b <= 'F'
		hexadecimal = hexadecimal && (b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F')
	}
	switch {
	case zeros:
		return ""
	case hexadecimal && upper:
		text = bytes.ToLower(text)
	}
	return r.pool.string(text)
}
