package simmodel

import (
	"encoding/json"
	"fmt"

	"github.com/seed46266073/longpole/traces"
)

// messagesDialect makes the events of a Messages stream. A block starts with its first piece and stops with its last.
type messagesDialect struct {
	g       *generation
	to      events
	request *messagesRequest
	block   int  // of the one that is open
	pinged  bool // once a message, where SDKs expect it least
}

// event adds an event; the format gives its fields after the type.
func (d *messagesDialect) event(kind, format string, args ...any) {
	data := fmt.Appendf(nil, `{"type":"%s"`, kind)
	d.to.add(kind, append(fmt.Appendf(data, format, args...), '}'))
}

func (d *messagesDialect) begin() {
	t := &d.g.truth
	d.event("message_start", `,"message":{"id":"%s","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,`+
		`"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":1}}`,
		t.ID, quote(d.g.asked.model), t.Prompt-t.Cached, t.Cached)
}

func (d *messagesDialect) say(p piece) {
	if p.first {
		d.start(p)
	}
	switch {
	case p.kind == traces.Reasoning && d.g.hidden(), p.opens:
	case p.kind == traces.Reasoning:
		d.delta(`{"type":"thinking_delta","thinking":%s}`, p.text)
	case p.kind == traces.Output:
		d.delta(`{"type":"text_delta","text":%s}`, p.text)
	default:
		d.delta(`{"type":"input_json_delta","partial_json":%s}`, p.text)
	}
	if !p.last {
		return
	}
	if p.kind == traces.Reasoning {
		d.delta(`{"type":"signature_delta","signature":%s}`, signature(d.g))
	}
	d.event("content_block_stop", `,"index":%d`, d.block)
	d.block++
}

// start adds the start of the block that p is the first of.
func (d *messagesDialect) start(p piece) {
	block := `{"type":"text","text":""}`
	switch p.kind {
	case traces.Reasoning:
		block = `{"type":"thinking","thinking":"","signature":""}`
	case traces.ToolArgs:
		block = fmt.Sprintf(`{"type":"tool_use","id":"%s","name":%s,"input":{}}`, d.g.callIDs[p.call], quote(p.text))
	}
	d.event("content_block_start", `,"index":%d,"content_block":%s`, d.block, block)
	if !d.pinged {
		d.pinged = true
		d.event("ping", "")
	}
	if p.opens {
		d.delta(`{"type":"input_json_delta","partial_json":%s}`, "")
	}
}

func (d *messagesDialect) delta(format, text string) {
	d.event("content_block_delta", `,"index":%d,"delta":%s`, d.block, fmt.Sprintf(format, quote(text)))
}

// signature returns what stands for a provider's seal on the reasoning.
func signature(g *generation) string { return "c2ltdWxhdGVk" + g.newID("") }

func (d *messagesDialect) end() {
	d.request.remember(d.g)
	d.event("message_delta", `,"delta":{"stop_reason":"%s","stop_sequence":null},"usage":%s`, stopReason(&d.g.truth), quote(messagesUsageOf(&d.g.truth)))
	d.event("message_stop", "")
}

func (d *messagesDialect) fail(e *apiError) {
	d.event("error", `,"error":%s,"request_id":"%s"`, quote(e.anthropic()), d.g.truth.RequestID)
}

func stopReason(t *Truth) string {
	switch t.Finish {
	case "tool_calls":
		return "tool_use"
	case "length":
		return "max_tokens"
	}
	return "end_turn"
}

// message returns a whole response.
func message(g *generation) any {
	blocks := []any{}
	if g.said.reasoning.Len() > 0 {
		thinking := g.said.reasoning.String()
		if g.hidden() {
			thinking = ""
		}
		blocks = append(blocks, struct {
			Type      string `json:"type"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{"thinking", thinking, signature(g)})
	}
	if g.said.text.Len() > 0 {
		blocks = append(blocks, struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{"text", g.said.text.String()})
	}
	for _, c := range g.said.calls {
		blocks = append(blocks, struct {
			Type  string          `json:"type"`
			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		}{"tool_use", c.ID, c.Name, c.object()})
	}
	return struct {
		ID           string        `json:"id"`
		Type         string        `json:"type"`
		Role         string        `json:"role"`
		Model        string        `json:"model"`
		Content      []any         `json:"content"`
		StopReason   string        `json:"stop_reason"`
		StopSequence *string       `json:"stop_sequence"`
		Usage        messagesUsage `json:"usage"`
	}{g.truth.ID, "message", "assistant", g.asked.model, blocks, stopReason(&g.truth), nil, messagesUsageOf(&g.truth)}
}

type messagesUsage struct {
	Input         int `json:"input_tokens"` // what the cache has to do with left out
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	Output        int `json:"output_tokens"` // thinking included
	Details       struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func messagesUsageOf(t *Truth) messagesUsage {
	u := messagesUsage{Input: t.Prompt - t.Cached, CacheRead: t.Cached, Output: t.Reasoning + t.Output}
	u.Details.Thinking = t.Reasoning
	return u
}
