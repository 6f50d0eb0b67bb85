package simmodel

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Truth is what the server knows to have happened to one request. Durations are real ones of its own monotonic clock,
// since Received; times Speed they are the modelled ones. Each was stamped just before its bytes were written. They count as
// nanoseconds in JSON.
type Truth struct {
	API        string        `json:"api,omitempty"`         // chat, responses, messages, ollama_chat, ollama_generate or gemini
	Request    int           `json:"request"`               // n-th request for output that the server got, from 1
	RequestID  string        `json:"request_id"`            // the x-request-id header of the response
	ID         string        `json:"id,omitempty"`          // the response's; Ollama has none
	Model      string        `json:"model,omitempty"`       // the profile's
	AskedModel string        `json:"asked_model,omitempty"` // if it is another's name
	Effort     string        `json:"effort,omitempty"`      // as the profile understood it
	Asked      string        `json:"asked_effort,omitempty"`
	Script     string        `json:"script,omitempty"` // "" if no script knows the prompt
	Turn       int           `json:"turn"`
	Attempt    int           `json:"attempt"` // 1, or one more than X-Stainless-Retry-Count, or 2 for the repetition of a request that a fault hit
	Stream     bool          `json:"stream"`
	Socket     bool          `json:"socket,omitempty"` // over a WebSocket
	Fault      FaultKind     `json:"fault,omitempty"`
	Received   time.Time     `json:"received"` // the whole request had been read
	Speed      float64       `json:"speed"`
	Status     int           `json:"status"`
	Headers    time.Duration `json:"headers_ns"`         // of a whole response: as its end
	Phases     []TruthPhase  `json:"phases,omitempty"`   // tile [0, End) of a request that was served
	Chunks     []TruthChunk  `json:"chunks,omitempty"`   // if Config.Chunks
	End        time.Duration `json:"end_ns"`             // the end marker, the break of the connection, or the client's going away
	Finish     string        `json:"finish"`             // stop, tool_calls, length; or error, cut, cancelled
	Prompt     int           `json:"prompt_tokens"`      //
	Cached     int           `json:"cached_tokens"`      // part of Prompt
	Reasoning  int           `json:"reasoning_tokens"`   // generated, though perhaps not sent
	Output     int           `json:"output_tokens"`      // without reasoning; text and calls
	Late       time.Duration `json:"worst_lateness_ns"`  // the most by which anything was behind its timetable
	Streams    int           `json:"concurrent_streams"` // the most at once on this model while it was served
}

// A TruthPhase is a stretch of a response. Queue and prefill are the two halves of what a client sees as wait; the
// interval that ends with a token belongs to the token's kind, the pause that a fault made is stall, and tail is the end
// of the sequence.
type TruthPhase struct {
	Phase  traces.Component `json:"phase"`
	Start  time.Duration    `json:"start_ns"`
	End    time.Duration    `json:"end_ns"`
	Tokens int              `json:"tokens"` // generated in it
}

// A TruthChunk is an event that carried output.
type TruthChunk struct {
	At     time.Duration    `json:"at_ns"`
	Kind   traces.Component `json:"kind"`
	Tokens int              `json:"tokens"`
}

// Phase returns the sum of the phases of a component, real time.
func (t *Truth) Phase(c traces.Component) time.Duration {
	var sum time.Duration
	for _, p := range t.Phases {
		if p.Phase == c {
			sum += p.End - p.Start
		}
	}
	return sum
}

// phase books the time since the last phase's end.
func (t *Truth) phase(c traces.Component, end time.Duration, tokens int) {
	var start time.Duration
	n := len(t.Phases)
	if n > 0 {
		start = t.Phases[n-1].End
	}
	switch {
	case n > 0 && t.Phases[n-1].Phase == c && c != traces.Stall:
		t.Phases[n-1].End = end
		t.Phases[n-1].Tokens += tokens
	case end > start:
		t.Phases = append(t.Phases, TruthPhase{c, start, end, tokens})
	case n > 0:
		t.Phases[n-1].Tokens += tokens
	}
}

// A Log writes truths as JSON lines. Its Write is a Config.Truth.
type Log struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewLog returns a log that writes to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// Write appends a line. It is safe for concurrent use.
func (l *Log) Write(t Truth) {
	line, err := json.Marshal(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
}

// Err returns the first error of a write.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
