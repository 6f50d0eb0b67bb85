package dialect

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/otlp"
)

// document returns the records of a case: an object whose input.body is an OTLP document.
func document(t *testing.T, path string) []traces.Record {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Input struct{ Body json.RawMessage }
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	recs, _, err := otlp.Read(strings.NewReader(string(c.Input.Body)))
	if err != nil {
		t.Fatal(err)
	}
	recs, _ = Normalise(recs)
	return recs
}

func TestTimeToFirstChunkHasItsUnit(t *testing.T) {
	runs, _ := traces.Build(document(t, "testdata/import-ttft-units-and-names.json"))
	if len(runs) != 8 {
		t.Fatalf("got %d runs, want 8", len(runs))
	}
	for _, run := range runs {
		c := run.ModelCalls[0]
		if run.Name == "call 8" { // 1310 s in a call of 3 s
			if c.TTFT != nil || len(run.Problems) != 1 || run.Problems[0].Code != traces.BadAttribute {
				t.Errorf("%s: got %v, problems %v; want it rejected", run.Name, c.TTFT, run.Problems)
			}
			continue
		}
		if c.TTFT == nil || *c.TTFT != 1310*time.Millisecond {
			t.Errorf("%s: got %v, want 1.31s", run.Name, c.TTFT)
		}
	}
}

func TestUsageOnParentsIsNotCountedTwice(t *testing.T) {
	runs, _ := traces.Build(document(t, "testdata/import-usage-repeated-on-parents.json"))
	if len(runs) != 2 {
		t.Fatalf("got %d runs, want 2", len(runs))
	}
	for _, run := range runs {
		in, out, calls := int64(2400), int64(200), 2
		if run.Name == "invoke_agent lonely" { // nothing below it has usage, so its own counts
			in, out, calls = 55, 6, 0
		}
		if u := run.Usage; u.Input == nil || *u.Input != in || *u.Output != out || len(run.ModelCalls) != calls {
			t.Errorf("%s: got %s in, %s out, %d calls; want %d, %d, %d", run.Name, number(u.Input), number(u.Output), len(run.ModelCalls), in, out, calls)
		}
	}
}
