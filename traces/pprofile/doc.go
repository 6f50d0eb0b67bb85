// Package pprofile writes critical paths as profiles that `go tool pprof` shows, and reads them back.
//
// A sample is one kind of work of one run (a key of blame.Graph), its value the nanoseconds that the run waited for it. What pprof calls a
// function is a step, a model, a tool or a phase; what it calls flat is time of its own. The values of a run add up to its wall
// time exactly. Labels say whose they are, for -tags, -tagfocus and -tagroot: component, run, outcome, and the run's model, effort, task
// and other tags. The format is profile.proto of github.com/google/pprof.
package pprofile
