package traces

// Attribute keys that are written and read, each with the convention it comes from. This is the only list of them:
// what other libraries call these things is mapped onto it by traces/dialect.

// OpenTelemetry GenAI semantic conventions 1.41 (open-telemetry/semantic-conventions v1.41.0), except where noted.
const (
	KeyOperation        = "gen_ai.operation.name"  // chat, text_completion, generate_content, embeddings, execute_tool, invoke_agent, …
	KeyProvider         = "gen_ai.provider.name"   //
	KeyAgentName        = "gen_ai.agent.name"      //
	KeyConversation     = "gen_ai.conversation.id" //
	KeyRequestModel     = "gen_ai.request.model"   //
	KeyRequestStream    = "gen_ai.request.stream"  // bool, only when true
	KeyRequestMaxTokens = "gen_ai.request.max_tokens"
	KeyTemperature      = "gen_ai.request.temperature"
	KeySeed             = "gen_ai.request.seed"
	KeyEffort           = "gen_ai.request.reasoning.level" // semantic-conventions-genai, after 1.41; the provider's own word
	KeyResponseModel    = "gen_ai.response.model"
	KeyResponseID       = "gen_ai.response.id"
	KeyFinishReasons    = "gen_ai.response.finish_reasons"           // list of strings
	KeyTTFT             = "gen_ai.response.time_to_first_chunk"      // float seconds, from the request being sent
	KeyInputTokens      = "gen_ai.usage.input_tokens"                // cached tokens included
	KeyCachedTokens     = "gen_ai.usage.cache_read.input_tokens"     // part of the input
	KeyCacheWriteTokens = "gen_ai.usage.cache_write.input_tokens"    // semantic-conventions-genai, after 1.41
	KeyCacheCreation    = "gen_ai.usage.cache_creation.input_tokens" // 1.41's word for the same
	KeyOutputTokens     = "gen_ai.usage.output_tokens"               // reasoning included
	KeyReasoningTokens  = "gen_ai.usage.reasoning.output_tokens"     // part of the output
	KeyToolName         = "gen_ai.tool.name"
	KeyToolCallID       = "gen_ai.tool.call.id"
	KeyToolType         = "gen_ai.tool.type"
	KeyOutputMessages   = "gen_ai.output.messages" // content, only when asked for: JSON of the conventions' message schema
)

// OpenTelemetry general conventions, stable.
const (
	KeyErrorType   = "error.type"
	KeyHTTPMethod  = "http.request.method"
	KeyHTTPStatus  = "http.response.status_code"
	KeyResendCount = "http.request.resend_count" // absent on the first attempt, then 1, 2, …
	KeyServerAddr  = "server.address"
	KeyServerPort  = "server.port"
	KeyServiceName = "service.name" // resource
	KeyHostName    = "host.name"    // resource
)

// Our own: what has no convention. Files written by hand or by other tools may use them too.
const (
	KeyRole        = "longpole.role"          // a Role; beats the operation name and the span kind
	KeyPhase       = "longpole.phase"         // on phases: a Component
	KeyQuality     = "longpole.quality"       // on phases: a Quality; absent: measured
	KeyWait        = "longpole.wait"          // on waits: approval, rate_limit, backoff, other
	KeyOp          = "longpole.op"            // on attempts: id of their logical call, unique within the run
	KeyAttempt     = "longpole.attempt"       // on attempts: 1, 2, …
	KeyBackground  = "longpole.background"    // nothing waits for it
	KeyCancelled   = "longpole.cancelled"     // lost a race or was abandoned
	KeyDep         = "longpole.dep"           // on links: this span waited for the linked one
	KeyRunID       = "longpole.run.id"        // on roots
	KeyRunName     = "longpole.run.name"      // on roots
	KeyGroupPrefix = "longpole.group."        // on roots: tags, longpole.group.effort = "low"
	KeyOutcome     = "longpole.outcome"       // on roots, models, attempts, tools: an Outcome
	KeyToolCallIDs = "longpole.tool_call_ids" // on models: ids of the calls they asked for
	KeyTimeScale   = "longpole.time_scale"    // on roots: factor of recorded time over real time; absent: 1
	KeyStepIndex   = "longpole.step.index"    // on steps: 1, 2, …
	KeySide        = "longpole.side"          // on models: outside the main chain (a title, a router)

	KeySentTime       = "longpole.sent_ns"            // on attempts: span start → request sent completely
	KeyHeadersTime    = "longpole.headers_ns"         // on attempts: sent → response headers
	KeyFirstByteTime  = "longpole.first_byte_ns"      // on attempts: sent → first body byte
	KeyFirstEventTime = "longpole.first_event_ns"     // on attempts: sent → first parsed data event
	KeyEndMarkerTime  = "longpole.end_ns"             // on attempts: sent → the stream's own end marker, or the connection's close
	KeyStallThreshold = "longpole.stall_threshold_ns" // on attempts: the threshold that was used
	KeyChunks         = "longpole.chunks"             // on attempts, in our own file only: the chunk series (Chunks.Encode), bytes
	KeyChunkCount     = "longpole.chunk.count"        // on attempts
	KeyChunkGapP50    = "longpole.chunk_gap.p50_ns"   // on attempts: gaps between chunks that carry output
	KeyChunkGapP95    = "longpole.chunk_gap.p95_ns"
	KeyChunkGapP99    = "longpole.chunk_gap.p99_ns"
	KeyChunkGapMax    = "longpole.chunk_gap.max_ns"
	KeyChars          = "longpole.chars"                  // on attempts: characters of visible text
	KeyReasoningChars = "longpole.reasoning_chars"        // on attempts: characters of reasoning text
	KeyUsageDoubt     = "longpole.usage.inconsistent"     // on attempts, true: the provider's counts do not add up; what is in doubt is left out
	KeyTimingsDoubt   = "longpole.timings.inconsistent"   // on attempts, true: the server's own timings contradict the wire; they were not used
	KeyPaced          = "longpole.stream.paced"           // on attempts: "consumer" if the reader, not the network, set the pace
	KeyVisibility     = "longpole.reasoning.visibility"   // on attempts: full, summary, hidden, none
	KeyPlanned        = "longpole.backoff.planned_ns"     // on backoff waits: what the server or the policy asked for
	KeyReason         = "longpole.backoff.reason"         // on backoff waits: the outcome or status that caused it
	KeyCheckpoint     = "longpole.checkpoint_unix_ns"     // on open spans written again: when that was, a decimal string or int
	KeyLastByte       = "longpole.last_byte_unix_ns"      // on open attempts written again: when the body's last byte so far came; absent: none has
	KeyLastEvent      = "longpole.last_event_unix_ns"     // the same of parsed data events
	KeyLastToken      = "longpole.last_token_unix_ns"     // the same of generated output
	KeyLastKind       = "longpole.last_token.kind"        // and which it was: reasoning, output, tool_args
	KeyHiddenSince    = "longpole.hidden_since_unix_ns"   // on open attempts written again: since when the model has been reasoning unseen
	KeyRetryAfter     = "longpole.retry_after_ns"         // on attempts: how long the server asked to wait before the next
	KeyRunTime        = "longpole.tool.run_ns"            // on tools: execution alone, where the round trip holds more
	KeyMayWait        = "longpole.tool.may_wait"          // on tools: true, the round trip is so long that it may hold a person's time
	KeyIntendedStart  = "longpole.intended_start_unix_ns" // on roots of an open-loop load
	KeyAnswerCheck    = "longpole.check"                  // on roots: what the verifier said, one line
	KeyTraceparent    = "longpole.traceparent"            // on attempts: the request's traceparent header (W3C Trace Context), whose parent id is a span of the agent
	KeyOrigin         = "longpole.origin"                 // on links: true, the linked span is this one, in the trace that it was taken from
	KeyOpen           = "longpole.open"                   // on exported spans: true, the span had not ended; its end is the last instant known
	KeyRepaired       = "longpole.repaired"               // on written spans: where bytes that are not UTF-8 were replaced (string array)
)
