package stream

// Messages decodes Anthropic's Messages API, streamed or whole.
type Messages struct {
	decoder
	message int // number of messages that began: gateways have been seen to start a second one
}

// NewMessages returns a decoder for one response.
func NewMessages(opt Options) *Messages {
	d := &Messages{}
	d.usage.rule = cacheBeside
	d.init(opt, d, 0)
	return d
}

func (d *Messages) read(c *cursor, name []byte) bool {
	if d.result.Whole {
		d.whole(c)
		return !c.bad
	}
	var kind []byte
	index, message, block, delta, counts, fail := 0, -1, -1, -1, -1, -1
	if !c.object() {
		return false
	}
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.str()
		case "index":
			index = c.index()
		case "message":
			message = c.at()
		case "content_block":
			block = c.at()
		case "delta":
			delta = c.at()
		case "usage":
			counts = c.at()
		case "error":
			fail = c.at()
		default:
			c.skip()
		}
	}
	if c.bad {
		return false
	}
	if len(kind) == 0 {
		kind = name
	}
	at := func(i int) *cursor { return &cursor{b: c.b, i: i} }
	switch string(kind) {
	case "ping":
		d.ping()
	case "message_start":
		d.message++
		d.window.end(d.at)
		if message >= 0 {
			before := d.usage.output
			d.whole(at(message))
			d.usage.output = before // what it says of the output is a starter
		}
	case "content_block_start":
		if block >= 0 {
			d.block(at(block), index)
		}
	case "content_block_delta":
		if delta >= 0 {
			d.delta(at(delta), index)
		}
	case "content_block_stop":
		d.window.end(d.at)
	case "message_delta":
		if delta >= 0 {
			if reason := at(delta).field("stop_reason"); len(reason) > 0 {
				d.finish = reason
			}
		}
		if counts >= 0 {
			d.usage.read(at(counts), &d.result.Server)
		}
	case "message_stop":
		d.finished()
	default:
		if fail >= 0 {
			d.error(at(fail))
		}
	}
	return true
}

// whole reads a message: a whole response, or, at the start of a stream, one that is empty yet.
func (d *Messages) whole(c *cursor) {
	if !c.object() {
		return
	}
	content := -1
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			d.once(&d.result.ID, c)
		case "model":
			d.once(&d.result.Model, c)
		case "content":
			content = c.at()
		case "stop_reason":
			d.finish, _ = c.str()
		case "usage":
			d.usage.read(c, &d.result.Server)
		case "error":
			d.error(c)
		default:
			c.skip()
		}
	}
	if content < 0 || c.bad {
		return
	}
	blocks := cursor{b: c.b, i: content}
	if blocks.array() {
		for i := 0; blocks.next(']'); i++ {
			d.block(&blocks, i)
			d.window.end(d.at)
		}
	}
}

// block reads the start of a content block, or all of it.
func (d *Messages) block(c *cursor, index int) {
	var kind, text, thinking, id, name, input []byte
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			kind, _ = c.str()
		case "text":
			text, _ = c.str()
		case "thinking":
			thinking, _ = c.str()
		case "id":
			id, _ = c.str()
		case "name":
			name, _ = c.str()
		case "input":
			c.peek()
			start := c.i
			c.skip()
			if !c.bad && !empty(c.b[start:c.i]) {
				input = c.b[start:c.i]
			}
		default:
			c.skip()
		}
	}
	if c.bad {
		return
	}
	switch string(kind) {
	case "text":
		d.raw(output, text)
	case "thinking":
		d.window.begin(d.at)
		d.raw(reasoning, thinking)
	case "redacted_thinking":
		d.window.begin(d.at)
		d.opaque = true
	case "tool_use":
		d.toolCall(callDelta{index: index, hasIndex: true, id: id, name: name, args: input, isObject: true}, d.message)
	case "server_tool_use", "mcp_tool_use": // generated, but not the client's to run
		d.raw(toolArgs, name)
		d.raw(toolArgs, input)
	}
}

// empty reports whether the input of a tool is one that is still to come.
func empty(input []byte) bool {
	c := cursor{b: input}
	return c.peek() != '{' || !c.object() || !c.next('}')
}

func (d *Messages) delta(c *cursor, index int) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		switch string(key) {
		case "text":
			raw, _ := c.str()
			d.raw(output, raw)
		case "thinking":
			raw, _ := c.str()
			d.raw(reasoning, raw)
		case "partial_json":
			raw, _ := c.str()
			if d.asked(index) {
				d.toolCall(callDelta{index: index, hasIndex: true, args: raw}, d.message)
			} else {
				d.raw(toolArgs, raw)
			}
		default:
			c.skip()
		}
	}
}

// asked reports whether the block at index is a call that the client is to run.
func (d *Messages) asked(index int) bool {
	for i := range d.result.ToolCalls {
		if call := &d.result.ToolCalls[i]; call.index == index && call.choice == d.message {
			return true
		}
	}
	return false
}
