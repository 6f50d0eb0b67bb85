package simmodel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
)

// messagesAPI is Anthropic's Messages, with message threads and the counting of tokens.
type messagesAPI struct{}

func (messagesAPI) name() string { return "messages" }

func (a messagesAPI) routes(s *Server) {
	s.mux.HandleFunc("POST /v1/messages", s.generates(a))
	s.mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
}

// A messagesRequest is the part of a request that matters here.
type messagesRequest struct {
	Model    string            `json:"model"`
	System   content           `json:"system"`
	Messages []messagesMessage `json:"messages"`
	Stream   bool              `json:"stream"`
	Limit    int               `json:"max_tokens"`
	Seed     int64             `json:"seed"` // not Anthropic's
	Tools    json.RawMessage   `json:"tools"`
	Thinking struct {
		Type    string `json:"type"`
		Display string `json:"display"`
	} `json:"thinking"`
	Output struct {
		Effort string `json:"effort"`
		Format struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Thread *struct {
		Type       string `json:"type"` // create, continue
		PreviousID string `json:"previous_message_id"`
	} `json:"thread"`
}

type messagesMessage struct {
	Role    string         `json:"role"`
	Content messagesBlocks `json:"content"`
}

// messagesBlocks is a text, or a list of blocks.
type messagesBlocks []messagesBlock

func (list *messagesBlocks) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return json.Unmarshal(b, (*[]messagesBlock)(list))
	}
	*list = messagesBlocks{{Type: "text"}}
	return json.Unmarshal(b, &(*list)[0].Text)
}

type messagesBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   content         `json:"content"` // of a tool's result
}

func (messagesAPI) read(s *Server, r *http.Request, body []byte) (*request, error) {
	var m messagesRequest
	if err := unmarshal(body, &m, "a request for a message"); err != nil {
		return nil, err
	}
	if m.Limit <= 0 {
		return nil, badRequest("max_tokens", "max_tokens is missing; it must be at least 1")
	}
	asked, err := m.asked(s)
	if err != nil {
		return nil, err
	}
	asked.answer = func(g *generation, w http.ResponseWriter) output {
		w.Header().Set("Request-Id", g.truth.RequestID)
		if !m.Stream {
			return &whole{g, w, func() any {
				m.remember(g)
				return message(g)
			}}
		}
		to := eventsOver(w, eventStream, named)
		return &stream{&messagesDialect{g: g, to: to, request: &m}, to}
	}
	return asked, nil
}

// asked returns what the request has in common with others.
func (m *messagesRequest) asked(s *Server) (*request, error) {
	asked := &request{
		model: m.Model, stream: m.Stream, effort: m.Output.Effort, seed: m.Seed, limit: m.Limit,
		toolText: m.Tools, tools: readTools(m.Tools), schema: m.Output.Format.Schema, hidden: m.Thinking.Display == "omitted",
		idPrefix: "msg_", callPrefix: "toolu_",
	}
	if m.Thinking.Type == "disabled" {
		asked.effort = "none"
	}
	if m.Thread != nil && m.Thread.Type == "continue" {
		before, ok := s.memory.recall(m.Thread.PreviousID)
		if !ok {
			return nil, &apiError{status: http.StatusNotFound, kind: "invalid_request_error",
				message: "previous_message_id: no thread ends with message " + m.Thread.PreviousID}
		}
		asked.messages, asked.tools, asked.toolText = before.messages, before.tools, before.toolText
		asked.messages = slices.Clip(asked.messages)
	}
	if m.System != "" {
		asked.messages = append(asked.messages, Message{Role: "system", Content: string(m.System)})
	}
	for _, message := range m.Messages {
		asked.messages = message.appendTo(asked.messages)
	}
	return asked, nil
}

// appendTo appends a message as scripts see it: results of tools are messages of their own, before what the user says.
func (m *messagesMessage) appendTo(list []Message) []Message {
	said := Message{Role: m.Role}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			said.Content += b.Text
		case "tool_use":
			args := bytes.TrimSpace(b.Input)
			said.Calls = append(said.Calls, Call{ID: b.ID, Name: b.Name, Args: string(args)})
		case "tool_result":
			list = append(list, Message{Role: "tool", Content: string(b.Content), ToolCallID: b.ToolUseID})
		}
	}
	if said.Content == "" && said.Calls == nil && m.Role == "user" {
		return list
	}
	return append(list, said)
}

// remember keeps the conversation where the client may go on with it.
func (m *messagesRequest) remember(g *generation) {
	if m.Thread != nil {
		g.server.memory.keep(g.truth.ID, conversation{
			messages: append(slices.Clip(g.asked.messages), g.said.message()), tools: g.asked.tools, toolText: g.asked.toolText})
	}
}

func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	var m messagesRequest
	body, err := readBody(w, r)
	if err == nil {
		err = unmarshal(body, &m, "a request to count tokens")
	}
	var asked *request
	if err == nil {
		asked, err = m.asked(s)
	}
	if err != nil {
		messagesAPI{}.fail(w, asAPIError(err))
		return
	}
	n, _ := asked.promptTokens()
	writeJSON(w, http.StatusOK, map[string]int{"input_tokens": n})
}

// fail words an error as Anthropic does.
func (messagesAPI) fail(w http.ResponseWriter, e *apiError) {
	id := w.Header().Get("X-Request-Id")
	if id != "" {
		w.Header().Set("Request-Id", id)
	}
	e.write(w, struct {
		Type      string         `json:"type"`
		Error     anthropicError `json:"error"`
		RequestID string         `json:"request_id,omitempty"`
	}{"error", e.anthropic(), id})
}

// An anthropicError is the inside of an error of Anthropic.
type anthropicError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func (e *apiError) anthropic() anthropicError {
	kind := "api_error"
	switch e.status {
	case http.StatusNotFound:
		kind = "not_found_error"
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	default:
		if e.status < 500 {
			kind = "invalid_request_error"
		}
	}
	return anthropicError{kind, e.message}
}
