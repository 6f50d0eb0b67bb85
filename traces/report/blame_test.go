package report_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
)

// growing measures runs of nine steps, each of which waits longer than the one before; every second run reads beside the search.
func growing(t *testing.T, n int) []*measure.Run {
	t.Helper()
	var runs []*measure.Run
	for k := range n {
		recs := []traces.Record{{TraceID: fmt.Sprint("t", k), SpanID: "run", Name: "read the book", Start: 1, Attrs: traces.Attrs{
			{Key: traces.KeyRole, Value: "agent"}, {Key: traces.KeyOutcome, Value: "ok"}}}}
		at := int64(1)
		add := func(name, role string, from, length int64, attrs ...traces.Attr) {
			recs = append(recs, traces.Record{TraceID: recs[0].TraceID, SpanID: fmt.Sprint(len(recs)), ParentID: "run", Name: name, Start: from, End: from + length,
				Attrs: append(traces.Attrs{{Key: traces.KeyRole, Value: role}}, attrs...)})
		}
		const ms = 1_000_000
		for step := range int64(9) {
			wait := (300 + 40*step + int64(k*7%5)) * ms
			add("chat", "model", at, wait+400*ms, traces.Attr{Key: traces.KeyRequestModel, Value: "glm-sim"}, traces.Attr{Key: traces.KeyTTFT, Value: float64(wait) / 1e9},
				traces.Attr{Key: traces.KeyInputTokens, Value: 1000 + 500*step}, traces.Attr{Key: traces.KeyOutputTokens, Value: int64(60)})
			at += wait + 400*ms
			add("search", "tool", at, (200+int64(k)*20)*ms)
			if k%2 == 1 {
				add("read", "tool", at, 100*ms)
			}
			at += (200 + int64(k)*20) * ms
		}
		recs[0].End = at
		built, problems := traces.Build(recs)
		if len(built) != 1 || len(problems) > 0 {
			t.Fatalf("got %d runs, problems %v", len(built), problems)
		}
		runs = append(runs, measure.Of(built[0]))
	}
	return runs
}

// What several runs waited for: ranked, with percentiles where there are enough runs, hidden work, drift, typical and slow runs.
func TestBlame(t *testing.T) {
	for _, c := range []struct {
		name   string
		runs   []*measure.Run
		opt    report.TextOptions
		widths []int
	}{
		{name: "blame", runs: bench(t, 8), widths: []int{60, 80, 140}},
		{name: "blame-drift", runs: growing(t, 21), widths: []int{60, 80}},
		{name: "blame-ascii", runs: growing(t, 3), opt: report.TextOptions{ASCII: true}, widths: []int{80}},
	} {
		for _, width := range c.widths {
			t.Run(fmt.Sprint(c.name, " at ", width), func(t *testing.T) {
				c.opt.Width = width
				var got bytes.Buffer
				if err := report.WriteText(&got, c.runs, nil, c.opt); err != nil {
					t.Fatal(err)
				}
				lines(t, got.Bytes(), width, false)
				golden(t, fmt.Sprintf("%s-%d.txt", c.name, width), got.Bytes())
			})
		}
	}
	var doc bytes.Buffer
	if err := report.WriteJSON(&doc, growing(t, 2), nil); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(doc.Bytes(), []byte("\n \"blame\": "))
	golden(t, "blame.json", rest)
}
