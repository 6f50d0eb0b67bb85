package traces

import "time"

// A Run is one task of an agent, from prompt to final answer: the spans of one or more traces as a tree, and over
// them the words that an agent's developer thinks in. Everything in it is read-only after Build.
//
// All times are offsets from the start of the run. Spans that another host's skewed clock or a careless emitter put
// outside the run may have offsets below 0 or beyond Wall; answers clip them.
type Run struct {
	ID        string            // longpole.run.id, else the conversation's, else the trace's
	Name      string            // what the run was asked to do, or the root's name
	TraceIDs  []string          // in order of first appearance
	Start     time.Time         // the instant of offset 0, UTC
	Wall      time.Duration     // from the start of Root to its end
	Outcome   Outcome           //
	Group     map[string]string // tags: model, effort, task, trial, …; never nil
	TimeScale float64           // recorded time ÷ real time; 1 unless the recording was scaled
	Open      bool              // some span had not ended when this was read: Wall is "so far"
	Check     string            // what the verifier said of the answer, "" if none ran
	Usage     Usage             // of all model calls together, of which some may be unknown; where none is known, the roots' own totals

	Root       *Span        // Start 0, End Wall; a synthetic span with ID "@trace" if the run has several roots
	Spans      []*Span      // all of them, parents before children, siblings by (Start, ID)
	Steps      []*Step      // by start; made from the model calls where no span marks them
	ModelCalls []*ModelCall // by start, side calls included
	ToolCalls  []*ToolCall  // by start
	Problems   []Problem    // what was odd, and what was done about it
}

// A Span is one node of a run's tree.
type Span struct {
	ID     string
	Trace  string // trace id
	Name   string
	Parent *Span   // nil for the root
	Kids   []*Span // by (Start, ID)

	// Start and End are offsets from the run's start, End >= Start. They are as recorded but for the repairs that are listed as
	// problems (a missing end, an end before the start, a skewed clock); they are not clipped to the parent.
	Start, End time.Duration
	Skew       time.Duration // what was added to the recorded times because the host's clock was off

	Record *Record // as it was recorded, attributes and links; nil for spans made here (@trace, virtual phases)
	Link   []*Span // spans this one declares to have waited for (links with longpole.dep); nil mostly
	Role   Role
	Phase  Component // of a phase span, else ""
	Index  int32     // position in Run.Spans
	Kind   Kind
	Flags  Flags
}

// Flags are the facts about a span that answers ask for.
type Flags uint8

// The flags.
const (
	FlagOpen       Flags = 1 << iota // no end was recorded; End is "as of now"
	FlagBackground                   // declared: nothing waits for it
	FlagCancelled                    // lost a race or was abandoned
	FlagFailed                       // an attempt or tool that ended in error, truncated or by a time-out; also an attempt given up for another
	FlagVirtual                      // made here, not recorded
	FlagInferred                     // a phase whose quality is Inferred
	FlagBound                        // a phase or tool whose quality is Bound
)

// Has reports whether all of f are set.
func (s *Span) Has(f Flags) bool { return s.Flags&f == f }

// Duration returns End - Start.
func (s *Span) Duration() time.Duration { return s.End - s.Start }

// Attrs returns the recorded attributes; none for a virtual span.
func (s *Span) Attrs() Attrs {
	if s.Record == nil {
		return nil
	}
	return s.Record.Attrs
}

// Quality returns how the span's time is known.
func (s *Span) Quality() Quality {
	switch {
	case s.Has(FlagBound):
		return Bound
	case s.Has(FlagInferred):
		return Inferred
	}
	return Measured
}

// A Step is one turn of the loop: a model call of the main chain and the tools it asked for.
type Step struct {
	Span       *Span // nil where no span marks the step
	Index      int   // 1, 2, …
	Start, End time.Duration
	ModelCalls []*ModelCall
	ToolCalls  []*ToolCall
}

// A ModelCall is one logical request to a model, retries included.
type ModelCall struct {
	Span         *Span // of the call; of its last attempt where attempts lie side by side without one around them
	Step         *Step // nil for side calls outside any step
	Model        string
	Provider     string
	Effort       string // as requested, in the provider's own word; "" if not said
	Stream       *bool  // nil: unknown
	Outcome      Outcome
	Side         bool       // outside the main chain: a title, a router
	Attempts     []*Attempt // by number; at least one
	Usage        Usage
	FinishReason string
	ToolCallIDs  []string
	TTFT         *time.Duration // as the source reported it, from Sent of the final attempt; nil if it did not
}

// Final returns the last attempt.
func (c *ModelCall) Final() *Attempt { return c.Attempts[len(c.Attempts)-1] }

// Start returns when the call began: with its span, or with its first attempt where no span holds them all.
func (c *ModelCall) Start() time.Duration { return min(c.Span.Start, c.Attempts[0].Span.Start) }

// End returns when the call was over.
func (c *ModelCall) End() time.Duration { return max(c.Span.End, c.Final().Span.End) }

// An Attempt is one HTTP request of a model call.
type Attempt struct {
	Span    *Span // the model call's own span where attempts were not recorded
	Number  int   // 1, 2, …
	Status  int   // HTTP status, 0 if unknown
	Outcome Outcome
	Sent    time.Duration // offset at which the request had been sent completely; the span's start if that was not recorded
	Phases  []Phase       // by start, not overlapping; may leave holes, may be empty
	Chunks  *Chunks       // the arrivals, nil if they were not recorded
}

// A Phase is a named stretch of an attempt.
type Phase struct {
	Component  Component
	Start, End time.Duration // offsets from the run's start
	Quality    Quality
	Span       *Span // its span in the tree, virtual where it was derived
}

// A ToolCall is one execution of a tool.
type ToolCall struct {
	Span     *Span
	Step     *Step      // nil if it could not be told
	Call     *ModelCall // that asked for it, nil if it could not be told
	Name     string
	CallID   string // "" if not recorded
	Outcome  Outcome
	Run      *time.Duration // execution alone; nil: not measured, the span's duration is an upper bound
	Approval time.Duration  // time below it spent waiting for approval
}

// Usage is what the provider counted. nil is unknown, never 0.
type Usage struct {
	Input     *int64 // cached tokens included
	Cached    *int64 // part of Input
	Output    *int64 // reasoning tokens included
	Reasoning *int64 // part of Output
	Source    UsageSource
}

// UsageSource says who counted.
type UsageSource string

// The sources of usage numbers. The empty source means unknown too.
const (
	UsageProvider  UsageSource = "provider"
	UsageEstimated UsageSource = "estimated"
	UsageUnknown   UsageSource = "unknown"
)

// A Problem is something odd in the input that did not stop the work: said, never silently repaired.
type Problem struct {
	Code    ProblemCode
	SpanID  string // "" if it is not about one span
	Message string // what was found and what was done, one line
	More    int    // how many further problems of this code it stands for; 0: it is one itself
}

// ProblemCode names a kind of problem, stable across releases.
type ProblemCode string

// The problems that Build, the critical path and the readers and joiners of records list.
const (
	DuplicateID      ProblemCode = "duplicate_id"
	NegativeDuration ProblemCode = "negative_duration"
	ParentCycle      ProblemCode = "parent_cycle"
	OrphanAdopted    ProblemCode = "orphan_adopted"
	SeveralRoots     ProblemCode = "several_roots"
	Unfinished       ProblemCode = "unfinished"
	ClockSkew        ProblemCode = "clock_skew"
	NoStart          ProblemCode = "no_start"
	StartClipped     ProblemCode = "start_clipped"
	EndClipped       ProblemCode = "end_clipped"
	ExcludedBefore   ProblemCode = "excluded_before_parent"
	ExcludedAfter    ProblemCode = "excluded_after_parent"
	Promoted         ProblemCode = "promoted"
	Detached         ProblemCode = "detached"
	BackgroundWork   ProblemCode = "background"
	UnusableLink     ProblemCode = "unusable_link"
	AmbiguousStream  ProblemCode = "ambiguous_stream"
	BadAttribute     ProblemCode = "bad_attribute"
	DroppedData      ProblemCode = "dropped_data"
	UnreadableLine   ProblemCode = "unreadable_line"
	UnknownSpan      ProblemCode = "unknown_span"
	MissingData      ProblemCode = "missing_data"
	DoubtfulData     ProblemCode = "doubtful_data" // what a server said of itself contradicts itself, or what was seen
	Joined           ProblemCode = "joined"        // what two sources showed of one thing was put together
	Unmatched        ProblemCode = "unmatched"     // one source showed what the other did not
)
