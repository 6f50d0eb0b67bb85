package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/compare"
	"github.com/seed46266073/longpole/tui/live"
	"github.com/seed46266073/longpole/tui/problems"
)

// An Update tells what has become of runs since the one before it.
type Update struct {
	Sources  []Source         // those that have changed
	Problems []traces.Problem // with following itself, all of them there are now
}

// A Source is where runs come from: the file that somebody may be writing them to. Each state of it takes the place of the one before.
type Source struct {
	ID       string    // tells it from all others
	Runs     []LiveRun // all that it holds; none: it is gone
	Problems []traces.Problem
	Writing  bool // somebody can still be writing it
}

// A LiveRun is a run and what it was doing when it was last seen.
type LiveRun struct {
	*measure.Run
	Doing *activity.Activity
}

// A feed is what has been followed so far.
type feed struct {
	sources  map[string]Source
	problems []traces.Problem
	usual    activity.Usual
}

// An updatedMsg is an update that has come.
type updatedMsg Update

// A clockMsg is the present.
type clockMsg time.Time

// A lostMsg says that there will be no more updates.
type lostMsg struct{}

// listen waits for the next update; there is none when the channel is closed.
func (m *Model) listen() tea.Msg {
	u, ok := <-m.options.Updates
	if !ok {
		return lostMsg{}
	}
	return updatedMsg(u)
}

// The clock is read once a second, four times while output comes that is seen.
const (
	slowly  = time.Second
	quickly = time.Second / 4
)

// tick asks for the next reading of the clock.
func (m *Model) tick() tea.Cmd {
	every := slowly
	if m.screen() == Live && m.live.Moves() {
		every = quickly
	}
	return tea.Tick(every, func(now time.Time) tea.Msg { return clockMsg(now) })
}

func readClock() tea.Msg { return clockMsg(time.Now()) }

// apply takes an update: every screen goes on with the runs as they are now, with the same rows selected, marked and unfolded.
func (m *Model) apply(u Update) {
	renew := map[*measure.Run]*measure.Run{}
	for _, s := range u.Sources {
		now := map[string]*measure.Run{}
		for _, r := range s.Runs {
			now[r.ID] = r.Run
			m.feed.usual.Add(s.ID+"\x00"+r.ID, r.Run.Run)
		}
		for _, r := range m.feed.sources[s.ID].Runs {
			renew[r.Run] = now[r.ID]
		}
		if len(s.Runs) == 0 && len(s.Problems) == 0 {
			delete(m.feed.sources, s.ID)
		} else {
			m.feed.sources[s.ID] = s
		}
	}
	m.feed.problems = u.Problems
	m.live.SetFault("")
	if len(u.Problems) > 0 {
		m.live.SetFault(u.Problems[0].Message)
	}
	agents := m.feed.agents()
	m.runs = make([]*measure.Run, len(agents))
	for i, a := range agents {
		m.runs[i] = a.Run
	}
	m.list.Replace(m.runs, renew)
	m.live.SetAgents(agents, &m.feed.usual)
	if next, changed := renew[m.oddOf]; changed {
		m.oddOf = next
	}
	if next, changed := renew[m.run]; changed {
		m.renew(next)
	}
	if p, ok := m.pages[Compare].(*compare.Model); ok && slices.Contains(m.stack, Compare) {
		p.Replace(m.compared())
	}
	for _, s := range m.stack {
		if p, ok := m.pages[s].(summing); ok {
			if now := renewed(p.Runs(), renew); !slices.Equal(now, p.Runs()) {
				p.Replace(now)
			}
		}
	}
	if p, ok := m.pages[Problems].(*problems.Model); ok && slices.Contains(m.stack, Problems) {
		_, loose, runs := m.problemsOf()
		p.Replace(loose, runs)
	}
}

// renewed returns runs as they are now, without those that are gone.
func renewed(runs []*measure.Run, renew map[*measure.Run]*measure.Run) []*measure.Run {
	var now []*measure.Run
	for _, r := range runs {
		if next, changed := renew[r]; !changed {
			now = append(now, r)
		} else if next != nil {
			now = append(now, next)
		}
	}
	return now
}

// renew goes on with the run that is open as it is now; nil: it is gone.
func (m *Model) renew(run *measure.Run) {
	if run == nil {
		m.close()
		m.stack = slices.DeleteFunc(m.stack, func(s Screen) bool { return s == Problems })
		m.status = "the run is gone"
		return
	}
	m.run = run
	for _, p := range m.pages {
		if p, ok := p.(growing); ok {
			p.Replace(run)
		}
	}
}

// agents returns all runs by start, with what they do.
func (f *feed) agents() []live.Agent {
	var agents []live.Agent
	for id, s := range f.sources {
		for _, r := range s.Runs {
			agents = append(agents, live.Agent{Key: id + "\x00" + r.ID, Run: r.Run, Doing: r.Doing, Writing: s.Writing})
		}
	}
	slices.SortFunc(agents, func(a, b live.Agent) int {
		if c := a.Run.Start.Compare(b.Run.Start); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return agents
}

// loose returns the problems that belong to no run.
func (f *feed) loose() []traces.Problem {
	problems := slices.Clone(f.problems)
	var ids []string
	for id, s := range f.sources {
		if len(s.Problems) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		problems = append(problems, f.sources[id].Problems...)
	}
	return problems
}
