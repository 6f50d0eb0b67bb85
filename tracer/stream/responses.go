package stream

import (
	"bytes"
	"slices"
)

// Responses decodes OpenAI's Responses API, streamed or whole.
type Responses struct {
	decoder
	items []item
}

// NewResponses returns a decoder for one response.
func NewResponses(opt Options) *Responses {
	d := &Responses{}
	d.init(opt, d, 0)
	return d
}

// An item is an element of the response's output. Events name it by its place in the output, else, where servers leave
// that out, by its id, which gateways have been seen to change.
type item struct {
	index int    // place in the output, -1 if it was not sent
	id    string // "" if it was not sent
	call  bool   // the client is asked to run it
	named bool   // the name of the tool was seen
	parts [kinds]int
	// parts counts, of each kind, the parts of which text was seen: what repeats them when they are done says nothing new.
}

// A responsesEvent holds the fields of an event, raw; places in its text are -1 where there is none.
type responsesEvent struct {
	kind, id             []byte
	text                 []byte // whichever field the text, or the piece of it, is in
	code                 []byte // of a flat error
	output, part         int
	item, response, fail int
}

func (e *responsesEvent) read(c *cursor) bool {
	*e = responsesEvent{output: -1, item: -1, response: -1, fail: -1}
	if !c.object() {
		return false
	}
	for {
		key, ok := c.key()
		if !ok {
			return !c.bad
		}
		switch string(key) {
		case "type":
			e.kind, _ = c.str()
		case "item_id":
			e.id, _ = c.str()
		case "delta", "text", "refusal", "arguments", "input", "transcript":
			if raw, ok := c.str(); ok {
				e.text = raw
			}
		case "code", "command": // an error's word, a program's text, a shell's command
			if raw, ok := c.str(); ok {
				e.code = raw
			}
		case "output_index":
			e.output = int(orMinus1(c))
		case "content_index", "summary_index":
			e.part = max(0, int(orMinus1(c)))
		case "item":
			e.item = c.at()
		case "response":
			e.response = c.at()
		case "error":
			e.fail = c.at()
		default:
			c.skip()
		}
	}
}

func orMinus1(c *cursor) int64 {
	n := int64(-1)
	count(&n, c)
	return min(n, 1<<31-1)
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

func (d *Responses) read(c *cursor, name []byte) bool {
	if d.result.Whole {
		d.response(c, "")
		return !c.bad
	}
	var e responsesEvent
	if !e.read(c) {
		return false
	}
	if len(e.kind) == 0 {
		e.kind = name
	}
	kind, ours := bytes.CutPrefix(e.kind, []byte("response."))
	switch string(kind) {
	case "error", "":
		if e.fail >= 0 {
			d.error(&cursor{b: c.b, i: e.fail})
		} else if len(kind) > 0 {
			d.fail(errorWord(e.code))
		}
		return true
	case "keepalive", "ping":
		d.ping()
		return true
	case "completed", "incomplete", "failed", "cancelled":
		if e.response < 0 {
			d.end(string(kind), "")
		} else {
			d.response(&cursor{b: c.b, i: e.response}, string(kind))
		}
		d.finished()
		return true
	}
	switch {
	case !ours:
	case e.response >= 0:
		d.response(&cursor{b: c.b, i: e.response}, "")
	case e.item >= 0:
		d.item(&cursor{b: c.b, i: e.item}, e.output, string(kind) == "output_item.done")
	default:
		d.piece(string(kind), &e)
	}
	return true
}

// piece takes an event that holds a piece of an item, or, when it is done, all of it.
func (d *Responses) piece(kind string, e *responsesEvent) {
	switch kind {
	case "output_text.delta", "refusal.delta":
		d.grow(output, e)
	case "output_text.done", "refusal.done":
		d.whole(output, e)
	case "reasoning_text.delta", "reasoning.delta":
		d.summary = false
		d.grow(reasoning, e)
	case "reasoning_text.done", "reasoning.done":
		d.whole(reasoning, e)
	case "reasoning_summary_text.delta", "reasoning_summary.delta":
		d.summary = true
		d.grow(reasoning, e)
	case "reasoning_summary_text.done", "reasoning_summary.done":
		d.summary = d.summary || d.result.ReasoningChars == 0
		d.whole(reasoning, e)
	case "function_call_arguments.delta", "custom_tool_call_input.delta", "mcp_call_arguments.delta", "shell_call_command.delta",
		"code_interpreter_call_code.delta":
		d.grow(toolArgs, e)
	case "function_call_arguments.done", "custom_tool_call_input.done", "mcp_call_arguments.done":
		d.whole(toolArgs, e)
	case "code_interpreter_call_code.done", "shell_call_command.done":
		e.text = e.code
		d.whole(toolArgs, e)
	case "audio.transcript.delta", "output_audio_transcript.delta":
		d.raw(output, e.text)
	case "audio.delta", "output_audio.delta":
		d.now[output].seen = d.now[output].seen || len(e.text) > 0
	}
}

// grow adds a piece of the text of an item.
func (d *Responses) grow(kind int, e *responsesEvent) {
	if len(e.text) > 0 {
		it := d.itemOf(e.output, e.id, false)
		d.add(kind, it, e.text)
		it.parts[kind] = max(it.parts[kind], e.part+1)
	}
}

// whole adds the text of a part of which no piece was seen.
func (d *Responses) whole(kind int, e *responsesEvent) {
	if it := d.itemOf(e.output, e.id, false); it.parts[kind] <= e.part {
		d.grow(kind, e)
	}
}

func (d *Responses) add(kind int, it *item, text []byte) {
	switch {
	case kind == output:
		d.content(text)
	case kind == toolArgs && it.call:
		d.toolCall(callDelta{index: d.place(it), hasIndex: true, args: text}, 0)
	default:
		d.raw(kind, text)
	}
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

// response reads the response object: as an event holds it, ended how the event says, or as a whole document.
func (d *Responses) response(c *cursor, ended string) {
	if !c.object() {
		return
	}
	var reason []byte
	items := -1
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
		case "previous_response_id":
			d.once(&d.result.PreviousID, c)
		case "status":
			if raw, ok := c.str(); ok && d.result.Whole {
				ended = string(raw)
			}
		case "incomplete_details":
			reason = c.field("reason")
		case "error":
			d.error(c)
		case "usage":
			d.usage.read(c, &d.result.Server)
		case "output":
			items = c.at()
		default:
			d.engine(key, c)
		}
	}
	if c.bad {
		return
	}
	if items >= 0 && len(d.items) == 0 {
		list := cursor{b: c.b, i: items}
		if list.array() {
			for i := 0; list.next(']'); i++ {
				d.item(&list, i, true)
			}
		}
	}
	d.end(ended, string(reason))
}

// end takes the status of the response: its own word, or the reason why it is incomplete, is the finish reason.
func (d *Responses) end(status, reason string) {
	switch status {
	case "":
		return
	case "failed":
		d.fail("")
		return
	case "cancelled":
		d.given = true
	}
	if reason != "" {
		status = reason
	}
	d.finish = []byte(status)
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
