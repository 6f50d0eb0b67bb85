package stream

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/seed46266073/longpole/internal/sse"
	"github.com/seed46266073/longpole/traces"
)

// The kinds of generated output, in the order in which pieces that come in one event are listed.
const (
	reasoning = iota
	output
	toolArgs
	kinds
)

var components = [kinds]traces.Component{traces.Reasoning, traces.Output, traces.ToolArgs}

// maxWhole bounds what is kept of a response that is one JSON document; counts and ids of a larger one are lost.
const maxWhole = 32 << 20

// Chat decodes the Chat Completions API, streamed or whole, and the legacy Completions API.
type Chat struct {
	result Result
	opt    Options
	scan   sse.Scanner
	emit   func(event, data []byte) // d.event, made once: a method value allocates
	form   form
	body   []byte // of a whole response
	think  thinking

	at     time.Duration
	now    [kinds]piece // what the event being read holds
	finish []byte       // its finish reason
	usage  usage
	failed bool // an error object was seen
	done   bool // [DONE] was seen
	closed bool

	prefix        []byte // how the last chunk began, up to its choices: the next one mostly begins so too
	summary       bool   // reasoning came as summaries only
	opaque        bool   // encrypted reasoning was seen
	scratch       []byte
	visibleText   []byte
	reasoningText []byte
}

type piece struct {
	seen  bool
	chars int
}

type form uint8

const (
	unknownForm form = iota
	eventStream
	wholeDocument
)

// NewChat returns a decoder for one response.
func NewChat(opt Options) *Chat {
	d := &Chat{opt: opt}
	d.think.mode = opt.Think
	d.emit = d.event
	d.usage.reset()
	d.result.Outcome = traces.OutcomeUnknown
	return d
}

// Feed takes the bytes that arrived at the given time. Whether they are a stream is told from the first of them, not
// from headers: servers send streams under application/json, and whole documents when asked for streams.
func (d *Chat) Feed(at time.Duration, p []byte) {
	if len(p) == 0 || d.closed {
		return
	}
	d.at = at
	d.stamp(&d.result.FirstByte)
	if d.form == unknownForm {
		switch first := bytes.TrimLeft(p, " \t\r\n"); {
		case len(first) == 0:
		case first[0] == '{':
			d.form, d.result.Whole = wholeDocument, true
		default:
			d.form = eventStream
		}
	}
	switch d.form {
	case eventStream:
		d.scan.Feed(p, d.emit)
	case wholeDocument:
		d.body = append(d.body, p[:min(len(p), maxWhole-len(d.body))]...)
	}
}

// Ended reports whether [DONE] has arrived.
func (d *Chat) Ended() bool { return d.done }

// ToolCalls returns the calls asked for so far.
func (d *Chat) ToolCalls() []ToolCall { return d.result.ToolCalls }

// Close ends the response; see Decoder.
func (d *Chat) Close(at time.Duration, err error) *Result {
	if d.closed {
		return &d.result
	}
	d.at = max(at, d.at)
	r := &d.result
	switch d.form {
	case eventStream:
		d.scan.Finish(d.emit)
	case wholeDocument:
		if c := (cursor{b: d.body}); !d.chunk(&c) {
			r.Ignored++
		} else if r.FinishReason == "" && !d.failed {
			d.done = len(r.ToolCalls) > 0 || r.OutputChars > 0 // a complete document needs no reason
		}
	}
	d.closed = true
	d.stamp(&r.End)
	switch how := bodyOutcome(err); {
	case d.failed:
		r.Outcome = traces.Error
	case d.done || r.FinishReason != "":
		r.Outcome = traces.OK
	case how == traces.OK:
		r.Outcome = traces.Truncated
	default:
		r.Outcome = how
	}
	d.settle()
	return r
}

// Result returns what is known so far.
func (d *Chat) Result() *Result {
	if !d.closed {
		d.settle()
	}
	return &d.result
}

// settle derives what follows from all that was seen.
func (d *Chat) settle() {
	r := &d.result
	d.usage.into(r)
	r.Comments, r.Ignored = d.scan.Comments, r.Ignored+d.scan.Oversized
	d.scan.Oversized = 0
	r.Visibility = d.visibility()
	if d.opt.Content {
		r.Text, r.Reasoning = string(d.visibleText), string(d.reasoningText)
		for i := range r.ToolCalls {
			r.ToolCalls[i].Arguments = string(r.ToolCalls[i].args)
		}
	}
}

func (d *Chat) visibility() string {
	r := &d.result
	switch {
	case r.ReasoningChars > 0 && d.summary:
		return "summary"
	case r.ReasoningChars > 0:
		return "full"
	case d.opaque || d.usage.reasoning > 0:
		return "hidden"
	case r.Outcome == traces.OK:
		return "none"
	}
	return ""
}

// event takes one event of the stream.
func (d *Chat) event(_, data []byte) {
	if d.done {
		return
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		d.done = true
		d.result.End = nil // later than an error's
		d.stamp(&d.result.End)
		return
	}
	if c := (cursor{b: data}); len(data) == 0 || data[0] != '{' || !d.chunk(&c) {
		d.result.Ignored++
		return
	}
	d.stamp(&d.result.FirstEvent)
}

// stamp sets a time to the present unless it is set already.
func (d *Chat) stamp(t **time.Duration) {
	if *t == nil {
		at := d.at // a copy, so that only the first time is put on the heap
		*t = &at
	}
}

// chunk reads one chunk, or a whole response, which has the same shape. It reports false if the text was no such thing;
// nothing is then counted as output. A chunk that begins like the one before is read from its choices on.
func (d *Chat) chunk(c *cursor) bool {
	if c.peek() != '{' {
		return false
	}
	d.now, d.finish = [kinds]piece{}, nil
	plain := true // nothing yet but fields that say the same in every chunk
	if n := len(d.prefix); n > 0 && bytes.HasPrefix(c.b, d.prefix) {
		c.i, plain = n, false
		d.choices(c)
	} else {
		c.object()
	}
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			d.once(&d.result.ID, c)
			continue
		case "model":
			d.once(&d.result.Model, c)
			continue
		case "object", "created", "system_fingerprint", "service_tier":
			c.skip()
			continue
		case "choices":
			if plain && !d.result.Whole {
				d.prefix = append(d.prefix[:0], c.b[:c.i]...)
			}
			d.choices(c)
		case "usage":
			d.usage.read(c, &d.result.Server)
		case "error":
			d.error(c)
		case "timings":
			d.result.Server.read(c, time.Millisecond)
		case "metrics":
			d.result.Server.read(c, time.Millisecond)
		case "time_info":
			d.result.Server.read(c, time.Second)
		case "x_groq":
			d.groq(c)
		default:
			c.skip()
		}
		plain = false
	}
	if c.bad {
		return false
	}
	d.commit()
	return true
}

// commit books the arrivals of the event.
func (d *Chat) commit() {
	r := &d.result
	r.ReasoningChars += d.now[reasoning].chars
	r.OutputChars += d.now[output].chars
	if len(d.finish) > 0 && string(d.finish) != r.FinishReason {
		r.FinishReason = string(d.finish)
	}
	if r.FinishReason == "error" {
		d.fail("")
	}
	if r.Whole {
		return
	}
	for kind, p := range d.now {
		if p.seen {
			r.Chunks.Add(d.at, components[kind], p.chars)
		}
	}
}

// once sets a string that stays the same over a stream.
func (d *Chat) once(s *string, c *cursor) {
	if raw, ok := c.str(); ok && *s == "" && len(raw) > 0 {
		*s = string(unescape(nil, raw))
	}
}

func (d *Chat) groq(c *cursor) {
	if !c.object() {
		return
	}
	for {
		key, ok := c.key()
		if !ok {
			return
		}
		if string(key) == "usage" {
			d.usage.read(c, &d.result.Server)
		} else {
			c.skip()
		}
	}
}

// error takes an error object; null is none. Its code or type is kept if it is a word, its message never.
func (d *Chat) error(c *cursor) {
	if c.peek() == 'n' {
		c.skip()
		return
	}
	d.fail("")
	if c.peek() == '"' || !c.object() {
		if c.peek() == '"' {
			c.skip()
		}
		return
	}
	var code, kind string
	for {
		key, ok := c.key()
		if !ok {
			break
		}
		switch string(key) {
		case "code":
			code = wordOrNumber(c)
		case "type":
			kind = wordOrNumber(c)
		default:
			c.skip()
		}
	}
	if code == "" {
		code = kind
	}
	d.fail(code)
}

func (d *Chat) fail(word string) {
	if !d.failed {
		d.failed = true
		d.result.ErrorType = "_OTHER"
		if d.form == eventStream {
			d.stamp(&d.result.End)
		}
	}
	if word != "" {
		d.result.ErrorType = word
	}
}

func wordOrNumber(c *cursor) string {
	if c.peek() == '"' {
		raw, _ := c.str()
		return errorWord(raw)
	}
	start := c.i
	c.skip()
	if c.bad || string(c.b[start:c.i]) == "null" {
		return ""
	}
	return errorWord(c.b[start:c.i])
}

// text adds decoded text of a kind.
func (d *Chat) text(kind int, text []byte) {
	if len(text) == 0 {
		return
	}
	d.now[kind].seen = true
	d.now[kind].chars += utf8.RuneCount(text)
	if d.opt.Content {
		d.keep(kind, text)
	}
}

func (d *Chat) keep(kind int, text []byte) {
	if kind == reasoning {
		d.reasoningText = append(d.reasoningText, text...)
	} else {
		d.visibleText = append(d.visibleText, text...)
	}
}

// raw adds the raw inside of a JSON string.
func (d *Chat) raw(kind int, raw []byte) {
	if len(raw) == 0 {
		return
	}
	d.now[kind].seen = true
	d.now[kind].chars += chars(raw)
	if d.opt.Content {
		d.scratch = unescape(d.scratch[:0], raw)
		d.keep(kind, d.scratch)
	}
}
