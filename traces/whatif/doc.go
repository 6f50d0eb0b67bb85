// Package whatif says how long a run would have taken, had some of it been faster, slower, or not there at all.
//
// In go a measured run and a plan: edits of how long its stretches last, tools that start together, steps left out. Out comes the run as it
// would be, with its own critical path and components; a range; what each change brings; where going faster stops helping; and in words
// what was taken for granted. What always holds: a plan that changes nothing gives the run as it was, to the nanosecond; what only
// shortens never lengthens the run; the components of the run as it would be add up to its wall time; Low ≤ After.Wall ≤ High.
//
// The method is replay (traces/critpath, Replay): every stretch of a span's own time is a part with a length, every span starts after what it
// had waited for, and the run's end is the longest way through. An edit changes lengths and nothing else. So a run's time as a function of
// how long one thing takes is convex and made of straight pieces: it falls at first by the target's share of the path, then less, where other
// work becomes the longest way. Those places are the knees. The prediction is tested against the simulator actually run that way.
//
// # What an edit changes
//
// An edit of a component, a family or a tool changes the parts that the critical path would book on it (ARCHITECTURE.md has the
// components). An edit of wait is also one of its halves queue and prefill, where the server told them apart. TARGET=DURATION sets how
// long each occurrence takes, in all its parts, which keep their shares:
//
//	wait, reasoning, output, …     that of one attempt
//	retry                          one failed attempt
//	tool, tool[NAME]               one execution's own time: approvals and nested calls below it have theirs
//	approval                       one wait
//	backoff, startup, agent, …     one stretch between two others
//
// Occurrences that a run does not have are not added. TARGET=0 is such a duration; off and cached say more: retry=off takes the
// back-off after the failed attempts away too, and a tool that is off or cached needs no approval, and nothing below it happens. Time that is an
// upper bound (traces.Bound) is changed whole, which Answer.Assumed says; reasoning that was hidden in a wait cannot be changed, which it says too.
//
// decode.rate=N makes each phase of reasoning, output and tool_args last its tokens ÷ N. A call's usage is spread over its phases by the
// length of the text that arrived in each. What arrives first ends the wait and is none of a phase's. Edits that scale a phase before, scale its
// tokens. wait=cached lets no call wait longer than the shortest wait seen for its model with cached input, the first call of a run included.
package whatif
