// Package simmodel is a server that plays a language model: it speaks the APIs that agents speak, thinks as long as the
// requested effort makes it, answers or calls tools as a script says, and takes as long over it as the serving of a
// real model would. It logs the truth about every request, so that a profiler's figures can be checked against it.
//
// # What it answers
//
//	OpenAI     POST /v1/chat/completions, POST /v1/responses, GET /v1/responses as a WebSocket, GET /v1/models
//	Anthropic  POST /v1/messages, POST /v1/messages/count_tokens
//	Ollama     POST /api/chat, POST /api/generate, GET /api/tags, GET /api/version
//	Google     POST /v1beta/models/MODEL:generateContent, :streamGenerateContent, :countTokens
//
// Each as a stream or whole, with errors in its own words; OpenAI's also without the /v1. Script, timing, faults and truth
// are the same in all of them: an API is a file that reads its requests and a file that words its events, and one line in
// apis. A part of the output (the reasoning, the text, a call) opens on the wire with its first token and closes with its last.
// Ollama and Google send a call in one piece, when all of it has been generated; Ollama's headers wait for the first line.
//
// A message of the user that is or contains a script's prompt selects that Script. The turn is one more than that of the last call
// among the messages, which its id tells, since clients rewrite histories; else the number of the assistant's messages. A
// prompt without a script is played by the Fallback; without one it gets a short reply that says so, thus any client may
// talk to the server, and with a Default model under any name. A request that wraps a prompt and offers no tools is for
// something beside the task, as a title: it gets a few words. Everything random is drawn from (Config.Seed, the request's seed,
// model, script, effort, turn): the same request always gets the same bytes and, while nobody else loads the server, the
// same timing. Unknown fields, tool_choice and parallel_tool_calls are ignored; any key is accepted.
//
// The server remembers a conversation only where its client means to go on with it by an id: previous_response_id, on a
// WebSocket also of what is not to be stored, and message threads. It forgets the oldest beyond 128 MiB.
//
// How reasoning shows is the profile's choice: as a summary, or raw for an open model, in Responses; as thinking in
// Messages and Ollama; as thoughts in Google's API, if the request includes them. Hidden reasoning leaves its item or block
// without text in Responses and Messages, where a request may ask for that too, and no trace elsewhere.
//
// # How long it takes
//
// Modelled time counts from the instant at which the request had been read. A profile of hardware gives
//
//	queue    = wait for one of Slots + Overhead                       → response headers leave
//	prefill  = uncached prompt tokens ÷ (FLOPS·GPUs·Utilisation ÷ 2·ActiveParams)
//	step     = (W(B) + B·KVBytes·context) ÷ (Bandwidth·GPUs·Efficiency) + StepOverhead
//	W(B)     = TotalParams·BytesPerParam·(1 − (1 − ActiveParams/TotalParams)^B)
//	TTFT     = queue + prefill + one step
//
// A decode step reads the weights it needs and every stream's key-value cache once from memory. B is the number of
// streams in the batch: this one, the others at the server, and Background ones elsewhere. A batch shares the weights it
// reads; in a mixture of experts, streams pick different experts, and W(B) is the part of the weights that B independent
// picks touch (for B = 1 the active parameters, for a dense model always all). 2 floating-point operations per active
// parameter and token are the forward pass (Kaplan et al. 2020, arXiv 2001.08361, table 1); decode bound by
// memory bandwidth is the roofline argument of Pope et al. 2022, arXiv 2211.05102, section 2. Each step is
// multiplied by a lognormal factor and, rarely, by a tail (a neighbour's prefill in the same batch); none is shorter than
// its bytes ÷ peak bandwidth, so a profile without speculative decoding never beats Ceiling. With speculative decoding a
// step yields one token and as many drafted ones as are accepted in a row (Leviathan et al. 2022, arXiv 2211.17192), as one chunk.
//
// All up to the last assistant message of a conversation has been through the server before and counts as cached, in
// whole blocks of 16 tokens, unless the cache dropped it (CacheMiss). It is derived from the request, not remembered.
//
// The first generated token ends TTFT; each further token takes one step of its kind (reasoning, or output and tool
// arguments); the end of the sequence takes one more step, after which the stream ends. So n output tokens without
// reasoning take n steps from the first token to the end, and last − first is n − 1 steps. r reasoning tokens before them
// add r steps, of which r − 1 lie between reasoning tokens; the step that ends with the first output token is output's.
// An Exact profile has constants in place of the formulas and gives these instants to the nanosecond.
//
// # Speed
//
// At speed N every modelled duration takes 1/N of it in reality, and every sleep is to an absolute deadline, so that
// errors do not add up. Retry-after headers keep modelled seconds: a client on the same time scale divides
// its back-off itself; any other waits N times too long.
//
// # Faults
//
// A fault is the same in every API but for the words of errors. On a WebSocket, what breaks off is the connection, and
// errors are messages. A fault hits the first attempt of a request and not its retry. A retry is recognised by
// X-Stainless-Retry-Count above 0, or by its asking for what the request that was hit asked for: model, effort, seed, tools and
// conversation, whatever else a client puts into the body. After one retry the record is dropped, so a later repetition of the
// whole conversation has the same faults again.
package simmodel
