package tui

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/cell"
)

// A Loader reads the runs. It says now and then how far it is, and ends soon after ctx does, with what it has read by then. It runs beside the
// screens; the runs are theirs afterwards.
type Loader func(ctx context.Context, say func(Progress)) ([]*measure.Run, []traces.Problem, error)

// A Progress is how far a loader is.
type Progress struct {
	What        string // that is being read
	Done, Total int    // runs or files; Total 0: nobody knows
}

// A loading is a loader at work.
type loading struct {
	said    atomic.Pointer[Progress] // last, by the loader
	shown   Progress
	ticks   int
	ctx     context.Context
	cancel  context.CancelFunc
	stopped bool // the user wants no more of it
}

// A loadedMsg is what a loader has read.
type loadedMsg struct {
	runs     []*measure.Run
	problems []traces.Problem
	err      error
}

// A loadTickMsg asks to look how far the loader is.
type loadTickMsg struct{}

// glance is how often one looks; what takes less than two glances is not announced, so that nothing flickers.
const glance = 100 * time.Millisecond

func newLoading() *loading {
	l := &loading{}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.said.Store(&Progress{})
	return l
}

// load runs the loader.
func (m *Model) load() tea.Msg {
	l := m.loading
	runs, problems, err := m.options.Load(l.ctx, func(p Progress) { l.said.Store(&p) })
	return loadedMsg{runs, problems, err}
}

func (l *loading) tick() tea.Cmd {
	return tea.Tick(glance, func(time.Time) tea.Msg { return loadTickMsg{} })
}

// look notes how far the loader is, and has another look later.
func (m *Model) look() tea.Cmd {
	if m.loading == nil {
		return nil
	}
	m.loading.ticks++
	m.loading.shown = *m.loading.said.Load()
	return m.loading.tick()
}

// loaded goes on with what was read.
func (m *Model) loaded(msg loadedMsg) tea.Cmd {
	l := m.loading
	l.cancel()
	m.loading = nil
	if msg.err != nil && !l.stopped {
		m.failure = msg.err
		return nil
	}
	m.runs = msg.runs
	m.options.Problems = append(m.options.Problems, msg.problems...)
	if l.stopped {
		m.options.Notes = append(m.options.Notes, "reading was stopped: not all runs are here")
		m.status = "reading was stopped: not all is here"
	}
	m.list.Replace(m.runs, nil)
	m.begin()
	return nil
}

// stop ends the loader: what it has read is shown; where that is nothing, there is nothing to wait for.
func (m *Model) stop() tea.Cmd {
	m.loading.cancel()
	if m.loading.stopped || m.loading.shown.Done == 0 {
		return tea.Quit
	}
	m.loading.stopped = true
	return nil
}

// loadingView draws how far the loader is.
func (m *Model) loadingView() string {
	t, p := m.theme, m.loading.shown
	var lines []string
	if m.loading.ticks >= 2 {
		title, bar, foot := cell.NewLine(t, m.width, false), cell.NewLine(t, m.width, false), cell.NewLine(t, m.width, false)
		title.Space(1).Text(t.Accent, "longpole").Space(2)
		words := "reading " + p.What
		if m.loading.stopped {
			words = "stopping"
		}
		title.Text(t.Strong, words)
		cells := min(60, m.width-4)
		bar.Space(2)
		for x := range cells {
			full := p.Total > 0 && x < cells*p.Done/p.Total
			moving := p.Total == 0 && (x+m.loading.ticks)%12 < 3
			if full || moving {
				bar.Rune(t.Accent, t.Glyphs.Blocks[len(t.Glyphs.Blocks)-1])
			} else {
				bar.Rune(t.Faint, t.Glyphs.Rule)
			}
		}
		foot.Space(2)
		if p.Total > 0 {
			foot.Text(t.Text, fmt.Sprintf("%d of %d", p.Done, p.Total)).Space(3)
		}
		does := " gives up"
		if p.Done > 0 {
			does = " shows what has been read"
		}
		foot.Text(t.Accent, "esc").Text(t.Muted, does)
		lines = []string{title.String(), strings.Repeat(" ", m.width), bar.String(), foot.String()}
	}
	return m.filled(lines)
}

// failureView says why there is nothing to show.
func (m *Model) failureView() string {
	t := m.theme
	title, foot := cell.NewLine(t, m.width, false), cell.NewLine(t, m.width, false)
	title.Space(1).Text(t.Accent, "longpole").Space(2).Text(t.Bad, t.Glyphs.Bad+" nothing could be read")
	foot.Space(2).Text(t.Accent, "q").Text(t.Muted, " quits")
	lines := []string{title.String(), strings.Repeat(" ", m.width)}
	for _, s := range cell.Wrap(cell.Clean(m.failure.Error()), m.width-4) {
		lines = append(lines, cell.NewLine(t, m.width, false).Space(2).Text(t.Text, strings.TrimSpace(s)).String())
	}
	return m.filled(append(lines, strings.Repeat(" ", m.width), foot.String()))
}

// filled returns as many lines as the terminal has.
func (m *Model) filled(lines []string) string {
	for len(lines) < m.height {
		lines = append(lines, strings.Repeat(" ", m.width))
	}
	return strings.Join(lines[:m.height], "\n")
}
