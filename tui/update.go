package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/breakdown"
	"github.com/seed46266073/longpole/tui/compare"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/live"
	"github.com/seed46266073/longpole/tui/problems"
	"github.com/seed46266073/longpole/tui/runlist"
)

// Update does what a message asks for.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
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
		return m, m.press(msg)
	case tea.PasteMsg:
		if m.prompt.open {
			m.prompt.text += msg.Content
			m.search(m.prompt.text)
		}
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && !m.help && !m.small() {
			return m, m.click(msg.X, msg.Y)
		}
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case updatedMsg:
		m.apply(Update(msg))
		return m, m.listen
	case clockMsg:
		m.live.SetNow(time.Time(msg))
		return m, m.tick()
	case runlist.ChosenMsg:
		m.open(Waterfall, msg.Run)
	case live.ChosenMsg:
		m.open(Waterfall, msg.Run)
	case breakdown.ChosenMsg:
		m.open(Waterfall, msg.Run)
		m.fall.Reveal(msg.Span)
	case problems.ChosenMsg:
		m.open(Waterfall, msg.Run)
		m.fall.Reveal(msg.Span)
	case compare.ChosenMsg:
		m.openGroup(msg)
	}
	return m, nil
}

// press handles a key: as text while something is being typed, else as what the key map says.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if m.prompt.open && msg.String() != "ctrl+c" {
		m.typed(msg)
		return nil
	}
	m.status = ""
	if d := msg.String(); len(d) == 1 && d[0] >= '0' && d[0] <= '9' && (d != "0" || m.count > 0) {
		m.count = min(m.count*10+int(d[0]-'0'), 1_000_000)
		return nil
	}
	action, count := keys.Default.Action(msg), m.count
	m.count = 0
	switch {
	case action == keys.Quit:
		return tea.Quit
	case action == keys.Help:
		m.help = !m.help
		return nil
	case m.help:
		m.help = m.help && action != keys.Back && action != keys.Enter
		return nil
	case m.small():
		return nil
	}
	return m.do(action, count)
}

// do carries out an action: what leads to another screen here, the rest on the current screen.
func (m *Model) do(action keys.Action, count int) tea.Cmd {
	switch action {
	case keys.None:
		return nil
	case keys.Back:
		m.back()
		return nil
	}
	if !moves(action) && !slices.Contains(m.actions(), action) {
		return nil
	}
	shown := m.list.Run()
	switch m.screen() {
	case Waterfall, Breakdown:
		shown = m.run
	case Live:
		shown = m.live.Run()
	}
	switch action {
	case keys.Breakdown:
		m.open(Breakdown, shown)
		return nil
	case keys.Compare:
		m.openCompare()
		return nil
	case keys.Live:
		m.push(Live)
		m.resize()
		return nil
	case keys.Problems:
		m.openProblems()
		return nil
	case keys.Find:
		m.ask()
		return nil
	case keys.Copy:
		return m.copy()
	case keys.Mark:
		if m.screen() != Runs {
			m.list.Toggle(m.run)
			m.status = "marked"
			if !slices.Contains(m.list.Marked(), m.run) {
				m.status = "no longer marked"
			}
			return nil
		}
	}
	return m.pass(keys.Msg{Action: action, Count: count})
}

// moves reports whether action only moves the cursor, which works everywhere.
func moves(a keys.Action) bool {
	switch a {
	case keys.Up, keys.Down, keys.Top, keys.Bottom, keys.PageUp, keys.PageDown, keys.Unfold:
		return true
	}
	return false
}

// pass hands an action to the current screen.
func (m *Model) pass(msg keys.Msg) (cmd tea.Cmd) {
	switch m.screen() {
	case Runs:
		m.list, cmd = m.list.Update(msg)
	case Waterfall:
		m.fall, cmd = m.fall.Update(msg)
	case Breakdown:
		m.breakdown, cmd = m.breakdown.Update(msg)
	case Compare:
		m.compare, cmd = m.compare.Update(msg)
	case Problems:
		m.problems, cmd = m.problems.Update(msg)
	case Live:
		m.live, cmd = m.live.Update(msg)
	}
	return cmd
}

// back takes away, in this order, what was searched for and the screen itself.
func (m *Model) back() {
	if query, _ := m.query(); query != "" {
		m.search("")
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

func (m *Model) copy() tea.Cmd {
	id := ""
	switch m.screen() {
	case Runs:
		if r := m.list.Run(); r != nil {
			id = r.ID
		}
	case Waterfall:
		if s := m.fall.Span(); s != nil {
			id = s.ID
		}
	case Breakdown:
		id = m.run.ID
	case Problems:
		id = m.problems.ID()
	case Live:
		if r := m.live.Run(); r != nil {
			id = r.ID
		}
	}
	if id == "" {
		m.status = "no id to copy"
		return nil
	}
	m.status = "copied " + id
	return tea.SetClipboard(id)
}

func (m *Model) click(x, y int) (cmd tea.Cmd) {
	m.status = ""
	switch m.screen() {
	case Runs:
		m.list, cmd = m.list.Click(x, y)
	case Waterfall:
		m.fall, cmd = m.fall.Click(x, y)
	case Breakdown:
		m.breakdown, cmd = m.breakdown.Click(x, y)
	case Compare:
		m.compare, cmd = m.compare.Click(x, y)
	case Problems:
		m.problems, cmd = m.problems.Click(x, y)
	case Live:
		m.live, cmd = m.live.Click(x, y)
	}
	return cmd
}

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	n := wheelRows
	switch msg.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	default:
		return
	}
	switch m.screen() {
	case Runs:
		m.list = m.list.Wheel(n)
	case Waterfall:
		m.fall = m.fall.Wheel(n)
	case Breakdown:
		m.breakdown = m.breakdown.Wheel(n)
	case Compare:
		m.compare = m.compare.Wheel(n)
	case Problems:
		m.problems = m.problems.Wheel(n)
	case Live:
		m.live = m.live.Wheel(n)
	}
}
