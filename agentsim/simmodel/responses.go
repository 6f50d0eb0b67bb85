package simmodel

import (
	"encoding/json"
	"net/http"
	"slices"
)

// responsesAPI is OpenAI's Responses, over HTTP and over a WebSocket.
type responsesAPI struct{}

func (responsesAPI) name() string { return "responses" }

func (a responsesAPI) routes(s *Server) {
	for _, base := range []string{"/v1", ""} {
		s.mux.HandleFunc("POST "+base+"/responses", s.generates(a))
		s.mux.HandleFunc("GET "+base+"/responses", s.socket)
	}
}

// A responsesRequest is the part of a request, or of a response.create on a WebSocket, that matters here.
type responsesRequest struct {
	Model        string         `json:"model"`
	Input        responsesInput `json:"input"`
	Instructions string         `json:"instructions"`
	Stream       bool           `json:"stream"`
	Limit        int            `json:"max_output_tokens"`
	Reasoning    struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Seed       int64           `json:"seed"` // not OpenAI's
	Tools      json.RawMessage `json:"tools"`
	PreviousID string          `json:"previous_response_id"`
	Store      *bool           `json:"store"`
	Include    []string        `json:"include"`
	Text       struct {
		Format struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`

	Type     string `json:"type"`      // on a WebSocket
	Generate *bool  `json:"generate"`  // false: only warm up
	StreamID string `json:"stream_id"` // lane
}

// responsesInput is a prompt, or a list of items.
type responsesInput []responsesItem

func (in *responsesInput) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return json.Unmarshal(b, (*[]responsesItem)(in))
	}
	prompt := responsesItem{Role: "user"}
	*in = responsesInput{prompt}
	return json.Unmarshal(b, &(*in)[0].Content)
}

type responsesItem struct {
	Type      string  `json:"type"`
	Role      string  `json:"role"`
	Content   content `json:"content"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Input     string  `json:"input"` // of a custom tool
	Output    content `json:"output"`
}

func (a responsesAPI) read(s *Server, _ *http.Request, body []byte) (*request, error) {
	var r responsesRequest
	if err := unmarshal(body, &r, "a request for a response"); err != nil {
		return nil, err
	}
	asked, err := r.asked(s)
	if err != nil {
		return nil, err
	}
	keep := r.Store == nil || *r.Store
	asked.answer = func(g *generation, w http.ResponseWriter) output {
		if !r.Stream {
			return &whole{g, w, func() any { return newResponsesDialect(g, nil, &r, keep).document() }}
		}
		to := eventsOver(w, eventStream, named)
		return &stream{newResponsesDialect(g, to, &r, keep), to}
	}
	return asked, nil
}

// asked returns what the request has in common with others.
func (r *responsesRequest) asked(s *Server) (*request, error) {
	asked := &request{
		model: r.Model, stream: r.Stream, effort: r.Reasoning.Effort, seed: r.Seed, limit: r.Limit,
		toolText: r.Tools, tools: readTools(r.Tools), schema: r.Text.Format.Schema,
		idPrefix: "resp_", callPrefix: "call_",
	}
	if r.Instructions != "" {
		asked.messages = append(asked.messages, Message{Role: "system", Content: r.Instructions})
	}
	if r.PreviousID != "" {
		before, ok := s.memory.recall(r.PreviousID)
		if !ok {
			e := badRequest("previous_response_id", "Previous response with id '%s' not found.", r.PreviousID)
			e.code = "previous_response_not_found"
			return nil, e
		}
		asked.messages = append(asked.messages, before.messages...)
	}
	for _, item := range r.Input {
		if m, ok := item.message(); ok {
			asked.messages = append(asked.messages, m)
		}
	}
	return asked, nil
}

// message returns the item as a message; ok is false for one that says nothing here, as reasoning that comes back.
func (i *responsesItem) message() (m Message, ok bool) {
	switch i.Type {
	case "", "message":
		return Message{Role: i.Role, Content: string(i.Content)}, i.Role != ""
	case "function_call":
		return Message{Role: "assistant", Calls: []Call{{ID: i.CallID, Name: i.Name, Args: i.Arguments}}}, true
	case "custom_tool_call":
		return Message{Role: "assistant", Calls: []Call{{ID: i.CallID, Name: i.Name, Args: i.Input}}}, true
	case "function_call_output", "custom_tool_call_output":
		return Message{Role: "tool", Content: string(i.Output), ToolCallID: i.CallID}, true
	}
	return Message{}, false
}

// conversation returns what to keep under the id of the response: all messages but the instructions, which hold for one
// request.
func (r *responsesRequest) conversation(g *generation) conversation {
	messages := g.asked.messages
	if r.Instructions != "" {
		messages = messages[1:]
	}
	if reply := g.said.message(); reply.Content != "" || reply.Calls != nil {
		messages = append(slices.Clip(messages), reply)
	}
	return conversation{messages: messages}
}

func (responsesAPI) fail(w http.ResponseWriter, e *apiError) { chatAPI{}.fail(w, e) }
