package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// id reads the id of a trace or span: hexadecimal in lower case, "" for one of zeros alone. Ids in base64 are known by
// their length and padding, which no hexadecimal id has; ids of other kinds stay as they are. One that is near,
// in this span or the one before, is not kept a second time.
func (r *reader) id(near, near2 string) string {
	text, isString := r.in.scalar()
	if !isString && string(text) == "null" {
		return ""
	}
	switch string(text) {
	case near:
		return near
	case near2:
		return near2
	}
	if n := len(text); (n == 24 || n == 12) && text[n-1] == '=' {
		var raw [18]byte
		if n, err := base64.StdEncoding.Decode(raw[:], text); err == nil && (n == 16 || n == 8) {
			text = hex.AppendEncode(nil, raw[:n])
		}
	}
	var has byte
	for _, b := range text {
		has |= digits[b]
	}
	switch {
	case has == 0:
		return ""
	case has&(upper|other) == upper:
		text = bytes.ToLower(text)
	}
	return r.ids.string(text)
}

// What a byte is in an id; 0 for the digit 0.
const (
	lower = 1 << iota // a hexadecimal digit, not in upper case
	upper             // one in upper case
	other
)

var digits = func() (class [256]byte) {
	for b := range class {
		switch {
		case b >= '1' && b <= '9' || b >= 'a' && b <= 'f':
			class[b] = lower
		case b >= 'A' && b <= 'F':
			class[b] = upper
		case b != '0':
			class[b] = other
		}
	}
	return class
}()

// A slab keeps strings side by side in memory, since ids are many and short.
type slab struct{ strings.Builder }

const slabSize = 4 << 10

func (s *slab) string(text []byte) string {
	if s.Cap()-s.Len() < len(text) {
		s.Builder = strings.Builder{}
		s.Grow(max(slabSize, len(text)))
	}
	from := s.Len()
	s.Write(text)
	return s.String()[from:]
}
