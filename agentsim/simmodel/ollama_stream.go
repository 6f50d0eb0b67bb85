package simmodel

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// ollamaDialect makes the lines of a stream of Ollama's. Its headers go with the first of them.
type ollamaDialect struct {
	g        *generation
	to       events
	generate bool
	begun    bool
}

// createdAt is created as Ollama has it.
var createdAt = time.Unix(created, 0).UTC().Format(time.RFC3339)

// An ollamaLine is a line of a stream, or a whole response.
type ollamaLine struct {
	Model     string         `json:"model"`
	CreatedAt string         `json:"created_at"`
	Message   *ollamaMessage `json:"message,omitempty"`  // chat
	Response  *string        `json:"response,omitempty"` // generate
	Thinking  string         `json:"thinking,omitempty"` // generate
	Done      bool           `json:"done"`
	*ollamaEnd
}

// An ollamaEnd is what the last line has to say: durations are nanoseconds. Each is left out where it is 0.
type ollamaEnd struct {
	Reason         string        `json:"done_reason"`
	Total          time.Duration `json:"total_duration,omitempty"`
	Load           time.Duration `json:"load_duration,omitempty"` // until the prompt is read: the queue
	Prompt         int           `json:"prompt_eval_count,omitempty"`
	PromptDuration time.Duration `json:"prompt_eval_duration,omitempty"`
	Eval           int           `json:"eval_count,omitempty"` // thinking included
	EvalDuration   time.Duration `json:"eval_duration,omitempty"`
}

func (d *ollamaDialect) begin() {}

func (d *ollamaDialect) say(p piece) {
	m := ollamaMessage{Role: "assistant"}
	switch {
	case p.kind == traces.Reasoning && d.g.hidden():
		return
	case p.kind == traces.Reasoning:
		m.Thinking = p.text
	case p.kind == traces.Output:
		m.Content = p.text
	default:
		m.ToolCalls = ollamaCalls(d.g.said.calls[p.call:], p.call)
	}
	d.line(ollamaLineOf(d.g, m, d.generate))
}

func (d *ollamaDialect) line(l ollamaLine) {
	if !d.begun {
		d.begun = true
		d.g.truth.Headers = d.g.pace.elapsed()
	}
	d.to.add("", quote(l))
}

func (d *ollamaDialect) end() { d.line(ollamaLast(d.g, ollamaMessage{Role: "assistant"}, d.generate)) }

func (d *ollamaDialect) fail(e *apiError) { d.to.add("", quote(map[string]string{"error": e.message})) }

func ollamaWhole(g *generation, generate bool) any {
	m := ollamaMessage{Role: "assistant", Content: g.said.text.String(), ToolCalls: ollamaCalls(g.said.calls, 0)}
	if !g.hidden() {
		m.Thinking = g.said.reasoning.String()
	}
	return ollamaLast(g, m, generate)
}

// ollamaCalls returns calls, the first of which has a number, as Ollama has them.
func ollamaCalls(calls []Call, from int) (list []ollamaCall) {
	for i, c := range calls {
		list = append(list, ollamaCall{c.ID, ollamaFunction{from + i, c.Name, c.object()}})
	}
	return list
}

// ollamaLineOf returns the line that says m. Generate has no calls.
func ollamaLineOf(g *generation, m ollamaMessage, generate bool) ollamaLine {
	l := ollamaLine{Model: g.asked.model, CreatedAt: createdAt}
	if generate {
		l.Response, l.Thinking = &m.Content, m.Thinking
	} else {
		l.Message = &m
	}
	return l
}

// ollamaLast returns the line that says m and ends the response.
func ollamaLast(g *generation, m ollamaMessage, generate bool) ollamaLine {
	t := &g.truth
	l := ollamaLineOf(g, m, generate)
	end := &ollamaEnd{Reason: "stop", Total: t.End, Prompt: t.Prompt, Eval: t.Reasoning + t.Output}
	if t.Finish == "length" {
		end.Reason = "length"
	}
	end.Load, end.PromptDuration = t.Phase(traces.Queue), t.Phase(traces.Prefill)
	end.EvalDuration = t.End - end.Load - end.PromptDuration
	l.Done, l.ollamaEnd = true, end
	return l
}
