package simmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed46266073/longpole/traces"
)

// An output is where a generation goes: a stream of events, or one response at the end.
type output interface {
	open() error // the headers are due
	write(p piece) error
	finish() error
	interrupt(k FaultKind) // in place of finish; may panic with http.ErrAbortHandler
}

// A stream is a response of server-sent events, each written and flushed alone.
type stream struct {
	g       *generation
	w       http.ResponseWriter
	control *http.ResponseController
	head    string // of every chunk, up to the choices
	tail    string // of every chunk, after the choices
	event   []byte // reused
	begun   bool   // the role has been sent
}

func newStream(w http.ResponseWriter, g *generation) *stream {
	head := struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		Model   string `json:"model"`
	}{g.truth.ID, "chat.completion.chunk", created, g.model.Name}
	s := &stream{g: g, w: w, control: http.NewResponseController(w)}
	s.head = "data: " + strings.TrimSuffix(string(quote(head)), "}") + `,"choices":[`
	s.tail = "}\n\n"
	if g.chat.StreamOptions.IncludeUsage {
		s.tail = `,"usage":null}` + "\n\n"
	}
	return s
}

func (s *stream) open() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
	return s.control.Flush()
}

func (s *stream) write(p piece) error {
	if p.kind == traces.Reasoning && s.g.model.Reasoning == ReasoningHidden {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	return s.chunk(s.delta(p), "null")
}

// begin sends the chunk with the role, once.
func (s *stream) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	return s.chunk(`{"role":"assistant","content":""}`, "null")
}

func (s *stream) delta(p piece) string {
	text := string(quote(p.text))
	switch {
	case p.kind == traces.Reasoning && s.g.model.Reasoning == ReasoningPlain:
		return `{"reasoning":` + text + `}`
	case p.kind == traces.Reasoning:
		return `{"reasoning_content":` + text + `}`
	case p.kind == traces.Output:
		return `{"content":` + text + `}`
	case p.opens:
		call := wireCall{s.g.callIDs[p.call], "function", wireFunction{Name: p.text}}
		return fmt.Sprintf(`{"tool_calls":[{"index":%d,%s]}`, p.call, quote(call)[1:])
	}
	return fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, p.call, text)
}

func (s *stream) chunk(delta, finish string) error {
	return s.send(s.head, `{"index":0,"delta":`, delta, `,"finish_reason":`, finish, `}]`, s.tail)
}

// send writes one event.
func (s *stream) send(parts ...string) error {
	s.event = s.event[:0]
	for _, p := range parts {
		s.event = append(s.event, p...)
	}
	if _, err := s.w.Write(s.event); err != nil {
		return err
	}
	return s.control.Flush()
}

func (s *stream) finish() error {
	if err := s.begin(); err != nil {
		return err
	}
	if err := s.chunk(`{}`, string(quote(s.g.truth.Finish))); err != nil {
		return err
	}
	if s.g.chat.StreamOptions.IncludeUsage {
		if err := s.send(s.head, `],"usage":`, string(quote(s.g.usage())), "}\n\n"); err != nil {
			return err
		}
	}
	return s.send("data: [DONE]\n\n")
}

func (s *stream) interrupt(k FaultKind) {
	switch k {
	case EarlyEnd:
		return
	case Reset:
		reset(s.control)
	}
	panic(http.ErrAbortHandler)
}

// reset closes the connection so that the client gets a reset in place of an end, where the transport can do that.
func reset(control *http.ResponseController) {
	conn, _, err := control.Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if l, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = l.SetLinger(0) // without it, the client gets an end
	}
}

// whole is a response in one piece.
type whole struct {
	g               *generation
	w               http.ResponseWriter
	text, reasoning strings.Builder
	calls           []wireCall
}

func (o *whole) open() error { return nil }

func (o *whole) write(p piece) error {
	switch {
	case p.kind == traces.Reasoning:
		o.reasoning.WriteString(p.text)
	case p.kind == traces.Output:
		o.text.WriteString(p.text)
	case p.opens:
		o.calls = append(o.calls, wireCall{o.g.callIDs[p.call], "function", wireFunction{Name: p.text}})
	default:
		o.calls[p.call].Function.Arguments += p.text
	}
	return nil
}

func (o *whole) finish() error {
	message := map[string]any{"role": "assistant", "content": o.text.String(), "refusal": nil}
	if o.text.Len() == 0 {
		message["content"] = nil
	}
	if len(o.calls) > 0 {
		message["tool_calls"] = o.calls
	}
	if o.reasoning.Len() > 0 {
		switch o.g.model.Reasoning {
		case ReasoningContent:
			message["reasoning_content"] = o.reasoning.String()
		case ReasoningPlain:
			message["reasoning"] = o.reasoning.String()
		}
	}
	o.g.truth.Headers = o.g.truth.End
	writeJSON(o.w, http.StatusOK, map[string]any{
		"id": o.g.truth.ID, "object": "chat.completion", "created": created, "model": o.g.model.Name,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": o.g.truth.Finish}},
		"usage":   o.g.usage(),
	})
	return nil
}

func (o *whole) interrupt(k FaultKind) {
	if k == Reset {
		reset(http.NewResponseController(o.w))
	}
	panic(http.ErrAbortHandler)
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireUsage struct {
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

func (g *generation) usage() wireUsage {
	u := wireUsage{Prompt: g.truth.Prompt, Completion: g.truth.Reasoning + g.truth.Output}
	u.Total = u.Prompt + u.Completion
	u.PromptDetails.Cached = g.truth.Cached
	u.CompletionDetails.Reasoning = g.truth.Reasoning
	return u
}

// quote returns v as JSON. It is for our own types only, which all have a form in JSON.
func quote(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
