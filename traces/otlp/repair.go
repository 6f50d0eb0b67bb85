package otlp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed46266073/longpole/traces"
)

// repaired returns the record with all its text made UTF-8, as OTLP demands: a collector refuses the whole batch for
// one bad byte. Each stretch of bad bytes becomes U+FFFD, and the attribute longpole.repaired of the span lists where:
// the key of an attribute, or "name", "message", "scope", "id", "event", "link". The record given is left alone, and
// one without bad bytes is returned as it is.
func repaired(s traces.Record) traces.Record {
	if validRecord(&s) {
		return s
	}
	var m mender
	s.TraceID, s.SpanID, s.ParentID = m.text("id", s.TraceID), m.text("id", s.SpanID), m.text("id", s.ParentID)
	s.Name, s.Message, s.Scope = m.text("name", s.Name), m.text("message", s.Message), m.text("scope", s.Scope)
	s.Attrs = m.attrs("", s.Attrs)
	s.Events = slices.Clone(s.Events)
	for i, e := range s.Events {
		s.Events[i] = traces.Event{Name: m.text("event", e.Name), Time: e.Time, Attrs: m.attrs("event", e.Attrs)}
	}
	s.Links = slices.Clone(s.Links)
	for i, l := range s.Links {
		s.Links[i] = traces.Link{TraceID: m.text("link", l.TraceID), SpanID: m.text("link", l.SpanID), Attrs: m.attrs("link", l.Attrs)}
	}
	s.Attrs = s.Attrs.With(traces.KeyRepaired, m.places)
	return s
}

// repairedResource does the same for the attributes of a resource.
func repairedResource(attrs traces.Attrs) traces.Attrs {
	if validAttrs(attrs) {
		return attrs
	}
	var m mender
	attrs = m.attrs("", attrs)
	return attrs.With(traces.KeyRepaired, m.places)
}

func validRecord(s *traces.Record) bool {
	if !utf8.ValidString(s.TraceID) || !utf8.ValidString(s.SpanID) || !utf8.ValidString(s.ParentID) ||
		!utf8.ValidString(s.Name) || !utf8.ValidString(s.Message) || !utf8.ValidString(s.Scope) || !validAttrs(s.Attrs) {
		return false
	}
	for _, e := range s.Events {
		if !utf8.ValidString(e.Name) || !validAttrs(e.Attrs) {
			return false
		}
	}
	for _, l := range s.Links {
		if !utf8.ValidString(l.TraceID) || !utf8.ValidString(l.SpanID) || !validAttrs(l.Attrs) {
			return false
		}
	}
	return true
}

func validAttrs(attrs traces.Attrs) bool {
	for _, a := range attrs {
		if !utf8.ValidString(a.Key) || !validValue(a.Value) {
			return false
		}
	}
	return true
}

func validValue(value any) bool {
	switch v := value.(type) {
	case string:
		return utf8.ValidString(v)
	case traces.Attrs:
		return validAttrs(v)
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !validValue(e) })
	}
	return true
}

// A mender copies text, repairing it, and remembers where that was needed.
type mender struct {
	places []any // strings, each once
}

func (m *mender) text(place, s string) string {
	if utf8.ValidString(s) {
		return s
	}
	place = strings.ToValidUTF8(place, "\ufffd")
	if !slices.Contains(m.places, any(place)) {
		m.places = append(m.places, place)
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// attrs copies attributes; without a place, each is its own.
func (m *mender) attrs(place string, attrs traces.Attrs) traces.Attrs {
	out := make(traces.Attrs, len(attrs), len(attrs)+1)
	for i, a := range attrs {
		at := place
		if at == "" {
			at = a.Key
		}
		out[i] = traces.Attr{Key: m.text(at, a.Key), Value: m.value(at, a.Value)}
	}
	return out
}

func (m *mender) value(place string, value any) any {
	switch v := value.(type) {
	case string:
		return m.text(place, v)
	case traces.Attrs:
		return m.attrs(place, v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = m.value(place, e)
		}
		return out
	}
	return value
}
