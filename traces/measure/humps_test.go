package measure_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// first makes runs of one call whose first token came after so many milliseconds.
func first(t *testing.T, model string, ttft ...int64) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for i, ms := range ttft {
		const epoch = 1_700_000_000_000_000_000
		built, _ := traces.Build([]traces.Record{
			{TraceID: fmt.Sprint(model, i), SpanID: "run", Name: "run", Start: epoch, End: epoch + 10e9, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "agent"}, {Key: traces.KeyOutcome, Value: "ok"}, {Key: traces.KeyAnswerCheck, Value: "right"}}},
			{TraceID: fmt.Sprint(model, i), SpanID: "chat", ParentID: "run", Name: "chat", Start: epoch, End: epoch + 9e9, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "model"}, {Key: traces.KeyRequestModel, Value: model}}},
			{TraceID: fmt.Sprint(model, i), SpanID: "wait", ParentID: "chat", Name: "wait", Start: epoch, End: epoch + ms*1e6, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "phase"}, {Key: traces.KeyPhase, Value: "wait"}}},
			{TraceID: fmt.Sprint(model, i), SpanID: "output", ParentID: "chat", Name: "output", Start: epoch + ms*1e6, End: epoch + 9e9, Attrs: traces.Attrs{{Key: traces.KeyRole, Value: "phase"}, {Key: traces.KeyPhase, Value: "output"}}},
		})
		runs = append(runs, measure.Of(built[0]))
	}
	return runs
}

func TestTwoHumpedFirstTokenTimes(t *testing.T) {
	warm := []int64{300, 310, 290, 305, 330, 280, 315, 325}
	cold := []int64{1900, 2000, 1850, 2100, 1950, 1800, 2050, 1990, 1940}
	for _, c := range []struct {
		name string
		runs []*measure.Run
		want string
	}{
		{"warm and cold are told apart", first(t, "m", slices.Concat(warm, cold)...), "times to first token fall into two groups: about 307 ms in 8 calls and 1.95 s in 9 calls; a cache that is sometimes cold is one possible reason"},
		{"where calls may have queued no cache is named", tagged(first(t, "m", slices.Concat(warm, cold)...), "concurrency", "16"),
			"times to first token fall into two groups: about 307 ms in 8 calls and 1.95 s in 9 calls"},
		{"one hump", first(t, "m", 300, 310, 320, 330, 340, 350, 360, 380, 400, 450, 500, 700), ""},
		{"two that hardly differ", first(t, "m", 300, 300, 300, 300, 300, 300, 310, 310, 310, 310, 310, 310), ""},
		{"too few", first(t, "m", 300, 300, 300, 2000, 2000, 2000), ""},
		{"two models are two anyway", append(first(t, "a", warm...), first(t, "b", cold...)...), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, note := range measure.GroupBy(c.runs)[0].Notes {
				if len(note) > 5 && note[:5] == "times" {
					got = note
				}
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func tagged(runs []*measure.Run, key, value string) []*measure.Run {
	for _, r := range runs {
		if r.Group == nil {
			r.Group = map[string]string{}
		}
		r.Group[key] = value
	}
	return runs
}
