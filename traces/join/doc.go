// Package join puts together what two sources recorded of one run: the wire, as a proxy saw it, and the agent's own spans.
//
// In go the records of one run as tracer/session writes them (run, steps, model calls, attempts with phases, backoff, tool round
// trips) and the records that the agent sent, in our words (after traces/dialect). Out comes one run in one trace, in which every
// model call, every HTTP request and every tool is there once.
//
// Each source is believed in what it measured. The agent knows what belongs to what: its spans keep their ids, names, attributes and
// places, and its span of a model call is the call. The wire knows when things happened to a request: the attempts and their phases
// lie below the agent's call, which takes their times (what the agent's span holds beside them is the agent's own time, not the
// model's) and what the response said: usage, ids, finish reason, time to the first token. What the wire can only infer (steps, the
// call around attempts, the round trip of a tool) stays only where the agent did not measure it.
//
// Calls are matched by the traceparent of their requests, else by the id of the response, else by time: the request begins
// within the agent's span, with 50 ms of tolerance for its clock, the models are equal, and both follow in the same order.
//
// Nothing is lost silently. Spans of the agent are left out where the wire shows the same in more detail (its HTTP requests and
// phases of matched calls), and this is listed with counts, like every call that only one source shows. The result does
// not depend on the order of the records, and joining it again with the same spans changes nothing.
package join
