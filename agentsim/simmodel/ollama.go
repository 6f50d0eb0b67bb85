package simmodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ollamaAPI is Ollama's own API: chat, or generate for a prompt alone, with its list of models and its version.
type ollamaAPI struct{ generate bool }

func (a ollamaAPI) name() string {
	if a.generate {
		return "ollama_generate"
	}
	return "ollama_chat"
}

func (a ollamaAPI) routes(s *Server) {
	if a.generate {
		s.mux.HandleFunc("POST /api/generate", s.generates(a))
		return
	}
	s.mux.HandleFunc("POST /api/chat", s.generates(a))
	s.mux.HandleFunc("GET /api/tags", s.listTags)
	s.mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"version": "0.0.0-simulated"})
	})
}

// An ollamaRequest is the part of a request that matters here. It streams unless it says otherwise.
type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []ollamaMessage `json:"messages"` // chat
	Prompt   string          `json:"prompt"`   // generate
	System   string          `json:"system"`   // generate
	Stream   *bool           `json:"stream"`
	Think    ollamaThink     `json:"think"`
	Tools    json.RawMessage `json:"tools"`
	Format   json.RawMessage `json:"format"` // "json" or a schema
	Options  struct {
		Seed  int64 `json:"seed"`
		Limit int   `json:"num_predict"` // below 0: no limit
	} `json:"options"`
}

type ollamaMessage struct {
	Role       string       `json:"role"`
	Content    string       `json:"content"`
	Thinking   string       `json:"thinking,omitempty"`
	ToolCalls  []ollamaCall `json:"tool_calls,omitempty"`
	ToolCallID string       `json:"tool_call_id,omitempty"`
}

type ollamaCall struct {
	ID       string         `json:"id,omitempty"`
	Function ollamaFunction `json:"function"`
}

type ollamaFunction struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// ollamaThink is an effort; the API also has true, which is the default one, and false.
type ollamaThink string

func (t *ollamaThink) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true", "null":
		*t = ""
	case "false":
		*t = "none"
	default:
		return json.Unmarshal(b, (*string)(t))
	}
	return nil
}

func (a ollamaAPI) read(_ *Server, _ *http.Request, body []byte) (*request, error) {
	var r ollamaRequest
	if err := unmarshal(body, &r, "a request of Ollama's "+strings.TrimPrefix(a.name(), "ollama_")); err != nil {
		return nil, err
	}
	asked := &request{
		model: strings.TrimSuffix(r.Model, ":latest"), stream: r.Stream == nil || *r.Stream, effort: string(r.Think),
		seed: r.Options.Seed, limit: max(r.Options.Limit, 0), toolText: r.Tools, tools: readTools(r.Tools),
		callPrefix: "call_", wholeCalls: true,
	}
	if len(r.Format) > 0 && r.Format[0] == '{' {
		asked.schema = r.Format
	}
	for _, m := range r.Messages {
		message := Message{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, Call{ID: c.ID, Name: c.Function.Name, Args: string(c.Function.Arguments)})
		}
		asked.messages = append(asked.messages, message)
	}
	if a.generate {
		asked.messages = nil
		if r.System != "" {
			asked.messages = append(asked.messages, Message{Role: "system", Content: r.System})
		}
		if r.Prompt != "" {
			asked.messages = append(asked.messages, Message{Role: "user", Content: r.Prompt})
		}
	}
	asked.answer = func(g *generation, w http.ResponseWriter) output {
		if !asked.stream {
			return &whole{g, w, func() any { return ollamaWhole(g, a.generate) }}
		}
		to := eventsOver(w, "application/x-ndjson", lines)
		to.patient = true
		return &stream{&ollamaDialect{g: g, to: to, generate: a.generate}, to}
	}
	return asked, nil
}

// fail words an error as Ollama does.
func (ollamaAPI) fail(w http.ResponseWriter, e *apiError) {
	e.write(w, map[string]string{"error": e.message})
}

func (s *Server) listTags(w http.ResponseWriter, _ *http.Request) {
	type tag struct {
		Name       string `json:"name"`
		Model      string `json:"model"`
		ModifiedAt string `json:"modified_at"`
	}
	list := make([]tag, len(s.models))
	for i, m := range s.models {
		list[i] = tag{m.Name, m.Name, createdAt}
	}
	writeJSON(w, http.StatusOK, map[string]any{"models": list})
}
