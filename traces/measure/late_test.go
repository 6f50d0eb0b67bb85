package measure_test

import (
	"slices"
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
		{"an intended start that is no time says nothing either", []traces.Record{record("a", start, start+3*s, meant(-1<<63))}, -1, 3 * time.Second, 1},
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

func TestTimeToAnAnswerCountsFromTheIntendedStart(t *testing.T) {
	late := func(runs []*measure.Run, by ...time.Duration) measure.Group {
		for i, d := range by {
			runs[i].Late = &d
		}
		return measure.GroupBy(runs)[0]
	}
	const s = time.Second
	for _, c := range []struct {
		name, runs string
		late       []time.Duration
		want       string
		mean       time.Duration // of wall and lateness
		notes      []string
	}{
		{"late by different times", "10 ok, 20 ok, 30 ok, 40 ok, 50 ok, 60 ok", []time.Duration{5 * s, 4 * s, 3 * s, 2 * s, 1 * s, 0}, "37.5 (15-60), 15-60", 37500 * time.Millisecond,
			[]string{"runs began 2.50 s later than meant on average: times to an answer count that, the parts of the mean do not"}},
		{"cut off after its limit and its lateness", "10 ok, 900 timeout, 900 timeout", []time.Duration{0, 2 * s, 3 * s}, "more than 902 (?-?), 10-10", 10 * s,
			[]string{"2 runs cut off at the limit count as longer than 902 s", "1 correct run: too few for an interval of the median, which needs 6"}},
		{"on time", "10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok", []time.Duration{0, 0, 0, 0, 0, 0}, "12.5 (10-15), 10-15", 12500 * time.Millisecond, nil},
		{"some have no intended start", "10 ok, 11 ok, 12 ok, 13 ok, 14 ok, 15 ok", []time.Duration{6 * s}, "13.5 (11-16), 11-16", 13500 * time.Millisecond,
			[]string{"runs began 1.00 s later than meant on average: times to an answer count that, the parts of the mean do not"}},
		{"all cut off, all late", "9 timeout, 9 timeout", []time.Duration{s, 3 * s}, "more than 11 (?-?), ?-?", -1,
			[]string{"2 runs cut off at the limit count as longer than 10 s", "no run ended with a correct answer, so there is no time to one",
				"runs began 2.00 s later than meant on average: times to an answer count that, the parts of the mean do not"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := late(ended(t, "low", c.runs), c.late...)
			if got := times(g.TimeToCorrect); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			mean, ok := g.MeanTime()
			if ok != (c.mean >= 0) || ok && mean != c.mean {
				t.Errorf("mean time %v, %v, want %v", mean, ok, c.mean)
			}
			if !slices.Equal(g.Notes, c.notes) {
				t.Errorf("got notes %q, want %q", g.Notes, c.notes)
			}
		})
	}
}
