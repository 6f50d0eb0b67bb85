package stream

import "time"

// Ollama decodes Ollama's own API, chat and generate, streamed or whole.
type Ollama struct {
	decoder
	begun bool // a line was read
}

// NewOllama returns a decoder for one response.
func NewOllama(opt Options) *Ollama {
	d := &Ollama{}
	d.init(opt, d, '{')
	return d
}

// read takes one line. A first line that is also the last is a whole response.
func (d *Ollama) read(c *cursor, _ []byte) bool {
	if !c.object() {
		return false
	}
	var text, thought, reason []byte
	message, fail, done := -1, -1, false
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "model":
			d.once(&d.result.Model, c)
		case "message":
			message = c.at()
		case "response":
			text, _ = c.str()
		case "thinking":
			thought, _ = c.str()
		case "done":
			done = c.peek() == 't'
			c.skip()
		case "done_reason":
			reason, _ = c.str()
		case "error":
			fail = c.at()
		default:
			if !d.usage.field(key, c) {
				d.result.Server.field(key, c, time.Nanosecond)
			}
		}
	}
	if c.bad {
		return false
	}
	if !d.begun && (done || fail >= 0) {
		d.result.Whole = true
	}
	d.begun = true
	if fail >= 0 {
		d.error(&cursor{b: c.b, i: fail})
	}
	d.raw(reasoning, thought)
	d.content(text)
	if message >= 0 {
		d.reply(&cursor{b: c.b, i: message})
	}
	if done {
		d.finish = reason
		d.finished()
	}
	return true
}

func (d *Ollama) reply(c *cursor) {
	if !c.object() {
		return
	}
	var text []byte
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "content":
			text, _ = c.str()
		case "thinking":
			raw, _ := c.str()
			d.raw(reasoning, raw)
		case "tool_calls":
			d.toolCalls(c, 0)
		default:
			c.skip()
		}
	}
	d.content(text)
}
