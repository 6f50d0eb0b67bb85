// Package cost puts a price on runs.
//
// In go a user's table of prices (no prices are built in: they would go stale) and measured runs, out come what each model
// call, each run and each correct answer cost, exactly, and the settings that none beats in time, success and cost together.
//
// What always holds: an amount is computed in exact fractions and rounded only where it is printed; what has no price or was
// not counted is unknown, never 0, and so is every sum that it belongs to, with how many calls that are. A sum that may be
// more or less than what is known says so.
package cost
