package whatif

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/later"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/tuitest"
)

var look = theme.New(true, colorprofile.TrueColor, false)

// finish does all the work there is.
func finish(m *Model) {
	for cmd := m.Work(); cmd != nil; cmd = m.Work() {
		done(cmd)
	}
}

func done(cmd tea.Cmd) { cmd().(later.Done)() }

// Whatever is done in whatever order, what is shown is what the answer to the plan says.
func TestWhatIsShownIsTheAnswer(t *testing.T) {
	moves := []keys.Action{keys.Fold, keys.Unfold, keys.Down, keys.Up, keys.ZoomReset, keys.Fold, keys.Down, keys.ResetAll, keys.Bottom}
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 1))
		built, _ := traces.Build(tracetest.Random(seed))
		runs := []*measure.Run{measure.Of(built[0])}
		if seed%5 == 0 {
			runs[0] = tuitest.FixConfig()
		}
		m := New(look, runs, false)
		finish(m)
		for range 12 {
			m.Update(keys.Msg{Action: moves[r.IntN(len(moves))], Count: r.IntN(4)})
			if r.IntN(3) > 0 {
				finish(m)
			}
		}
		finish(m)
		plan := m.plan(nil, 0)
		want := whatif.Of(runs[0], plan, runs)
		if m.after.wall != want.After.Wall || m.before.wall != runs[0].Wall {
			t.Errorf("seed %d: %v becomes %v, want %v of %v", seed, m.before.wall, m.after.wall, want.After.Wall, plan.Labels())
		}
		if s := m.desk.span; s == nil || s.low != want.Low || s.high != want.High {
			t.Errorf("seed %d: range %v, want %v to %v", seed, s, want.Low, want.High)
		}
		if strings.Join(m.desk.assumed, "\n") != strings.Join(want.Assumed, "\n") {
			t.Errorf("seed %d: assumed %q, want %q", seed, m.desk.assumed, want.Assumed)
		}
		for _, row := range m.rows {
			if !row.moved() {
				continue
			}
			if w := whatif.Of(runs[0], m.plan(row, row.home), runs).After.Wall; row.without == nil || *row.without != w {
				t.Errorf("seed %d: without %s %v, want %v", seed, row.name, row.without, w)
			}
		}
		if row := m.row(); row != nil && len(row.notches) > 1 && row.curve[row.at] != m.after.wall {
			t.Errorf("seed %d: the curve of %s says %v where the total is %v", seed, row.name, row.curve[row.at], m.after.wall)
		}
	}
}

func TestSeveralRunsAreTheirMean(t *testing.T) {
	for in, want := range map[string]time.Duration{"": 0, "5": 5, "5 1": 3, "9 1 5": 5, "9 1 4 5": 4} {
		var times []time.Duration
		for s := range strings.FieldsSeq(in) {
			times = append(times, time.Duration(s[0]-'0'))
		}
		if got := median(times); got != want {
			t.Errorf("median of %q is %d, want %d", in, got, want)
		}
	}
	runs := tuitest.Bench(1)
	m := New(look, runs, false)
	m.Update(keys.Msg{Action: keys.Fold, Count: 5})
	finish(m)
	var walls []time.Duration
	for _, r := range runs {
		walls = append(walls, whatif.Of(r, m.plan(nil, 0), runs).After.Wall)
	}
	if m.after.wall != mean(walls) || m.after.median != median(walls) {
		t.Errorf("mean %v and median %v, want %v and %v", m.after.wall, m.after.median, mean(walls), median(walls))
	}
	for _, r := range m.rows {
		if r.stage == scales && r.gain > r.onPath+1 { // but for rounding
			t.Errorf("%s could bring %v, and is on the path for %v", r.name, r.gain, r.onPath)
		}
	}
}

func TestTheCommandLineAsksForTheSame(t *testing.T) {
	run := tuitest.FixConfig()
	plan := whatif.Plan{ParallelTools: whatif.AtOnce, Steps: -2}
	for _, s := range []string{"output*0.5", "retry=off", "tool[it's $HOME]*0.1"} {
		e, err := whatif.ParseEdit(s)
		if err != nil {
			t.Fatal(err)
		}
		plan.Edits = append(plan.Edits, e)
	}
	want := `longpole whatif --set 'output*0.5' --set retry=off --set 'tool[it'\''s $HOME]*0.1' --parallel tools --steps -2 run-7f3a`
	if got := command(plan, []*measure.Run{run}); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := command(whatif.Plan{}, make([]*measure.Run, 21)); got != "longpole whatif" {
		t.Errorf("got %s, want no run named among that many", got)
	}
}

func TestHiddenReasoningCannotBeMoved(t *testing.T) {
	tokens := int64(900)
	run := measure.Of(tracetest.Parse(t, `
		run   ==========
		 chat wwwwwwoooo
	`))
	run.Calls[0].Usage.Output, run.Calls[0].Usage.Reasoning = &tokens, &tokens
	m := New(look, []*measure.Run{run}, false)
	m.SetSize(120, 30)
	finish(m)
	for m.row().name != "reasoning" {
		before := m.list.Cursor
		m.Update(keys.Msg{Action: keys.Down})
		if m.list.Cursor == before {
			t.Fatalf("no row for reasoning:\n%s", m.View())
		}
	}
	m.Update(keys.Msg{Action: keys.Fold, Count: 3})
	if !m.plan(nil, 0).Empty() || !strings.Contains(m.View(), "hidden in the wait: cannot be moved") {
		t.Errorf("it can be moved, or does not say that it cannot:\n%s", m.View())
	}
}

func TestAKneeIsWhereTheNextToolIsAsLong(t *testing.T) {
	run := measure.Of(tracetest.Parse(t, `
		run    ==================
		 chat  wwoa                asks:c1,c2
		 pole      ==========      call:c1
		 short     =====           call:c2
		 chat2               wwoo
	`))
	for _, c := range []struct {
		runs []*measure.Run
		want string
	}{
		{[]*measure.Run{run}, "× 0.50: short"},
		{[]*measure.Run{run, tuitest.FixConfig()}, "× 0.50 (1 run): short"},
	} {
		m := New(look, c.runs, false)
		m.SetSize(140, 60)
		finish(m)
		if view := m.View(); !strings.Contains(ansi.Strip(view), c.want) {
			t.Errorf("no knee %q:\n%s", c.want, view)
		}
	}
}

func TestARangeIsNeverOneValue(t *testing.T) {
	m := New(look, []*measure.Run{tuitest.FixConfig()}, false)
	m.SetSize(140, 30)
	finish(m)
	m.Update(keys.Msg{Action: keys.Fold, Count: 5})
	finish(m)
	for _, c := range []struct {
		low, high time.Duration
		want      string
	}{
		{time.Second, time.Second + 1, "the same whatever really had to wait for what"},
		{time.Second, 2 * time.Second, "if only what is declared had to wait"},
	} {
		m.desk.span = &span{c.low, c.high}
		if view := m.View(); !strings.Contains(ansi.Strip(view), c.want) {
			t.Errorf("from %v to %v: no %q:\n%s", c.low, c.high, c.want, view)
		}
	}
}
