package waterfall

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/theme"
)

// lettered returns the rows of a run drawn without colour, a cell a millisecond: on the path, beside it in lower case.
func lettered(t *testing.T, text string, width int) []string {
	t.Helper()
	m := New(theme.New(true, colorprofile.ASCII, false), measure.Of(tracetest.Parse(t, text)))
	a := bar.Axis{From: 0, To: time.Duration(width) * time.Millisecond, Cells: width}
	var rows []string
	for _, i := range m.tree.rows {
		r := bar.New(width)
		m.tree.paint(r, a, m.tree.strip(a), i)
		row := ""
		for x := range width {
			switch ink := r[x*bar.Dots]; {
			case ink == 0:
				row += " "
			case ink.OnPath():
				row += strings.ToUpper(m.theme.Glyphs.Letter(ink.Component()))
			default:
				row += strings.ToLower(m.theme.Glyphs.Letter(ink.Component()))
			}
		}
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return rows
}

func TestARowShowsItsPhasesAndItsPartOfThePath(t *testing.T) {
	cases := []struct {
		name, run string
		want      []string
	}{
		{"the run's own row is the path, without a gap", `
			run    ============
			 chat  wwrroo
			 read        ===
			 grep        =====`,
			[]string{"··RROOTTTTT-", "··RROO", "      TTTTT", "      ttt"}},
		{"a call that failed and was repeated shows both attempts and the wait between", `
			run        =============
			 chat      =============
			  attempt1 ===x            status:500
			  backoff      ===
			  attempt2        wwrroo`,
			[]string{"XXXXZZZ··RROO"}},
		{"a tool shows the approval it waited for", `
			run        ========
			 chat      ww
			 write       ======
			  approval   ===`,
			[]string{"··HHHTTT", "··", "  HHHTTT"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := lettered(t, c.run, 14)
			if strings.Contains(strings.TrimRight(got[0], " "), " ") {
				t.Errorf("the run's row has a gap: %q", got[0])
			}
			for _, want := range c.want {
				found := false
				for _, row := range got {
					found = found || row == want
				}
				if !found {
					t.Errorf("no row %q in\n%s", want, strings.Join(got, "\n"))
				}
			}
		})
	}
}

func TestTheRunsRowHasNoGapWhateverTheRun(t *testing.T) {
	for seed := range uint64(300) {
		runs, _ := traces.Build(tracetest.Random(seed))
		for _, run := range runs {
			m := New(theme.New(true, colorprofile.TrueColor, false), measure.Of(run))
			if run.Wall == 0 {
				continue
			}
			a := bar.Axis{From: 0, To: run.Wall, Cells: 20}
			r := bar.New(20)
			m.tree.paint(r, a, m.tree.strip(a), 0)
			for d, ink := range r {
				if ink == 0 || !ink.OnPath() {
					t.Fatalf("seed %d, run %s: dot %d is not on the path: %v", seed, run.ID, d, r)
				}
			}
		}
	}
}

func TestACrowdedBarKeepsTheShares(t *testing.T) {
	runs, _ := traces.Build(tracetest.Loop(2000))
	run := measure.Of(runs[0])
	m := New(theme.New(true, colorprofile.TrueColor, false), run)
	a := bar.Axis{From: 0, To: run.Wall, Cells: 200}
	r := bar.New(200)
	m.tree.paint(r, a, m.tree.strip(a), 0)
	seen := map[traces.Component]int{}
	for _, ink := range r {
		seen[ink.Component()]++
	}
	for _, c := range run.Components {
		if got := float64(seen[c.Component]) / float64(len(r)); got < c.Share-0.01 || got > c.Share+0.01 {
			t.Errorf("%s fills %.3f of the bar, its share is %.3f", c.Component, got, c.Share)
		}
	}
}

func TestAVeryDeepTreeIsDrawn(t *testing.T) {
	const deep = 50_000
	recs := make([]traces.Record, deep)
	for i := range recs {
		recs[i] = traces.Record{TraceID: "t", SpanID: string(rune('a'+i%26)) + time.Duration(i).String(), Name: "s",
			Start: int64(1e9 + i), End: int64(1e9 + 3*deep - i)}
		if i > 0 {
			recs[i].ParentID = recs[i-1].SpanID
		}
	}
	runs, _ := traces.Build(recs)
	m := New(theme.New(true, colorprofile.TrueColor, false), measure.Of(runs[0]))
	m.SetSize(80, 24)
	m.Update(keys.Msg{Action: keys.Bottom})
	for line := range strings.SplitSeq(m.View(), "\n") {
		if w := ansi.StringWidth(line); w != 80 {
			t.Fatalf("%d cells: %q", w, line)
		}
	}
}

func TestTheDetailTellsWhatTheBarCannot(t *testing.T) {
	m := New(theme.New(true, colorprofile.ASCII, false), measure.Of(tracetest.Parse(t, `
		run        ====================  longpole.outcome=failed_check longpole.check=two-rows-missing
		 chat      =============
		  attempt1 ===x                  status:429
		  backoff      ===               longpole.backoff.planned_ns=2000000 longpole.backoff.reason=too_many
		  attempt2        wwwrroo
		 grep                   ==x      error.type=no_such_file
		 shell                     ===   longpole.tool.may_wait=true`)))
	m.SetSize(140, 30)
	for _, c := range []struct{ row, want string }{
		{"run", "check: two-rows-missing"},
		{"backoff", "planned 2.0 ms, because of too many"},
		{"grep", "error no_such_file"},
		{"shell", "may hold a person's time"},
		{"chat", "x retry 4.0 ms  z backoff 3.0 ms"},
	} {
		for _, s := range m.run.Spans {
			if s.Name == c.row {
				m.Reveal(s)
			}
		}
		if got := ansi.Strip(strings.Join(m.detail(), "\n")); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", c.row, c.want, got)
		}
	}
}

func TestSpansWithoutAPartInTheLoopStartFolded(t *testing.T) {
	names := func(m *Model) string {
		var list []string
		for _, i := range m.tree.rows {
			name, _ := m.tree.label(i)
			list = append(list, name)
		}
		return strings.Join(list, " ")
	}
	m := New(theme.New(true, colorprofile.ASCII, false), measure.Of(tracetest.Parse(t, `
		run             ====================
		 a:internal     ==
		 b:internal       ==
		  b1:internal     =
		 c:internal         =
		 d:internal          =
		 prompt:internal      ==============
		  e:internal          ==
		   e1:internal        =
		  chat                  wwrroo
		  grep                        ====
		   f:internal                 ==`)))
	m.SetSize(80, 24)
	if got, want := names(m), "run 4 other spans prompt e chat grep"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	m.Update(keys.Msg{Action: keys.Down})
	if s := m.Span(); s.Name != "a" {
		t.Errorf("the row of several spans stands for %q", s.Name)
	}
	m.Update(keys.Msg{Action: keys.Unfold})
	if got, want := names(m), "run 4 other spans a b c d prompt e chat grep"; got != want {
		t.Errorf("unfolded:\ngot  %s\nwant %s", got, want)
	}
	m.Search("b1")
	if s := m.Span(); s.Name != "b1" {
		t.Errorf("found %q, want b1", s.Name)
	}

	plain := New(theme.New(true, colorprofile.ASCII, false), measure.Of(tracetest.Parse(t, `
		run:internal    =====
		 a:internal     =
		 b:internal      =
		 c:internal       =
		 d:internal        =
		  d1:internal      =`)))
	if got, want := names(plain), "run a b c d d1"; got != want {
		t.Errorf("without a loop:\ngot  %s\nwant %s", got, want)
	}
}

// Names and notes get what they need, and the bars what that leaves.
func TestTheBarsGetTheRoomThatNamesLeave(t *testing.T) {
	short, long := layout(120, needs{name: 24}), layout(120, needs{name: 200, note: 200})
	if short.name != 24 || short.note != 0 {
		t.Errorf("names of 24 cells get %d, no notes get %d", short.name, short.note)
	}
	if long.name >= 60 || long.bar < 40 {
		t.Errorf("long names get %d cells, and leave %d to the bars", long.name, long.bar)
	}
	for _, width := range []int{60, 80, 100, 120, 200} {
		for _, need := range []needs{{}, {20, 10}, {200, 200}} {
			if c := layout(width, need); gutter+c.name+1+c.bar+markCell+timeCell+c.note != width {
				t.Errorf("%d cells: %+v", width, c)
			}
		}
	}
}
