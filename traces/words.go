package traces

// Role is what a span is in the loop of an agent.
type Role string

// The roles. Server, client, producer, consumer and internal are OpenTelemetry kinds of spans that are none of ours.
const (
	RoleAgent    Role = "agent"
	RoleStep     Role = "step"
	RoleModel    Role = "model"
	RoleAttempt  Role = "attempt"
	RolePhase    Role = "phase"
	RoleTool     Role = "tool"
	RoleWait     Role = "wait"
	RoleClient   Role = "client"
	RoleServer   Role = "server"
	RoleProducer Role = "producer"
	RoleConsumer Role = "consumer"
	RoleInternal Role = "internal"
)

// Component is what a nanosecond of a run is booked on. The components of a run add up to its wall time exactly.
type Component string

// The components, in the order in which they are listed and drawn.
const (
	Connect   Component = "connect"   // name look-up, TCP, TLS, sending the request body
	Wait      Component = "wait"      // request sent → first generated output, when it cannot be split further
	Queue     Component = "queue"     // the part of wait before the server began, where it reports its own timings
	Prefill   Component = "prefill"   // the part of wait in which the server read the prompt
	Reasoning Component = "reasoning" // generating reasoning tokens
	Output    Component = "output"    // generating visible text
	ToolArgs  Component = "tool_args" // generating names and arguments of tool calls
	Stall     Component = "stall"     // a gap between chunks longer than the stall threshold, whole
	Tail      Component = "tail"      // last generated output → end of the response
	Response  Component = "response"  // model time that the data cannot split
	Tool      Component = "tool"      // executing a tool
	Approval  Component = "approval"  // waiting for a person or a permission check
	Retry     Component = "retry"     // attempts that failed or were given up for another
	Backoff   Component = "backoff"   // between attempts
	Startup   Component = "startup"   // the agent's own time before the first model request
	Agent     Component = "agent"     // the agent's own code between its calls
	Untraced  Component = "untraced"  // between several roots of one run, where no span was open
)

// Components lists every component in the order of display.
var Components = []Component{Connect, Wait, Queue, Prefill, Reasoning, Output, ToolArgs, Stall, Tail, Response,
	Tool, Approval, Retry, Backoff, Startup, Agent, Untraced}

// Family groups components under the field's names for summaries.
type Family string

// The families, in the order of display.
const (
	FamilyTTFT      Family = "TTFT"      // connect, wait, queue, prefill: a sum of components, not ttft_ns
	FamilyReasoning Family = "reasoning" // reasoning
	FamilyDecode    Family = "decode"    // output, tool_args, tail, response
	FamilyStalls    Family = "stalls"    // stall
	FamilyTools     Family = "tools"     // tool, approval
	FamilyRetries   Family = "retries"   // retry, backoff
	FamilyAgent     Family = "agent"     // startup, agent, untraced
)

// Families lists every family in the order of display.
var Families = []Family{FamilyTTFT, FamilyReasoning, FamilyDecode, FamilyStalls, FamilyTools, FamilyRetries, FamilyAgent}

// Family returns the summary line that c belongs to; unknown components are the agent's.
func (c Component) Family() Family {
	switch c {
	case Connect, Wait, Queue, Prefill:
		return FamilyTTFT
	case Reasoning:
		return FamilyReasoning
	case Output, ToolArgs, Tail, Response:
		return FamilyDecode
	case Stall:
		return FamilyStalls
	case Tool, Approval:
		return FamilyTools
	case Retry, Backoff:
		return FamilyRetries
	}
	return FamilyAgent
}

// ParsePhase returns the component that a phase's name stands for: ours, or an older name that readers take too
// (ttft and network → wait, visible → output, decode → response, model.queue → queue, …). An unknown name is Response.
func ParsePhase(name string) Component {
	switch name {
	case "connect", "wait", "queue", "prefill", "reasoning", "output", "tool_args", "stall", "tail", "response":
		return Component(name)
	case "ttft", "network", "model.ttft", "model.network":
		return Wait
	case "model.queue":
		return Queue
	case "model.prefill":
		return Prefill
	case "model.reasoning":
		return Reasoning
	case "visible", "model.visible":
		return Output
	case "model.tool_args":
		return ToolArgs
	}
	return Response
}

// Quality says how a time is known.
type Quality string

// The qualities. A bound is an upper bound: the true time is at most that.
const (
	Measured Quality = "measured"
	Inferred Quality = "inferred"
	Bound    Quality = "bound"
)

// Outcome is how a run, call, attempt or tool ended.
type Outcome string

// The outcomes. Truncated: the connection ended with neither end marker nor finish reason. FailedCheck: the run
// finished but its answer was found wrong.
const (
	OK             Outcome = "ok"
	Error          Outcome = "error"
	Truncated      Outcome = "truncated"
	Cancelled      Outcome = "cancelled"
	Timeout        Outcome = "timeout"
	FailedCheck    Outcome = "failed_check"
	OutcomeUnknown Outcome = "unknown"
)

// Failed reports whether an attempt that ended so is booked as retry.
func (o Outcome) Failed() bool { return o == Error || o == Truncated || o == Timeout }
