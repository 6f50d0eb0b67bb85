// Package tui is the interactive view of runs: a list, and for each run its waterfall, its breakdown and its problems, and
// the comparison of groups.
//
// Measured runs go in; the screen comes out, and nothing else happens: no file is read, nothing is sent. The root model
// here owns the size of the terminal, its look, the keys and which screen is shown; each screen is a package of its own that
// draws exactly the cells it is given. Nothing is ever wider or higher than the terminal.
package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/breakdown"
	"github.com/seed46266073/longpole/tui/compare"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/problems"
	"github.com/seed46266073/longpole/tui/runlist"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/waterfall"
)

// Screen is one of the views.
type Screen int

// The screens. Auto is the run itself if there is only one, else the list.
const (
	Auto Screen = iota
	Runs
	Waterfall
	Breakdown
	Compare
	Problems
)

// Options say how to begin. The zero value is fine.
type Options struct {
	Title   string   // what the runs are, "runs" if empty
	Start   Screen   // the first screen; esc leads from it to the list
	Environ []string // "KEY=value": decides colours and characters (TERM, NO_COLOR, LANG, …); nil: that of the process

	Notes    []string         // what to say about the data as a whole, listed with the problems
	Problems []traces.Problem // those that belong to no run
}

// A Model is the whole interface, a tea.Model. Make it with New.
type Model struct {
	options Options
	runs    []*measure.Run
	env     theme.Env
	theme   *theme.Theme

	width, height int
	stack         []Screen // the way here, the current screen last; never empty
	help          bool
	count         int    // typed before a key
	status        string // said once, until the next key
	prompt        prompt

	list      runlist.Model
	fall      waterfall.Model
	breakdown breakdown.Model
	compare   compare.Model
	problems  problems.Model
	run       *measure.Run // shown by fall and breakdown; nil before one was opened
}

// New returns the interface for runs. It does not change the slice, nor the runs.
func New(runs []*measure.Run, opt Options) *Model {
	if opt.Environ == nil {
		opt.Environ = os.Environ()
	}
	m := &Model{options: opt, runs: runs, env: theme.Detect(opt.Environ), stack: []Screen{Runs}}
	m.theme = theme.New(m.env.Dark, m.env.Profile, m.env.ASCII)
	m.list = runlist.New(m.theme, opt.Title, runs)
	start := opt.Start
	if start == Auto && len(runs) == 1 {
		start = Waterfall
	}
	switch start {
	case Waterfall, Breakdown:
		if len(runs) > 0 {
			m.open(start, m.list.Run())
		}
	case Compare:
		m.openCompare()
	case Problems:
		m.openProblems()
	}
	return m
}

// Run shows m on out and obeys in until the user quits or ctx ends. The error says what was wrong with the terminal; quitting
// and the end of ctx are none.
func Run(ctx context.Context, m *Model, in io.Reader, out io.Writer) error {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment(m.options.Environ)}
	if m.env.Fixed {
		options = append(options, tea.WithColorProfile(m.env.Profile))
	}
	if _, err := tea.NewProgram(m, options...).Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("show runs on the terminal: %w; longpole report prints the same as text", err)
	}
	return nil
}

// Init asks the terminal for its background.
func (m *Model) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (m *Model) screen() Screen { return m.stack[len(m.stack)-1] }

// push shows a screen on top of the current one; a screen that is already open is gone back to.
func (m *Model) push(s Screen) {
	for i, open := range m.stack {
		if open == s {
			m.stack = m.stack[:i+1]
			return
		}
	}
	m.stack = append(m.stack, s)
}

// open shows a run's waterfall or breakdown.
func (m *Model) open(s Screen, run *measure.Run) {
	if run == nil {
		return
	}
	if m.run != run {
		m.run = run
		m.fall = waterfall.New(m.theme, run)
		m.breakdown = breakdown.New(m.theme, run)
	}
	m.push(s)
	m.resize()
}

func (m *Model) openCompare() {
	runs, alone := m.list.Marked(), true
	if len(runs) == 0 {
		runs, alone = m.list.Shown(), false
	}
	m.compare = compare.New(m.theme, runs, alone)
	m.push(Compare)
	m.resize()
}

// openProblems shows those of the run on the screen, of all runs from any other screen.
func (m *Model) openProblems() {
	title, runs := "all runs", m.runs
	var loose []traces.Problem
	for _, n := range m.options.Notes {
		loose = append(loose, traces.Problem{Message: n})
	}
	loose = append(loose, m.options.Problems...)
	if s := m.screen(); s == Waterfall || s == Breakdown {
		title, runs, loose = m.run.Name, []*measure.Run{m.run}, nil
	}
	m.problems = problems.New(m.theme, title, loose, runs)
	m.push(Problems)
	m.resize()
}

// resize gives every screen the size that the key bar leaves.
func (m *Model) resize() {
	width, height := m.width, max(0, m.height-1)
	m.list.SetSize(width, height)
	if m.run != nil {
		m.fall.SetSize(width, height)
		m.breakdown.SetSize(width, height)
	}
	m.compare.SetSize(width, height)
	m.problems.SetSize(width, height)
}

// restyle gives every screen the look that fits the terminal.
func (m *Model) restyle() {
	m.theme = theme.New(m.env.Dark, m.env.Profile, m.env.ASCII)
	m.list.SetTheme(m.theme)
	if m.run != nil {
		m.fall.SetTheme(m.theme)
		m.breakdown.SetTheme(m.theme)
	}
	m.compare.SetTheme(m.theme)
	m.problems.SetTheme(m.theme)
}

// actions lists the keys that do something on the current screen, most useful first.
func (m *Model) actions() []keys.Action {
	var list []keys.Action
	switch m.screen() {
	case Runs:
		list = m.list.Actions()
	case Waterfall:
		list = m.fall.Actions()
	case Breakdown:
		list = m.breakdown.Actions()
	case Compare:
		list = m.compare.Actions()
	case Problems:
		list = m.problems.Actions()
	}
	if len(m.stack) > 1 {
		list = slices.Insert(list, min(3, len(list)), keys.Back) // known to everyone, so others come first
	}
	return list
}
