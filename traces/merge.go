package traces

import (
	"cmp"
	"fmt"
	"strings"
)

// A spanSet holds each span once, with its parent found.
type spanSet struct {
	traces []traceInfo
	spans  []entry
}

type traceInfo struct {
	id    string
	spans []int32
	index map[string]int32 // by span id
}

// An entry is one span of the set.
type entry struct {
	rec       *Record
	trace     int32
	parent    int32 // -1: none, or not in the trace
	duplicate bool  // another, different span claimed the same id
}

// merge lets the best record of each span win: one that ended, else the latest snapshot. Only two ended records that
// disagree are a problem, which the span's entry remembers.
func merge(records []Record) (*spanSet, []Problem) {
	set := &spanSet{spans: make([]entry, 0, len(records))}
	traceOf, nameless := set.findTraces(records)
	for i := range records {
		rec := &records[i]
		if rec.SpanID == "" {
			continue
		}
		t := &set.traces[traceOf[i]]
		at, ok := t.index[rec.SpanID]
		if !ok {
			at = int32(len(set.spans))
			t.index[rec.SpanID] = at
			t.spans = append(t.spans, at)
			set.spans = append(set.spans, entry{rec: rec, trace: traceOf[i]})
			continue
		}
		e := &set.spans[at]
		if ended(rec) && ended(e.rec) && (rec.End != e.rec.End || rec.Start != e.rec.Start || rec.Name != e.rec.Name) {
			e.duplicate = true
		}
		if better(rec, e.rec) > 0 {
			e.rec = rec
		}
	}
	set.findParents()
	if nameless == 0 {
		return set, nil
	}
	return set, []Problem{{Code: UnknownSpan, Message: fmt.Sprintf("%d records have no span id and were left out", nameless)}}
}

// findTraces returns the trace of each record, and makes room for the spans of each trace.
func (set *spanSet) findTraces(records []Record) (traceOf []int32, nameless int) {
	traceOf = make([]int32, len(records))
	byID := map[string]int32{}
	var sizes []int
	for i := range records {
		if records[i].SpanID == "" {
			nameless++
			continue
		}
		id := records[i].TraceID
		if i > 0 && len(sizes) > 0 && records[i-1].TraceID == id && records[i-1].SpanID != "" {
			traceOf[i] = traceOf[i-1]
		} else if t, ok := byID[id]; ok {
			traceOf[i] = t
		} else {
			traceOf[i] = int32(len(sizes))
			byID[id] = traceOf[i]
			set.traces = append(set.traces, traceInfo{id: id})
			sizes = append(sizes, 0)
		}
		sizes[traceOf[i]]++
	}
	for t, n := range sizes {
		set.traces[t].spans = make([]int32, 0, n)
		set.traces[t].index = make(map[string]int32, n)
	}
	return traceOf, nameless
}

func (set *spanSet) findParents() {
	id, trace, parent := "", int32(-1), int32(-1) // of the span before: siblings mostly come together
	for i := range set.spans {
		e := &set.spans[i]
		switch {
		case e.rec.ParentID == "":
			e.parent = -1
			continue
		case e.rec.ParentID != id || e.trace != trace:
			id, trace = e.rec.ParentID, e.trace
			parent = set.find(trace, id)
		}
		e.parent = parent
	}
}

// find returns the span of an id in a trace, -1 if there is none.
func (set *spanSet) find(trace int32, id string) int32 {
	if s, ok := set.traces[trace].index[id]; ok {
		return s
	}
	return -1
}

// better orders records of one span: the one to keep is the greatest. It is a total order on contents, so that the order
// of the records does not matter.
func better(a, b *Record) int {
	if c := compareBool(ended(a), ended(b)); c != 0 {
		return c
	}
	c := cmp.Or(
		cmp.Compare(a.End, b.End),
		cmp.Compare(checkpoint(a), checkpoint(b)),
		cmp.Compare(b.Start, a.Start),
		strings.Compare(b.Name, a.Name),
		cmp.Compare(len(a.Attrs), len(b.Attrs)),
		cmp.Compare(len(a.Events), len(b.Events)),
		cmp.Compare(len(a.Links), len(b.Links)),
		cmp.Compare(a.Status, b.Status),
		strings.Compare(a.ParentID, b.ParentID),
		cmp.Compare(a.Kind, b.Kind),
	)
	if c != 0 {
		return c
	}
	return strings.Compare(fmt.Sprint(a.Message, a.Attrs, a.Events, a.Links), fmt.Sprint(b.Message, b.Attrs, b.Events, b.Links))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// ended reports whether a record tells the span's end; an exporter may have put an end to one that was still open.
func ended(rec *Record) bool {
	if rec.End == 0 {
		return false
	}
	open, _ := rec.Attrs.Bool(KeyOpen)
	return !open
}

func checkpoint(rec *Record) int64 {
	at, _ := rec.Attrs.Int(KeyCheckpoint)
	return at
}
