// Package blame adds up what many runs were waiting for.
//
// In go measured runs, out come two answers. Of tells how much of the time each component, tool, step and model had on the
// critical path, in how many runs, what was done beside the path, and whether late steps are slower than early ones. Flame
// adds up the paths by kind of work as a tree, which is an aggregated critical-path flame graph: "the third chat of run 17" becomes
// agent;step;model:big;reasoning. CRISP adds up the paths of requests in this way (Zhang et al., "CRISP: Critical Path Analysis of
// Large-Scale Microservice Architectures", USENIX ATC 2022).
//
// What always holds: the times of a run add up to its wall time exactly, in integer nanoseconds; so do sums over runs, and means, which are
// rounded together. The order of runs never matters. Percentiles of components do not add up; what adds up is the
// composition of the runs around a percentile (Blame.Around).
package blame
