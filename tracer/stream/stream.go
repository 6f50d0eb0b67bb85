// Package stream turns the bytes of a model's response, as they arrive, into timed facts: when each piece of generated
// output came and of which kind it was, what was counted, which tools were asked for, and how it ended.
//
// A Decoder gets each piece of the body with its time of arrival and never fails: what it cannot read is counted and skipped.
// It keeps no text unless asked to, allocates nothing per chunk once its buffers have grown, and gives the same result
// however the bytes were cut, but for the times. An event is timed when the blank line that ends it has arrived.
//
// Only generated output starts the clock of the first token: reasoning, visible text, refusals, names and arguments of
// tool calls. Opening frames, empty deltas, progress reports, comments, usage and finish markers do not.
//
// Times are durations since the start of the attempt's span, on whatever scale the caller uses. The formats are those of
// OpenAI's API reference and of the servers compatible with it, with the variants that are in use.
package stream

import (
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Decoder follows one response body. It is not safe for concurrent use.
type Decoder interface {
	// Feed takes the bytes that arrived at the given time; times must not go back.
	Feed(at time.Duration, p []byte)
	// Ended reports whether the stream's own end marker has arrived: nothing that follows belongs to the response.
	Ended() bool
	// ToolCalls returns the calls asked for so far, in the order in which they began. They stay the decoder's own.
	ToolCalls() []ToolCall
	// Result returns what is known so far. It stays the decoder's own.
	Result() *Result
	// Close says that the body ended, and how: nil or io.EOF for a clean end, else the error that ended it, context.Canceled
	// where the client went away. The result is final then; a second Close changes nothing.
	Close(at time.Duration, err error) *Result
}

// Options are the choices of a decoder.
type Options struct {
	Think   ThinkTags // whether text between <think> tags is reasoning
	Content bool      // keep the text, the reasoning and the arguments of tool calls
}

// New returns the decoder for the API that path belongs to. ok is false where the path is none of a known API that
// generates text; the decoder then sees bytes only.
func New(path string, opt Options) (d Decoder, ok bool) {
	path = strings.TrimRight(path, "/")
	if strings.HasSuffix(path, "/completions") {
		return NewChat(opt), true
	}
	return &Opaque{}, false
}

// A Result is what a response told. Times that did not happen are nil, as are counts that were not sent.
type Result struct {
	FirstByte  *time.Duration // first body byte of any kind
	FirstEvent *time.Duration // first event that could be parsed, of any kind; nil unless the response is a stream
	End        *time.Duration // the stream's own end marker, else the end of the body; nil while it is open
	Chunks     traces.Chunks  // arrivals of generated output; empty unless the response is a stream

	Outcome      traces.Outcome // OutcomeUnknown while it is open
	ErrorType    string         // the server's word for an error, "_OTHER" if it gave none that is a word
	Model, ID    string         // as the server says
	FinishReason string
	ToolCalls    []ToolCall // in the order in which they began

	Usage             traces.Usage
	CacheWrite        *int64 // part of the input: tokens written to the provider's cache
	UsageInconsistent bool   // the counts do not add up to their total: what does not follow from them is nil
	Visibility        string // of reasoning: full, summary, hidden or none; "" unknown
	Server            Timings

	Whole          bool // one JSON document, not a stream
	OutputChars    int  // characters of visible text
	ReasoningChars int  // characters of reasoning text
	Comments       int  // comment lines of the stream
	Ignored        int  // data that was no event of this API, or too large

	Text, Reasoning string // only with Options.Content, once closed
}

// A ToolCall is one call of a tool that the model asked for.
type ToolCall struct {
	ID, Name    string        // "" if the server sent none
	First, Last time.Duration // its first and last piece of name or arguments
	Arguments   string        // only with Options.Content, once closed

	choice, index int
	args          []byte
}

// Timings are what the server measured of itself; nil where it does not say.
type Timings struct {
	Queue   *time.Duration // accepted → scheduled
	Prefill *time.Duration // scheduled → first token
	Decode  *time.Duration // first token → last token
}

// An Opaque decoder sees bytes and their end, for APIs whose format is not known.
type Opaque struct{ result Result }

// Feed notes the first byte.
func (o *Opaque) Feed(at time.Duration, p []byte) {
	if len(p) > 0 && o.result.FirstByte == nil {
		first := at // a copy, so that only the first time is put on the heap
		o.result.FirstByte = &first
	}
}

// Ended is false: there is no marker to see.
func (o *Opaque) Ended() bool { return false }

// ToolCalls returns none.
func (o *Opaque) ToolCalls() []ToolCall { return nil }

// Result returns what is known so far.
func (o *Opaque) Result() *Result {
	if o.result.Outcome == "" {
		o.result.Outcome = traces.OutcomeUnknown
	}
	return &o.result
}

// Close notes the end; a clean one is taken for success.
func (o *Opaque) Close(at time.Duration, err error) *Result {
	if o.result.End == nil {
		o.result.End = &at
		o.result.Outcome = bodyOutcome(err)
	}
	return &o.result
}
