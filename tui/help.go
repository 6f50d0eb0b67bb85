package tui

import (
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/theme"
)

// A helpEntry is a line of the help page: keys and what they do, or a heading.
type helpEntry struct {
	heading    string
	keys, does string
	works      bool // on the current screen
}

// helpView lists all keys, the ones that do nothing on this screen paler, and what letters and marks mean. It takes as many
// columns as fit, and leaves out headings, then the legend, where there is little room.
func (m *Model) helpView() string {
	t := m.theme
	columns := max(1, min(4, m.width/30))
	legend := m.legend()
	room := m.height - 2 - len(legend) - 1
	entries := m.helpEntries(true)
	if (len(entries)+columns-1)/columns > room {
		entries = m.helpEntries(false)
	}
	if (len(entries)+columns-1)/columns > room {
		legend, room = nil, m.height-2
	}
	perColumn := min(max(1, room), (len(entries)+columns-1)/columns)
	title := cell.NewLine(t, m.width, false)
	title.Space(1).Text(t.Accent, "longpole").Space(2).Text(t.Strong, "keys")
	title.Right(t.Muted, " the same on every screen ")
	lines := []string{title.String()}
	width := (m.width - 1) / columns
	for y := range perColumn {
		l := cell.NewLine(t, m.width, false)
		for x := range columns {
			l.Column(1 + x*width)
			if i := x*perColumn + y; i < len(entries) {
				drawHelp(l, t, entries[i], width)
			}
		}
		lines = append(lines, l.String())
	}
	empty := strings.Repeat(" ", m.width)
	for len(lines) < m.height-1-len(legend) {
		lines = append(lines, empty)
	}
	lines = append(lines, legend...)
	foot := cell.NewLine(t, m.width, false)
	foot.Space(1).Text(t.Accent, "?").Text(t.Muted, " or ").Text(t.Accent, "esc").Text(t.Muted, " closes this page; a number before a key repeats it")
	lines = append(lines, foot.String())
	return strings.Join(lines[:min(len(lines), m.height)], "\n")
}

func drawHelp(l *cell.Line, t *theme.Theme, e helpEntry, width int) {
	if e.heading != "" {
		l.Fit(t.Accent, e.heading, width)
		return
	}
	key, does := t.Strong, t.Text
	if !e.works {
		key, does = t.Muted, t.Muted
	}
	l.FitRight(key, e.keys, 9).Space(2).Fit(does, e.does, width-12)
}

// helpEntries lists the key map, keys that belong together on one line.
func (m *Model) helpEntries(headings bool) []helpEntry {
	works := m.actions()
	var list []helpEntry
	for _, g := range keys.Groups {
		if headings {
			if len(list) > 0 {
				list = append(list, helpEntry{})
			}
			list = append(list, helpEntry{heading: string(g)})
		}
		for _, b := range keys.Default {
			if b.Group != g {
				continue
			}
			does := b.Action == keys.Help || b.Action == keys.Quit || b.Action == keys.Back || moves(b.Action) ||
				slices.Contains(works, b.Action)
			if n := len(list); b.Joined && n > 0 {
				list[n-1].keys += " " + b.Help().Key
				list[n-1].does += ", " + b.Help().Desc
				list[n-1].works = list[n-1].works || does
				continue
			}
			list = append(list, helpEntry{keys: b.Help().Key, does: b.Help().Desc, works: does})
		}
	}
	return list
}

// legend explains the letters and marks of bars in as few lines as they take.
func (m *Model) legend() []string {
	t := m.theme
	var lines []string
	l := cell.NewLine(t, m.width, false)
	l.Space(1)
	item := func(width int, draw func()) {
		if l.Left() < width+2 {
			lines = append(lines, l.String())
			l = cell.NewLine(t, m.width, false)
			l.Space(1)
		}
		draw()
		l.Space(2)
	}
	for _, c := range traces.Components {
		name := strings.ReplaceAll(string(c), "_", " ")
		item(cell.Width(name)+2, func() {
			headline.Chip(l, t, c)
			l.Space(1).Text(t.Muted, name)
		})
	}
	for _, sign := range []struct {
		style       theme.Style
		sign, means string
	}{
		{t.Critical, t.Glyphs.Critical, "critical path"},
		{t.Slack, t.Glyphs.Slack, "slack"},
		{t.Warn, t.Glyphs.Inferred, "inferred"},
		{t.Warn, t.Glyphs.Bound, "at most"},
	} {
		item(cell.Width(sign.means)+2, func() { l.Text(sign.style, sign.sign).Space(1).Text(t.Muted, sign.means) })
	}
	return append(lines, l.String())
}
