package simmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A chatRequest is the part of a Chat Completions request that matters here.
type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []wireMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Effort              string          `json:"reasoning_effort"`
	Seed                int64           `json:"seed"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	N                   *int            `json:"n"`
	Tools               json.RawMessage `json:"tools"`
}

type wireMessage struct {
	Role       string         `json:"role"`
	Content    content        `json:"content"`
	ToolCallID string         `json:"tool_call_id"`
	ToolCalls  []wireToolCall `json:"tool_calls"`
}

type wireToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// content is a message's text: a string, null, or the text of a list of parts.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	var parts []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.Text)
		s.WriteString(p.Refusal)
	}
	*c = content(s.String())
	return nil
}

// parse reads a request's body. The error is what the client is told.
func parse(body []byte) (*chatRequest, error) {
	r := &chatRequest{Effort: defaultEffort}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(r); err != nil {
		return nil, badRequest("", "the body is not a chat completion request: %v", err)
	}
	switch {
	case len(r.Messages) == 0:
		return nil, badRequest("messages", "messages is empty; send at least one")
	case r.N != nil && *r.N != 1:
		return nil, badRequest("n", "n is %d; this server gives one choice a request", *r.N)
	}
	if r.Effort == "" {
		r.Effort = defaultEffort
	}
	return r, nil
}

// messages returns the conversation as scripts see it, and how many of its messages are the assistant's.
func (r *chatRequest) messages() (list []Message, turn int) {
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			turn++
		}
		msg := Message{Role: m.Role, Content: string(m.Content), ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			msg.Calls = append(msg.Calls, Call{Name: c.Function.Name, Args: c.Function.Arguments})
		}
		list = append(list, msg)
	}
	return list, turn
}

const (
	framingTokens = 4  // around each message
	cacheBlock    = 16 // tokens; only whole blocks are cached
)

// promptTokens counts the prompt, and the part of it that the server has seen before: all up to the last assistant message.
func (r *chatRequest) promptTokens(messages []Message) (prompt, seen int) {
	prompt = Tokens(string(r.Tools))
	for _, m := range messages {
		prompt += framingTokens + Reply{Text: m.Content, Calls: m.Calls}.Tokens()
		if m.Role == "assistant" {
			seen = prompt
		}
	}
	return prompt, seen / cacheBlock * cacheBlock
}

// limit returns the most tokens the client wants; 0: no limit.
func (r *chatRequest) limit() int {
	if r.MaxCompletionTokens > 0 {
		return r.MaxCompletionTokens
	}
	return r.MaxTokens
}

// An apiError is an error as OpenAI words it.
type apiError struct {
	status  int
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e *apiError) Error() string { return e.Message }

func badRequest(param, format string, args ...any) *apiError {
	e := &apiError{status: 400, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
	if param != "" {
		e.Param = &param
	}
	return e
}
