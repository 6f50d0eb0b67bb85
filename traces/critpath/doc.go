// Package critpath finds out what a run was waiting for.
//
// In goes a run, out comes a path: stretches of time in order, each blamed on one span and one component. They tile the
// run: the first starts at 0, each starts where the one before ends, the last ends at the run's wall time, so every
// nanosecond is blamed exactly once and the components add up to the wall time. This holds for any run, however
// broken; what did not fit is in the path's problems. Input order never matters.
//
// The method is the walk over last-finishing children that tracing tools share: start at the end of the root, go back to
// the child that finished last, then from its start to whatever finished before that (CRISP: Zhang et al., "CRISP:
// Critical Path Analysis of Large-Scale Microservice Architectures", USENIX ATC 2022; Jaeger's critical path view). Both
// assume request trees in which a parent outlives its children. Runs of agents are not such trees, so this walk differs in
// five places:
//
//   - A child that outlives its parent is not cut off at the parent's end. The parent did not wait for it, but an ancestor
//     may have: the child joins the nearest ancestor that outlives it (join.go). Steps closed early by a generator and hand-offs
//     from agent to agent look like this.
//   - Touching and slightly overlapping neighbours follow each other. The tolerance is relative, and has an absolute cap.
//   - A tool can start while the model that asked for it still streams. The model is to blame until then (walk.go).
//   - Declared dependencies beat what timing suggests, background work blocks nobody, and the loser of a race between
//     attempts is never the reason why anything went on.
//   - Each stretch is booked on a component: phases of model calls, tools by name, failed attempts, the waiting between them
//     (attribute.go).
//
// On runs without any of these it gives what Jaeger's walk gives.
//
// The same reading of who waited for whom also goes forwards. A replay is the run as a network of instants, in which every span starts
// after what released it and ends after what joins it, with the own time of spans between as parts whose lengths can be changed
// (wiring.go, parts.go, replay.go). Unchanged it gives the run to the nanosecond. Slack and drag are defined by it: slack is by how much the
// end of a span can be put off for free (slack.go), drag by how much the run would be shorter without the span (drag.go). What other
// edges than those that the order of times suggests would mean is in edges.go. All of it takes O(n log n) time for n spans and
// needs no recursion. A run that is still open is taken as of now throughout.
package critpath
