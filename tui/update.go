package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/chosen"
	"github.com/seed46266073/longpole/tui/compare"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/later"
	"github.com/seed46266073/longpole/tui/stream"
	"github.com/seed46266073/longpole/tui/waterfall"
)

// Update does what a message asks for, and begins what the screen wants to have worked out after that.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	if p, ok := m.page().(worker); ok {
		cmd = tea.Batch(cmd, p.Work())
	}
	return m, cmd
}

// take does what a message asks for.
func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.resize()
	case tea.BackgroundColorMsg:
		if dark := msg.IsDark(); dark != m.env.Dark {
			m.env.Dark = dark
			m.restyle()
		}
	case tea.ColorProfileMsg:
		if !m.env.Fixed && msg.Profile != m.env.Profile {
			m.env.Profile = msg.Profile
			m.restyle()
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.prompt.open {
			m.write(m.prompt.text + msg.Content)
		}
	case tea.MouseMsg:
		return m.mouse(msg)
	case loadTickMsg:
		return m.look()
	case loadedMsg:
		return m.loaded(msg)
	case later.Done:
		msg()
	case exportedMsg:
		m.exported(msg)
	case updatedMsg:
		m.apply(Update(msg))
		return m.listen
	case lostMsg:
		m.live.SetFault("nothing more comes; all is as it was when it was last seen")
	case clockMsg:
		m.live.SetNow(time.Time(msg))
		return m.tick()
	case chosen.Msg:
		m.open(Waterfall, msg.Run)
		if fall, ok := m.page().(*waterfall.Model); ok {
			fall.Reveal(msg.Span)
		}
	case chosen.CallMsg:
		m.open(Stream, msg.Run)
		if p, ok := m.page().(*stream.Model); ok {
			p.Select(msg.Call)
		}
	case compare.ChosenMsg:
		m.openGroup(msg)
	}
	return nil
}

// press handles a key: as text while something is being typed, else as what the key map says.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if m.prompt.open && msg.String() != "ctrl+c" {
		return m.typed(msg)
	}
	m.status = ""
	if key := keys.Default.Action(msg); m.pass(key) && (key == keys.None || key == keys.Back) {
		return nil
	}
	if d := msg.String(); len(d) == 1 && d[0] >= '0' && d[0] <= '9' && (d != "0" || m.count > 0) {
		m.count = min(m.count*10+int(d[0]-'0'), 1_000_000)
		return nil
	}
	action, count := keys.Default.Action(msg), m.count
	m.count = 0
	if m.idle(action) {
		m.status = msg.String() + ": " + elsewhere(action)
		return nil
	}
	return m.act(action, count)
}

// idle reports whether a key does nothing on the current screen. Where there is no screen to speak of, none is idle.
func (m *Model) idle(a keys.Action) bool {
	return m.sheet == nil && m.loading == nil && m.failure == nil && a != keys.Back && !m.works(a)
}

// works reports whether an action does anything on the current screen.
func (m *Model) works(a keys.Action) bool {
	return slices.Contains(always, a) || moves(a) || slices.Contains(m.actions(), a)
}

// elsewhere says where a key does something that does nothing here.
func elsewhere(a keys.Action) string {
	switch a {
	case keys.None:
		return "no such key; ? lists them"
	case keys.Critical, keys.ZoomSpan:
		return "only on a run"
	case keys.Gaps:
		return "only on a run that idled"
	case keys.ZoomIn, keys.ZoomOut, keys.ZoomReset, keys.ZoomUndo, keys.PanLeft, keys.PanRight:
		return "only on a run or a stream"
	case keys.Stream:
		return "only on a model call"
	case keys.Next, keys.Previous:
		return "only after / to find"
	case keys.Live:
		return "only with --follow"
	case keys.Regroup:
		return "only on the list, in compare"
	case keys.ResetAll:
		return "only in what-if"
	}
	return "nothing to do here"
}

// always are the actions that work on every screen.
var always = []keys.Action{keys.Command, keys.CopyView, keys.Export, keys.Help, keys.Quit}

// act carries out an action if it does anything here.
func (m *Model) act(action keys.Action, count int) tea.Cmd {
	switch {
	case action == keys.Quit:
		return tea.Quit
	case action == keys.None || m.small():
		return nil
	case m.sheet != nil:
		m.scroll(action, count)
		return nil
	case action == keys.Back && m.loading != nil:
		return m.stop()
	case action == keys.Back && m.failure != nil:
		return tea.Quit
	case m.loading != nil || m.failure != nil:
		return nil
	case m.works(action):
		return m.do(action, count)
	}
	return nil
}

// do carries out an action: here what concerns every screen, the rest on the current one.
func (m *Model) do(action keys.Action, count int) tea.Cmd {
	switch action {
	case keys.Back:
		m.back()
	case keys.Help:
		m.openHelp()
	case keys.Find:
		m.ask()
	case keys.Command:
		m.command()
	case keys.Copy:
		return m.copyID()
	case keys.CopyView:
		return m.copyView()
	case keys.Export:
		return m.export()
	default:
		if m.lead(action) {
			return nil
		}
		if _, ok := m.page().(growing); ok && action == keys.Mark {
			m.mark()
			return nil
		}
		return m.page().Update(keys.Msg{Action: action, Count: count})
	}
	return nil
}

// mark marks the run that is open for the comparison, or unmarks it.
func (m *Model) mark() {
	m.list.Toggle(m.run)
	m.status = "marked"
	if !slices.Contains(m.list.Marked(), m.run) {
		m.status = "no longer marked"
	}
}

// moves reports whether action only moves the cursor, which works everywhere.
func moves(a keys.Action) bool {
	switch a {
	case keys.Up, keys.Down, keys.Top, keys.Bottom, keys.PageUp, keys.PageDown, keys.Unfold:
		return true
	}
	return false
}

// back takes away, in this order, what was searched for, a step within the screen, and the screen itself.
func (m *Model) back() {
	if query, _ := m.query(); query != "" {
		m.search("")
		return
	}
	if p, ok := m.page().(nested); ok && p.Back() {
		return
	}
	if len(m.stack) > 1 {
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// openGroup shows the runs of a group: the list of them, or the run itself if it is only one.
func (m *Model) openGroup(msg compare.ChosenMsg) {
	if len(msg.Group.Runs) == 1 {
		m.open(Waterfall, msg.Group.Runs[0])
		return
	}
	m.stack = m.stack[:1]
	m.list.Search(msg.By + "=" + msg.Group.Key[msg.By])
}
