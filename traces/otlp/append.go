package otlp

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/seed46266073/longpole/traces"
)

// AppendJSON appends records to dst as one OTLP/JSON document in one line, without a line feed: a line of the native
// file. The records keep their order; neighbours of one resource and scope share their envelope. Without records it
// appends a document without spans.
//
// Text that is not UTF-8 is repaired: bad bytes become U+FFFD, and the span gets the attribute longpole.repaired.
func AppendJSON(dst []byte, records ...traces.Record) []byte {
	dst = append(dst, `{"resourceSpans":[`...)
	for i := range records {
		s := repaired(records[i])
		newResource := i == 0 || s.Resource != records[i-1].Resource
		newScope := newResource || s.Scope != records[i-1].Scope
		switch {
		case i == 0:
		case newResource:
			dst = append(dst, `]}]},`...)
		case newScope:
			dst = append(dst, `]},`...)
		default:
			dst = append(dst, ',')
		}
		if newResource {
			dst = append(dst, '{')
			if s.Resource != nil {
				dst = append(dst, `"resource":{`...)
				dst = appendAttributes(dst, repairedResource(s.Resource.Attrs), "")
				dst = append(dst, `},`...)
			}
			dst = append(dst, `"scopeSpans":[`...)
		}
		if newScope {
			dst = append(dst, '{')
			if s.Scope != "" {
				dst = append(dst, `"scope":{"name":`...)
				dst = appendString(dst, s.Scope)
				dst = append(dst, `},`...)
			}
			dst = append(dst, `"spans":[`...)
		}
		dst = appendSpan(dst, &s)
	}
	if len(records) > 0 {
		dst = append(dst, `]}]}`...)
	}
	return append(dst, `]}`...)
}

func appendSpan(dst []byte, s *traces.Record) []byte {
	dst = append(dst, `{"traceId":`...)
	dst = appendString(dst, s.TraceID)
	dst = append(dst, `,"spanId":`...)
	dst = appendString(dst, s.SpanID)
	if s.ParentID != "" {
		dst = append(dst, `,"parentSpanId":`...)
		dst = appendString(dst, s.ParentID)
	}
	dst = append(dst, `,"name":`...)
	dst = appendString(dst, s.Name)
	if s.Kind != traces.KindUnspecified {
		dst = append(dst, `,"kind":`...)
		dst = strconv.AppendUint(dst, uint64(s.Kind), 10)
	}
	dst = appendTime(dst, `,"startTimeUnixNano":"`, s.Start)
	dst = appendTime(dst, `,"endTimeUnixNano":"`, s.End)
	dst = appendAttributes(dst, s.Attrs, ",")
	for i, e := range s.Events {
		dst = append(dst, opening(i, `,"events":[`)...)
		dst = append(dst, `{"name":`...)
		dst = appendString(dst, e.Name)
		dst = appendTime(dst, `,"timeUnixNano":"`, e.Time)
		dst = appendAttributes(dst, e.Attrs, ",")
		dst = append(dst, '}')
	}
	dst = appendClosing(dst, len(s.Events))
	for i, l := range s.Links {
		dst = append(dst, opening(i, `,"links":[`)...)
		dst = append(dst, `{"traceId":`...)
		dst = appendString(dst, l.TraceID)
		dst = append(dst, `,"spanId":`...)
		dst = appendString(dst, l.SpanID)
		dst = appendAttributes(dst, l.Attrs, ",")
		dst = append(dst, '}')
	}
	dst = appendClosing(dst, len(s.Links))
	if s.Status != traces.StatusUnset || s.Message != "" {
		dst = append(dst, `,"status":{"code":`...)
		dst = strconv.AppendUint(dst, uint64(s.Status), 10)
		if s.Message != "" {
			dst = append(dst, `,"message":`...)
			dst = appendString(dst, s.Message)
		}
		dst = append(dst, '}')
	}
	dst = appendCount(dst, `,"droppedAttributesCount":`, s.Dropped.Attrs)
	dst = appendCount(dst, `,"droppedEventsCount":`, s.Dropped.Events)
	dst = appendCount(dst, `,"droppedLinksCount":`, s.Dropped.Links)
	return append(dst, '}')
}

// opening returns what comes before element i of a list: the list's beginning, or a comma.
func opening(i int, begin string) string {
	if i == 0 {
		return begin
	}
	return ","
}

// appendClosing ends a list, which was begun only if it has elements.
func appendClosing(dst []byte, elements int) []byte {
	if elements == 0 {
		return dst
	}
	return append(dst, ']')
}

func appendTime(dst []byte, field string, t int64) []byte {
	if t == 0 {
		return dst
	}
	dst = append(dst, field...)
	dst = strconv.AppendInt(dst, t, 10)
	return append(dst, '"')
}

func appendCount(dst []byte, field string, n uint32) []byte {
	if n == 0 {
		return dst
	}
	dst = append(dst, field...)
	return strconv.AppendUint(dst, uint64(n), 10)
}

// appendAttributes appends the field attributes, after sep, if there are any.
func appendAttributes(dst []byte, attrs traces.Attrs, sep string) []byte {
	if len(attrs) == 0 {
		return dst
	}
	dst = append(dst, sep...)
	dst = append(dst, `"attributes":`...)
	return appendKeyValues(dst, attrs, 0)
}

func appendKeyValues(dst []byte, attrs traces.Attrs, depth int) []byte {
	dst = append(dst, '[')
	for i, a := range attrs {
		dst = append(dst, opening(i, "")...)
		dst = append(dst, `{"key":`...)
		dst = appendString(dst, a.Key)
		dst = append(dst, `,"value":`...)
		dst = appendValue(dst, a.Value, depth)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// maxNesting bounds the depth of lists and maps within a value; the reader takes a little more.
const maxNesting = 64

func appendValue(dst []byte, value any, depth int) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, `{}`...)
	case string:
		dst = append(dst, `{"stringValue":`...)
		dst = appendString(dst, v)
	case bool:
		dst = append(dst, `{"boolValue":`...)
		dst = strconv.AppendBool(dst, v)
	case int64:
		dst = append(dst, `{"intValue":"`...)
		dst = strconv.AppendInt(dst, v, 10)
		dst = append(dst, '"')
	case float64:
		dst = append(dst, `{"doubleValue":`...)
		dst = appendDouble(dst, v)
	case []byte:
		dst = append(dst, `{"bytesValue":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, v)
		dst = append(dst, '"')
	case []any:
		if depth >= maxNesting {
			return appendValue(dst, tooDeep, depth)
		}
		dst = append(dst, `{"arrayValue":{"values":[`...)
		for i, e := range v {
			dst = append(dst, opening(i, "")...)
			dst = appendValue(dst, e, depth+1)
		}
		dst = append(dst, `]}`...)
	case traces.Attrs:
		if depth >= maxNesting {
			return appendValue(dst, tooDeep, depth)
		}
		dst = append(dst, `{"kvlistValue":{"values":`...)
		dst = appendKeyValues(dst, v, depth+1)
		dst = append(dst, '}')
	default:
		return appendValue(dst, fmt.Sprint(v), depth)
	}
	return append(dst, '}')
}

// tooDeep stands for a value below maxNesting.
const tooDeep = "(nested too deep)"

// appendDouble appends a number; those that JSON does not have become strings.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// appendString appends s, which is UTF-8, as a JSON string.
func appendString(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[b>>4], digits[b&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
