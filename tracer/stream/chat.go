package stream

import "bytes"

// Chat decodes the Chat Completions API, streamed or whole, and the legacy Completions API.
type Chat struct {
	decoder
	prefix []byte // how the last chunk began, up to its choices: the next one mostly begins so too
}

// NewChat returns a decoder for one response.
func NewChat(opt Options) *Chat {
	d := &Chat{}
	d.init(opt, d, 0)
	return d
}

// read takes one chunk, or a whole response, which has the same shape. A chunk that begins like the one before is read from
// its choices on.
func (d *Chat) read(c *cursor, _ []byte) bool {
	if c.peek() != '{' {
		return false
	}
	plain := true // nothing yet but fields that say the same in every chunk
	if n := len(d.prefix); n > 0 && bytes.HasPrefix(c.b, d.prefix) {
		c.i, plain = n, false
		d.choices(c)
	} else {
		c.object()
	}
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			d.once(&d.result.ID, c)
			continue
		case "model":
			d.once(&d.result.Model, c)
			continue
		case "object":
			if kind, _ := c.str(); string(kind) == "error" { // older vLLM's errors are flat
				d.fail("")
			}
			continue
		case "created", "system_fingerprint", "service_tier":
			c.skip()
			continue
		case "choices":
			if plain && !d.result.Whole {
				d.prefix = append(d.prefix[:0], c.b[:c.i]...)
			}
			d.choices(c)
		case "usage":
			d.usage.read(c, &d.result.Server)
		case "error":
			d.error(c)
		case "x_groq":
			d.groq(c)
		default:
			d.engine(key, c)
		}
		plain = false
	}
	if string(d.finish) == "error" {
		d.fail("")
	}
	return !c.bad
}

func (d *Chat) groq(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		if string(key) == "usage" {
			d.usage.read(c, &d.result.Server)
		} else {
			c.skip()
		}
	}
}
