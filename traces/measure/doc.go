// Package measure computes what a run's spans amount to: where its time went, how each model and tool call did, and
// what runs of one setting have in common.
//
// In goes a traces.Run, out comes a Run with every figure of the report, computed once, which reports and screens only
// arrange. What always holds: the components of a run add up to its wall time exactly, in integer nanoseconds, because
// they are the segments of its critical path added up by name; so do the mean components of a group to its mean wall
// time. What is not known, or would mislead, is nil or empty, never 0.
//
// The instants of a model call (TTFT, first visible, last token, …) are those of the field: TTFT is the first
// model-generated output of any kind, counted from the moment the request had been sent; a chunk is not a token; the
// time per output token is (last − first token) ÷ (output tokens − 1).
package measure
