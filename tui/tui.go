// Package tui is the interactive view of runs: a list, and for each run its waterfall, its breakdown and its problems, the
// comparison of groups, and what agents are doing right now.
//
// Measured runs go in, at once or as updates while they grow; the screen comes out, and nothing else happens: no file is read,
// nothing is sent. What is drawn depends on runs, keys and a clock that comes as a message. The root model
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
	"github.com/seed46266073/longpole/tui/live"
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
	Live // what each agent is doing now; only with Options.Updates
)

// Options say how to begin. The zero value is fine.
type Options struct {
	Title   string   // what the runs are, "runs" if empty
	Start   Screen   // the first screen; esc leads from it to the list
	Environ []string // "KEY=value": decides colours and characters (TERM, NO_COLOR, LANG, …); nil: that of the process

	Notes    []string         // what to say about the data as a whole, listed with the problems
	Problems []traces.Problem // those that belong to no run

	// Updates bring runs that grow while they are looked at; nil: nothing changes. The interface begins without runs then and takes an
	// update whenever it can; whoever sends them waits until then.
	Updates <-chan Update
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
	live      live.Model
	feed      *feed        // nil: nothing is followed
	marked    bool         // compare shows the marked runs, else those of the list
	ofRun     bool         // problems are those of the run, else of all
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
	m.live = live.New(m.theme)
	if opt.Updates != nil {
		m.feed = &feed{sources: map[string]Source{}}
	}
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
	case Live:
		if m.feed != nil {
			m.push(Live)
		}
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

// Init asks the terminal for its background, and begins to follow.
func (m *Model) Init() tea.Cmd {
	if m.feed == nil {
		return tea.RequestBackgroundColor
	}
	return tea.Batch(tea.RequestBackgroundColor, readClock, m.listen)
}

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
	m.marked = len(m.list.Marked()) > 0
	m.compare = compare.New(m.theme, m.compared(), m.marked)
	m.push(Compare)
	m.resize()
}

// compared returns the marked runs, or those that the list shows.
func (m *Model) compared() []*measure.Run {
	if m.marked {
		return m.list.Marked()
	}
	return m.list.Shown()
}

// openProblems shows those of the run on the screen, of all runs from any other screen.
func (m *Model) openProblems() {
	s := m.screen()
	m.ofRun = s == Waterfall || s == Breakdown
	title, loose, runs := m.problemsOf()
	m.problems = problems.New(m.theme, title, loose, runs)
	m.push(Problems)
	m.resize()
}

// problemsOf returns whose problems are shown, those of no run among them.
func (m *Model) problemsOf() (title string, loose []traces.Problem, runs []*measure.Run) {
	if m.ofRun {
		return m.run.Name, nil, []*measure.Run{m.run}
	}
	for _, n := range m.options.Notes {
		loose = append(loose, traces.Problem{Message: n})
	}
	loose = append(loose, m.options.Problems...)
	if m.feed != nil {
		loose = append(loose, m.feed.loose()...)
	}
	return "all runs", loose, m.runs
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
	m.live.SetSize(width, height)
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
	m.live.SetTheme(m.theme)
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
	case Live:
		list = m.live.Actions()
	}
	if m.feed != nil && m.screen() != Live {
		list = slices.Insert(list, min(2, len(list)), keys.Live)
	}
	if len(m.stack) > 1 {
		list = slices.Insert(list, min(3, len(list)), keys.Back) // known to everyone, so others come first
	}
	return list
}
