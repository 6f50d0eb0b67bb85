package simmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// geminiAPI is Google's generateContent, whole and streamed, with the counting of tokens.
type geminiAPI struct{}

func (geminiAPI) name() string { return "gemini" }

func (a geminiAPI) routes(s *Server) {
	generate := s.generates(a)
	for _, version := range []string{"/v1beta", "/v1alpha", "/v1"} {
		s.mux.HandleFunc("POST "+version+"/models/{call}", func(w http.ResponseWriter, r *http.Request) {
			switch _, verb := geminiCall(r); verb {
			case "generateContent", "streamGenerateContent":
				generate(w, r)
			case "countTokens":
				s.countContent(w, r)
			default:
				a.fail(w, &apiError{status: http.StatusNotFound,
					message: fmt.Sprintf("no method %q here; there are generateContent, streamGenerateContent and countTokens", verb)})
			}
		})
	}
}

// geminiCall returns the two halves of a path's last element, MODEL:VERB.
func geminiCall(r *http.Request) (model, verb string) {
	model, verb, _ = strings.Cut(r.PathValue("call"), ":")
	return model, verb
}

// A geminiRequest is the part of a request that matters here.
type geminiRequest struct {
	System   *geminiContent  `json:"systemInstruction"`
	Contents []geminiContent `json:"contents"`
	Tools    json.RawMessage `json:"tools"`
	Config   struct {
		Limit      int             `json:"maxOutputTokens"`
		Seed       int64           `json:"seed"`
		Schema     json.RawMessage `json:"responseSchema"`
		JSONSchema json.RawMessage `json:"responseJsonSchema"`
		Thinking   struct {
			Include bool   `json:"includeThoughts"`
			Budget  *int   `json:"thinkingBudget"`
			Level   string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text         string               `json:"text"`
		Thought      bool                 `json:"thought"`
		FunctionCall *geminiFunctionCall  `json:"functionCall"`
		Response     *geminiFunctionReply `json:"functionResponse"`
	} `json:"parts"`
}

type geminiFunctionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiFunctionReply struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

func (a geminiAPI) read(_ *Server, r *http.Request, body []byte) (*request, error) {
	var q geminiRequest
	if err := unmarshal(body, &q, "a request to generate content"); err != nil {
		return nil, err
	}
	model, verb := geminiCall(r)
	asked := q.asked(model)
	asked.stream = verb == "streamGenerateContent"
	asked.answer = func(g *generation, w http.ResponseWriter) output {
		if !asked.stream {
			return &whole{g, w, func() any { return geminiWhole(g) }}
		}
		if r.URL.Query().Get("alt") == "sse" {
			to := eventsOver(w, eventStream, plain)
			return &stream{&geminiDialect{g: g, to: to}, to}
		}
		to := eventsOver(w, "application/json; charset=utf-8", lines)
		return &stream{&geminiDialect{g: g, to: to, array: true}, to}
	}
	return asked, nil
}

// asked returns what the request has in common with others.
func (q *geminiRequest) asked(model string) *request {
	asked := &request{
		model: model, effort: strings.ToLower(q.Config.Thinking.Level), seed: q.Config.Seed, limit: q.Config.Limit,
		toolText: q.Tools, tools: readTools(q.Tools), schema: q.Config.Schema, hidden: !q.Config.Thinking.Include,
		idPrefix: "resp-", callPrefix: "call_", wholeCalls: true,
	}
	if asked.schema == nil {
		asked.schema = q.Config.JSONSchema
	}
	if b := q.Config.Thinking.Budget; b != nil && *b == 0 {
		asked.effort = "none"
	}
	if asked.effort == "thinking_level_unspecified" {
		asked.effort = ""
	}
	if q.System != nil {
		q.System.Role = "system"
		asked.messages = q.System.appendTo(asked.messages)
	}
	for _, c := range q.Contents {
		asked.messages = c.appendTo(asked.messages)
	}
	return asked
}

// appendTo appends a content as scripts see it: results of tools are messages of their own, before what the user says.
func (c *geminiContent) appendTo(list []Message) []Message {
	said := Message{Role: c.Role}
	switch c.Role {
	case "model":
		said.Role = "assistant"
	case "":
		said.Role = "user"
	}
	for _, p := range c.Parts {
		switch {
		case p.FunctionCall != nil:
			said.Calls = append(said.Calls, Call{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Args: string(p.FunctionCall.Args)})
		case p.Response != nil:
			list = append(list, Message{Role: "tool", Content: string(p.Response.Response), ToolCallID: p.Response.ID})
		case !p.Thought:
			said.Content += p.Text
		}
	}
	if said.Content == "" && said.Calls == nil && said.Role != "assistant" {
		return list
	}
	return append(list, said)
}

func (s *Server) countContent(w http.ResponseWriter, r *http.Request) {
	var q struct {
		geminiRequest
		Request geminiRequest `json:"generateContentRequest"`
	}
	body, err := readBody(w, r)
	if err == nil {
		err = unmarshal(body, &q, "a request to count tokens")
	}
	if err != nil {
		geminiAPI{}.fail(w, asAPIError(err))
		return
	}
	n, _ := q.asked("").promptTokens()
	inner, _ := q.Request.asked("").promptTokens()
	writeJSON(w, http.StatusOK, map[string]int{"totalTokens": n + inner})
}

// fail words an error as Google does.
func (geminiAPI) fail(w http.ResponseWriter, e *apiError) {
	e.write(w, map[string]any{"error": e.google()})
}

// A googleError is the inside of an error of Google.
type googleError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details,omitempty"`
}

func (e *apiError) google() googleError {
	out := googleError{Code: e.status, Message: e.message, Status: "INTERNAL"}
	switch e.status {
	case http.StatusBadRequest:
		out.Status = "INVALID_ARGUMENT"
	case http.StatusNotFound:
		out.Status = "NOT_FOUND"
	case http.StatusTooManyRequests:
		out.Status = "RESOURCE_EXHAUSTED"
	}
	if e.retryAfter > 0 {
		out.Details = []any{map[string]string{"@type": "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": fmt.Sprintf("%gs", e.retryAfter.Seconds())}}
	}
	return out
}
