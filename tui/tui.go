// Package tui is the interactive view of runs: a list, and for each run its waterfall, its breakdown, the streams of its calls and its problems, the
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
	"github.com/seed46266073/longpole/tui/compare"
	"github.com/seed46266073/longpole/tui/flame"
	"github.com/seed46266073/longpole/tui/live"
	"github.com/seed46266073/longpole/tui/problems"
	"github.com/seed46266073/longpole/tui/runlist"
	"github.com/seed46266073/longpole/tui/theme"
	"github.com/seed46266073/longpole/tui/whatif"
)

// Options say how to begin. The zero value is fine.
type Options struct {
	Title   string   // what the runs are, "runs" if empty
	Start   Screen   // the first screen; esc leads from it to the list
	Environ []string // "KEY=value": decides colours and characters (TERM, NO_COLOR, LANG, …); nil: that of the process

	Notes    []string         // what to say about the data as a whole, listed with the problems
	Problems []traces.Problem // those that belong to no run

	// Load reads runs while the interface is open already, which says how far it is and can end it; nil: New was given all.
	Load Loader

	Tour   bool   // begin with the tour
	Toured func() // is told that the tour was seen; may be nil

	// Export writes the text of a screen to a new file, named after the screen, and says where; nil: nothing is exported.
	Export func(screen, text string) (path string, err error)

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
	pages         map[Screen]page
	stack         []Screen // the way here, the current screen last; never empty
	sheet         *sheet   // covers the screen; nil: none
	count         int      // typed before a key
	status        string   // said once, until the next key
	prompt        prompt
	pointer       pointer
	loading       *loading // nil: all has been read
	failure       error    // why nothing could be

	list   *runlist.Model
	live   *live.Model
	feed   *feed        // nil: nothing is followed
	marked bool         // the comparison is of the marked runs, else of those of the list
	oddOf  *measure.Run // whose problems are listed; nil: those of all
	run    *measure.Run // that is open; nil before one was
}

// New returns the interface for runs. It does not change the slice, nor the runs.
func New(runs []*measure.Run, opt Options) *Model {
	if opt.Environ == nil {
		opt.Environ = os.Environ()
	}
	m := &Model{options: opt, runs: runs, env: theme.Detect(opt.Environ), stack: []Screen{Runs}}
	m.theme = theme.New(m.env.Dark, m.env.Profile, m.env.ASCII)
	m.list = runlist.New(m.theme, opt.Title, runs)
	m.pages = map[Screen]page{Runs: m.list}
	if opt.Updates != nil {
		m.feed = &feed{sources: map[string]Source{}}
		m.live = live.New(m.theme)
		m.pages[Live] = m.live
	}
	if opt.Load != nil {
		m.loading = newLoading()
	} else {
		m.begin()
	}
	if opt.Tour {
		m.tour()
	}
	return m
}

// begin shows the first screen.
func (m *Model) begin() {
	first := m.options.Start
	if first == Auto {
		first = Runs
		if len(m.runs) == 1 {
			first = Waterfall
		}
	}
	if kinds[first].ofRun {
		m.open(first, m.list.Run())
	} else {
		m.show(first)
	}
}

// Run shows m on out and obeys in until the user quits or ctx ends. The error says what was wrong with the terminal, or why the runs could
// not be read; quitting and the end of ctx are none.
func Run(ctx context.Context, m *Model, in io.Reader, out io.Writer) error {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment(m.options.Environ)}
	if m.env.Fixed {
		options = append(options, tea.WithColorProfile(m.env.Profile))
	}
	if m.loading != nil {
		defer m.loading.cancel()
	}
	if _, err := tea.NewProgram(m, options...).Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("show runs on the terminal: %w; longpole report prints the same as text", err)
	}
	return m.failure
}

// Init asks the terminal for its background, and begins to read or to follow.
func (m *Model) Init() tea.Cmd {
	todo := []tea.Cmd{tea.RequestBackgroundColor}
	if m.loading != nil {
		todo = append(todo, m.load, m.loading.tick())
	}
	if m.feed != nil {
		todo = append(todo, readClock, m.listen)
	}
	if m.options.Tour && m.options.Toured != nil {
		todo = append(todo, func() tea.Msg { m.options.Toured(); return nil })
	}
	return tea.Batch(todo...)
}

// comparison compares the marked runs, or those that the list shows.
func (m *Model) comparison() page {
	m.marked = len(m.list.Marked()) > 0
	return compare.New(m.theme, m.compared(), m.marked)
}

func (m *Model) compared() []*measure.Run {
	if m.marked {
		return m.list.Marked()
	}
	return m.list.Shown()
}

// flame adds up what the runs that the current screen is about waited for.
func (m *Model) flame() page {
	runs, marked := m.subject()
	return flame.New(m.theme, runs, marked)
}

// whatIf asks what the runs that the current screen is about would take, if some of it were otherwise. Sliders stay where they were left.
func (m *Model) whatIf() page {
	runs, marked := m.subject()
	if p, ok := m.pages[WhatIf].(*whatif.Model); ok && slices.Equal(p.Runs(), runs) {
		return p
	}
	return whatif.New(m.theme, runs, marked)
}

// subject returns the runs that the current screen is about: the one that is open, else those that a comparison is of.
func (m *Model) subject() (runs []*measure.Run, marked bool) {
	switch p := m.page().(type) {
	case growing:
		return []*measure.Run{m.run}, false
	case summing:
		return p.Runs(), m.marked
	}
	m.marked = len(m.list.Marked()) > 0
	return m.compared(), m.marked
}

// oddities lists the problems of the run on the screen, of all runs from any other screen.
func (m *Model) oddities() page {
	m.oddOf = nil
	if _, ok := m.page().(growing); ok {
		m.oddOf = m.run
	}
	title, loose, runs := m.problemsOf()
	return problems.New(m.theme, title, loose, runs)
}

// problemsOf returns whose problems are listed, those of no run among them.
func (m *Model) problemsOf() (title string, loose []traces.Problem, runs []*measure.Run) {
	if m.oddOf != nil {
		return m.oddOf.Name, nil, []*measure.Run{m.oddOf}
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

// restyle gives every page the look that fits the terminal.
func (m *Model) restyle() {
	m.theme = theme.New(m.env.Dark, m.env.Profile, m.env.ASCII)
	for _, p := range m.pages {
		p.SetTheme(m.theme)
	}
}
