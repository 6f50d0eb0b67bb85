// Package live shows what every agent is waiting for, right now: a row each, those that are stuck on top, those that have ended fading
// below.
//
// Runs that may still grow go in, with what they were doing when they were last seen, and the present; nothing here reads a clock. A row
// says in which step an agent is, what it does and for how long, when the last byte, event and token of its open call came, how
// fast output comes, how long its tool usually takes, and, where there is room, what the last minute was spent on.
package live

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/theme"
)

// An Agent is a run that is followed.
type Agent struct {
	Key     string // tells it from all others, however often it is read anew
	Run     *measure.Run
	Doing   *activity.Activity // of the same run
	Writing bool               // somebody can still be writing it
}

// A Model is the list of agents. Make it with New.
type Model struct {
	theme  *theme.Theme
	agents []Agent
	usual  *activity.Usual
	now    time.Time
	fault  string // why nothing is heard of the agents, "" if all is well
	query  string

	rows    []row
	numbers map[string]int // by key: which of those of its name it was, in the order in which they were first seen
	named   map[string]int // by name: how many of them were seen
	list    scroll.List

	width, height int
}

// A row is an agent that is shown, and what it does.
type row struct {
	Agent
	state activity.State
	rank  rank
}

// A rank is where an agent stands in the list.
type rank int

const (
	stuck rank = iota
	busy
	ended
)

// New returns a list without agents.
func New(t *theme.Theme) *Model {
	return &Model{theme: t, usual: &activity.Usual{}, numbers: map[string]int{}, named: map[string]int{}}
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.fit()
}

// SetAgents sets whom to show; of those that have ended, or give no sign of life, only the latest are shown. usual is what their times
// are compared with.
func (m *Model) SetAgents(agents []Agent, usual *activity.Usual) {
	m.agents, m.usual = agents, usual
	m.arrange()
}

// SetNow sets the present.
func (m *Model) SetNow(now time.Time) {
	m.now = now
	m.arrange()
}

// SetFault says why nothing is heard of the agents; "": all is well.
func (m *Model) SetFault(fault string) { m.fault = fault }

// Moves reports whether something changes several times a second: output comes.
func (m *Model) Moves() bool {
	return slices.ContainsFunc(m.rows, func(r row) bool { return r.state.Rate != nil || r.state.Kind == activity.Silent })
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	list := []keys.Action{keys.Enter, keys.Breakdown, keys.Find, keys.Problems, keys.Copy}
	if m.query != "" {
		list = append([]keys.Action{keys.Next, keys.Previous}, list...)
	}
	return list
}

// Run returns the selected agent's run; nil if none is shown.
func (m *Model) Run() *measure.Run {
	if len(m.rows) == 0 {
		return nil
	}
	return m.rows[m.list.Cursor].Run
}

// ID returns the id of the selected agent's run, "" if none is shown.
func (m *Model) ID() string {
	if r := m.Run(); r != nil {
		return r.ID
	}
	return ""
}

// Search leaves only the agents whose name, state, model or tags contain each word of query.
func (m *Model) Search(query string) {
	m.query = query
	m.arrange()
}

// Query returns what is searched for and how many rows match.
func (m *Model) Query() (query string, matches int) { return m.query, len(m.rows) }

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	n := max(1, msg.Count)
	switch msg.Action {
	case keys.Enter, keys.Unfold:
		return m.open()
	case keys.Next:
		m.list.Move(keys.Down, n)
	case keys.Previous:
		m.list.Move(keys.Up, n)
	default:
		m.list.Move(msg.Action, msg.Count)
	}
	return nil
}

// Click selects the row on line y, and opens it on the second click.
func (m *Model) Click(_, y int, double bool) tea.Cmd {
	at, ok := m.list.At(y - headLines)
	switch {
	case !ok:
		return nil
	case double:
		return m.open()
	}
	m.list.Select(at)
	return nil
}

// Wheel scrolls by n rows.
func (m *Model) Wheel(n int) {
	m.list.Wheel(n)
}

func (m *Model) open() tea.Cmd { return chosen.Run(m.Run()) }

// fresh is how long an agent is shown that does nothing any more.
const fresh = 10 * time.Minute

// arrange finds out anew what everyone does, and keeps the selected agent selected; the cursor at the top stays there.
func (m *Model) arrange() {
	selected := "" // who is at the top, until somebody is selected
	if len(m.rows) > 0 && m.list.Cursor > 0 {
		selected = m.rows[m.list.Cursor].Key
	}
	m.rows = m.rows[:0]
	words := strings.Fields(strings.ToLower(m.query))
	for _, a := range m.agents {
		s := a.Doing.At(m.now, a.Writing)
		if (s.Kind == activity.Ended || s.Kind == activity.Lost) && s.For > fresh {
			continue
		}
		r := row{a, s, m.rankOf(&s)}
		m.number(r)
		if m.matches(r, words) {
			m.rows = append(m.rows, r)
		}
	}
	slices.SortStableFunc(m.rows, compare)
	m.fit()
	if selected == "" {
		return
	}
	if i := slices.IndexFunc(m.rows, func(r row) bool { return r.Key == selected }); i >= 0 {
		m.list.Select(i)
	}
}

func (m *Model) fit() { m.list.Resize(len(m.rows), m.height-headLines-m.below()) }

// number counts the agents of one name.
func (m *Model) number(r row) {
	if m.numbers[r.Key] == 0 {
		name := r.name()
		m.named[name]++
		m.numbers[r.Key] = m.named[name]
	}
}

func (r row) name() string { return cmp.Or(r.Run.Name, r.Run.ID) }

// nagging is how long an agent has been stuck before it goes to the top: what passes by itself should not make rows jump.
const nagging = 3 * time.Second

func (m *Model) rankOf(s *activity.State) rank {
	switch {
	case s.Kind == activity.Ended:
		return ended
	case s.IsStuck() && s.For >= nagging, m.isLate(s):
		return stuck
	}
	return busy
}

// isLate reports whether a tool, or a first token, takes far longer than it usually does.
func (m *Model) isLate(s *activity.State) bool {
	usual, ok := m.usually(s)
	return ok && s.For > 4*usual && s.For > usual+5*time.Second
}

// usually returns how long what is going on usually takes.
func (m *Model) usually(s *activity.State) (time.Duration, bool) {
	switch s.Kind {
	case activity.Tool:
		return m.usual.Tool(s.Tool)
	case activity.Waiting:
		return m.usual.Wait(s.Model)
	}
	return 0, false
}

// compare puts those on top that are stuck, longest first, then the others in the order in which they began, last those that have
// ended, the latest first. So rows change places only when something happens.
func compare(a, b row) int {
	if c := cmp.Compare(a.rank, b.rank); c != 0 {
		return c
	}
	switch a.rank {
	case stuck:
		if c := cmp.Compare(b.state.For, a.state.For); c != 0 {
			return c
		}
	case ended:
		if c := cmp.Compare(a.state.For, b.state.For); c != 0 {
			return c
		}
	}
	return cmp.Or(a.Run.Start.Compare(b.Run.Start), cmp.Compare(a.Key, b.Key))
}

func (m *Model) matches(r row, words []string) bool {
	if len(words) == 0 {
		return true
	}
	state, _ := m.label(&r.state)
	text := []string{m.title(r), r.Run.ID, state, string(r.state.Kind), r.state.Model}
	for k, v := range r.Run.Group {
		text = append(text, v, k+"="+v)
	}
	all := strings.ToLower(strings.Join(text, "\n"))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}
