package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/tuitest"
)

func of(runs []*measure.Run, alone bool, width, height int) *Model {
	m := New(theme.New(true, colorprofile.TrueColor, false), runs, alone)
	m.SetSize(width, height)
	return m
}

func press(m *Model, actions ...keys.Action) (last any) {
	for _, a := range actions {
		last = nil
		if cmd := m.Update(keys.Msg{Action: a}); cmd != nil {
			last = cmd()
		}
	}
	return last
}

func text(m *Model) string { return ansi.Strip(m.View()) }

// The bars of the chart lead from the one mean to the other, whatever is summed up.
func TestTheChartAddsUp(t *testing.T) {
	for _, height := range []int{14, 23, 35, 99} {
		m := of(tuitest.Bench(8), false, 100, height)
		for range m.shown.Groups {
			for _, toggle := range []keys.Action{keys.Pane, keys.Unfold} {
				press(m, toggle)
				if m.why == nil {
					continue
				}
				at, _ := m.why.A.MeanTime()
				sum := time.Duration(0)
				for _, r := range m.rows[1 : len(m.rows)-1] {
					if r.from != at {
						t.Fatalf("%d lines: a bar begins at %v, the one before it ended at %v", height, r.from, at)
					}
					at, sum = r.to, sum+r.to-r.from
				}
				if want, _ := m.why.B.MeanTime(); at != want || sum != *m.why.MeanDifference {
					t.Errorf("%d lines: the bars end at %v after %v, want %v after %v", height, at, sum, want, *m.why.MeanDifference)
				}
			}
			press(m, keys.Pane, keys.Down)
		}
	}
}

func TestTheLargestCausesComeFirstAndTheRestLast(t *testing.T) {
	m := of(tuitest.Bench(8), false, 100, 30)
	rows := m.rows[1 : len(m.rows)-1]
	if !slices.IsSortedFunc(rows[:len(rows)-1], func(a, b row) int { return int((b.to - b.from).Abs() - (a.to - a.from).Abs()) }) {
		t.Error("the causes are not sorted by size")
	}
	others := rows[len(rows)-1]
	if n := len(m.why.Causes) - (len(rows) - 1); others.others != n || !strings.Contains(text(m), fmt.Sprintf("%d other causes", n)) {
		t.Errorf("%d causes are summed up as %d:\n%s", n, others.others, text(m))
	}
	press(m, keys.Pane, keys.Bottom, keys.Up, keys.Enter)
	if len(m.rows) != len(m.why.Causes)+2 {
		t.Errorf("%d rows after the others were opened, want %d", len(m.rows), len(m.why.Causes)+2)
	}
	press(m, keys.Fold)
	if !strings.Contains(text(m), "other causes") {
		t.Error("h does not fold them again")
	}
}

func TestWhichPairIsExplained(t *testing.T) {
	m := of(tuitest.Bench(8), false, 120, 40)
	heads := func() string {
		for line := range strings.Lines(text(m)) {
			if s := strings.TrimSpace(line); strings.HasPrefix(s, "why") || strings.HasPrefix(s, "the others") {
				return s
			}
		}
		return ""
	}
	for _, c := range []struct {
		after   string
		actions []keys.Action
		want    string
	}{
		{"at first: one against the best", nil, "why low − high ="},
		{"down", []keys.Action{keys.Down}, "why medium − high ="},
		{"on the one they are compared with", []keys.Action{keys.Down}, "the others are compared with high"},
		{"compared with another", []keys.Action{keys.Top, keys.Mark}, "why medium − low ="},
		{"that has the largest difference", []keys.Action{keys.Down}, "why high − low ="},
		{"among its causes", []keys.Action{keys.Pane, keys.Down, keys.Down}, "why high − low ="},
		{"by task", []keys.Action{keys.Regroup}, "why"},
	} {
		press(m, c.actions...)
		if got := heads(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.after, got, c.want)
		}
	}
}

func TestWhatIsOpened(t *testing.T) {
	m := of(tuitest.Bench(8), false, 120, 40)
	if got, ok := press(m, keys.Enter).(ChosenMsg); !ok || got.By != "effort" || got.Group.Key["effort"] != "low" {
		t.Errorf("a group leads to %v", got)
	}
	press(m, keys.Pane)
	if got, ok := press(m, keys.Enter).(ChosenMsg); !ok || got.Group.Key["effort"] != "high" {
		t.Errorf("the mean that the chart begins with leads to %v", got)
	}
	for at, r := range m.rows {
		if r.cause == nil {
			continue
		}
		m.causes.Select(at)
		got, ok := press(m, keys.Enter).(chosen.Msg)
		slower := "high"
		if r.cause.Time > 0 {
			slower = "low"
		}
		switch {
		case !ok || got.Run.Group["effort"] != slower || !got.Run.Correct():
			t.Errorf("%s leads to %v, want a correct run of %s", r.cause.Name, got.Run, slower)
		case r.cause.Family == "" && got.Span != nil:
			t.Errorf("%s leads to %s, want the run as a whole", r.cause.Name, got.Span.Name)
		case r.cause.Tool != nil && got.Span.Name != "execute_tool "+*r.cause.Tool:
			t.Errorf("%s leads to %s", r.cause.Name, got.Span.Name)
		case r.cause.Family == traces.FamilyReasoning && !strings.Contains(got.Span.Name, "reasoning"):
			t.Errorf("%s leads to %s", r.cause.Name, got.Span.Name)
		}
	}
}

func TestAClickSelectsWhatStandsThere(t *testing.T) {
	for _, size := range [][2]int{{60, 14}, {100, 23}, {120, 40}} {
		for _, focused := range []bool{false, true} {
			clicked := of(tuitest.Bench(8), false, size[0], size[1])
			if focused {
				press(clicked, keys.Pane)
			}
			for y, line := range strings.Split(text(clicked), "\n") {
				for _, name := range []string{"steps  ", "medium  "} {
					if !strings.HasPrefix(strings.TrimLeft(line, " ▌"), name) || strings.Contains(line, "TTFT") {
						continue
					}
					m := *clicked
					m.Click(5, y, false)
					if after := strings.Split(text(&m), "\n")[y]; !strings.HasPrefix(after, "▌ "+name) {
						t.Errorf("%v: a click on %q selects %q", size, line, after)
					}
				}
			}
		}
	}
}

func TestWhatCannotBeToldIsSaid(t *testing.T) {
	few := of(tuitest.Bench(1), false, 140, 40)
	if s := text(few); !strings.Contains(s, "too few") || !strings.Contains(s, "Too few runs to compare") {
		t.Errorf("of three runs an effort:\n%s", s)
	}
	many := of(tuitest.Bench(8), false, 140, 40)
	if s := text(many); !strings.Contains(s, "none seen") || !strings.Contains(s, "would have been seen four times in five") {
		t.Errorf("of 24 runs an effort:\n%s", s)
	}
	wrong := tuitest.Bench(2)
	for _, r := range wrong {
		if r.Group["effort"] == "low" {
			r.Outcome = traces.FailedCheck
		}
	}
	m := of(wrong, false, 140, 40)
	press(m, keys.Top)
	if s := text(m); !strings.Contains(s, "cannot be told: no correct answer of low") {
		t.Errorf("without a correct run:\n%s", s)
	}
}

// One run against another has no statistics, but causes.
func TestTwoRunsAreExplainedWithoutStatistics(t *testing.T) {
	runs := slices.DeleteFunc(tuitest.Bench(1), func(r *measure.Run) bool { return !r.Correct() })[:2]
	m := of(runs, true, 100, 30)
	s := text(m)
	if !strings.Contains(s, "compare by run") || !strings.Contains(s, "why ") || strings.Contains(s, "Too few") || strings.Contains(s, "too few") {
		t.Errorf("two runs:\n%s", s)
	}
}

func TestEveryLineFits(t *testing.T) {
	for _, runs := range [][]*measure.Run{nil, tuitest.Bench(1)[:1], tuitest.Bench(1), tuitest.Bench(8), {tuitest.WithHostileNames(), tuitest.FixConfig()}} {
		for _, size := range [][2]int{{60, 14}, {60, 20}, {61, 15}, {79, 17}, {80, 23}, {100, 29}, {140, 39}, {300, 99}} {
			m := of(runs, true, size[0], size[1])
			for _, a := range []keys.Action{keys.None, keys.Down, keys.Pane, keys.Bottom, keys.Unfold, keys.Up, keys.Fold, keys.Pane, keys.Regroup, keys.Mark, keys.Pane, keys.Regroup, keys.Bottom} {
				press(m, a)
				lines := strings.Split(m.View(), "\n")
				if len(lines) != size[1] {
					t.Fatalf("%d lines on a screen of %v", len(lines), size)
				}
				for _, line := range lines {
					if w := ansi.StringWidth(line); w != size[0] {
						t.Fatalf("%v: a line of %d cells: %q", size, w, ansi.Strip(line))
					}
				}
			}
		}
	}
}

// What it costs to open the comparison of a thousand runs, and to go to the next group.
func BenchmarkAThousandRuns(b *testing.B) {
	runs := tuitest.Bench(112)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			of(runs, false, 140, 40).View()
		}
	})
	b.Run("next group", func(b *testing.B) {
		m := of(runs, false, 140, 40)
		for b.Loop() {
			press(m, keys.Down)
			m.list.Select(m.list.Cursor % 2)
			m.View()
		}
	})
}

func TestTheLeastScreenShowsAllSettings(t *testing.T) {
	screen := text(of(tuitest.Bench(8), false, 60, 14))
	for _, effort := range []string{"low", "medium", "high"} {
		if !strings.Contains(screen, "\n  "+effort+" ") && !strings.Contains(screen, "\n▌ "+effort+" ") {
			t.Errorf("no %s:\n%s", effort, screen)
		}
	}
}

// One run is no sample: it has neither an interval nor a range.
func TestOneRunHasNoInterval(t *testing.T) {
	runs := tuitest.Bench(1)
	right := slices.IndexFunc(runs, (*measure.Run).Correct)
	figures := strings.Split(text(of(runs[right:right+1], false, 140, 40)), "\n")[headLines]
	if !strings.Contains(figures, "1 run") || strings.Contains(figures, "–") {
		t.Errorf("got %q", figures)
	}
}
