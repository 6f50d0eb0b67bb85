package measure_test

import (
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

func TestWaitingForARunsStartIsKnownAndNoPartOfItsWallTime(t *testing.T) {
	const start = int64(1_700_000_000_000_000_000)
	const s = int64(time.Second)
	record := func(id string, at, end int64, attrs traces.Attrs) traces.Record {
		return traces.Record{TraceID: id, SpanID: id, Name: "run", Start: at, End: end, Attrs: attrs.With(traces.KeyRunID, "r")}
	}
	meant := func(at int64) traces.Attrs { return traces.Attrs{{Key: traces.KeyIntendedStart, Value: at}} }
	for _, c := range []struct {
		name     string
		records  []traces.Record
		late     time.Duration // -1: unknown
		time     time.Duration
		problems int
	}{
		{"a run without an intended start is not late", []traces.Record{record("a", start, start+3*s, nil)}, -1, 3 * time.Second, 0},
		{"a run that began when it should is late by nothing", []traces.Record{record("a", start, start+3*s, meant(start))}, 0, 3 * time.Second, 0},
		{"a late run's answer is later by as much", []traces.Record{record("a", start, start+3*s, meant(start-2*s))}, 2 * time.Second, 5 * time.Second, 0},
		{"of several roots one has to say it", []traces.Record{record("a", start, start+s, nil), record("b", start+s, start+3*s, meant(start-2*s))},
			2 * time.Second, 5 * time.Second, 0},
		{"a run that began too early says nothing of the load", []traces.Record{record("a", start, start+3*s, meant(start+s))}, -1, 3 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, _ := traces.Build(c.records)
			r := measure.Of(runs[0])
			late := time.Duration(-1)
			if r.Late != nil {
				late = *r.Late
			}
			if late != c.late || r.Time() != c.time || len(r.Problems)-len(runs[0].Problems) != c.problems || r.Wall != 3*time.Second {
				t.Errorf("late by %v, %v until the answer, problems %v; want %v, %v, %d", late, r.Time(), r.Problems, c.late, c.time, c.problems)
			}
		})
	}
}
