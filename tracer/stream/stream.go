// Package stream turns the bytes of a model's response, as they arrive, into timed facts: when each piece of generated
// output came and of which kind it was, what was counted, which tools were asked for, and how it ended.
//
// A Decoder gets each piece of the body with its time of arrival and never fails: what it cannot read is counted and skipped.
// It keeps no text unless asked to, allocates nothing per chunk once its buffers have grown, and gives the same result
// however the bytes were cut, but for the times. An event is timed when the blank line that ends it has arrived,
// or its closing brace where events are JSON texts alone.
//
// Only generated output starts the clock of the first token: reasoning, visible text, refusals, names and arguments of
// tool calls. Opening frames, empty deltas, progress reports, comments, usage and finish markers do not.
//
// Times are durations since the start of the attempt's span, on whatever scale the caller uses. The formats are those of the
// API references of OpenAI, Anthropic, Ollama and Google, and of the servers compatible with them, with the variants that are in use.
package stream

import (
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

// A Result is what a response told. Times that did not happen are nil, as are counts that were not sent.
type Result struct {
	FirstByte  *time.Duration // first body byte of any kind
	FirstEvent *time.Duration // first event that could be parsed, of any kind; nil unless the response is a stream
	End        *time.Duration // the stream's own end marker, else the end of the body; nil while it is open
	LastByte   time.Duration  // last body byte so far; valid where FirstByte is
	LastEvent  time.Duration  // last event so far that could be parsed; valid where FirstEvent is
	Chunks     traces.Chunks  // arrivals of generated output; empty unless the response is a stream

	Outcome      traces.Outcome // OutcomeUnknown while it is open
	ErrorType    string         // the server's word for an error, "_OTHER" if it gave none that is a word
	Model, ID    string         // as the server says
	PreviousID   string         // of the response that this one continues, where the server says so
	FinishReason string
	ToolCalls    []ToolCall // in the order in which they began

	Usage             traces.Usage
	CacheWrite        *int64         // part of the input: tokens written to the provider's cache
	UsageInconsistent bool           // the counts do not add up to their total: what does not follow from them is nil
	Visibility        string         // of reasoning: full, summary, hidden or none; "" unknown
	Windows           []Window       // hidden reasoning, in order; the last one is open while the response is
	Window            *Window        // the first of them
	HiddenSince       *time.Duration // when the hidden reasoning began that has not ended; nil if none goes on

	Server              Timings
	TimingsInconsistent bool // the server's timings are longer than what they are part of: they are not used

	Whole          bool            // one JSON document, not a stream
	OutputChars    int             // characters of visible text
	ReasoningChars int             // characters of reasoning text
	Comments       int             // comment lines of the stream
	Pings          []time.Duration // comments and events that only say that the server is alive
	Ignored        int             // data that was no event of this API, or too large

	Text, Reasoning string // only with Options.Content, once closed
}

// A ToolCall is one call of a tool that the model asked for.
type ToolCall struct {
	ID, Name    string        // "" if the server sent none
	First, Last time.Duration // its first and last piece of name or arguments; its opening while there is none
	Arguments   string        // only with Options.Content, once closed

	choice, index int
	begun         bool // a piece has come
	args          []byte
}
