package tracer

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/seed46266073/longpole/traces"
)

func statusOf(c codes.Code) traces.Status {
	switch c {
	case codes.Ok:
		return traces.StatusOK
	case codes.Error:
		return traces.StatusError
	}
	return traces.StatusUnset
}

func attrsOf(kvs []attribute.KeyValue) traces.Attrs {
	if len(kvs) == 0 {
		return nil
	}
	attrs := make(traces.Attrs, 0, len(kvs)+4)
	for _, kv := range kvs {
		attrs = append(attrs, traces.Attr{Key: string(kv.Key), Value: valueOf(kv.Value)})
	}
	return attrs
}

func valueOf(v attribute.Value) any {
	switch v.Type() {
	case attribute.BOOLSLICE:
		return anys(v.AsBoolSlice())
	case attribute.INT64SLICE:
		return anys(v.AsInt64Slice())
	case attribute.FLOAT64SLICE:
		return anys(v.AsFloat64Slice())
	case attribute.STRINGSLICE:
		return anys(v.AsStringSlice())
	case attribute.BYTESLICE:
		return v.AsByteSlice()
	case attribute.MAP:
		return attrsOf(v.AsMap())
	case attribute.SLICE:
		list := []any{}
		for _, e := range v.AsSlice() {
			list = append(list, valueOf(e))
		}
		return list
	case attribute.EMPTY:
		return nil
	}
	return v.AsInterface()
}

func anys[T any](s []T) []any {
	list := make([]any, len(s))
	for i, e := range s {
		list[i] = e
	}
	return list
}

// fields collects attributes, leaving out what is unknown.
type fields []attribute.KeyValue

func (f *fields) text(key, value string) {
	if value != "" {
		*f = append(*f, attribute.String(key, value))
	}
}

func (f *fields) int(key string, value int64) { *f = append(*f, attribute.Int64(key, value)) }

func (f *fields) count(key string, value *int64) {
	if value != nil {
		f.int(key, *value)
	}
}

func (f *fields) truth(key string, value bool) {
	if value {
		*f = append(*f, attribute.Bool(key, true))
	}
}

func (f *fields) role(r traces.Role) { f.text(traces.KeyRole, string(r)) }

func (f *fields) list(key string, values []string) {
	if len(values) > 0 {
		*f = append(*f, attribute.StringSlice(key, values))
	}
}
