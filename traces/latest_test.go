package traces

import (
	"reflect"
	"testing"
)

func TestLatestKeepsOneRecordOfEachSpan(t *testing.T) {
	open := Record{TraceID: "t", SpanID: "a", Name: "chat", Start: 10}
	checkpoint := Record{TraceID: "t", SpanID: "a", Name: "chat", Start: 10, Attrs: Attrs{{KeyCheckpoint, int64(20)}}}
	ended := Record{TraceID: "t", SpanID: "a", Name: "chat", Start: 10, End: 30}
	other := Record{TraceID: "u", SpanID: "a", Name: "same id, other trace", Start: 5, End: 6}
	cases := []struct {
		name      string
		in, wants []Record
	}{
		{"nothing stays nothing", nil, []Record{}},
		{"the end beats the start, in the place of the first", []Record{open, other, ended}, []Record{ended, other}},
		{"also when it was written first", []Record{ended, checkpoint, open}, []Record{ended}},
		{"a later snapshot beats an earlier one", []Record{checkpoint, open}, []Record{checkpoint}},
		{"a record without an id is left out", []Record{{Name: "nobody"}, ended}, []Record{ended}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Latest(c.in); !reflect.DeepEqual(got, c.wants) {
				t.Errorf("got  %v\nwant %v", got, c.wants)
			}
		})
	}
}
