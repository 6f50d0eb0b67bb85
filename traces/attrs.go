package traces

import (
	"math"
	"strconv"
	"strings"
)

// Attrs are a span's attributes in the order the source gave them. Keys may repeat: some emitters write one
// key twice with different types. Look-ups take the last value that has the wanted type.
type Attrs []Attr

// An Attr is one attribute. Value is a string, bool, int64, float64, []byte, []any of these, Attrs (a map in
// the source's order), or nil for an empty value.
type Attr struct {
	Key   string
	Value any
}

// Value returns the last value of key.
func (a Attrs) Value(key string) (any, bool) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key == key {
			return a[i].Value, true
		}
	}
	return nil, false
}

// Has reports whether key is there at all, whatever its type.
func (a Attrs) Has(key string) bool {
	_, ok := a.Value(key)
	return ok
}

// String returns the last value of key that is a string; "" if there is none.
func (a Attrs) String(key string) string {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key == key {
			if s, ok := a[i].Value.(string); ok {
				return s
			}
		}
	}
	return ""
}

// Int returns the last value of key that is a whole number, also when the source wrote it as a decimal string or
// as a float without a fraction.
func (a Attrs) Int(key string) (int64, bool) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key != key {
			continue
		}
		switch v := a[i].Value.(type) {
		case int64:
			return v, true
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				return int64(v), true
			}
		case string:
			if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// Float returns the last value of key that is a finite number, also when the source wrote it as a string.
func (a Attrs) Float(key string) (float64, bool) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key != key {
			continue
		}
		switch v := a[i].Value.(type) {
		case int64:
			return float64(v), true
		case float64:
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				return v, true
			}
		case string:
			if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
				return f, true
			}
		}
	}
	return 0, false
}

// Bool returns the last value of key that is a truth value, also "true" and "false" as strings.
func (a Attrs) Bool(key string) (value, ok bool) {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key != key {
			continue
		}
		switch v := a[i].Value.(type) {
		case bool:
			return v, true
		case string:
			if b, err := strconv.ParseBool(strings.TrimSpace(v)); err == nil {
				return b, true
			}
		}
	}
	return false, false
}

// Strings returns the strings of the last value of key that is a list, or that single string as a list of one.
func (a Attrs) Strings(key string) []string {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key != key {
			continue
		}
		switch v := a[i].Value.(type) {
		case string:
			return []string{v}
		case []any:
			var list []string
			for _, e := range v {
				if s, ok := e.(string); ok {
					list = append(list, s)
				}
			}
			return list
		}
	}
	return nil
}

// With returns the attributes with key set to value: its last occurrence replaced, or appended. The receiver's
// array may be shared with the result; use it on attributes you own.
func (a Attrs) With(key string, value any) Attrs {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].Key == key {
			a[i].Value = value
			return a
		}
	}
	return append(a, Attr{key, value})
}
