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

// content adds visible text in which there may be tags. Text between tags that also came as a reasoning field is not
// counted again.
func (d *Chat) content(raw []byte) {
	if d.think.settled() {
		d.raw(output, raw)
		return
	}
	byField := d.now[reasoning]
	kept := len(d.reasoningText)
	d.scratch = unescape(d.scratch[:0], raw)
	d.tagged(d.scratch)
	if byField.chars > 0 {
		d.now[reasoning] = byField
		d.reasoningText = d.reasoningText[:kept]
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

// A callDelta is a piece of a tool call, raw as it came; empty strings are the same as none.
type callDelta struct {
	index    int
	hasIndex bool
	id       []byte
	name     []byte
	args     []byte
	isObject bool // args are JSON, not a string of JSON
}

func (d *Chat) toolCalls(c *cursor, choice int) {
	if !c.array() {
		return
	}
	for c.next(']') {
		if !c.object() {
			continue
		}
		var call callDelta
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			switch string(key) {
			case "index":
				var n int64
				n, call.hasIndex = c.count()
				call.index = int(n)
			case "id":
				call.id, _ = c.str()
			case "function", "custom":
				call.function(c)
			default:
				c.skip()
			}
		}
		if !c.bad {
			d.toolCall(call, choice)
		}
	}
}

func (call *callDelta) function(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		switch string(key) {
		case "name":
			call.name, _ = c.str()
		case "arguments", "input":
			if c.peek() == '{' {
				start := c.i
				c.skip()
				call.args, call.isObject = c.b[start:c.i], true
			} else {
				call.args, _ = c.str()
			}
		default:
			c.skip()
		}
	}
}

// toolCall adds a piece to the call it belongs to: the one of its index, else, where servers leave the index out, the
// last one. A new id, or without ids a new name where no index is sent, opens another call.
func (d *Chat) toolCall(piece callDelta, choice int) {
	call := d.openCall(piece, choice)
	if call == nil {
		return
	}
	if call.ID == "" && len(piece.id) > 0 {
		call.ID = string(unescape(nil, piece.id))
	}
	if call.Name == "" && len(piece.name) > 0 {
		call.Name = string(unescape(nil, piece.name))
	}
	if len(piece.name) == 0 && len(piece.args) == 0 {
		return
	}
	now := &d.now[toolArgs]
	now.seen = true
	if call.First < 0 {
		call.First = d.at
		now.chars += chars(piece.name)
	}
	call.Last = d.at
	if piece.isObject {
		now.chars += len(piece.args)
	} else {
		now.chars += chars(piece.args)
	}
	switch {
	case !d.opt.Content:
	case piece.isObject:
		call.args = append(call.args, piece.args...)
	default:
		call.args = unescape(call.args, piece.args)
	}
}

func (d *Chat) openCall(piece callDelta, choice int) *ToolCall {
	calls := d.result.ToolCalls
	last := -1
	for i := len(calls) - 1; i >= 0 && last < 0; i-- {
		if calls[i].choice == choice && (!piece.hasIndex || calls[i].index == piece.index) {
			last = i
		}
	}
	named := len(piece.id) > 0 || len(piece.name) > 0
	fresh := last < 0
	if !fresh && len(piece.id) > 0 && calls[last].ID != "" {
		fresh = string(piece.id) != calls[last].ID
	} else if !fresh && !piece.hasIndex {
		fresh = len(piece.name) > 0
	}
	if !fresh {
		return &calls[last]
	}
	if !named && !piece.hasIndex && len(piece.args) == 0 {
		return nil
	}
	d.result.ToolCalls = append(calls, ToolCall{First: -1, choice: choice, index: piece.index})
	return &d.result.ToolCalls[len(calls)]
}
