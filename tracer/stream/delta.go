package stream

func (d *Chat) choices(c *cursor) {
	if !c.array() {
		return
	}
	for c.next(']') {
		d.choice(c)
	}
}

// choice reads one element of choices. A delta that comes before the index it belongs to is read last.
func (d *Chat) choice(c *cursor) {
	if !c.object() {
		return
	}
	index, delta := -1, -1
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "index":
			n, _ := c.count()
			index = int(n)
		case "delta", "message":
			if index >= 0 {
				d.delta(c, index)
				continue
			}
			delta = c.i
			c.skip()
		case "text": // legacy completions
			if raw, ok := c.str(); ok {
				d.content(raw)
			}
		case "finish_reason":
			if raw, ok := c.str(); ok && len(raw) > 0 {
				d.finish = raw
			}
		default:
			c.skip()
		}
	}
	if delta >= 0 && !c.bad {
		inner := cursor{b: c.b, i: delta}
		d.delta(&inner, max(index, 0))
		c.bad = inner.bad
	}
}

// delta reads a delta, or a whole message. Reasoning may come under several names with the same text: it is taken once.
func (d *Chat) delta(c *cursor, choice int) {
	if !c.object() {
		return
	}
	var text, reasoningContent, reasoningText []byte
	parts, details := -1, -1
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "content":
			if c.peek() == '[' {
				parts = c.i
			}
			text, _ = c.str()
		case "reasoning_content":
			reasoningContent, _ = c.str()
		case "reasoning":
			reasoningText, _ = c.str()
		case "reasoning_details":
			details = c.i
			c.skip()
		case "refusal":
			if raw, ok := c.str(); ok {
				d.raw(output, raw)
			}
		case "tool_calls":
			d.toolCalls(c, choice)
		case "function_call": // the legacy single call
			var call callDelta
			call.function(c)
			d.toolCall(call, choice)
		case "audio":
			d.audio(c)
		default:
			c.skip()
		}
	}
	if c.bad {
		return
	}
	switch {
	case len(reasoningContent) > 0:
		d.raw(reasoning, reasoningContent)
		d.summary = false
	case len(reasoningText) > 0:
		d.raw(reasoning, reasoningText)
	}
	if details >= 0 {
		d.details(&cursor{b: c.b, i: details}, d.now[reasoning].seen)
	}
	if len(text) > 0 {
		d.content(text)
	}
	if parts >= 0 {
		d.parts(&cursor{b: c.b, i: parts})
	}
}

// parts reads content that is an array, of which some parts are thinking.
func (d *Chat) parts(c *cursor) {
	c.array()
	for c.next(']') {
		if !c.object() {
			continue
		}
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			switch string(key) {
			case "text":
				if raw, ok := c.str(); ok {
					d.raw(output, raw)
				}
			case "thinking":
				d.thinkingParts(c)
			default:
				c.skip()
			}
		}
	}
}

func (d *Chat) thinkingParts(c *cursor) {
	if c.peek() != '[' {
		if raw, ok := c.str(); ok {
			d.raw(reasoning, raw)
		}
		return
	}
	c.array()
	for c.next(']') {
		if !c.object() {
			continue
		}
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			if string(key) != "text" {
				c.skip()
			} else if raw, ok := c.str(); ok {
				d.raw(reasoning, raw)
			}
		}
	}
}

// details reads OpenRouter's reasoning_details. The text in them repeats the reasoning field where there is one.
func (d *Chat) details(c *cursor, repeated bool) {
	if !c.array() {
		return
	}
	for c.next(']') {
		if !c.object() {
			continue
		}
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			switch string(key) {
			case "text", "summary":
				raw, ok := c.str()
				if !ok || len(raw) == 0 {
					continue
				}
				d.summary = string(key) == "summary"
				if !repeated {
					d.raw(reasoning, raw)
				}
			case "data":
				raw, _ := c.str()
				d.opaque = d.opaque || len(raw) > 0
			default:
				c.skip()
			}
		}
	}
}

// audio counts spoken output as visible: its transcript's characters, none for the sound.
func (d *Chat) audio(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		switch string(key) {
		case "transcript":
			if raw, ok := c.str(); ok {
				d.raw(output, raw)
			}
		case "data":
			raw, _ := c.str()
			d.now[output].seen = d.now[output].seen || len(raw) > 0
		default:
			c.skip()
		}
	}
}
