package breakdown

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/later"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/tuitest"
)

func of(run *measure.Run, width, height int) *Model {
	m := New(theme.New(true, colorprofile.TrueColor, false), run)
	m.SetSize(width, height)
	if cmd := m.Work(); cmd != nil {
		cmd().(later.Done)()
	}
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

// What a component, a tool or a step unfolds into adds up to it.
func TestPartsAddUp(t *testing.T) {
	built, _ := traces.Build(tracetest.Loop(20))
	runs := []*measure.Run{tuitest.FixConfig(), tuitest.Streamed(), tuitest.Overnight(), measure.Of(built[0])}
	for seed := range uint64(50) {
		built, _ := traces.Build(tracetest.Random(seed))
		for _, r := range built {
			runs = append(runs, measure.Of(r))
		}
	}
	for _, run := range runs {
		m := of(run, 120, 40)
		press(m, keys.UnfoldAll)
		sums := map[string]time.Duration{}
		for _, r := range m.rows {
			if r.part != nil {
				sums[r.of] += r.part.time
			}
		}
		for _, r := range m.rows {
			var inStep time.Duration // of a step only what lies within the run is booked
			if r.step != nil {
				for _, c := range r.step.Components {
					inStep += c.Time
				}
			}
			switch {
			case r.component != nil && sums[r.key] != r.component.Time:
				t.Errorf("run %s: the parts of %s are %v, want %v", run.ID, r.key, sums[r.key], r.component.Time)
			case r.tool != nil && sums[r.key] != r.tool.Critical:
				t.Errorf("run %s: the calls of %s are %v, want %v", run.ID, r.key, sums[r.key], r.tool.Critical)
			case r.step != nil && sums[r.key] != inStep:
				t.Errorf("run %s: the parts of %s are %v, want %v", run.ID, r.key, sums[r.key], inStep)
			}
		}
	}
}

func TestPartsLeadToTheirSpans(t *testing.T) {
	m := of(tuitest.FixConfig(), 120, 40)
	press(m, keys.UnfoldAll)
	for at, r := range m.rows {
		if r.part == nil {
			continue
		}
		m.list.Select(at)
		got, ok := press(m, keys.Enter).(chosen.Msg)
		if !ok || got.Span == nil || got.Run != m.run {
			t.Fatalf("%s leads to %v", r.key, got)
		}
		if r.table == tools && got.Span.ID != map[string]string{"tool search": "find1", "tool run_command": "run2", "tool fetch_url": "fetch2", "tool read_file": "read1"}[r.of] {
			t.Errorf("the call of %s leads to %s", r.of, got.Span.ID)
		}
	}
}

func TestTablesAreSorted(t *testing.T) {
	m := of(tuitest.FixConfig(), 120, 40)
	names := func(table table) string {
		var list []string
		for _, r := range m.rows {
			switch {
			case r.table != table:
			case r.component != nil:
				list = append(list, string(r.component.Component))
			case r.tool != nil:
				list = append(list, r.tool.Name)
			case r.step != nil:
				list = append(list, stepName(r))
			}
		}
		return strings.Join(list[:min(len(list), 4)], " ")
	}
	to := func(table table) {
		m.list.Select(slices.IndexFunc(m.rows, func(r row) bool { return r.table == table && r.selectable() }))
	}
	for _, c := range []struct {
		table table
		keys  []keys.Action
		want  string
	}{
		{components, nil, "reasoning tool wait output"},
		{components, []keys.Action{keys.Sort}, "connect wait reasoning output"},
		{components, []keys.Action{keys.Reverse}, "agent startup backoff retry"},
		{components, []keys.Action{keys.Sort}, "reasoning tool wait output"},
		{tools, nil, "search run_command fetch_url read_file"},
		{tools, []keys.Action{keys.Sort}, "run_command search fetch_url read_file"},
		{tools, []keys.Action{keys.Sort, keys.Sort}, "fetch_url read_file run_command search"},
		{steps, nil, "step 1 step 2 step 3"},
		{steps, []keys.Action{keys.Sort}, "step 2 step 1 step 3"},
		{steps, []keys.Action{keys.Reverse}, "step 3 step 1 step 2"},
	} {
		to(c.table)
		press(m, c.keys...)
		if got := names(c.table); got != c.want {
			t.Errorf("after %v: %s, want %s", c.keys, got, c.want)
		}
	}
}

// A tool that something else ran beside saves less than it took; one that nobody waited for saves nothing.
func TestWhatWouldBeSaved(t *testing.T) {
	m := of(tuitest.FixConfig(), 120, 40)
	for _, c := range []struct {
		key  string
		want time.Duration
	}{
		{"tool search", 1170 * time.Millisecond}, {"tool read_file", 0}, {"component reasoning measured", 5850 * time.Millisecond},
	} {
		got, ok := m.saves(m.rows[m.index("", c.key)])
		if !ok || got != c.want {
			t.Errorf("without %s %v is saved, want %v", c.key, got, c.want)
		}
	}
}

func TestAGrowingRunKeepsWhatIsUnfolded(t *testing.T) {
	m := of(tuitest.FixConfig(), 120, 40)
	press(m, keys.Down, keys.Enter, keys.Down)
	was := m.selected()
	m.Replace(tuitest.FixConfig())
	if is := m.selected(); was.of != "component tool measured" || is.of != was.of || is.key != was.key {
		t.Errorf("the cursor went from %v to %v", was, is)
	}
}

func TestEveryLineFits(t *testing.T) {
	for _, run := range []*measure.Run{tuitest.FixConfig(), tuitest.WithHostileNames(), tuitest.Overnight()} {
		for _, size := range [][2]int{{60, 14}, {75, 20}, {80, 23}, {140, 39}, {300, 99}} {
			m := of(run, size[0], size[1])
			for _, a := range []keys.Action{keys.None, keys.Enter, keys.Bottom, keys.Unfold, keys.Sort, keys.UnfoldAll, keys.PageUp, keys.Fold, keys.FoldAll, keys.Reverse} {
				press(m, a)
				for _, line := range strings.Split(m.View(), "\n") {
					if w := ansi.StringWidth(line); w != size[0] {
						t.Fatalf("%v: a line of %d cells: %q", size, w, ansi.Strip(line))
					}
				}
			}
		}
	}
}

// What it costs to open the breakdown of a run of 100,000 spans, and to unfold its largest component.
func BenchmarkLargeRun(b *testing.B) {
	built, _ := traces.Build(tracetest.Loop(100_000 / 11))
	run := measure.Of(built[0])
	th := theme.New(true, colorprofile.TrueColor, false)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			m := New(th, run)
			m.SetSize(140, 40)
			m.View()
		}
	})
	b.Run("unfold", func(b *testing.B) {
		for b.Loop() {
			m := New(th, run)
			m.SetSize(140, 40)
			press(m, keys.Enter)
			m.View()
		}
	})
	b.Run("savings", func(b *testing.B) {
		for b.Loop() {
			savings(run)
		}
	})
}

// What takes long is found out beside the interface, and is the same.
func TestALargeRunUnfoldsBesideTheInterface(t *testing.T) {
	built, _ := traces.Build(tracetest.Loop(500))
	run := measure.Of(built[0])
	want := of(run, 120, 40)
	want.atOnce = true
	press(want, keys.UnfoldAll)

	m := of(run, 120, 40)
	folded := len(m.rows)
	press(m, keys.UnfoldAll)
	work := m.Work()
	if len(m.rows) != folded || work == nil {
		t.Fatalf("%d rows, were %d, before anything was found out", len(m.rows), folded)
	}
	if m.Work() != nil {
		t.Error("it is found out twice")
	}
	work().(later.Done)()
	if len(m.rows) != len(want.rows) || m.View() != want.View() {
		t.Errorf("%d rows, want %d:\n%s", len(m.rows), len(want.rows), m.View())
	}
	if m.Work() != nil {
		t.Error("something is still missing")
	}
}
