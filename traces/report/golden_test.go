package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/tracetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// lines checks what holds for any text: no line is wider than the page, has control characters or trailing space.
func lines(t *testing.T, text []byte, width int, colour bool) {
	t.Helper()
	for i, line := range strings.Split(string(text), "\n") {
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("line %d is %d cells wide, more than %d: %q", i+1, w, width, line)
		}
		bare := line
		if colour {
			bare = ansi.Strip(line)
		}
		if bare != report.Clean(bare) {
			t.Errorf("line %d holds control characters: %q", i+1, line)
		}
		if bare != strings.TrimRight(bare, " ") {
			t.Errorf("line %d ends in spaces: %q", i+1, line)
		}
	}
}

func one(t *testing.T) []*measure.Run {
	return []*measure.Run{drawn(t, fixConfig, tags("high", "1", traces.OK)...)}
}

func lost() []traces.Problem {
	return []traces.Problem{{Code: traces.UnreadableLine, Message: "line 7 is torn; left out"}}
}

// alike is many problems of one kind among others.
func alike() []traces.Problem {
	list := lost()
	for i := range 20 {
		list = append(list, traces.Problem{Code: traces.OrphanAdopted, SpanID: fmt.Sprint("s", i), Message: fmt.Sprintf("span %d has a parent that is not there; put below the root", i)})
	}
	return append(list, traces.MoreProblems(traces.OrphanAdopted, 1007), traces.Problem{Code: traces.SeveralRoots, Message: "the run has 2 roots; put below @trace"})
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		name     string
		runs     []*measure.Run
		problems []traces.Problem
		opt      report.TextOptions
		widths   []int
	}{
		{name: "none", problems: lost(), widths: []int{60, 80, 140}},
		{name: "alike", problems: alike(), widths: []int{80}},
		{name: "one", runs: one(t), widths: []int{60, 80, 140}},
		{name: "one-ascii", runs: one(t), opt: report.TextOptions{ASCII: true}, widths: []int{80}},
		{name: "one-colour", runs: one(t), opt: report.TextOptions{Colour: true}, widths: []int{80}},
		{name: "many", runs: bench(t, 2), problems: lost(), widths: []int{60, 80, 140}},
		{name: "open", runs: []*measure.Run{drawn(t, open, traces.Attr{Key: traces.KeyTimeScale, Value: 10.0})}, widths: []int{80}},
		{name: "hidden", runs: []*measure.Run{drawn(t, hidden)}, widths: []int{80}},
		{name: "empty", runs: []*measure.Run{drawn(t, "run |")}, widths: []int{80}},
	} {
		for _, width := range c.widths {
			t.Run(fmt.Sprint(c.name, " at ", width), func(t *testing.T) {
				c.opt.Width = width
				var got bytes.Buffer
				if err := report.WriteText(&got, c.runs, c.problems, c.opt); err != nil {
					t.Fatal(err)
				}
				lines(t, got.Bytes(), width, c.opt.Colour)
				golden(t, fmt.Sprintf("%s-%d.txt", c.name, width), got.Bytes())
				if c.opt.ASCII {
					for _, b := range got.Bytes() {
						if b >= 0x80 {
							t.Fatalf("not ASCII:\n%s", got.String())
						}
					}
				}
			})
		}
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name   string
		groups []measure.Group
		opt    report.TextOptions
		widths []int
	}{
		{name: "groups-none", widths: []int{80}},
		{name: "groups-one", groups: measure.GroupBy(bench(t, 3)), widths: []int{80}},
		{name: "groups-few", groups: measure.GroupBy(bench(t, 3), "effort"), widths: []int{80}},
		{name: "groups", groups: measure.GroupBy(bench(t, 12), "effort"), widths: []int{60, 80, 140}},
		{name: "groups-many", groups: measure.GroupBy(bench(t, 14), "trial"), widths: []int{60}},
		{name: "groups-ascii", groups: measure.GroupBy(bench(t, 12), "effort"), opt: report.TextOptions{ASCII: true}, widths: []int{80}},
	} {
		for _, width := range c.widths {
			t.Run(fmt.Sprint(c.name, " at ", width), func(t *testing.T) {
				c.opt.Width = width
				var got bytes.Buffer
				if err := report.WriteGroups(&got, c.groups, c.opt); err != nil {
					t.Fatal(err)
				}
				lines(t, got.Bytes(), width, false)
				golden(t, fmt.Sprintf("%s-%d.txt", c.name, width), got.Bytes())
			})
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"none.json", func(b *bytes.Buffer) error { return report.WriteJSON(b, nil, lost()) }},
		{"one.json", func(b *bytes.Buffer) error { return report.WriteJSON(b, one(t), nil) }},
		{"open.json", func(b *bytes.Buffer) error { return report.WriteJSON(b, []*measure.Run{drawn(t, open)}, nil) }},
		{"groups.json", func(b *bytes.Buffer) error {
			return report.WriteGroupsJSON(b, measure.GroupBy(bench(t, 12), "effort"), lost())
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := c.write(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, got.Bytes())
		})
	}
}

// Names from traces are cut and padded by cells, on character boundaries, and cannot move the cursor.
func TestNamesOfAnyWidth(t *testing.T) {
	recs := slow(tracetest.Records(t, `
		run     ========
		 t1     =
		 t2      =
		 t3       =
		 t4        =
		 t5         =
		 t6          =
		 t7           =
		 t8            =
	`), 100e6)
	names := []string{"检索文件", "モデル呼び出し", "도구 실행", "👩‍💻 pair", "🇯🇵 lookup", "étape 1", "tool\tls", "plain chat \x1b[31m\x07" + strings.Repeat("very ", 30)}
	for i, name := range names {
		recs[i+1].Name = name
		recs[i+1].Attrs = recs[i+1].Attrs.With(traces.KeyToolName, name)
	}
	runs, _ := traces.Build(recs)
	for _, width := range []int{60, 80} {
		var got bytes.Buffer
		if err := report.WriteText(&got, []*measure.Run{measure.Of(runs[0])}, nil, report.TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		lines(t, got.Bytes(), width, false)
		golden(t, fmt.Sprintf("names-%d.txt", width), got.Bytes())
	}
}

// Whatever was recorded, text keeps to its page and JSON is one valid document whose components add up.
func TestAnyRun(t *testing.T) {
	for seed := range uint64(200) {
		built, problems := traces.Build(tracetest.Random(seed))
		var runs []*measure.Run
		for _, run := range built {
			runs = append(runs, measure.Of(run))
		}
		opt := report.TextOptions{Width: 60 + int(seed%81), ASCII: seed%3 == 0}
		var text, doc bytes.Buffer
		if err := report.WriteText(&text, runs, problems, opt); err != nil {
			t.Fatal(err)
		}
		lines(t, text.Bytes(), opt.Width, false)
		for _, r := range runs {
			if err := report.WriteText(&text, []*measure.Run{r}, problems, opt); err != nil {
				t.Fatal(err)
			}
		}
		lines(t, text.Bytes(), opt.Width, false)
		if err := report.WriteJSON(&doc, runs, problems); err != nil {
			t.Fatal(err)
		}
		var parsed struct {
			Runs []struct {
				Wall       int64 `json:"wall_ns"`
				Components []struct{ NS int64 }
			}
		}
		if err := json.Unmarshal(doc.Bytes(), &parsed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, r := range parsed.Runs {
			for _, c := range r.Components {
				r.Wall -= c.NS
			}
			if r.Wall != 0 {
				t.Errorf("seed %d: components miss the wall time by %d ns", seed, r.Wall)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d at %d columns:\n%s", seed, opt.Width, text.String())
		}
	}
}
