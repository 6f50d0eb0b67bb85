package main

import (
	"strings"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// tagged is an OTLP document with a span of a run that has a tag.
func tagged(trace, effort string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + trace + `","spanId":"00000000000000b1","name":"run",
		"startTimeUnixNano":"1767225600000000000","endTimeUnixNano":"1767225608000000000",
		"attributes":[{"key":"longpole.group.effort","value":{"stringValue":"` + effort + `"}}]}]}]}]}`
}

func TestRecordsOfChosenRuns(t *testing.T) {
	one, two := strings.Repeat("1", 32), strings.Repeat("2", 32)
	var lists [][]traces.Record
	for _, document := range []string{tagged(one, "low") + tagged(two, "high"), tagged(one, "high")} { // the same id twice
		records, _, err := otlp.Read(strings.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, records)
	}
	left, err := selection{where: []string{"effort=high"}}.records(lists)
	if err != nil {
		t.Fatal(err)
	}
	if len(left[0]) != 1 || left[0][0].TraceID != two || len(left[1]) != 1 || left[1][0].TraceID != one {
		t.Errorf("got %v, want the second record of the first list and the only one of the second", left)
	}
	if len(lists[0]) != 2 || lists[0][0].TraceID != one {
		t.Error("the lists that were given have changed")
	}
}
