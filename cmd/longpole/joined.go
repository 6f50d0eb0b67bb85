package main

import (
	"github.com/seed46266073/longpole/tracer/session"
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/dialect"
	"github.com/seed46266073/longpole/traces/join"
)

// understood puts the records of one source into our words. Spans that an agent sent while it was recorded, which name the run, are
// joined with what the wire showed of it.
func understood(records []traces.Record) ([]traces.Record, []traces.Problem) {
	var order []*sides
	byID, byTrace := map[string]*sides{}, map[string]*sides{}
	for _, rec := range records {
		id := rec.Attrs.String(traces.KeyRunID)
		if id == "" || rec.Scope != session.Scope {
			continue
		}
		if byID[id] == nil {
			byID[id] = &sides{}
			order = append(order, byID[id])
		}
		byTrace[rec.TraceID] = byID[id]
	}
	if len(order) == 0 {
		return dialect.Normalise(records)
	}
	var others []traces.Record
	for _, rec := range records {
		run := byTrace[rec.TraceID]
		if rec.Scope != session.Scope {
			run = byID[rec.Attrs.String(traces.KeyRunID)]
		}
		switch {
		case run == nil:
			others = append(others, rec)
		case rec.Scope == session.Scope:
			run.wire = append(run.wire, rec)
		default:
			run.spans = append(run.spans, rec)
		}
	}
	known, problems := dialect.Normalise(others)
	for _, run := range order {
		if len(run.spans) == 0 {
			known = append(known, run.wire...)
			continue
		}
		spans, odd := dialect.Normalise(run.spans)
		joined, more := join.Join(run.wire, spans)
		known = append(known, joined...)
		problems = append(append(problems, odd...), more...)
	}
	return known, problems
}

// sides are the records of one run.
type sides struct{ wire, spans []traces.Record }
