package stream

import "bytes"

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
			e.output = c.index()
		case "content_index", "summary_index":
			e.part = max(0, c.index())
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
		d.gaveUp = true
	}
	if reason != "" {
		status = reason
	}
	d.finish = []byte(status)
}
