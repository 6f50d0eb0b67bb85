package otlp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A cursor walks over JSON text once, from front to back. Whoever uses it asks for the kind of value that should come
// next; if something else comes, that is walked over and nothing is given. The first error in the syntax sticks, and
// after it no call does anything. Skipped values are checked too, so what was walked over without error is well-formed.
//
// It forgives what leaves the structure intact: control characters within strings, bytes that are not UTF-8, the
// numbers NaN and Infinity. A line feed within a string is an error: that is how a torn line shows.
type cursor struct {
	text  []byte
	at    int
	depth int
	buf   []byte // of the last string that had escapes
	err   error
}

// maxDepth bounds the nesting, so that no input exhausts the stack.
const maxDepth = 400

var (
	errCut      = errors.New("cut off in the middle") // the text ends within a value
	errLineFeed = errors.New("line feed within a string")
	errEscape   = errors.New("broken escape in a string")
)

// peek moves to the next byte that is not white space and returns it; 0 at the end or after an error.
func (c *cursor) peek() byte {
	for ; c.at < len(c.text) && c.err == nil; c.at++ {
		if b := c.text[c.at]; b > ' ' || b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b
		}
	}
	return 0
}

// object walks over the fields of an object. In the loop the cursor stands on the field's value, which is skipped if
// the loop leaves it alone. key is valid until the next string is read. The loop must not be left early.
func (c *cursor) object(yield func(key []byte) bool) {
	if c.peek() != '{' {
		c.skip()
		return
	}
	for more := c.enter('}'); more; more = c.next('}') {
		key := c.key()
		before := c.at
		if c.err != nil || !yield(key) {
			return
		}
		if c.at == before {
			c.skip()
		}
	}
}

// array walks over the elements of an array like object over fields; the index counts from 0.
func (c *cursor) array(yield func(index int) bool) {
	if c.peek() != '[' {
		c.skip()
		return
	}
	index := 0
	for more := c.enter(']'); more; more = c.next(']') {
		c.peek()
		before := c.at
		if c.err != nil || !yield(index) {
			return
		}
		if c.at == before {
			c.skip()
		}
		index++
	}
}

// enter steps into an object or array and reports whether it holds anything.
func (c *cursor) enter(end byte) bool {
	c.at++
	if c.depth++; c.depth > maxDepth {
		c.fail(fmt.Errorf("nested deeper than %d levels", maxDepth))
		return false
	}
	if c.peek() != end {
		return c.err == nil
	}
	c.at++
	c.depth--
	return false
}

// next steps over the comma after an element, or out of the object or array.
func (c *cursor) next(end byte) bool {
	switch c.peek() {
	case ',':
		c.at++
		return true
	case end:
		c.at++
		c.depth--
		return false
	}
	c.unexpected()
	return false
}

// key reads a field's name and the colon, and moves onto the value.
func (c *cursor) key() []byte {
	if c.peek() != '"' {
		c.unexpected()
		return nil
	}
	key := c.quoted()
	if c.peek() != ':' {
		c.unexpected()
		return nil
	}
	c.at++
	c.peek()
	return key
}

// skip walks over one value of any kind.
func (c *cursor) skip() {
	switch c.peek() {
	case '{':
		for range c.object {
		}
	case '[':
		for range c.array {
		}
	case '"':
		c.quoted()
	default:
		c.literal()
	}
}

// scalar reads a string, without its quotes and escapes, or the text of a number, true, false or null; nil, after
// walking over it, for an object or array. The bytes are valid until the next string is read.
func (c *cursor) scalar() (text []byte, isString bool) {
	switch c.peek() {
	case '{', '[':
		c.skip()
		return nil, false
	case '"':
		return c.quoted(), true
	}
	return c.literal(), false
}

// literal reads a number, true, false or null.
func (c *cursor) literal() []byte {
	c.peek()
	from := c.at
	for c.at < len(c.text) && isLiteral(c.text[c.at]) {
		c.at++
	}
	text := c.text[from:c.at]
	switch {
	case c.err != nil:
		return nil
	case len(text) > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9'):
		return text
	}
	switch string(text) {
	case "true", "false", "null", "NaN", "Infinity":
		return text
	}
	if c.at == len(c.text) {
		c.fail(errCut)
	} else {
		c.at = from
		c.unexpected()
	}
	return nil
}

func isLiteral(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '+' || b == '-' || b == '.'
}

// pass steps over what the text goes on with, and reports whether it is that; if it is not, it stays.
func (c *cursor) pass(want string) bool {
	if rest := c.text[c.at:]; len(rest) < len(want) || string(rest[:len(want)]) != want {
		return false
	}
	c.at += len(want)
	return true
}

// plain steps over plain characters, and returns them.
func (c *cursor) plain() []byte {
	text := c.text[c.at:]
	text = text[:plain(text)]
	c.at += len(text)
	return text
}

// quoted reads the string that the cursor stands on.
func (c *cursor) quoted() []byte {
	c.at++
	from := c.at
	i := from + plain(c.text[from:])
	if i == len(c.text) {
		c.at = i
		c.fail(errCut)
		return nil
	}
	switch c.text[i] {
	case '"':
		c.at = i + 1
		return c.text[from:i]
	case '\\':
		return c.escaped(i)
	}
	c.at = i
	c.fail(errLineFeed)
	return nil
}

// plain returns how many bytes at the beginning of a text are plain characters of a string: what comes before a quote, a backslash or a
// line feed. It looks at eight bytes at a time.
func plain(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		if ends := zeros(x^'"'*each) | zeros(x^'\\'*each) | zeros(x^'\n'*each); ends != 0 {
			return i + bits.TrailingZeros64(ends)/8
		}
	}
	for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] != '\n' {
		i++
	}
	return i
}

const each = 0x0101010101010101 // times a byte: that byte eight times

// zeros sets the highest bit of the first byte of x that is zero, and perhaps bits above it; it is 0 if none is.
func zeros(x uint64) uint64 { return (x - each) & ^x & (0x80 * each) }

// escaped reads the rest of a string whose first escape is at i.
func (c *cursor) escaped(i int) []byte {
	buf := append(c.buf[:0], c.text[c.at:i]...)
	for i < len(c.text) {
		switch b := c.text[i]; b {
		case '"':
			c.at, c.buf = i+1, buf
			return buf
		case '\n':
			c.at = i
			c.fail(errLineFeed)
			return nil
		case '\\':
			r, n, err := unescape(c.text[i:])
			if err != nil {
				c.at = i
				c.fail(err)
				return nil
			}
			buf = utf8.AppendRune(buf, r)
			i += n
		default:
			buf = append(buf, b)
			i++
		}
	}
	c.at = len(c.text)
	c.fail(errCut)
	return nil
}

// unescape returns the character of the escape that text begins with, and the escape's length. Half of a surrogate pair
// without the other half is U+FFFD.
func unescape(text []byte) (r rune, n int, err error) {
	if len(text) < 2 || text[1] == 'u' && len(text) < 6 {
		return 0, 0, errCut
	}
	if text[1] != 'u' {
		i := bytes.IndexByte([]byte(`"\/bfnrt`), text[1])
		if i < 0 {
			return 0, 0, errEscape
		}
		return rune("\"\\/\b\f\n\r\t"[i]), 2, nil
	}
	if r = hexRune(text); r < 0 {
		return 0, 0, errEscape
	}
	if !utf16.IsSurrogate(r) {
		return r, 6, nil
	}
	if r = utf16.DecodeRune(r, hexRune(text[6:])); r == utf8.RuneError {
		return r, 6, nil
	}
	return r, 12, nil
}

// hexRune returns the number in the escape \uXXXX that text begins with; -1 if it does not.
func hexRune(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

// unexpected fails at the byte the cursor stands on.
func (c *cursor) unexpected() {
	if c.at >= len(c.text) {
		c.fail(errCut)
		return
	}
	c.fail(fmt.Errorf("unexpected %q", c.text[c.at]))
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}
