package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/cell"
)

func readCase(t *testing.T, id string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", id+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
}

func TestCaseWideCharacters(t *testing.T) {
	var c struct {
		Input struct {
			Columns, Rows int
			Spans         []struct {
				Name  string
				Start int64 `json:"start_ms"`
				End   int64 `json:"end_ms"`
			}
			Also []int `json:"also_columns"`
		}
		Expected struct {
			Widest  int            `json:"max_line_width_cells"`
			Aligned bool           `json:"duration_column_aligned"`
			Widths  map[string]int `json:"cell_widths"`
			Bad     int            `json:"replacement_characters"`
			Tabs    int            `json:"raw_tabs"`
		}
	}
	readCase(t, "tui-wide-characters", &c)
	records := []traces.Record{{TraceID: "1", SpanID: "root", Name: "run", Start: 1, End: 1 + 800e6}}
	for i, s := range c.Input.Spans {
		records = append(records, traces.Record{TraceID: "1", SpanID: strconv.Itoa(i), ParentID: "root", Name: s.Name, Start: 1 + s.Start*1e6, End: 1 + s.End*1e6})
	}
	built, _ := traces.Build(records)
	run := measure.Of(built[0])
	for name, want := range c.Expected.Widths {
		if got := cell.Width(cell.Clean(name)); got != want {
			t.Errorf("%q is %d cells wide, want %d", name, got, want)
		}
	}
	for _, columns := range append(c.Input.Also, c.Input.Columns) {
		m := start([]*measure.Run{run}, Options{Environ: dark}, columns, c.Input.Rows, "")
		fits(t, m)
		screen := ansi.Strip(m.View().Content)
		if bad, tabs := strings.Count(screen, "\ufffd"), strings.Count(screen, "\t"); bad != c.Expected.Bad || tabs != c.Expected.Tabs {
			t.Errorf("%d columns: %d replacement characters and %d tabs, want %d and %d", columns, bad, tabs, c.Expected.Bad, c.Expected.Tabs)
		}
		at := map[int]bool{}
		rows := 0
		for _, line := range strings.Split(screen, "\n") {
			if w := ansi.StringWidth(line); w > c.Expected.Widest {
				t.Errorf("%d columns: a line of %d cells", columns, w)
			}
			if before, _, ok := strings.Cut(line, "100 ms"); ok && rows < len(c.Input.Spans) {
				at[ansi.StringWidth(before)] = true
				rows++
			}
		}
		if columns == c.Input.Columns && (rows != len(c.Input.Spans) || c.Expected.Aligned != (len(at) == 1)) {
			t.Errorf("%d durations begin at the cells %v:\n%s", rows, at, screen)
		}
	}
}

// rendition is a sequence that sets a style.
var rendition = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

// colours counts the sequences that set a colour.
func colours(written string) int {
	n := 0
	for _, m := range rendition.FindAllStringSubmatch(written, -1) {
		for _, p := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ';' || r == ':' }) {
			if v, _ := strconv.Atoi(p); v >= 30 && v <= 38 || v >= 40 && v <= 48 || v >= 90 && v <= 107 {
				n++
				break
			}
		}
	}
	return n
}

// The runs of the case that have a terminal; the others are commands (cmd/longpole).
func TestCaseNoColour(t *testing.T) {
	var c struct {
		Input struct {
			Runs []struct {
				ID  string
				TTY bool
				Env map[string]string
			}
		}
		Expected map[string]struct {
			Colours *int  `json:"sgr_colour_sequences"`
			Marked  *bool `json:"error_marked_without_colour"`
			Allowed *bool `json:"colour_allowed"`
		}
	}
	readCase(t, "tui-no-colour-dumb-or-piped", &c)
	role := func(r traces.Role) traces.Attr { return traces.Attr{Key: traces.KeyRole, Value: string(r)} }
	built, _ := traces.Build([]traces.Record{
		{TraceID: "1", SpanID: "1", Name: "run", Start: 1, End: 1 + 3000e6, Attrs: traces.Attrs{role(traces.RoleAgent)}},
		{TraceID: "1", SpanID: "2", ParentID: "1", Name: "chat", Start: 1, End: 1 + 1000e6, Attrs: traces.Attrs{role(traces.RoleModel), {Key: traces.KeyOutcome, Value: "error"}}},
		{TraceID: "1", SpanID: "3", ParentID: "1", Name: "tool", Start: 1 + 1000e6, End: 1 + 3000e6, Attrs: traces.Attrs{role(traces.RoleTool)}},
	})
	for _, r := range c.Input.Runs {
		want := c.Expected[r.ID]
		if !r.TTY || r.Env["TERM"] == "dumb" {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				environ := []string{"LANG=en_US.UTF-8"}
				for k, v := range r.Env {
					environ = append(environ, k+"="+v)
				}
				s := newSession(t, New([]*measure.Run{measure.Of(built[0])}, Options{Environ: environ}), 80, 24)
				screen := s.console.text()
				s.quit()
				n := colours(s.console.raw.String())
				if want.Colours != nil && n != *want.Colours {
					t.Errorf("%d colours were written, want %d", n, *want.Colours)
				}
				if want.Allowed != nil && *want.Allowed && n == 0 {
					t.Error("no colour was written")
				}
				if want.Marked != nil && *want.Marked != (strings.Contains(screen, "✗") && strings.Contains(screen, "●")) {
					t.Errorf("what failed and what is critical are not marked by a sign:\n%s", screen)
				}
			})
		})
	}
}
