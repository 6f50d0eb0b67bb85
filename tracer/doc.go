// Package tracer records what an agent does as OpenTelemetry spans, from inside the agent.
//
// In go runs, steps, model calls and tools, as the agent starts and ends them, and the HTTP requests of any client that
// lets a middleware see them. Out come ordinary spans, to any OpenTelemetry exporter, and the same as traces.Records to a
// Sink, which also gets the series of chunks of each response, and each span when it starts, so that a run that is killed can
// be read up to its last second.
//
//	invoke_agent {task}          the run: longpole.run.id, longpole.run.name, longpole.group.*, longpole.outcome, longpole.check
//	└─ step {n}                  longpole.step.index
//	   ├─ chat {model}           gen_ai.request.*, gen_ai.response.*, gen_ai.usage.*, longpole.tool_call_ids, longpole.outcome
//	   │  ├─ attempt {n}         http.*, server.*, longpole.op, longpole.attempt, longpole.*_ns, longpole.chunk*, longpole.outcome
//	   │  │  └─ {phase}          longpole.phase, longpole.quality unless measured; phases tile the attempt
//	   │  └─ backoff             longpole.wait, longpole.backoff.planned_ns, longpole.backoff.reason
//	   ├─ execute_tool {name}    gen_ai.tool.name, gen_ai.tool.call.id, longpole.outcome
//	   └─ wait {reason}          longpole.wait: approval, rate_limit, other
//
// Every one of them has longpole.role; the list of keys is in package traces. A tool is linked to the model call that
// asked for it, and a model call, with longpole.dep, to the tools whose results it brings; nothing is linked to its
// parent.
//
// What always holds: a span of ours ends once, whatever happens, if only by Shutdown. The instants of a run come from one
// monotonic clock, so its parts add up. Bytes of a response are timed as they arrive, not as the agent reads them; where
// a full buffer made the agent set the pace, longpole.stream.paced says so. Nothing that goes wrong here reaches the agent: a sink that
// fails loses records, which are counted, and a decoder that fails loses facts. Prompts, arguments, results, headers and
// error texts are not kept; with Options.Content, generated text and tool arguments are, credentials masked.
//
// Names follow the OpenTelemetry GenAI conventions 1.41; what they have no word for begins with longpole.
package tracer
