package stream

import (
	"bytes"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// A cursor walks a JSON text in place, without allocating. It is lenient: it wants to find its way, not to validate.
// Once bad it only answers no.
type cursor struct {
	b   []byte
	i   int
	bad bool // the text ended early or made no sense
}

// peek skips white space and returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.i < len(c.b) && c.b[c.i] > ' ' {
		return c.b[c.i]
	}
	return c.space()
}

func (c *cursor) space() byte {
	for c.i < len(c.b) {
		switch b := c.b[c.i]; b {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return b
		}
	}
	c.bad = true
	return 0
}

// object enters an object; any other value is skipped.
func (c *cursor) object() bool { return c.enter('{') }

// array enters an array; any other value is skipped.
func (c *cursor) array() bool { return c.enter('[') }

func (c *cursor) enter(open byte) bool {
	if c.peek() == open && !c.bad {
		c.i++
		return true
	}
	c.skip()
	return false
}

// key returns the next key of the object that was entered and stops before its value; ok is false at the object's end.
func (c *cursor) key() (key []byte, ok bool) {
	if !c.next('}') {
		return nil, false
	}
	key, ok = c.str()
	if ok && c.peek() == ':' {
		c.i++
		return key, true
	}
	c.bad = true
	return nil, false
}

// next stops before the next element of an array, or key of an object; false at its end.
func (c *cursor) next(end byte) bool {
	b := c.peek()
	if b == ',' {
		c.i++
		b = c.peek()
	}
	if b == end {
		c.i++
		return false
	}
	return !c.bad
}

// str returns the raw inside of a string, escapes not undone; any other value is skipped.
func (c *cursor) str() (raw []byte, ok bool) {
	if c.peek() != '"' || c.bad {
		c.skip()
		return nil, false
	}
	rest := c.b[c.i+1:]
	for i := 0; ; {
		quote := bytes.IndexByte(rest[i:], '"')
		if quote < 0 {
			c.bad = true
			return nil, false
		}
		quote += i
		for i <= quote { // unless a backslash before the quote is its own
			escape := bytes.IndexByte(rest[i:quote], '\\')
			if escape < 0 {
				c.i += quote + 2
				return rest[:quote], true
			}
			i += escape + 2
		}
		i = min(i, len(rest))
	}
}

// string returns the text of a string, "" for any other value, which is skipped.
func (c *cursor) string() string {
	raw, _ := c.str()
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = unescape(nil, raw)
	}
	return string(raw)
}

// at skips a value and returns where it begins, -1 if it is null.
func (c *cursor) at() int {
	b := c.peek()
	start := c.i
	c.skip()
	if b == 'n' || c.bad {
		return -1
	}
	return start
}

// field returns the raw string that an object has under a key; any other value is skipped.
func (c *cursor) field(want string) (raw []byte) {
	if !c.object() {
		return nil
	}
	for {
		key, ok := c.key()
		if !ok {
			return raw
		}
		if string(key) == want {
			raw, _ = c.str()
		} else {
			c.skip()
		}
	}
}

// number returns a number, also one written as a string; any other value is skipped.
func (c *cursor) number() (float64, bool) {
	if b := c.peek(); b == '"' {
		raw, _ := c.str()
		return parseNumber(raw)
	}
	start := c.i
	c.skip()
	if c.bad {
		return 0, false
	}
	return parseNumber(c.b[start:c.i])
}

// count returns a number that is a count.
func (c *cursor) count() (int64, bool) {
	f, ok := c.number()
	return int64(f), ok && f >= 0 && f < 1<<53
}

// index returns a number that is a place in a list, -1 for any other value.
func (c *cursor) index() int {
	if n, ok := c.count(); ok && n < 1<<31 {
		return int(n)
	}
	return -1
}

// skip passes over one value of any kind.
func (c *cursor) skip() {
	depth := 0 // no recursion: a hostile text is as deep as it likes
	for {
		switch b := c.peek(); {
		case c.bad:
			return
		case b == '"':
			c.str()
		case b == '{' || b == '[':
			c.i++
			depth++
		case b == '}' || b == ']':
			if depth == 0 {
				c.bad = true
				return
			}
			c.i++
			depth--
		case b == ',' || b == ':':
			if depth == 0 {
				c.bad = true
				return
			}
			c.i++
			continue
		default:
			for c.i < len(c.b) && !isDelimiter(c.b[c.i]) {
				c.i++
			}
		}
		if depth == 0 {
			return
		}
	}
}

func isDelimiter(b byte) bool {
	switch b {
	case ' ', '\t', '\n', '\r', ',', ':', '{', '}', '[', ']', '"':
		return true
	}
	return false
}

// parseNumber reads a JSON number of ordinary size; strconv would need a string.
func parseNumber(b []byte) (float64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	var mantissa float64
	digits, exponent, point := 0, 0, false
	i := 0
	for ; i < len(b); i++ {
		switch {
		case '0' <= b[i] && b[i] <= '9':
			mantissa = mantissa*10 + float64(b[i]-'0')
			digits++
			if point {
				exponent--
			}
			continue
		case b[i] == '.' && !point:
			point = true
			continue
		}
		break
	}
	if digits == 0 || digits > 300 {
		return 0, false
	}
	if i < len(b) {
		if b[i] != 'e' && b[i] != 'E' || len(b)-i > 5 {
			return 0, false
		}
		power, sign := 0, 1
		for j, d := range b[i+1:] {
			switch {
			case j == 0 && d == '-':
				sign = -1
			case j == 0 && d == '+':
			case '0' <= d && d <= '9':
				power = power*10 + int(d-'0')
			default:
				return 0, false
			}
		}
		exponent += sign * power
	}
	f := mantissa * math.Pow10(exponent)
	if exponent < 0 {
		f = mantissa / math.Pow10(-exponent) // exact where the power is
	}
	if negative {
		f = -f
	}
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}

// chars counts the characters of a raw string. A surrogate pair is one, also when its halves come apart.
func chars(raw []byte) int {
	n := 0
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return n + utf8.RuneCount(raw)
		}
		n += utf8.RuneCount(raw[:i]) + 1
		raw = raw[i+1:]
		if len(raw) == 0 {
			return n
		}
		skip := 1
		if raw[0] == 'u' {
			if u, ok := hex4(raw[1:]); ok {
				skip = 5
				if 0xDC00 <= u && u <= 0xDFFF {
					n--
				}
			}
		}
		raw = raw[skip:]
	}
}

// unescape appends the text of a raw string to dst.
func unescape(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 >= len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		escape := raw[i+1]
		raw = raw[i+2:]
		switch escape {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			u, ok := hex4(raw)
			if !ok {
				dst = append(dst, 'u')
				continue
			}
			raw = raw[4:]
			if utf16.IsSurrogate(u) && len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
				if low, ok := hex4(raw[2:]); ok && utf16.DecodeRune(u, low) != utf8.RuneError {
					u = utf16.DecodeRune(u, low)
					raw = raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, u)
		default:
			dst = append(dst, escape)
		}
	}
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, d := range b[:4] {
		switch {
		case '0' <= d && d <= '9':
			r = r<<4 | rune(d-'0')
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			r = r<<4 | rune(d|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
