package stream

// Gemini decodes Google's generateContent API: streamed as server-sent events or as a growing array, or whole.
type Gemini struct {
	decoder
}

// NewGemini returns a decoder for one response.
func NewGemini(opt Options) *Gemini {
	d := &Gemini{}
	d.usage.rule = thoughtsBeside
	d.init(opt, d, '[')
	return d
}

func (d *Gemini) read(c *cursor, _ []byte) bool {
	if !c.object() {
		return false
	}
	for {
		key, ok := c.key()
		if !ok {
			return !c.bad
		}
		switch string(key) {
		case "candidates":
			if c.array() {
				for i := 0; c.next(']'); i++ {
					d.candidate(c, i)
				}
			}
		case "usageMetadata":
			d.usage.read(c, &d.result.Server)
		case "modelVersion":
			d.once(&d.result.Model, c)
		case "responseId":
			d.once(&d.result.ID, c)
		case "promptFeedback":
			if reason := c.field("blockReason"); len(reason) > 0 {
				d.finish = reason
			}
		case "response": // the envelope of Google's gateway for its own agents
			if c.peek() == '{' {
				d.read(c, nil)
			} else {
				c.skip()
			}
		case "error":
			d.error(c)
		default:
			c.skip()
		}
	}
}

func (d *Gemini) candidate(c *cursor, i int) {
	if !c.object() {
		return
	}
	content := -1
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "index":
			if n := c.index(); n >= 0 {
				i = n
			}
		case "finishReason":
			if raw, _ := c.str(); len(raw) > 0 {
				d.finish = raw
			}
		case "content":
			content = c.at()
		default:
			c.skip()
		}
	}
	if content < 0 || c.bad {
		return
	}
	inner := cursor{b: c.b, i: content}
	inner.object()
	for {
		key, ok := inner.key()
		if !ok {
			return
		}
		if string(key) != "parts" || inner.peek() != '[' {
			inner.skip()
			continue
		}
		inner.array()
		for inner.next(']') {
			d.part(&inner, i)
		}
	}
}

// part reads a part: text, a thought, a call, or something that is no output of the model.
func (d *Gemini) part(c *cursor, candidate int) {
	if !c.object() {
		return
	}
	var text []byte
	kind := output
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "text":
			text, _ = c.str()
		case "thought":
			if c.peek() == 't' {
				kind = reasoning
			}
			c.skip()
		case "functionCall":
			d.functionCall(c, candidate)
		case "executableCode": // generated, but not the client's to run
			d.raw(toolArgs, c.field("code"))
		case "inlineData":
			d.now[output].seen = d.now[output].seen || len(c.field("data")) > 0
		default:
			c.skip()
		}
	}
	if kind == reasoning && len(text) > 0 {
		d.summary = true // thoughts are never sent as they were
	}
	d.raw(kind, text)
}

// functionCall takes a call, whole or in pieces: the first has the name, the others what is added to the arguments.
func (d *Gemini) functionCall(c *cursor, candidate int) {
	if !c.object() {
		return
	}
	var piece callDelta
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			piece.id, _ = c.str()
		case "name":
			piece.name, _ = c.str()
		case "args", "partialArgs":
			if start := c.at(); start >= 0 {
				piece.args, piece.isObject = c.b[start:c.i], true
			}
		default:
			c.skip()
		}
	}
	if !c.bad {
		d.toolCall(piece, candidate)
	}
}
