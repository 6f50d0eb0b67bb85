package stream

// A Request is what the body of a request says about the call, prompts left out. Fields that were not sent are zero.
type Request struct {
	Model       string
	Effort      string // the provider's own word
	Stream      bool
	MaxTokens   *int64
	Seed        *int64
	Temperature *float64
	Results     []string // ids of the tool calls whose results are new: those after the last assistant message
}

// ReadRequest reads the body of a request to any of the chat-like APIs. What it cannot read it leaves out.
func ReadRequest(body []byte) Request {
	var r Request
	c := &cursor{b: body}
	if !c.object() {
		return r
	}
	for {
		key, ok := c.key()
		if !ok {
			return r
		}
		switch string(key) {
		case "model":
			r.Model = c.string()
		case "reasoning_effort":
			r.Effort = c.string()
		case "reasoning":
			r.reasoning(c)
		case "stream":
			r.Stream = c.peek() == 't'
			c.skip()
		case "max_tokens", "max_completion_tokens", "max_output_tokens":
			if n, ok := c.count(); ok {
				r.MaxTokens = &n
			}
		case "seed":
			if f, ok := c.number(); ok {
				seed := int64(f)
				r.Seed = &seed
			}
		case "temperature":
			if f, ok := c.number(); ok {
				r.Temperature = &f
			}
		case "messages":
			r.messages(c)
		default:
			c.skip()
		}
	}
}

func (r *Request) reasoning(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		if string(key) == "effort" {
			r.Effort = c.string()
		} else {
			c.skip()
		}
	}
}

func (r *Request) messages(c *cursor) {
	if !c.array() {
		return
	}
	for c.next(']') {
		if !c.object() {
			continue
		}
		var role, id string
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			switch string(key) {
			case "role":
				role = c.string()
			case "tool_call_id":
				id = c.string()
			default:
				c.skip()
			}
		}
		switch {
		case role == "assistant":
			r.Results = nil
		case role == "tool" && id != "":
			r.Results = append(r.Results, id)
		}
	}
}

// string returns the text of a string, "" for any other value, which is skipped.
func (c *cursor) string() string {
	raw, _ := c.str()
	return string(unescape(nil, raw))
}
