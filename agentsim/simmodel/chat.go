package simmodel

import (
	"encoding/json"
	"net/http"
)

// chatAPI is OpenAI's Chat Completions, with its list of models.
type chatAPI struct{}

func (chatAPI) name() string { return "chat" }

func (a chatAPI) routes(s *Server) {
	for _, base := range []string{"/v1", ""} {
		s.mux.HandleFunc("POST "+base+"/chat/completions", s.generates(a))
		s.mux.HandleFunc("GET "+base+"/models", s.listModels)
		s.mux.HandleFunc("GET "+base+"/models/{id...}", s.oneModel)
	}
}

// A chatRequest is the part of a Chat Completions request that matters here.
type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
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
	Format              struct {
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    content    `json:"content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []chatCall `json:"tool_calls"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (chatAPI) read(_ *Server, _ *http.Request, body []byte) (*request, error) {
	var r chatRequest
	if err := unmarshal(body, &r, "a chat completion request"); err != nil {
		return nil, err
	}
	if r.N != nil && *r.N != 1 {
		return nil, badRequest("n", "n is %d; this server gives one choice a request", *r.N)
	}
	asked := &request{
		model: r.Model, stream: r.Stream, effort: r.Effort, seed: r.Seed, limit: r.MaxCompletionTokens,
		toolText: r.Tools, tools: readTools(r.Tools), schema: r.Format.Schema.Schema,
		idPrefix: "chatcmpl-", callPrefix: "call_",
	}
	if asked.limit == 0 {
		asked.limit = r.MaxTokens
	}
	for _, m := range r.Messages {
		message := Message{Role: m.Role, Content: string(m.Content), ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		}
		asked.messages = append(asked.messages, message)
	}
	asked.answer = func(g *generation, w http.ResponseWriter) output {
		if !r.Stream {
			return &whole{g, w, func() any { return chatCompletion(g) }}
		}
		to := eventsOver(w, eventStream, plain)
		return &stream{newChatDialect(g, to, r.StreamOptions.IncludeUsage), to}
	}
	return asked, nil
}

// fail words an error as OpenAI does. Responses has the same form.
func (chatAPI) fail(w http.ResponseWriter, e *apiError) {
	e.write(w, map[string]any{"error": e.openAI()})
}

// An openAIError is the inside of an error of OpenAI.
type openAIError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e *apiError) openAI() openAIError {
	out := openAIError{Message: e.message, Type: e.kind}
	if e.param != "" {
		out.Param = &e.param
	}
	if e.code != "" {
		out.Code = &e.code
	}
	return out
}

type modelInfo struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func infoOf(name string) modelInfo { return modelInfo{name, "model", created, "longpole"} }

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	data := make([]modelInfo, len(s.models))
	for i, m := range s.models {
		data[i] = infoOf(m.Name)
	}
	writeJSON(w, http.StatusOK, struct {
		Object string      `json:"object"`
		Data   []modelInfo `json:"data"`
	}{"list", data})
}

func (s *Server) oneModel(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("id")
	if s.model(name) == nil {
		chatAPI{}.fail(w, s.unknownModel(name))
		return
	}
	writeJSON(w, http.StatusOK, infoOf(name))
}
