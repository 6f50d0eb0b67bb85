// Package stats summarises small samples honestly.
//
// In go plain numbers, out come a middle, an interval and, where the sample is too small to say, the answer
// "cannot be told" (ok = false) instead of a number that looks like one: a percentile needs at least one
// observation expected beyond it, an interval of the median needs enough order statistics to reach its level.
// Two samples are compared by ranks, exactly where they are small, so that times may have any long tail: is there a
// difference (MannWhitney, SignedRank, Fisher, with Holm where there are several), how large is it (HodgesLehmann, Newcombe), and
// how large would it have to be to be seen (Detectable, NeededForShift).
// Values that were cut off by a limit ("longer than 900 s") are kept as such and never averaged.
//
// Inputs may come in any order, are never changed, and must not hold NaN. Units are the caller's.
package stats
