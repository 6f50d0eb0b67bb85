package traces

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A spanSet holds each span once, with its parent found.
type spanSet struct {
	traces []traceInfo
	spans  []entry
	index  map[spanKey]int32
}

type spanKey struct {
	trace int32
	id    string
}

type traceInfo struct {
	id    string
	spans []int32
}

// An entry is one span of the set.
type entry struct {
	rec       *Record
	trace     int32
	duplicate bool // another, different span claimed the same id
}

// merge lets the best record of each span win: one that ended, else the latest snapshot. Only two ended records that
// disagree are a problem, which the span's entry remembers.
func merge(records []Record) (*spanSet, []Problem) {
	set := &spanSet{spans: make([]entry, 0, len(records)), index: make(map[spanKey]int32, len(records))}
	traceIndex := map[string]int32{}
	nameless := 0
	last := int32(-1)
	for i := range records {
		rec := &records[i]
		if rec.SpanID == "" {
			nameless++
			continue
		}
		if last < 0 || set.traces[last].id != rec.TraceID {
			t, ok := traceIndex[rec.TraceID]
			if !ok {
				t = int32(len(set.traces))
				traceIndex[rec.TraceID] = t
				set.traces = append(set.traces, traceInfo{id: rec.TraceID})
			}
			last = t
		}
		key := spanKey{last, rec.SpanID}
		at, ok := set.index[key]
		if !ok {
			at = int32(len(set.spans))
			set.index[key] = at
			set.spans = append(set.spans, entry{rec: rec, trace: last})
			set.traces[last].spans = append(set.traces[last].spans, at)
			continue
		}
		e := &set.spans[at]
		if rec.End != 0 && e.rec.End != 0 && (rec.End != e.rec.End || rec.Start != e.rec.Start || rec.Name != e.rec.Name) {
			e.duplicate = true
		}
		if better(rec, e.rec) > 0 {
			e.rec = rec
		}
	}
	if nameless == 0 {
		return set, nil
	}
	return set, []Problem{{UnknownSpan, "", fmt.Sprintf("%d records have no span id and were left out", nameless)}}
}

// better orders records of one span: the one to keep is the greatest. It is a total order on contents, so that the order
// of the records does not matter.
func better(a, b *Record) int {
	return cmp.Or(
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
		strings.Compare(fmt.Sprint(a.Message, a.Attrs, a.Events, a.Links), fmt.Sprint(b.Message, b.Attrs, b.Events, b.Links)),
	)
}

func checkpoint(rec *Record) int64 {
	at, _ := rec.Attrs.Int(KeyCheckpoint)
	return at
}

// A group is the spans of one run.
type group struct {
	id    string
	set   *spanSet
	spans []int32 // into set.spans
	local []int32 // position in spans of each span of the set; shared by all groups
}

// groups puts traces together that are one run: those whose roots carry one run id, else those that carry one
// conversation id and are no whole turn by themselves, else each trace for itself.
func (set *spanSet) groups() []group {
	byKey := map[string]int{}
	var groups []group
	local := make([]int32, len(set.spans))
	for i := range set.traces {
		id, kind := set.runID(&set.traces[i])
		at, ok := byKey[kind+id]
		if !ok {
			at = len(groups)
			byKey[kind+id] = at
			groups = append(groups, group{id: id, set: set, local: local})
		}
		g := &groups[at]
		if g.spans == nil {
			g.spans = set.traces[i].spans
		} else {
			g.spans = append(slices.Clip(g.spans), set.traces[i].spans...)
		}
	}
	for _, g := range groups {
		for i, s := range g.spans {
			local[s] = int32(i)
		}
	}
	return groups
}

// runID returns the id of the run that a trace belongs to, and where it comes from.
func (set *spanSet) runID(t *traceInfo) (id, kind string) {
	var run, conversation string
	several := false
	for _, s := range t.spans {
		rec := set.spans[s].rec
		root := rec.ParentID == "" || !set.has(set.spans[s].trace, rec.ParentID)
		for _, a := range rec.Attrs {
			switch a.Key {
			case KeyRunID:
				if v, ok := a.Value.(string); ok && root && v != "" && (run == "" || v < run) {
					run = v
				}
			case KeyConversation:
				if v, ok := a.Value.(string); ok && v != "" {
					several = several || conversation != "" && conversation != v
					conversation = v
				}
			}
		}
	}
	switch {
	case run != "":
		return run, "run "
	case conversation != "" && !several:
		return conversation, "conversation "
	}
	return t.id, "trace "
}

func (set *spanSet) has(trace int32, id string) bool {
	_, ok := set.index[spanKey{trace, id}]
	return ok
}
