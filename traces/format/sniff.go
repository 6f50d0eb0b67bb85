package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// sniffLength is how many bytes of a file are looked at, at most.
const sniffLength = 64 << 10

// find returns the format of what begins with head; nil if it is none that can be read.
func find(head []byte) *format {
	for i := range formats {
		if formats[i].sniff(head) {
			return &formats[i]
		}
	}
	return nil
}

// recognise returns what something that cannot be read looks like, by its place in looks.
func recognise(head []byte) int {
	return slices.IndexFunc(looks, func(l look) bool { return l.sniff(head) })
}

func isEmpty(head []byte) bool { return len(bytes.TrimSpace(head)) == 0 }

func anything([]byte) bool { return true }

// startsWith recognises text that begins with prefix after white space.
func startsWith(prefix string) func([]byte) bool {
	return func(head []byte) bool { return strings.HasPrefix(start(head), prefix) }
}

// hasKey recognises JSON with any of the keys.
func hasKey(keys ...string) func([]byte) bool {
	return func(head []byte) bool {
		if !isJSON(head) {
			return false
		}
		for _, key := range keys {
			if jsonKey(head, key) {
				return true
			}
		}
		return false
	}
}

// hasKeys recognises JSON with all of the keys.
func hasKeys(keys ...string) func([]byte) bool {
	return func(head []byte) bool {
		if !isJSON(head) {
			return false
		}
		for _, key := range keys {
			if !jsonKey(head, key) {
				return false
			}
		}
		return true
	}
}

// hasText recognises JSON with any of the texts.
func hasText(texts ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, text := range texts {
			if isJSON(head) && bytes.Contains(head, []byte(text)) {
				return true
			}
		}
		return false
	}
}

// jsonKey reports whether "key": is in the JSON text. Within a string of JSON its quotes would be escaped.
func jsonKey(head []byte, key string) bool {
	quoted := []byte(`"` + key + `"`)
	for {
		i := bytes.Index(head, quoted)
		if i < 0 {
			return false
		}
		head = head[i+len(quoted):]
		if strings.HasPrefix(start(head), ":") {
			return true
		}
	}
}

// isJSON recognises an object or an array of something.
func isJSON(head []byte) bool {
	text := start(head)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// isBinary recognises what is not text.
func isBinary(head []byte) bool {
	if len(head) == sniffLength { // perhaps cut within a character
		head = head[:len(head)-utf8.UTFMax]
	}
	return bytes.ContainsRune(head, 0) || !utf8.Valid(head)
}

// start returns the first few bytes of a text that are not white space or a mark of the byte order.
func start(head []byte) string {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "\x1e \t\r\n")
	return string(head[:min(len(head), 8)])
}
