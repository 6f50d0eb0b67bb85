package stream

// A callDelta is a piece of a tool call, raw as it came; empty strings are the same as none.
type callDelta struct {
	index    int
	hasIndex bool
	id       []byte
	name     []byte
	args     []byte
	isObject bool // args are JSON, not a string of JSON
}

func (d *decoder) toolCalls(c *cursor, choice int) {
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
func (d *decoder) toolCall(piece callDelta, choice int) {
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
	if !call.begun {
		call.First, call.begun = d.at, true
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

func (d *decoder) openCall(piece callDelta, choice int) *ToolCall {
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
	d.result.ToolCalls = append(calls, ToolCall{First: d.at, Last: d.at, choice: choice, index: piece.index})
	return &d.result.ToolCalls[len(calls)]
}
