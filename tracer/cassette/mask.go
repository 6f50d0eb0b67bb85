package cassette

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Mask replaces, in place, what a response body says by filler of the same length. The body is JSON, JSON texts one after the
// other, or server-sent events with JSON or other text in them.
//
// In JSON the values of strings are masked, but for those that say what something is: types, ids, names of models and tools,
// reasons. Within the arguments of a tool call, which are free in form, keys and numbers are masked too. Outside JSON all text is
// masked but [DONE] and the names of events.
//
// A masked character becomes another one of the same size: letters x, digits 1, others a character of as many bytes. Punctuation,
// white space, escapes, the words true, false and null and the tags around thoughts stay: so arguments that are JSON within a
// string stay JSON, and thoughts thoughts.
func Mask(body []byte) {
	start := bytes.TrimLeft(body, "\ufeff \t\r\n")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		m := masker{}
		m.json(body)
		return
	}
	maskEvents(body)
}

// maskEvents masks server-sent events line by line.
func maskEvents(body []byte) {
	m := masker{}
	for len(body) > 0 {
		end := bytes.IndexAny(body, "\r\n")
		if end < 0 {
			end = len(body)
		}
		line := body[:end]
		body = body[end:]
		if bytes.HasPrefix(body, []byte("\r\n")) {
			body = body[1:]
		}
		body = body[min(1, len(body)):]
		field, value, _ := bytes.Cut(line, []byte(":"))
		switch string(field) {
		case "event", "retry":
		case "data":
			text := bytes.TrimSpace(value)
			switch {
			case len(text) == 0 || string(text) == "[DONE]":
			case m.open() || text[0] == '{' || text[0] == '[':
				m.json(value)
			default:
				maskText(value)
			}
		case "":
			if len(line) == 0 {
				m = masker{} // the event has ended
			}
			maskText(value) // a comment
		default:
			maskText(line)
		}
	}
}

// kept are the keys whose strings say what something is.
var kept = set("type", "object", "id", "model", "role", "finish_reason", "stop_reason", "status", "name", "call_id", "item_id", "phase",
	"service_tier", "system_fingerprint", "done_reason", "finishReason", "previous_response_id", "tool_use_id", "created_at",
	"responseId", "modelVersion", "reason", "stream_id", "effort", "request_id", "createTime", "mode")

// free are the keys whose values are free in form where they are objects or arrays: whatever is in them is content.
var free = set("arguments", "input", "args", "partialArgs", "result", "results", "response_format", "schema", "tools", "metadata", "text")

func set(keys ...string) map[string]bool {
	m := map[string]bool{}
	for _, k := range keys {
		m[k] = true
	}
	return m
}

// A masker masks JSON, which may come in several parts.
type masker struct {
	stack []frame
	key   string // the last key of the innermost object
}

// A frame is an object or array that is open.
type frame struct {
	object bool
	free   bool   // it is content throughout
	key    string // the key that it belongs to
	value  bool   // in an object: a value comes next, not a key
}

func (m *masker) open() bool { return len(m.stack) > 0 }

func (m *masker) top() *frame {
	if len(m.stack) == 0 {
		return &frame{}
	}
	return &m.stack[len(m.stack)-1]
}

// json masks one part.
func (m *masker) json(b []byte) {
	for i := 0; i < len(b); {
		top := m.top()
		switch c := b[i]; c {
		case '{', '[':
			f := frame{object: c == '{', key: m.key, free: top.free || free[m.key]}
			m.stack = append(m.stack, f)
			i++
		case '}', ']':
			if len(m.stack) > 0 {
				m.key = top.key
				m.stack = m.stack[:len(m.stack)-1]
			}
			i++
		case ':':
			top.value = true
			i++
		case ',':
			top.value = false
			i++
		case '"':
			n := stringLength(b[i:])
			m.str(top, b[i+1:i+n])
			i += n
		default:
			if top.free && '0' <= c && c <= '9' {
				b[i] = '1'
			}
			i++
		}
	}
}

// str masks a string, given without its first quote, if it is content.
func (m *masker) str(top *frame, s []byte) {
	if top.object && !top.value {
		m.key = string(bytes.TrimSuffix(s, []byte(`"`)))
		if top.free {
			maskText(s)
		}
		return
	}
	if top.free || !kept[m.key] || !identifier(s) {
		maskText(s)
	}
}

// stringLength returns the length of the string that b begins with, quotes included; all of b if it does not end.
func stringLength(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// identifier reports whether s, which may have its last quote, looks like a word of a protocol, not like a sentence.
func identifier(s []byte) bool {
	s = bytes.TrimSuffix(s, []byte(`"`))
	return len(s) <= 128 && !bytes.Contains(s, []byte("://")) && !bytes.ContainsFunc(s, func(r rune) bool {
		return !(r < 0x80 && (wordByte(byte(r)) || strings.ContainsRune(".:/@+-", r)))
	})
}

// staying are the words that masking leaves alone.
var staying = []string{"true", "false", "null", "<think>", "</think>", `\u003cthink\u003e`, `\u003c/think\u003e`}

// maskText masks text that may hold JSON's escapes.
func maskText(s []byte) {
	for i := 0; i < len(s); {
		if n := stays(s, i); n > 0 {
			i += n
			continue
		}
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i += maskEscape(s[i:])
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			s[i] = 'x'
			i++
		case '0' <= c && c <= '9':
			s[i] = '1'
			i++
		case c >= 0xc0:
			i += maskRune(s[i:])
		default:
			i++
		}
	}
}

// stays returns the length of the word at i that is to stay, 0 if there is none.
func stays(s []byte, i int) int {
	if exponent(s, i) {
		return 1
	}
	if c := s[i]; c != 't' && c != 'f' && c != 'n' && c != '<' && c != '\\' {
		return 0
	}
	for _, w := range staying {
		if !bytes.HasPrefix(s[i:], []byte(w)) {
			continue
		}
		tag := !letter(w[0])
		if tag || !(i > 0 && wordByte(s[i-1])) && !(i+len(w) < len(s) && wordByte(s[i+len(w)])) {
			return len(w)
		}
	}
	return 0
}

// exponent reports whether s[i] is the e of a number that stands by itself, as in 1e5.
func exponent(s []byte, i int) bool {
	if s[i] != 'e' && s[i] != 'E' {
		return false
	}
	const most = 64 // bytes either side
	part := func(c byte) bool { return '0' <= c && c <= '9' || c == '.' || c == '+' || c == '-' }
	from, to := i, i+1
	for from > max(0, i-most) && part(s[from-1]) {
		from--
	}
	for to < min(len(s), i+most) && part(s[to]) {
		to++
	}
	return !(from > 0 && wordByte(s[from-1])) && !(to < len(s) && wordByte(s[to])) && json.Valid(s[from:to])
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func wordByte(c byte) bool { return letter(c) || '0' <= c && c <= '9' || c == '_' || c >= 0x80 }

// maskEscape masks the escape that s begins with, and returns its length. Those that are white space or punctuation stay.
func maskEscape(s []byte) int {
	if s[1] != 'u' || len(s) < 6 {
		return 2
	}
	digits := strings.ToLower(string(s[2:6]))
	filler := "0078" // x
	switch {
	case digits < "0030", "003a" <= digits && digits < "0041", "005b" <= digits && digits < "0061", "007b" <= digits && digits < "0080":
		return 6
	case "d800" <= digits && digits < "dc00":
		filler = "d83d"
	case "dc00" <= digits && digits < "e000":
		filler = "de42" // with the half before: 🙂
	}
	copy(s[2:], filler)
	return 6
}

// maskRune masks the character of several bytes that s begins with, and returns its length. What is no character stays.
func maskRune(s []byte) int {
	_, n := utf8.DecodeRune(s)
	switch n {
	case 2:
		copy(s, "é")
	case 3:
		copy(s, "文")
	case 4:
		copy(s, "🙂")
	}
	return n
}
