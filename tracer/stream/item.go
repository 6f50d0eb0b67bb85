package stream

import (
	"bytes"
	"slices"
)

// An item is an element of the response's output. Events name it by its place in the output, else, where servers leave
// that out, by its id, which gateways have been seen to change.
type item struct {
	index int    // place in the output, -1 if it was not sent
	id    string // "" if it was not sent
	call  bool   // the client is asked to run it
	named bool   // the name of the tool was seen

	// Of each kind, how many parts had text: what repeats them when they are done says nothing new.
	parts [kinds]int
}

// itemOf returns the item that an event is about. One that was not seen before is new, but that a piece which fits none goes to
// the last one where the server leaves places out.
func (d *Responses) itemOf(index int, id []byte, whole bool) *item {
	for i := len(d.items) - 1; i >= 0; i-- {
		it := &d.items[i]
		if index >= 0 && it.index >= 0 {
			if it.index == index {
				return it
			}
		} else if it.id == string(id) {
			return it
		}
	}
	if n := len(d.items); n > 0 && index < 0 && !whole {
		return &d.items[n-1]
	}
	d.items = append(d.items, item{index: index, id: string(id)})
	return &d.items[len(d.items)-1]
}

// place returns the number of an item in the order in which they began.
func (d *Responses) place(it *item) int {
	return slices.IndexFunc(d.items, func(i item) bool { return i.index == it.index && i.id == it.id })
}

// item reads an item, at its opening and when it is done.
func (d *Responses) item(c *cursor, index int, done bool) {
	var kind, id, callID, name, args []byte
	action, content, summary := -1, -1, -1
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
		case "id":
			id, _ = c.str()
		case "call_id":
			callID, _ = c.str()
		case "name":
			name, _ = c.str()
		case "arguments", "input", "code":
			args, _ = c.str()
		case "action", "operation": // what a shell, a computer or a patch is to do
			action = c.at()
		case "encrypted_content":
			raw, _ := c.str()
			d.opaque = d.opaque || len(raw) > 0
		case "content":
			content = c.at()
		case "summary":
			summary = c.at()
		default:
			c.skip()
		}
	}
	if c.bad {
		return
	}
	if len(id) == 0 {
		id = callID // llama.cpp's pieces are of this
	}
	it := d.itemOf(index, id, true)
	if tool, ok := bytes.CutSuffix(kind, []byte("_call")); ok {
		it.call = len(callID) > 0
		if it.call && len(name) == 0 && done {
			name = tool
		}
		d.call(c, it, callDelta{id: callID, name: name, args: args}, action)
		return
	}
	if string(kind) != "reasoning" {
		d.parts(c, content, output, it)
		return
	}
	if !done {
		d.window.begin(d.at)
	}
	before := it.parts[reasoning]
	d.parts(c, content, reasoning, it)
	if it.parts[reasoning] == 0 {
		d.parts(c, summary, reasoning, it)
		d.summary = d.summary || it.parts[reasoning] > before
	}
	if done {
		if it.parts[reasoning] > 0 {
			d.window.output(d.at, reasoning)
		}
		d.window.end(d.at)
	}
}

// call takes the opening or the end of a call of a tool. Calls that the provider runs itself have output but no entry among
// the calls that the client is asked for.
func (d *Responses) call(c *cursor, it *item, piece callDelta, action int) {
	if it.named {
		piece.name = nil
	}
	it.named = it.named || len(piece.name) > 0
	if action >= 0 {
		object := cursor{b: c.b, i: action}
		object.skip()
		piece.args, piece.isObject = c.b[action:object.i], true
	}
	if it.parts[toolArgs] > 0 {
		piece.args = nil
	} else if len(piece.args) > 0 {
		it.parts[toolArgs] = 1
	}
	if it.call {
		piece.index, piece.hasIndex = d.place(it), true
		d.toolCall(piece, 0)
		return
	}
	d.raw(toolArgs, piece.name)
	d.raw(toolArgs, piece.args)
}

// parts reads the parts of an item, of which those whose text was seen in pieces are known.
func (d *Responses) parts(c *cursor, at, kind int, it *item) {
	if at < 0 {
		return
	}
	parts := cursor{b: c.b, i: at}
	if !parts.array() {
		return
	}
	for i := 0; parts.next(']'); i++ {
		if !parts.object() {
			continue
		}
		for {
			key, ok := parts.key()
			if !ok {
				break
			}
			switch string(key) {
			case "text", "refusal", "transcript":
				if raw, _ := parts.str(); len(raw) > 0 && it.parts[kind] <= i {
					d.add(kind, it, raw)
					it.parts[kind] = i + 1
				}
			default:
				parts.skip()
			}
		}
	}
}
