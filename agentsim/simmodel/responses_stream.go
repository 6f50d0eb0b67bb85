package simmodel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// responsesDialect makes the events of a Responses stream. An item opens with its first piece and is done with its last.
type responsesDialect struct {
	g       *generation
	to      events
	request *responsesRequest
	keep    bool // the conversation may be gone on with

	sequence int
	items    []string // of the output, done
	id       string   // of the item that is open
	part     []byte   // text of it so far
}

func newResponsesDialect(g *generation, to events, r *responsesRequest, keep bool) *responsesDialect {
	return &responsesDialect{g: g, to: to, request: r, keep: keep}
}

// event adds an event; the format gives its fields after the first two.
func (d *responsesDialect) event(kind, format string, args ...any) {
	data := fmt.Appendf(nil, `{"type":"%s","sequence_number":%d,`, kind, d.sequence)
	data = append(fmt.Appendf(data, format, args...), '}')
	d.sequence++
	d.to.add(kind, data)
}

func (d *responsesDialect) begin() {
	d.event("response.created", `"response":%s`, d.response("in_progress", "null"))
	d.event("response.in_progress", `"response":%s`, d.response("in_progress", "null"))
}

func (d *responsesDialect) say(p piece) {
	d.part = append(d.part, p.text...)
	switch p.kind {
	case traces.Reasoning:
		d.reasoning(p)
	case traces.Output:
		d.text(p)
	default:
		d.call(p)
	}
}

// open adds the event that opens an item, which is given without its id.
func (d *responsesDialect) open(prefix, item string) {
	d.id = d.g.newID(prefix)
	d.event("response.output_item.added", `"output_index":%d,"item":%s`, len(d.items), d.item(item))
}

// done adds the event that ends the open item.
func (d *responsesDialect) done(item string) {
	item = d.item(item)
	d.event("response.output_item.done", `"output_index":%d,"item":%s`, len(d.items), item)
	d.items, d.part = append(d.items, item), d.part[:0]
}

func (d *responsesDialect) item(rest string) string { return fmt.Sprintf(`{"id":"%s",%s}`, d.id, rest) }

// inItem adds an event about the open item.
func (d *responsesDialect) inItem(kind, format string, args ...any) {
	d.event(kind, fmt.Sprintf(`"item_id":"%s","output_index":%d,`, d.id, len(d.items))+format, args...)
}

func (d *responsesDialect) reasoning(p piece) {
	kind, part, place := "response.reasoning_summary_text", "response.reasoning_summary_part", `"summary_index":0`
	if d.g.model.Reasoning == ReasoningPlain {
		kind, part, place = "response.reasoning_text", "response.content_part", `"content_index":0`
	}
	shown := !d.g.hidden()
	if p.first {
		d.open("rs_", d.reasoningItem("", false))
		if shown {
			d.inItem(part+".added", place+`,"part":%s`, d.reasoningPart(""))
		}
	}
	if shown {
		d.inItem(kind+".delta", place+`,"delta":%s`, quote(p.text))
	}
	if p.last {
		if shown {
			d.inItem(kind+".done", place+`,"text":%s`, quote(string(d.part)))
			d.inItem(part+".done", place+`,"part":%s`, d.reasoningPart(string(d.part)))
		}
		d.done(d.reasoningItem(string(d.part), true))
	}
}

func (d *responsesDialect) reasoningPart(text string) string {
	kind := "summary_text"
	if d.g.model.Reasoning == ReasoningPlain {
		kind = "reasoning_text"
	}
	return fmt.Sprintf(`{"type":"%s","text":%s}`, kind, quote(text))
}

// reasoningItem returns the item as it opens or as it is done. Encrypted content comes with the latter where it was
// asked for.
func (d *responsesDialect) reasoningItem(text string, done bool) string {
	summary, raw := "", ""
	switch {
	case !done || d.g.hidden():
	case d.g.model.Reasoning == ReasoningPlain:
		raw = `,"content":[` + d.reasoningPart(text) + `]`
	default:
		summary = d.reasoningPart(text)
	}
	if done && slices.Contains(d.request.Include, "reasoning.encrypted_content") {
		raw += fmt.Sprintf(`,"encrypted_content":"%s"`, d.g.newID("c2ltdWxhdGVk"))
	}
	return fmt.Sprintf(`"type":"reasoning","summary":[%s]%s`, summary, raw)
}

func (d *responsesDialect) text(p piece) {
	if p.first {
		d.open("msg_", messageItem("in_progress", ""))
		d.inItem("response.content_part.added", `"content_index":0,"part":%s`, textPart(""))
	}
	d.inItem("response.output_text.delta", `"content_index":0,"delta":%s,"logprobs":[]`, quote(p.text))
	if p.last {
		d.inItem("response.output_text.done", `"content_index":0,"text":%s,"logprobs":[]`, quote(string(d.part)))
		d.inItem("response.content_part.done", `"content_index":0,"part":%s`, textPart(string(d.part)))
		d.done(messageItem("completed", textPart(string(d.part))))
	}
}

func textPart(text string) string {
	return fmt.Sprintf(`{"type":"output_text","text":%s,"annotations":[],"logprobs":[]}`, quote(text))
}

func messageItem(status, parts string) string {
	return fmt.Sprintf(`"type":"message","status":"%s","role":"assistant","content":[%s]`, status, parts)
}

func (d *responsesDialect) call(p piece) {
	call := d.g.said.calls[p.call]
	if p.opens {
		d.part = d.part[:0]
		d.open("fc_", callItem("in_progress", call.ID, call.Name, ""))
	} else {
		d.inItem("response.function_call_arguments.delta", `"delta":%s`, quote(p.text))
	}
	if p.last {
		d.inItem("response.function_call_arguments.done", `"name":%s,"arguments":%s`, quote(call.Name), quote(string(d.part)))
		d.done(callItem("completed", call.ID, call.Name, string(d.part)))
	}
}

func callItem(status, id, name, arguments string) string {
	return fmt.Sprintf(`"type":"function_call","status":"%s","arguments":%s,"call_id":"%s","name":%s`, status, quote(arguments), id, quote(name))
}

func (d *responsesDialect) end() {
	d.remember()
	kind, incomplete := "completed", "null"
	if d.g.truth.Finish == "length" {
		kind, incomplete = "incomplete", `{"reason":"max_output_tokens"}`
	}
	d.event("response."+kind, `"response":%s`, d.response(kind, incomplete))
}

func (d *responsesDialect) remember() {
	if d.keep {
		d.g.server.memory.keep(d.g.truth.ID, d.request.conversation(d.g))
	}
}

func (d *responsesDialect) fail(e *apiError) {
	d.event("error", `"error":%s`, quote(e.openAI()))
	d.event("response.failed", `"response":%s`, d.responseWith("failed", "null",
		fmt.Sprintf(`{"code":"%s","message":%s}`, e.code, quote(e.message))))
}

// document returns a whole response: its items come as if they had been streamed.
func (d *responsesDialect) document() any {
	d.to = nowhere{}
	for _, p := range d.g.pieces {
		d.say(p)
	}
	d.remember()
	status, incomplete := "completed", "null"
	if d.g.truth.Finish == "length" {
		status, incomplete = "incomplete", `{"reason":"max_output_tokens"}`
	}
	return json.RawMessage(d.response(status, incomplete))
}

func (d *responsesDialect) response(status, incomplete string) string {
	return d.responseWith(status, incomplete, "null")
}

// responseWith returns the response object.
func (d *responsesDialect) responseWith(status, incomplete, fail string) string {
	usage := "null"
	if status == "completed" || status == "incomplete" {
		t := &d.g.truth
		usage = fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,`+
			`"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			t.Prompt, t.Cached, t.Reasoning+t.Output, t.Reasoning, t.Prompt+t.Reasoning+t.Output)
	}
	previous := "null"
	if d.request.PreviousID != "" {
		previous = string(quote(d.request.PreviousID))
	}
	return fmt.Sprintf(`{"id":"%s","object":"response","created_at":%d,"status":"%s","background":false,"error":%s,`+
		`"incomplete_details":%s,"instructions":null,"max_output_tokens":null,"metadata":{},"model":%s,"output":[%s],`+
		`"parallel_tool_calls":true,"previous_response_id":%s,"reasoning":{"effort":"%s","summary":null},"store":%t,`+
		`"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,"truncation":"disabled","usage":%s}`,
		d.g.truth.ID, created, status, fail, incomplete, quote(d.g.asked.model), strings.Join(d.items, ","),
		previous, cmp.Or(d.g.truth.Effort, defaultEffort), d.keep, usage)
}

// nowhere is a way on which events are lost.
type nowhere struct{}

func (nowhere) add(string, []byte)  {}
func (nowhere) flush() error        { return nil }
func (nowhere) interrupt(FaultKind) {}
