// Package budget holds runs against limits that somebody set.
//
// In go sentences such as "p95(ttft) < 1.5s" and a group of runs, out comes for each whether it is kept, broken, or cannot be
// told, with the value that was seen. A limit is never kept by default: a percentile that the runs are too few for, a time
// nobody measured, or a median beyond which runs were cut off cannot be told, and says why.
// Runs that have not ended are left out of all that is counted by run: it would be too little.
//
// A budget is AGGREGATE(QUANTITY) OP LIMIT, or QUANTITY.AGGREGATE OP LIMIT:
//
//	AGGREGATE  p50 (median), p95, any other percentile, mean, min, max
//	QUANTITY   of each run: run (all of it), answer (the same, of the runs that were right), the time on the critical path of a
//	           component (reasoning, stall, …), of a family of them (decode, tools, …) or of a tool (tool[grep]), and steps,
//	           calls, retries, input_tokens, output_tokens, reasoning_tokens
//	           of each model call: ttft, felt_ttft, tpot, worst_gap, output_rate
//	           of each tool call: exec, exec[grep]
//	OP         <  <=  >  >=
//	LIMIT      a duration (30s, 1.5s, 200ms), a share (5%, 0.05) or a number
//
// Three stand without an aggregate: share(X), the part of all run time that went to a component, a family or a tool; success,
// the share of runs that were right; and runs, how many there are.
package budget
