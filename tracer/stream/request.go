package stream

import (
	"hash/maphash"
	"net/http"
	"strings"
)

// A Request is what a request says about the call, prompts left out. Fields that were not sent are zero. Hashes compare
// within one process only, so that nothing can be guessed from them later.
type Request struct {
	API         API  // "" if it is none that is known
	Generates   bool // it asks for output
	Model       string
	Effort      string // of reasoning, the provider's own word
	Stream      bool
	MaxTokens   *int64
	Seed        *int64
	Temperature *float64
	Tools       int  // offered
	HasSchema   bool // the output must fit a schema

	// Prefix has a hash for each message of the conversation, the system prompt first, of all up to and with it: a request
	// goes on where another ended if the other's is a prefix of its own. Marks for the provider's cache, which move from request to
	// request, do not count, nor does whether a text is alone or in a list.
	Prefix    []uint64
	FirstUser uint64 // hash of the first message of the user, 0 if there is none
	Turns     int    // messages or items of the model in the conversation
	Body      uint64 // hash of the whole body, 0 if there is none

	Calls   []string // ids of the tool calls in the conversation, in its order
	Results []string // ids of the tool calls whose results are in the conversation, in its order
	Fresh   []string // those after the last message of the model: what this request brings

	PreviousID string // of the response that this one continues on the server
	Thread     string // id of the conversation, from headers or body
	Session    string // id of the agent's session, from headers or body
	Agent      string // name or id of the agent within the session, from headers: sub-agents have one

	cacheKey string
}

var hashSeed = maphash.MakeSeed()

// ParseRequest reads a request. Its body must not be compressed. What it cannot read it leaves out; it never fails and keeps
// no text.
func ParseRequest(method, path string, header http.Header, body []byte) Request {
	r := Request{API: APIOf(path), Model: modelOf(path)}
	r.Stream = strings.Contains(path, ":stream") || r.API == OllamaChatAPI || r.API == OllamaGenerateAPI // off where the body says so
	r.headers(header)
	if len(body) > 0 {
		r.Body = maphash.Bytes(hashSeed, body)
		r.read(&cursor{b: body})
	}
	r.Generates = r.API != "" && method == http.MethodPost
	if len(r.Prefix) == 0 && (r.API == OllamaChatAPI || r.API == OllamaGenerateAPI) {
		r.Generates = false // it only loads the model
	}
	return r
}

// modelOf returns the model where it is part of the path, as Google and Azure have it.
func modelOf(path string) string {
	for _, before := range []string{"/models/", "/deployments/"} {
		if _, rest, ok := strings.Cut(path, before); ok {
			return rest[:strings.IndexAny(rest+"/", ":/")]
		}
	}
	return ""
}

// read takes the body.
func (r *Request) read(c *cursor) {
	v := conversation{request: r, system: -1, messages: -1}
	r.fields(c, &v, 0)
	v.read(c.b)
	r.session(r.cacheKey)
}

// fields takes the fields of an object, the body's first and then those of the settings in it, whose names do not clash.
func (r *Request) fields(c *cursor, v *conversation, depth int) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		switch string(key) {
		case "model":
			if model := c.string(); model != "" {
				r.Model = model
			}
		case "stream":
			r.Stream = c.peek() == 't'
			c.skip()
		case "max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "num_predict":
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
		case "reasoning_effort", "effort", "thinkingLevel", "think":
			if effort := c.string(); effort != "" {
				r.Effort = effort
			}
		case "tools", "functions":
			r.tools(c)
		case "response_format", "format", "output_format":
			r.format(c)
		case "responseSchema", "response_schema", "responseJsonSchema":
			r.HasSchema = c.at() >= 0 || r.HasSchema
		case "system", "instructions", "systemInstruction", "system_instruction":
			v.system = c.at()
		case "messages", "input", "contents", "prompt":
			v.messages = c.at()
		case "request", "response", "reasoning", "output_config", "text", "generationConfig", "thinkingConfig", "options":
			if depth < 3 {
				r.fields(c, v, depth+1)
			} else {
				c.skip()
			}
		default:
			r.ids(key, c)
		}
	}
}

// tools counts what is offered. Google's come in lists within the list.
func (r *Request) tools(c *cursor) {
	if !c.array() {
		return
	}
	for c.next(']') {
		if !c.object() {
			continue
		}
		n := 1
		for {
			key, ok := c.key()
			if !ok {
				break
			}
			if string(key) != "functionDeclarations" && string(key) != "function_declarations" || c.peek() != '[' {
				c.skip()
				continue
			}
			c.array()
			for n = 0; c.next(']'); n++ {
				c.skip()
			}
		}
		r.Tools += n
	}
}

func (r *Request) format(c *cursor) {
	if c.peek() != '{' {
		c.skip()
		return
	}
	switch kind := c.field("type"); string(kind) {
	case "text", "json_object":
	default:
		r.HasSchema = true
	}
}
