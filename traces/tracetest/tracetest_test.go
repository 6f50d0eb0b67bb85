package tracetest

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/seed46266073/longpole/traces"
)

const drawing = `
run                ==================
 step1             ===============
  model             wwrrooaa
   attempt1:internal   ===
  grep                       ===x
   approval                  ==
  read                       =====>
 upload:producer                  |
`

func TestAPictureIsDrawnBack(t *testing.T) {
	first := String(Parse(t, drawing))
	if again := String(Parse(t, first)); again != first {
		t.Errorf("drawn again:\n%s\nfirst:\n%s", again, first)
	}
}

func TestABarIsItsTimes(t *testing.T) {
	for _, c := range []struct {
		line     string
		from, to int
		check    func(traces.Record) bool
	}{
		{"x    ==", 0, 2, func(r traces.Record) bool { return r.Attrs.String(traces.KeyRole) == "tool" }},
		{"x   |", -1, -1, func(r traces.Record) bool { return r.End == r.Start }},
		{"x    =x", 0, 2, func(r traces.Record) bool { return r.Status == traces.StatusError }},
		{"step2 ==", 1, 3, func(r traces.Record) bool { return r.Attrs.String(traces.KeyRole) == "step" }},
		{"x    ==  status:429 a=b n=1.5", 0, 2, func(r traces.Record) bool {
			status, _ := r.Attrs.Int(traces.KeyHTTPStatus)
			n, _ := r.Attrs.Float("n")
			return status == 429 && r.Attrs.String("a") == "b" && n == 1.5
		}},
	} {
		got := Records(t, "run  ====\n "+c.line)[1]
		// The line is indented by one, so its columns are one further right than they look.
		if got.Start != at(c.from+1) || got.End != at(c.to+1) || !c.check(got) {
			t.Errorf("%q: got %d to %d, %+v", c.line, (got.Start-at(0))/1e6, (got.End-at(0))/1e6, got)
		}
	}
}

func TestRandomIsTheSameForTheSameSeed(t *testing.T) {
	if a, b := Random(4), Random(4); !reflect.DeepEqual(a, b) {
		t.Errorf("got\n%v\nthen\n%v", a, b)
	}
}

func TestLoopIsInOrder(t *testing.T) {
	runs, problems := traces.Build(Loop(3))
	if len(runs) != 1 || len(problems)+len(runs[0].Problems) > 0 {
		t.Fatalf("got %d runs, problems %v", len(runs), problems)
	}
	run := runs[0]
	if len(run.Spans) != 1+3*11 || len(run.Steps) != 3 || len(run.ModelCalls) != 3 || len(run.ToolCalls) != 6 || run.Wall != 300*time.Millisecond {
		t.Errorf("got %d spans, %d steps, %d calls, %d tools, %v", len(run.Spans), len(run.Steps), len(run.ModelCalls), len(run.ToolCalls), run.Wall)
	}
}

func ExampleString() {
	run := Parse(new(testing.T), `
		run      ===============
		 model   wwrrroo           asks:c1
		 grep           =====x     call:c1
		 read           ====`)
	fmt.Print(String(run))
	// Output:
	// run    ===============
	//  model wwrrroo
	//  grep         =====x
	//  read         ====
}
