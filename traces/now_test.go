package traces_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/tracetest"
)

// Each case is a recording that is not over, seen at an instant in milliseconds.
func TestARunThatGrowsLastsUntilNow(t *testing.T) {
	chunks := func(at ...int) traces.Attr {
		c := traces.Chunks{}
		for _, ms := range at {
			c.Add(time.Duration(ms)*time.Millisecond, traces.Output, 3)
		}
		return traces.Attr{Key: traces.KeyChunks, Value: c.Encode()}
	}
	cases := []struct {
		name, run  string
		attempt    traces.Attrs // further ones of the attempt
		checkpoint int          // of it
		now        int
		want       string
	}{
		{
			name: "a tool that is open goes on",
			run: `
				run   ===>
				 grep  ==>
				 read  =`,
			now: 9, want: "run 0-9, grep 1-9, read 1-2",
		},
		{
			name: "what has ended stays as it was",
			run: `
				run   =====
				 grep  ==`,
			now: 9, want: "run 0-5, grep 1-3",
		},
		{
			name: "a present before the last sign is none",
			run: `
				run   =====>
				 grep  ==>`,
			now: 2, want: "run 0-5, grep 1-5",
		},
		{
			name: "a response that came a moment ago still comes",
			run: `
				run      =>
				 attempt =>`,
			attempt: traces.Attrs{chunks(100, 120, 140)}, checkpoint: 150,
			now: 900, want: "run 0-900, attempt 0-900, wait 0-100, output 100-900",
		},
		{
			name: "one that was silent for long when it was last seen has stalled",
			run: `
				run      =>
				 attempt =>`,
			attempt: traces.Attrs{chunks(100, 120, 140)}, checkpoint: 700,
			now: 900, want: "run 0-900, attempt 0-900, wait 0-100, output 100-140, stall 140-900",
		},
		{
			name: "the first chunk alone is followed by its kind",
			run: `
				run      =>
				 attempt =>`,
			attempt: traces.Attrs{chunks(100)}, checkpoint: 150,
			now: 900, want: "run 0-900, attempt 0-900, wait 0-100, output 100-900",
		},
		{
			name: "a request that has not been sent completely connects",
			run: `
				run      =>
				 attempt >`,
			now: 9, want: "run 0-9, attempt 0-9, connect 0-9",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			records := tracetest.Records(t, c.run)
			for i := range records {
				if records[i].Name == "attempt" && c.checkpoint > 0 {
					records[i].Attrs = append(records[i].Attrs, c.attempt...)
					records[i].Attrs = records[i].Attrs.With(traces.KeyCheckpoint, tracetest.Epoch.UnixNano()+int64(c.checkpoint)*1e6)
				}
			}
			runs, _ := traces.BuildWith(records, traces.Options{Now: tracetest.Epoch.Add(time.Duration(c.now) * time.Millisecond)})
			var spans []string
			for _, s := range runs[0].Spans {
				spans = append(spans, fmt.Sprintf("%s %d-%d", s.Name, s.Start.Milliseconds(), s.End.Milliseconds()))
			}
			if got := strings.Join(spans, ", "); got != c.want || len(runs[0].Problems) > 0 {
				t.Errorf("got  %s, problems %v\nwant %s", got, runs[0].Problems, c.want)
			}
		})
	}
}
