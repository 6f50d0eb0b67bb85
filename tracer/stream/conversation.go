package stream

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// A conversation reads the messages of a request, of whichever API, one after the other.
type conversation struct {
	request          *Request
	system, messages int // where they begin in the body, -1 if they are not there
	hash             maphash.Hash
}

func (v *conversation) read(body []byte) {
	v.hash.SetSeed(hashSeed)
	if v.system >= 0 {
		v.add("system", cursor{b: body, i: v.system})
	}
	if v.messages < 0 {
		return
	}
	c := cursor{b: body, i: v.messages}
	if c.peek() != '[' {
		v.add("user", c) // a prompt alone
		return
	}
	c.array()
	for c.next(']') {
		start := c.i
		m := readMessage(&c)
		if c.bad {
			return
		}
		v.add(m.role, cursor{b: body[:c.i], i: start})
		v.link(&m)
	}
}

// add appends the hash of a message to the prefix.
func (v *conversation) add(role string, c cursor) {
	r := v.request
	if role == "user" && r.FirstUser == 0 {
		v.hash.Reset()
		digest(&v.hash, &cursor{b: c.b, i: c.i})
		r.FirstUser = v.hash.Sum64()
	}
	v.hash.Reset()
	if n := len(r.Prefix); n > 0 {
		var before [8]byte
		binary.LittleEndian.PutUint64(before[:], r.Prefix[n-1])
		v.hash.Write(before[:])
	}
	v.hash.WriteString(role)
	digest(&v.hash, &c)
	r.Prefix = append(r.Prefix, v.hash.Sum64())
}

// link notes the calls and results of a message.
func (v *conversation) link(m *message) {
	r := v.request
	if m.model {
		r.Turns++
		r.Fresh = nil
	}
	r.Calls = append(r.Calls, m.calls...)
	r.Results = append(r.Results, m.results...)
	r.Fresh = append(r.Fresh, m.results...)
}

// A message is what there is to know of one message or item of a conversation.
type message struct {
	role           string
	model          bool // the model made it
	calls, results []string
}

func readMessage(c *cursor) (m message) {
	if c.peek() == '"' { // one of several prompts
		c.skip()
		m.role = "user"
		return m
	}
	if !c.object() {
		return m
	}
	var kind, callID, resultOf []byte
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "role":
			m.role = c.string()
		case "type":
			kind, _ = c.str()
		case "call_id":
			callID, _ = c.str()
		case "tool_call_id":
			resultOf, _ = c.str()
		case "content", "tool_calls", "parts":
			m.parts(c, string(key) == "tool_calls")
		default:
			c.skip()
		}
	}
	output := bytes.HasSuffix(kind, []byte("_output"))
	switch {
	case len(resultOf) > 0:
		m.result(resultOf)
	case output && len(callID) > 0:
		m.result(callID)
	case bytes.HasSuffix(kind, []byte("_call")) && len(callID) > 0:
		m.call(callID)
	}
	m.model = m.role == "assistant" || m.role == "model" || m.role == "" && len(kind) > 0 && !output && string(kind) != "item_reference"
	return m
}

func (m *message) call(id []byte)   { m.calls = append(m.calls, string(unescape(nil, id))) }
func (m *message) result(id []byte) { m.results = append(m.results, string(unescape(nil, id))) }

// parts reads the parts of a message, or the list of its calls.
func (m *message) parts(c *cursor, calls bool) {
	if !c.array() {
		return
	}
	for c.next(']') {
		if !c.object() {
			continue
		}
		var kind, id, resultOf []byte
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			switch string(key) {
			case "type":
				kind, _ = c.str()
			case "id":
				id, _ = c.str()
			case "tool_use_id":
				resultOf, _ = c.str()
			case "functionCall":
				if id := c.field("id"); len(id) > 0 {
					m.call(id)
				}
			case "functionResponse":
				if id := c.field("id"); len(id) > 0 {
					m.result(id)
				}
			default:
				c.skip()
			}
		}
		switch {
		case (calls || string(kind) == "tool_use") && len(id) > 0:
			m.call(id)
		case string(kind) == "tool_result" && len(resultOf) > 0:
			m.result(resultOf)
		}
	}
}

// digest hashes what a JSON value says: keys and values in their order. How it says it does not count: brackets and white space,
// whether a text is alone or in a list of parts, nulls, and marks for the provider's cache. A role counts where it stands.
func digest(h *maphash.Hash, c *cursor) {
	depth := 0
	for {
		switch b := c.peek(); {
		case c.bad:
			return
		case b == '"':
			raw, _ := c.str()
			if c.i < len(c.b) && c.peek() == ':' {
				c.i++
				digestKey(h, c, raw, depth)
			} else {
				h.Write(raw)
				h.WriteByte(0)
			}
		case b == '{' || b == '[':
			c.i++
			depth++
			continue
		case b == '}' || b == ']':
			c.i++
			depth--
		case b == ',' || b == ':':
			c.i++
		default:
			start := c.i
			c.skip()
			h.Write(c.b[start:c.i])
			h.WriteByte(0)
		}
		if depth <= 0 {
			return
		}
	}
}

// digestKey hashes a key if it says something, and skips its value if that does not count.
func digestKey(h *maphash.Hash, c *cursor, key []byte, depth int) {
	switch string(key) {
	case "cache_control":
		c.skip()
		return
	case "role":
		if depth == 1 {
			c.skip()
			return
		}
	case "content", "text", "parts":
		return
	case "type":
		start := c.i
		switch kind, _ := c.str(); string(kind) {
		case "text", "input_text", "output_text", "message":
			return
		}
		c.i = start
	}
	if c.peek() == 'n' {
		c.skip()
		return
	}
	h.Write(key)
	h.WriteByte(0)
}
