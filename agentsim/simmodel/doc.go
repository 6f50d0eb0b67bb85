// Package simmodel is a server that plays a language model: it speaks OpenAI's Chat Completions, thinks as long as the
// requested effort makes it, answers or calls tools as a script says, and takes as long over it as the serving of a
// real model would. It logs the truth about every request, so that a profiler's figures can be checked against it.
//
// # What it answers
//
// POST /v1/chat/completions, as a stream or whole, and GET /v1/models. The server remembers no conversation: the first
// user message selects the Script, the number of assistant messages the turn. A prompt without a script gets a short
// reply that says so, thus any client may talk to it. Everything random is drawn from (Config.Seed, the request's seed,
// model, script, effort, turn): the same request always gets the same bytes and, while nobody else loads the server, the
// same timing. Unknown fields, tool_choice and parallel_tool_calls are ignored; any bearer is accepted.
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
// A fault hits the first attempt of a request and not its retry. A retry is recognised by X-Stainless-Retry-Count above
// 0, or by its body being that of the request that was hit; after one retry the record is dropped, so a later repetition of the whole
// conversation has the same faults again.
package simmodel
