// Package traces is the data model: what was recorded, and what it means.
//
// Two types carry everything. A Record is one span as some source wrote it down: flat, with absolute
// times and the source's attributes. A Run is one task of an agent, explained: a tree of spans with
// offsets from its start, and over it the steps, model calls, attempts, phases and tool calls. Build
// turns records into runs and lists what was odd about them as problems; it is the only place between
// the two, so a source never learns about answers and an answer never learns about sources.
//
// Words, components and the report's meaning are fixed here once and used everywhere. The package needs
// only the standard library.
package traces
