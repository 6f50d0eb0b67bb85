package simmodel

import (
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// chatDialect makes the chunks of a Chat Completions stream.
type chatDialect struct {
	g     *generation
	to    events
	head  string // of every chunk, up to the choices
	tail  string // of every chunk, after the choices
	usage bool   // a last chunk has the usage
	begun bool   // the role has been sent
}

func newChatDialect(g *generation, to events, usage bool) *chatDialect {
	head := struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		Model   string `json:"model"`
	}{g.truth.ID, "chat.completion.chunk", created, g.asked.model}
	d := &chatDialect{g: g, to: to, usage: usage, tail: "}"}
	d.head = strings.TrimSuffix(string(quote(head)), "}") + `,"choices":[`
	if usage {
		d.tail = `,"usage":null}`
	}
	return d
}

func (d *chatDialect) begin() {}

func (d *chatDialect) say(p piece) {
	if p.kind == traces.Reasoning && d.g.hidden() {
		return
	}
	d.role()
	d.chunk(d.delta(p), "null")
}

// role sends the chunk with the role, once.
func (d *chatDialect) role() {
	if !d.begun {
		d.begun = true
		d.chunk(`{"role":"assistant","content":""}`, "null")
	}
}

func (d *chatDialect) delta(p piece) string {
	text := quote(p.text)
	switch {
	case p.kind == traces.Reasoning && d.g.model.Reasoning == ReasoningPlain:
		return fmt.Sprintf(`{"reasoning":%s}`, text)
	case p.kind == traces.Reasoning:
		return fmt.Sprintf(`{"reasoning_content":%s}`, text)
	case p.kind == traces.Output:
		return fmt.Sprintf(`{"content":%s}`, text)
	case p.opens:
		call := chatCall{d.g.callIDs[p.call], "function", chatFunction{Name: p.text}}
		return fmt.Sprintf(`{"tool_calls":[{"index":%d,%s]}`, p.call, quote(call)[1:])
	}
	return fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, p.call, text)
}

func (d *chatDialect) chunk(delta, finish string) {
	d.to.add("", fmt.Appendf(nil, `%s{"index":0,"delta":%s,"finish_reason":%s}]%s`, d.head, delta, finish, d.tail))
}

func (d *chatDialect) end() {
	d.role()
	d.chunk(`{}`, string(quote(d.g.truth.Finish)))
	if d.usage {
		d.to.add("", fmt.Appendf(nil, `%s],"usage":%s}`, d.head, quote(chatUsageOf(&d.g.truth))))
	}
	d.to.add("", []byte("[DONE]"))
}

// fail ends as vLLM and SGLang do: with an error, and the end marker all the same.
func (d *chatDialect) fail(e *apiError) {
	d.to.add("", fmt.Appendf(nil, `{"error":%s}`, quote(e.openAI())))
	d.to.add("", []byte("[DONE]"))
}

// chatCompletion is a whole response.
func chatCompletion(g *generation) any {
	message := map[string]any{"role": "assistant", "content": g.said.text.String(), "refusal": nil}
	if g.said.text.Len() == 0 {
		message["content"] = nil
	}
	var calls []chatCall
	for _, c := range g.said.calls {
		calls = append(calls, chatCall{c.ID, "function", chatFunction{c.Name, c.arguments()}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	if g.said.reasoning.Len() > 0 && !g.hidden() {
		field := "reasoning_content"
		if g.model.Reasoning == ReasoningPlain {
			field = "reasoning"
		}
		message[field] = g.said.reasoning.String()
	}
	return map[string]any{
		"id": g.truth.ID, "object": "chat.completion", "created": created, "model": g.asked.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": g.truth.Finish}},
		"usage":   chatUsageOf(&g.truth),
	}
}

type chatUsage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"` // reasoning included
	Total         int `json:"total_tokens"`
	PromptDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func chatUsageOf(t *Truth) chatUsage {
	u := chatUsage{Prompt: t.Prompt, Completion: t.Reasoning + t.Output}
	u.Total = u.Prompt + u.Completion
	u.PromptDetails.Cached = t.Cached
	u.CompletionDetails.Reasoning = t.Reasoning
	return u
}
