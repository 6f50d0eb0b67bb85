// Package compare tells groups of runs apart: which is sooner right, by how much, how sure that is, and why.
//
// In go the groups of traces/measure, out comes a Pair for two of them. A time is that from when a run was meant to begin to its end. Its
// statistics are those of ranks, so that a few runs with a long tail decide nothing. Where both groups did the same tasks they are
// compared task by task: what differs between tasks is no difference between settings. Enough tasks are themselves the sample (per task
// the mean of the logarithms, then the signed-rank test), because runs of one task are not independent; with fewer, runs are compared
// within each task by the rank-sum test, which speaks of these tasks only. Runs that were cut off by a limit count as longer than it.
// Several pairs share one 5 % chance of a false alarm (Holm), pairs that were looked at and not shown included.
//
// The causes of a difference are those of the means of the finished, correct runs, on the critical path. Each component of the mean is a
// product, such as steps × calls per step × tokens per call × time per token, whose change is split over its factors by the
// Shapley value: the mean effect of changing a factor over all orders in which the factors can be changed, computed with exact fractions
// (A. F. Shorrocks, "Decomposition procedures for distributional analysis", J. Econ. Inequal. 11, 2013; for products it is the
// Sun decomposition: J. W. Sun, "Changes in energy consumption and energy intensity", Energy Econ. 20, 1998; survey: B. W.
// Ang, "Decomposition analysis for policymaking in energy", Energy Policy 32, 2004). What always holds: the causes add up to the difference
// of the means exactly, in integer nanoseconds, and those of b against a are those of a against b with the other sign.
package compare
