package tracer

import (
	"encoding/json"
	"regexp"

	"github.com/seed46266073/longpole/tracer/stream"
)

// A message is one of the conventions' output messages; its parts are text, reasoning and tool calls.
type message struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	FinishReason string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// outputMessages returns what the model generated, as JSON; "" if nothing. Credentials of known shapes are masked: over
// the whole text, so that it does not matter how they were cut.
func outputMessages(r *stream.Result) string {
	m := message{Role: "assistant", FinishReason: r.FinishReason}
	if r.Reasoning != "" {
		m.Parts = append(m.Parts, part{Type: "reasoning", Content: Mask(r.Reasoning)})
	}
	if r.Text != "" {
		m.Parts = append(m.Parts, part{Type: "text", Content: Mask(r.Text)})
	}
	for _, c := range r.ToolCalls {
		m.Parts = append(m.Parts, part{Type: "tool_call", ID: c.ID, Name: c.Name, Arguments: Mask(c.Arguments)})
	}
	if len(m.Parts) == 0 {
		return ""
	}
	b, err := json.Marshal([]message{m})
	if err != nil {
		return ""
	}
	return string(b)
}

// credentials are the shapes of secrets that must not be kept even where content is: keys of OpenAI and Anthropic, AWS
// and GitHub, JSON web tokens, bearer headers, private keys, passwords in URLs.
var credentials = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{8,}` +
	`|\b(?:AKIA|ASIA)[A-Z0-9]{12,}` +
	`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}` +
	`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*` +
	`|(?i:bearer)[ \t]+[A-Za-z0-9._~+/-]{8,}=*` +
	`|(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))` +
	`|(?:[a-z][a-z0-9+.-]*)://[^\s/:@"]+:[^\s/@"]+@[^\s"]*`)

// Mask returns text with "[masked]" in place of what has the shape of a credential.
func Mask(text string) string { return credentials.ReplaceAllString(text, "[masked]") }
