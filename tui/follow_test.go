package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/tracetest"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/tuitest"
)

// following returns a model of that size that has got updates from one source a run, at the present.
func following(opt Options, width, height int, agents ...tuitest.Followed) *Model {
	opt.Updates = make(chan Update)
	m := New(nil, opt)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Update(clockMsg(tuitest.Present))
	for _, a := range agents {
		m.Update(updatedMsg(updateOf(a)))
	}
	return m
}

func updateOf(agents ...tuitest.Followed) Update {
	var u Update
	for _, a := range agents {
		u.Sources = append(u.Sources, Source{ID: a.Key, Runs: []LiveRun{{a.Run, a.Doing}}, Writing: a.Writing})
	}
	return u
}

// pressAll presses keys; what follows from them is done, but for waiting.
func pressAll(m *Model, keys string) {
	for _, k := range strings.Fields(keys) {
		send(m, press(k))
	}
}

func TestLiveLooksAsItDid(t *testing.T) {
	many := slices.Repeat(tuitest.Agents(), 5)
	for i := range many {
		many[i].Key += fmt.Sprint(i)
	}
	cases := []struct {
		name   string
		agents []tuitest.Followed
		keys   string
	}{
		{"live", tuitest.Agents(), ""},
		{"live-selected", tuitest.Agents(), "j j j j j j"},
		{"live-none", nil, ""},
		{"live-found", tuitest.Agents(), "/ p i enter"},
		{"live-many", many, "G"},
		{"live-run", tuitest.Agents(), "enter j j"},
	}
	for _, c := range cases {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {140, 40}} {
			m := following(Options{Environ: dark, Start: Live}, size[0], size[1], c.agents...)
			pressAll(m, c.keys)
			fits(t, m)
			golden(t, fmt.Sprintf("%s-%d", c.name, size[0]), text(m))
		}
		m := following(Options{Environ: noColour, Start: Live}, 80, 24, c.agents...)
		pressAll(m, c.keys)
		fits(t, m)
		golden(t, c.name+"-nocolour", text(m))
	}
	for _, width := range []int{60, 80, 140} {
		m := following(Options{Environ: dark, Start: Live}, width, 24, tuitest.Agents()...)
		m.Update(updatedMsg{Problems: []traces.Problem{{Code: traces.MissingData, Message: "read /runs: permission denied"}}})
		fits(t, m)
		golden(t, fmt.Sprintf("live-disconnected-%d", width), text(m))
	}
	m := following(Options{Environ: dark, Start: Live}, 140, 24, tuitest.Agents()...)
	golden(t, "colours-live", strings.ReplaceAll(m.View().Content, "\x1b", "ESC")+"\n")
}

func TestLiveIsReachedByItsKey(t *testing.T) {
	m := following(Options{Environ: dark}, 100, 30, tuitest.Agents()...)
	if strings.Contains(text(m), "live   ") {
		t.Error("the first screen is not the list")
	}
	pressAll(m, "L")
	if screen := text(m); !strings.Contains(screen, "live   9 running") {
		t.Errorf("after L:\n%s", screen)
	}
	pressAll(m, "esc")
	if screen := text(m); !strings.Contains(screen, "where the time went") {
		t.Errorf("after esc:\n%s", screen)
	}
	still := start([]*measure.Run{tuitest.FixConfig()}, Options{Environ: dark}, 100, 30, "L")
	if strings.Contains(text(still), "live") {
		t.Error("L does something where nothing is followed")
	}
}

// grown is an agent with a tool that has run for some seconds, one more step for each ten.
func grown(seconds int) tuitest.Followed {
	span := func(id, parent, name string, from, to int, role traces.Role) traces.Record {
		r := traces.Record{TraceID: "t", SpanID: id, ParentID: parent, Name: name, Start: tuitest.Present.Add(time.Duration(from) * time.Second).UnixNano(),
			Attrs: traces.Attrs{{Key: traces.KeyRole, Value: string(role)}}}
		if to > 0 {
			r.End = tuitest.Present.Add(time.Duration(to) * time.Second).UnixNano()
		}
		return r
	}
	records := []traces.Record{span("run", "", "grows", 0, 0, traces.RoleAgent)}
	for at := 0; at < seconds; at += 10 {
		end := 0
		if at+10 <= seconds {
			end = at + 10
		}
		step, tool := fmt.Sprintf("step %d", at/10+1), fmt.Sprintf("tool %d", at/10+1)
		records = append(records, span(step, "run", step, at, end, traces.RoleStep), span(tool, step, tool, at, end, traces.RoleTool),
			span("part of "+tool, tool, "part of "+tool, at, max(0, end-1), traces.RoleInternal))
	}
	runs, _ := traces.BuildWith(records, traces.Options{Now: tuitest.Present.Add(time.Duration(seconds) * time.Second)})
	return tuitest.Followed{Key: "grows", Run: measure.Of(runs[0]), Doing: activity.Of(runs[0], 0), Writing: true}
}

// Each case looks at a run after 25 seconds, presses keys, and looks again after 95.
func TestScreensGoOnWhileARunGrows(t *testing.T) {
	cases := []struct {
		name, keys    string
		before, after []string // parts of the screen
		not           string   // no part of it after
	}{
		{"the waterfall grows and keeps the cursor", "enter j j j",
			[]string{"25.00 s so far", "▌  ▾ step 2"}, []string{"1m 35s so far", "▌  ▾ step 2", "step 10"}, ""},
		{"what was zoomed to stays in view", "enter j j j z",
			[]string{"▌  ▾ step 2", "─18 s─"}, []string{"▌  ▾ step 2", "─18 s─"}, "1m 30s"},
		{"what was folded stays folded", "enter j h",
			[]string{"▌  ▸ step 1"}, []string{"▌  ▸ step 1", "▾ step 10"}, "tool 1 "},
		{"what was unfolded stays unfolded", "enter j j l",
			[]string{"▌    ▾ tool 1", "part of tool 1"}, []string{"▌    ▾ tool 1", "part of tool 1", "▸ tool 10"}, ""},
		{"a search finds what is new", "enter / t o o l",
			[]string{"6 matches"}, []string{"20 matches"}, ""},
		{"the list too", "esc", []string{"25.00 s"}, []string{"1m 35s"}, "25.00"},
		{"the breakdown keeps its row", "b G", []string{"▌ ▸   step 3"}, []string{"▌ ▸   step 3", "step 10"}, ""},
		{"a marked run stays marked", "esc m", []string{"1 marked"}, []string{"1 marked", "1m 35s"}, ""},
		{"the comparison goes on", "esc C", []string{"compare"}, []string{"compare"}, ""},
		{"problems are those of now", "p", []string{"nothing was odd"}, []string{"nothing was odd"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := following(Options{Environ: dark, Start: Live}, 120, 40, grown(25))
			pressAll(m, c.keys)
			has := func(when string, parts []string) {
				t.Helper()
				for _, p := range parts {
					if !strings.Contains(text(m), p) {
						t.Errorf("%s there is no %q:\n%s", when, p, text(m))
					}
				}
			}
			has("before", c.before)
			m.Update(updatedMsg(updateOf(grown(95))))
			fits(t, m)
			has("after", c.after)
			if c.not != "" && strings.Contains(text(m), c.not) {
				t.Errorf("after there is still %q:\n%s", c.not, text(m))
			}
		})
	}
}

func TestARunThatIsGoneLeavesItsScreens(t *testing.T) {
	for _, keys := range []string{"enter", "enter b", "enter p", "enter b C", "esc enter"} {
		m := following(Options{Environ: dark, Start: Live}, 100, 30, grown(25), tuitest.Agents()[0])
		pressAll(m, keys)
		m.Update(updatedMsg{Sources: []Source{{ID: "grows"}, {ID: "codex"}}})
		fits(t, m)
		pressAll(m, "j enter b p C esc esc esc esc L")
		fits(t, m)
		if !strings.Contains(text(m), "no agent runs") {
			t.Errorf("after %s:\n%s", keys, text(m))
		}
	}
}

func TestARunLastsOnBetweenReadings(t *testing.T) {
	m := following(Options{Environ: dark, Start: Live}, 100, 30, grown(25))
	m.Update(clockMsg(tuitest.Present.Add(40 * time.Second)))
	if screen := text(m); !strings.Contains(screen, "40 s so far") {
		t.Errorf("15 seconds after it was read:\n%s", screen)
	}
}

func TestTheCursorStaysWithItsAgentAndAtTheTop(t *testing.T) {
	agents := tuitest.Agents()
	m := following(Options{Environ: dark, Start: Live}, 100, 30, agents[0], agents[8])
	if got := m.live.Run().ID; got != "codex" {
		t.Fatalf("%s is at the top", got)
	}
	m.Update(updatedMsg(updateOf(agents[3]))) // one that has stalled goes to the top
	if got := m.live.Run().ID; got != "pi3" {
		t.Errorf("the cursor left the top for %s", got)
	}
	pressAll(m, "j")
	m.Update(updatedMsg(updateOf(agents[5])))
	if got := m.live.Run().ID; got != "codex" {
		t.Errorf("the cursor went from codex to %s", got)
	}
}

func TestTheClockGoesFasterWhileOutputIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agents := tuitest.Agents()
		for _, c := range []struct {
			name  string
			agent tuitest.Followed
			keys  string
			want  time.Duration
		}{
			{"output comes", agents[0], "", time.Second / 4},
			{"a tool runs", agents[2], "", time.Second},
			{"output comes that is not looked at", agents[0], "enter", time.Second},
		} {
			m := following(Options{Environ: dark, Start: Live}, 100, 30, c.agent)
			pressAll(m, c.keys)
			began := time.Now()
			m.tick()()
			if d := time.Since(began); d != c.want {
				t.Errorf("%s: %v between readings, want %v", c.name, d, c.want)
			}
		}
	})
}

// Whatever is pressed while whatever grows, appears and goes, the screen stays whole.
func TestRandomKeysWhileRunsGrow(t *testing.T) {
	source := func(id, seed uint64) Source {
		s := Source{ID: fmt.Sprint(id), Writing: seed%3 > 0}
		if seed%7 == 0 {
			return s // it is gone
		}
		built, problems := traces.Build(tracetest.Random(seed))
		s.Problems = problems
		for _, r := range built {
			s.Runs = append(s.Runs, LiveRun{measure.Of(r), activity.Of(r, 0)})
		}
		return s
	}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := following(Options{Environ: [][]string{dark, noColour, ascii}[seed%3], Start: Live}, 60+random.IntN(150), 15+random.IntN(40), tuitest.Agents()...)
		for range 60 {
			switch n := random.IntN(10); n {
			case 0, 1, 2:
				m.Update(updatedMsg{Sources: []Source{source(random.Uint64N(5), random.Uint64N(1000))}})
			case 3:
				m.Update(clockMsg(tuitest.Present.Add(time.Duration(random.IntN(900)-100) * time.Second)))
			case 4:
				m.Update(tea.WindowSizeMsg{Width: 60 + random.IntN(150), Height: 15 + random.IntN(40)})
			default:
				b := keys.Default[random.IntN(len(keys.Default))]
				if b.Action != keys.Quit {
					send(m, press(b.Keys()[0]))
				}
			}
			fits(t, m)
		}
	}
}

func TestUpdatesAreTakenFromTheirChannel(t *testing.T) {
	updates := make(chan Update, 1)
	m := New(nil, Options{Environ: dark, Start: Live, Updates: updates})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	updates <- updateOf(grown(25))
	_, next := m.Update(m.listen())
	if m.live.Run() == nil || next == nil {
		t.Error("the update did not arrive, or was the last")
	}
	close(updates)
	m.Update(m.listen())
	if !strings.Contains(text(m), "disconnected") {
		t.Errorf("the end of all updates is not said:\n%s", text(m))
	}
}

// What it costs the interface when 50 agents have grown, frame included.
func BenchmarkFiftyAgents(b *testing.B) {
	var agents []tuitest.Followed
	for i := range 50 {
		a := tuitest.Agents()[i%10]
		a.Key += fmt.Sprint(i)
		agents = append(agents, a)
	}
	m := following(Options{Environ: dark, Start: Live}, 200, 60, agents...)
	for b.Loop() {
		m.Update(updatedMsg(updateOf(agents...)))
		m.View()
	}
}

// What a reading of the clock costs then, frame included.
func BenchmarkTick(b *testing.B) {
	var agents []tuitest.Followed
	for i := range 50 {
		a := tuitest.Agents()[i%10]
		a.Key += fmt.Sprint(i)
		agents = append(agents, a)
	}
	m := following(Options{Environ: dark, Start: Live}, 200, 60, agents...)
	now := tuitest.Present
	for b.Loop() {
		now = now.Add(quickly)
		m.Update(clockMsg(now))
		m.View()
	}
}
