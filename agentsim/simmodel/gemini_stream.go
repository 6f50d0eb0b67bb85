package simmodel

import "github.com/seed46266073/longpole/traces"

// geminiDialect makes the chunks of a stream of generateContent. Each holds the usage so far.
type geminiDialect struct {
	g     *generation
	to    events
	array bool // the stream is one JSON array, which grows
	begun bool
}

// A geminiChunk is a chunk of a stream, or a whole response.
type geminiChunk struct {
	Candidates   []geminiCandidate `json:"candidates"`
	Usage        geminiUsage       `json:"usageMetadata"`
	ModelVersion string            `json:"modelVersion"`
	ResponseID   string            `json:"responseId"`
}

type geminiCandidate struct {
	Content struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"content"`
	FinishReason string `json:"finishReason,omitempty"`
	Index        int    `json:"index"`
}

type geminiPart struct {
	Text         *string             `json:"text,omitempty"`
	Thought      bool                `json:"thought,omitempty"`
	FunctionCall *geminiFunctionCall `json:"functionCall,omitempty"`
}

type geminiUsage struct {
	Prompt   int `json:"promptTokenCount"`
	Output   int `json:"candidatesTokenCount,omitempty"` // without thoughts
	Total    int `json:"totalTokenCount"`
	Cached   int `json:"cachedContentTokenCount,omitempty"` // part of the prompt
	Thoughts int `json:"thoughtsTokenCount,omitempty"`
}

func (d *geminiDialect) begin() {}

func (d *geminiDialect) say(p piece) {
	part := geminiPart{Text: &p.text}
	switch {
	case p.kind == traces.Reasoning && d.g.hidden():
		return
	case p.kind == traces.Reasoning:
		part.Thought = true
	case p.opens:
		part = geminiCallPart(d.g.said.calls[p.call])
	}
	d.chunk("", part)
}

// chunk adds a chunk of parts.
func (d *geminiDialect) chunk(reason string, parts ...geminiPart) {
	d.add(quote(geminiChunkOf(d.g, reason, parts)))
}

func (d *geminiDialect) add(data []byte) {
	if d.array {
		before := byte(',')
		if !d.begun {
			before = '['
		}
		data = append([]byte{before}, data...)
	}
	d.begun = true
	d.to.add("", data)
}

// end finishes with a text that is empty, as Google does.
func (d *geminiDialect) end() {
	d.chunk(geminiReason(&d.g.truth), geminiPart{Text: new(string)})
	d.close()
}

func (d *geminiDialect) fail(e *apiError) {
	d.add(quote(map[string]any{"error": e.google()}))
	d.close()
}

// close ends a stream that is an array.
func (d *geminiDialect) close() {
	if d.array {
		d.to.add("", []byte("]"))
	}
}

func geminiCallPart(c Call) geminiPart {
	return geminiPart{FunctionCall: &geminiFunctionCall{c.ID, c.Name, c.object()}}
}

func geminiReason(t *Truth) string {
	if t.Finish == "length" {
		return "MAX_TOKENS"
	}
	return "STOP"
}

func geminiChunkOf(g *generation, reason string, parts []geminiPart) geminiChunk {
	t := &g.truth
	c := geminiChunk{ModelVersion: g.asked.model, ResponseID: t.ID, Candidates: []geminiCandidate{{FinishReason: reason}}}
	c.Candidates[0].Content.Role, c.Candidates[0].Content.Parts = "model", parts
	c.Usage = geminiUsage{t.Prompt, t.Output, t.Prompt + t.Reasoning + t.Output, t.Cached, t.Reasoning}
	return c
}

// geminiWhole returns a whole response.
func geminiWhole(g *generation) any {
	parts := []geminiPart{}
	if thoughts := g.said.reasoning.String(); thoughts != "" && !g.hidden() {
		parts = append(parts, geminiPart{Text: &thoughts, Thought: true})
	}
	if text := g.said.text.String(); text != "" {
		parts = append(parts, geminiPart{Text: &text})
	}
	for _, c := range g.said.calls {
		parts = append(parts, geminiCallPart(c))
	}
	return geminiChunkOf(g, geminiReason(&g.truth), parts)
}
