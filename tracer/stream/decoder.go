package stream

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/seed46266073/longpole/internal/sse"
	"github.com/seed46266073/longpole/traces"
)

// A decoder is what the decoders of all APIs share: it cuts the body into events, has the API's format read them, keeps the
// clock and the books, and settles how the response ended.
type decoder struct {
	result Result
	opt    Options
	format format
	opener byte
	form   form
	scan   sse.Scanner
	values values
	emit   func(event, data []byte) // d.event and d.value, made once: a method value allocates
	take   func(data []byte)

	cursor cursor
	at     time.Duration
	now    [kinds]piece // what the event being read holds
	finish []byte       // its finish reason
	usage  usage
	window window
	think  thinking
	failed bool // an error object was seen
	done   bool // the end marker was seen
	gaveUp bool // the server says that the response was cancelled
	whole  bool // the one document has been read
	closed bool

	summary       bool // reasoning came as summaries only
	opaque        bool // encrypted reasoning was seen
	scratch       []byte
	visibleText   []byte
	reasoningText []byte
}

// A format reads the events of one API and books what they hold.
type format interface {
	// read takes one JSON text: an event of a stream, of which the name is given where it has one, or a whole response. It
	// reports false if the text is no such thing; what it booked as output is then dropped.
	read(c *cursor, name []byte) bool
}

// The kinds of generated output, in the order in which pieces that come in one event are listed.
const (
	reasoning = iota
	output
	toolArgs
	kinds
)

var components = [kinds]traces.Component{traces.Reasoning, traces.Output, traces.ToolArgs}

type piece struct {
	seen  bool
	chars int
}

// A form is how the events of a body are set apart.
type form uint8

const (
	unknownForm form = iota
	eventStream      // server-sent events
	jsonValues       // JSON texts one after the other, or the elements of an array
	oneDocument      // one JSON text, or the first element of an array: servers wrap errors so
)

// init prepares a decoder; opener is the byte that a stream of JSON texts begins with, 0 where the API has none.
func (d *decoder) init(opt Options, f format, opener byte) {
	d.opt, d.format, d.opener = opt, f, opener
	d.think.mode = opt.Think
	d.emit, d.take = d.event, d.value
	d.usage.reset()
	d.result.Outcome = traces.OutcomeUnknown
}

// Feed takes the bytes that arrived at the given time. Whether they are a stream is told from the first of them, not
// from headers: servers send streams under application/json, and whole documents when asked for streams.
func (d *decoder) Feed(at time.Duration, p []byte) {
	if len(p) == 0 || d.closed {
		return
	}
	d.at = at
	d.stamp(&d.result.FirstByte)
	d.result.LastByte = at
	if d.form == unknownForm {
		p = bytes.TrimLeft(p, " \t\r\n")
		d.recognise(p)
	}
	switch d.form {
	case eventStream:
		comments := d.scan.Comments
		d.scan.Feed(p, d.emit)
		for ; comments < d.scan.Comments; comments++ {
			d.ping()
		}
	case jsonValues, oneDocument:
		d.values.feed(p, d.take)
		if d.values.closed && d.form == jsonValues {
			d.finished()
		}
	}
}

func (d *decoder) recognise(start []byte) {
	if len(start) == 0 {
		return
	}
	d.form = eventStream
	if start[0] != '{' && start[0] != '[' {
		return
	}
	d.form, d.result.Whole = oneDocument, start[0] != d.opener
	if !d.result.Whole {
		d.form = jsonValues
	}
}

// Ended reports whether the end marker, or the end of the one document, has arrived.
func (d *decoder) Ended() bool { return d.done || d.whole }

// ToolCalls returns the calls asked for so far.
func (d *decoder) ToolCalls() []ToolCall { return d.result.ToolCalls }

// Close ends the response; see Decoder.
func (d *decoder) Close(at time.Duration, err error) *Result {
	if d.closed {
		return &d.result
	}
	d.at = max(at, d.at)
	r := &d.result
	switch d.form {
	case eventStream:
		d.scan.Finish(d.emit)
	case jsonValues, oneDocument:
		if rest := d.values.rest(); len(rest) > 0 && !d.Ended() {
			d.json(rest, nil) // what half a document says is better than nothing
		}
	}
	if d.whole {
		d.done = d.done || len(r.ToolCalls) > 0 || r.OutputChars > 0 // a complete document needs no reason
	}
	d.closed = true
	d.stamp(&r.End)
	switch how := bodyOutcome(err); {
	case d.failed:
		r.Outcome = traces.Error
	case d.gaveUp:
		r.Outcome = traces.Cancelled
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
func (d *decoder) Result() *Result {
	if !d.closed {
		d.settle()
	}
	return &d.result
}

// settle derives what follows from all that was seen.
func (d *decoder) settle() {
	r := &d.result
	d.usage.into(r)
	r.Windows = d.window.list(d.at)
	r.Window = nil
	if len(r.Windows) > 0 {
		r.Window = &r.Windows[0]
	}
	r.HiddenSince = nil
	if from := d.window.from; d.window.open && !d.closed {
		r.HiddenSince = &from
	}
	r.Comments, r.Ignored = d.scan.Comments, r.Ignored+d.scan.Oversized+d.values.damaged
	d.scan.Oversized, d.values.damaged = 0, 0
	r.Visibility = d.visibility()
	r.TimingsInconsistent = !r.Server.fit(r, d.at)
	if d.opt.Content {
		r.Text, r.Reasoning = string(d.visibleText), string(d.reasoningText)
		for i := range r.ToolCalls {
			r.ToolCalls[i].Arguments = string(r.ToolCalls[i].args)
		}
	}
}

func (d *decoder) visibility() string {
	r := &d.result
	switch {
	case r.ReasoningChars > 0 && d.summary:
		return "summary"
	case r.ReasoningChars > 0:
		return "full"
	case d.opaque || d.usage.reasoning > 0 || len(r.Windows) > 0:
		return "hidden"
	case r.Outcome == traces.OK:
		return "none"
	}
	return ""
}

// event takes one event of an event stream.
func (d *decoder) event(name, data []byte) {
	if d.done {
		return
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		d.finished()
		return
	}
	if d.json(data, name) {
		d.stamp(&d.result.FirstEvent)
		d.result.LastEvent = d.at
	}
}

// value takes one JSON text of a body that is made of them.
func (d *decoder) value(data []byte) {
	if d.Ended() {
		return
	}
	if d.json(data, nil) && !d.result.Whole {
		d.stamp(&d.result.FirstEvent)
		d.result.LastEvent = d.at
	}
	d.whole = d.form == oneDocument
}

// json has the format read one text and books what it held.
func (d *decoder) json(data, name []byte) bool {
	d.now, d.finish = [kinds]piece{}, nil
	d.cursor = cursor{b: data} // one of its own would be put on the heap
	ok := len(data) > 0 && data[0] == '{' && d.format.read(&d.cursor, name)
	if ok {
		d.commit()
	} else {
		d.result.Ignored++
	}
	d.cursor.b, d.finish = nil, nil
	return ok
}

// commit books the arrivals of the event.
func (d *decoder) commit() {
	r := &d.result
	r.ReasoningChars += d.now[reasoning].chars
	r.OutputChars += d.now[output].chars
	if len(d.finish) > 0 && string(d.finish) != r.FinishReason {
		r.FinishReason = string(d.finish)
	}
	if r.Whole {
		return
	}
	for kind, p := range d.now {
		if p.seen {
			r.Chunks.Add(d.at, components[kind], p.chars)
			d.window.output(d.at, kind)
		}
	}
}

// finished notes the end marker.
func (d *decoder) finished() {
	if !d.done {
		d.done = true
		d.window.end(d.at)
		if !d.result.Whole {
			d.result.End = nil // later than an error's
			d.stamp(&d.result.End)
		}
	}
}

// maxPings bounds what is kept of a server that does nothing else.
const maxPings = 1 << 12

// ping notes a sign of life that is nothing else.
func (d *decoder) ping() {
	if len(d.result.Pings) < maxPings {
		d.result.Pings = append(d.result.Pings, d.at)
	}
}

// stamp sets a time to the present unless it is set already.
func (d *decoder) stamp(t **time.Duration) {
	if *t == nil {
		at := d.at // a copy, so that only the first time is put on the heap
		*t = &at
	}
}

// once sets a string that stays the same over a stream.
func (d *decoder) once(s *string, c *cursor) {
	if raw, ok := c.str(); ok && *s == "" && len(raw) > 0 {
		*s = string(unescape(nil, raw))
	}
}

// text adds decoded text of a kind.
func (d *decoder) text(kind int, text []byte) {
	if len(text) == 0 {
		return
	}
	d.now[kind].seen = true
	d.now[kind].chars += utf8.RuneCount(text)
	if d.opt.Content {
		d.keep(kind, text)
	}
}

func (d *decoder) keep(kind int, text []byte) {
	switch kind {
	case reasoning:
		d.reasoningText = append(d.reasoningText, text...)
	case output:
		d.visibleText = append(d.visibleText, text...)
	}
}

// raw adds the raw inside of a JSON string.
func (d *decoder) raw(kind int, raw []byte) {
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

// content adds visible text in which there may be tags. Text between tags that also came as a reasoning field is not
// counted again.
func (d *decoder) content(raw []byte) {
	if len(raw) == 0 {
		return
	}
	if d.think.settled() {
		d.raw(output, raw)
		return
	}
	byField := d.now[reasoning]
	kept := len(d.reasoningText)
	d.scratch = unescape(d.scratch[:0], raw)
	d.tagged(d.scratch)
	if byField.chars > 0 {
		d.now[reasoning] = byField
		d.reasoningText = d.reasoningText[:kept]
	}
}
