// Package session makes runs out of the traffic between agents and their models, without help from the agents.
//
// In go the exchanges that tracer/proxy measures; out come traces.Records of the same spans that package tracer makes from inside an
// agent: run, step, model call, attempt and phases, backoff, tool round trips. Nothing is known but what the wire shows:
//
//   - Which conversation a request goes on with: by ids that the server minted (of tool calls and of responses), else by its
//     messages, which begin like those of an earlier request, else by the thread it names. Where several fit, as with two agents that
//     send the same bytes, the connection decides, then who has not been answered yet.
//   - Whether it asks again for what failed: it is the next attempt of the same call if the call before it came to nothing and it
//     has the same body, the same messages, or no more of the model's. If the partial answer has become part of it, it is a new call.
//   - Where a conversation belongs: the one that offers tools, or goes on, is the main chain, a step a call. One without tools beside it
//     is a side call; one that begins while a tool of the main chain is under way is a sub-agent below that tool.
//   - How long tools took: from the end of the answer that asks for a call to the request that brings its result. It is an upper
//     bound, the same for all calls of an answer whose results come together. Agents known to start a tool before the answer ends are
//     given the time from the call's last piece.
//
// What cannot be told yet is written as far as it is known, and rewritten when it can be: a first call without tools may turn out to
// be a title or the whole conversation. Records are written when something starts, at least once a second while it is open, and when it
// ends, so that a kill loses little. Every exchange that asks for output becomes exactly one attempt; all spans of a run lie inside
// their parents, unless they go on in the background.
//
// The heuristics were made for the agents of 2026 (codex, opencode, pi, qwen-code, gemini-cli, the SDKs of OpenAI and Anthropic and
// what is built on them), and are tested with recordings of them. No text is seen here: only hashes and ids.
package session
