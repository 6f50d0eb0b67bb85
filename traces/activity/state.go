package activity

import (
	"time"

	"github.com/seed46266073/longpole/traces"
)

// A Kind is what a run is doing.
type Kind string

// The kinds, in the order of a model call and what follows it.
const (
	Starting   Kind = "starting"   // before the first model call
	Connecting Kind = "connecting" // the request has not been sent completely
	Waiting    Kind = "waiting"    // for the first token
	Thinking   Kind = "thinking"   // reasoning comes, or is known to go on unseen
	Writing    Kind = "writing"    // visible text comes
	Calling    Kind = "calling"    // names and arguments of tool calls come
	Silent     Kind = "silent"     // nothing has come for more than half the stall threshold
	Stalled    Kind = "stalled"    // nothing has come for more than the stall threshold
	Retrying   Kind = "retrying"   // an attempt failed, and another is to come
	Tool       Kind = "tool"       // a tool runs
	Approval   Kind = "approval"   // a person has to allow something
	Between    Kind = "between"    // the agent's own code runs
	Answered   Kind = "answered"   // so it does, after an answer that asks for no tool: mostly it is the user's turn
	Ended      Kind = "ended"
	Lost       Kind = "lost" // no sign of life: the recording seems to have died
)

// Component returns what the time of a state is booked on, "" for Ended and Lost.
func (k Kind) Component() traces.Component {
	switch k {
	case Starting:
		return traces.Startup
	case Connecting:
		return traces.Connect
	case Waiting:
		return traces.Wait
	case Thinking:
		return traces.Reasoning
	case Writing:
		return traces.Output
	case Calling:
		return traces.ToolArgs
	case Silent, Stalled:
		return traces.Stall
	case Retrying:
		return traces.Backoff
	case Tool:
		return traces.Tool
	case Approval:
		return traces.Approval
	case Between, Answered:
		return traces.Agent
	}
	return ""
}

// A State is what a run is doing at an instant. Durations are on the recording's clock, unless noted.
type State struct {
	Kind Kind
	For  time.Duration // how long so far; of Ended and Lost since the end and the last sign of life, in real time
	Was  Kind          // of Silent and Stalled: what came last; of Lost: what it was doing when last seen
	Step int           // the step it is in, from 1; 0 before the first

	Tool   string // the tool that runs, or that is to be allowed; of a state inside a tool, that tool
	Others int    // further tools that run beside it
	AtMost bool   // Tool was not seen to run: it is a round trip, in which a person may have been asked

	Model   string // of the open call
	Whole   bool   // the answer was not asked for as a stream
	Status  int    // of the open attempt's response, 0 before its headers
	Attempt int    // number of the open attempt, or of the one that failed
	Hidden  bool   // Thinking that does not show

	Byte, Event, Token *time.Duration // since the last of the open response; nil if there was none
	Rate               *Rate          // of the output that comes now; nil if none does

	Planned *time.Duration // of Retrying: how long the server asked to wait, nil if it did not say
	Why     string         // of Retrying and Between: what went wrong, as "429" or "truncated"; of other waits, what they are for

	Outcome traces.Outcome // of Ended
}

// A Rate is how fast output comes: tokens are not counted before the end.
type Rate struct {
	Of        traces.Component // Reasoning, Output or ToolArgs
	PerSecond float64
	Chunks    bool // chunks are counted; else characters
}

// IsStuck reports whether nothing happens that should: somebody may have to look.
func (s *State) IsStuck() bool {
	return s.Kind == Stalled || s.Kind == Lost || s.Kind == Approval || s.Kind == Retrying
}
