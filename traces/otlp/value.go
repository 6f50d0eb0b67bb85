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
			a, ok := r.compactAttribute()
			if !ok {
				a = r.attribute()
			}
			r.scratch = append(r.scratch, a)
		}
	}
	return r.take(first)
}

// attribute reads a key and a value.
func (r *reader) attribute() (a traces.Attr) {
	for key := range r.in.object {
		switch string(key) {
		case "key":
			a.Key = r.string()
		case "value":
			a.Value = r.value()
		}
	}
	return a
}

// compactAttribute reads an attribute of a scalar value that is written without white space and the key first, as nearly all are:
// {"key":"K","value":{"intValue":"1"}}. Of one that is written in another way it reads nothing.
func (r *reader) compactAttribute() (a traces.Attr, ok bool) {
	c := &r.in
	from := c.at
	if c.depth+2 <= maxDepth && c.pass(`{"key":"`) {
		if key := c.plain(); c.pass(`","value":{"`) {
			if kind := scalarOf(c.plain()); kind != 0 && c.pass(`":`) {
				text, isString := c.scalar()
				if c.pass(`}}`) {
					a.Key = r.pool.string(key)
					if v, ok := r.scalar(kind, text, isString); ok {
						a.Value = v
					}
					return a, true
				}
			}
		}
	}
	c.at = from
	return a, false
}

// take returns a copy of the attributes that were collected since first, nil if there are none. Copies lie side by side in memory, full: to
// append to one moves it.
func (r *reader) take(first int) traces.Attrs {
	attrs := r.scratch[first:]
	r.scratch = r.scratch[:first]
	if len(attrs) == 0 {
		return nil
	}
	if len(attrs) > cap(r.attrs)-len(r.attrs) {
		r.attrs = make(traces.Attrs, 0, max(attrsRoom, len(attrs)))
	}
	from := len(r.attrs)
	r.attrs = append(r.attrs, attrs...)
	return slices.Clip(r.attrs[from:])
}

// attrsRoom is for how many attributes memory is taken at once.
const attrsRoom = 128

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
		if kind := scalarOf(key); kind != 0 {
			text, isString := r.in.scalar()
			if v, ok := r.scalar(kind, text, isString); ok {
				value = v
			}
			continue
		}
		switch string(key) {
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

// A scalarKind is a field of OTLP's AnyValue that holds a scalar.
type scalarKind byte

const (
	stringScalar scalarKind = 1 + iota
	boolScalar
	intScalar
	doubleScalar
	bytesScalar
)

// scalarOf returns the kind of a field; 0 if it is no scalar.
func scalarOf(field []byte) scalarKind {
	switch string(field) {
	case "stringValue", "string_value":
		return stringScalar
	case "intValue", "int_value":
		return intScalar
	case "boolValue", "bool_value":
		return boolScalar
	case "doubleValue", "double_value":
		return doubleScalar
	case "bytesValue", "bytes_value":
		return bytesScalar
	}
	return 0
}

// scalar returns the value that is written as text in a field of the kind; false for null.
func (r *reader) scalar(kind scalarKind, text []byte, isString bool) (value any, ok bool) {
	null := string(text) == "null"
	switch kind {
	case stringScalar:
		return r.pool.value(text), isString || !null
	case intScalar:
		return r.int(text), !null
	case boolScalar:
		switch string(text) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
		return r.pool.value(text), !null
	case doubleScalar:
		return r.double(text), !null
	}
	if !isString {
		return nil, false
	}
	return r.bytes(text), true
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
