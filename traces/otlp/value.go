package otlp

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"

	"github.com/seed46266073/longpole/traces"
)

// attributes reads a list of keys and values, or the plain map that some exporters write in its place.
func (r *reader) attributes() traces.Attrs {
	first := len(r.scratch)
	if r.in.peek() == '{' {
		for key := range r.in.object {
			name := r.pool.string(key)
			r.scratch = append(r.scratch, traces.Attr{Key: name, Value: r.value()})
		}
	} else {
		for range r.in.array {
			var a traces.Attr
			for key := range r.in.object {
				switch string(key) {
				case "key":
					a.Key = r.string()
				case "value":
					a.Value = r.value()
				}
			}
			r.scratch = append(r.scratch, a)
		}
	}
	return r.take(first)
}

// take returns a copy of the attributes that were collected since first, nil if there are none.
func (r *reader) take(first int) traces.Attrs {
	attrs := r.scratch[first:]
	r.scratch = r.scratch[:first]
	if len(attrs) == 0 {
		return nil
	}
	return slices.Clone(attrs)
}

// value reads OTLP's AnyValue, or the plain JSON value that some exporters write in its place.
func (r *reader) value() any {
	switch r.in.peek() {
	case '{':
		return r.anyValue()
	case '[':
		return r.list()
	case '"':
		return r.pool.value(r.in.quoted())
	}
	text := r.in.literal()
	switch string(text) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if bytes.ContainsAny(text, ".eEN") {
		return r.double(text)
	}
	return r.int(text)
}

// anyValue reads an object that names the type of its one value. An object of other fields is a plain map.
func (r *reader) anyValue() any {
	first := len(r.scratch)
	var value any
	for key := range r.in.object {
		switch string(key) {
		case "stringValue", "string_value":
			if text, isString := r.in.scalar(); isString || string(text) != "null" {
				value = r.pool.value(text)
			}
		case "boolValue", "bool_value":
			switch text, _ := r.in.scalar(); string(text) {
			case "true":
				value = true
			case "false":
				value = false
			case "null":
			default:
				value = r.pool.value(text)
			}
		case "intValue", "int_value":
			if text, _ := r.in.scalar(); string(text) != "null" {
				value = r.int(text)
			}
		case "doubleValue", "double_value":
			if text, _ := r.in.scalar(); string(text) != "null" {
				value = r.double(text)
			}
		case "bytesValue", "bytes_value":
			if text, isString := r.in.scalar(); isString {
				value = r.bytes(text)
			}
		case "arrayValue", "array_value":
			value = r.list()
		case "kvlistValue", "kvlist_value":
			value = r.kvlist()
		default:
			name := r.pool.string(key)
			r.scratch = append(r.scratch, traces.Attr{Key: name, Value: r.value()})
		}
	}
	if plain := r.take(first); plain != nil && value == nil {
		return plain
	}
	return value
}

// list reads an array of values, or an object that holds it under values.
func (r *reader) list() any {
	if r.in.peek() == '{' {
		var list any = []any(nil)
		for key := range r.in.object {
			if string(key) == "values" {
				list = r.list()
			}
		}
		return list
	}
	var list []any
	for range r.in.array {
		list = append(list, r.value())
	}
	return list
}

// kvlist reads a map: a list of keys and values, or an object that holds it under values.
func (r *reader) kvlist() any {
	if r.in.peek() != '{' {
		return r.attributes()
	}
	var attrs traces.Attrs
	for key := range r.in.object {
		if string(key) == "values" {
			attrs = r.attributes()
		}
	}
	return attrs
}

// string reads a string; "" for anything else.
func (r *reader) string() string {
	if text, isString := r.in.scalar(); isString {
		return r.pool.string(text)
	}
	return ""
}

// int returns the number that text is, or the text itself if that is not a whole number of 64 bits.
func (r *reader) int(text []byte) any {
	if n, ok := parseInt(text); ok {
		return n
	}
	return r.pool.value(text)
}

// double returns the number that text is, or the text itself if that is not a number.
func (r *reader) double(text []byte) any {
	switch string(text) {
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	if f, err := strconv.ParseFloat(string(text), 64); err == nil {
		return f
	}
	return r.pool.value(text)
}

// bytes returns the bytes that text encodes in base64, or the text itself if it does not.
func (r *reader) bytes(text []byte) any {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := encoding.AppendDecode([]byte{}, text); err == nil {
			return b
		}
	}
	return r.pool.value(text)
}

// time reads an instant in nanoseconds since the Unix epoch; 0, unknown, for anything else, which is listed.
func (r *reader) time(s *traces.Record, which string) int64 {
	text, isString := r.in.scalar()
	n, ok := parseInt(text)
	if !ok && (isString && len(text) > 0 || !isString && string(text) != "null") && r.in.err == nil {
		r.problem(traces.BadAttribute, s.SpanID, "line %d: %s time %q of span %q is not a number of nanoseconds; taken as unknown", r.line, which, text, s.Name)
	}
	return n
}

// count reads a number of things cut off.
func (r *reader) count() uint32 {
	text, _ := r.in.scalar()
	n, _ := parseInt(text)
	return uint32(min(max(n, 0), math.MaxUint32))
}

// parseInt returns the whole number that text is, exactly, also where it is written with an exponent or with a
// fraction of zeros.
func parseInt(text []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, true
	}
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(text), []byte("e"))
	shift := 0
	if len(exponent) > 0 {
		var err error
		if shift, err = strconv.Atoi(string(exponent)); err != nil || shift < -30 || shift > 30 {
			return 0, false
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(slices.Clone(whole), fraction...)
	for shift -= len(fraction); shift > 0; shift-- {
		digits = append(digits, '0')
	}
	for ; shift < 0; shift++ {
		last := len(digits) - 1
		if last < 1 || digits[last] != '0' {
			return 0, false
		}
		digits = digits[:last]
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, err == nil
}
