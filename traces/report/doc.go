// Package report writes what was measured: the machine-readable documents, and plain text for people.
//
// In go the runs and groups of traces/measure, out come JSON (longpole.report/v1, longpole.compare/v1: integers are
// nanoseconds, unknown is null, fields keep their order) or text of 60 to 140 columns; comparisons also as Markdown, CSV
// and Go benchmark lines. Text never depends on colour: every component has a letter, and colour is added on top. Nothing is computed here but layout, and the sentence that closes a
// comparison. Names from traces are data: they are cleaned of control characters before they are printed, and widths
// are counted in terminal cells.
//
// The package also owns how a duration, a share and a name look (Duration, Percent, Clean), for every other screen.
package report
