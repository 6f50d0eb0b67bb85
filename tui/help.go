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
// columns as fit, and leaves out the headings, then the legend, where there is little room.
func (m *Model) helpView() string {
	t := m.theme
	count := max(1, min(4, m.width/30))
	legend := m.legend()
	room := m.height - 3 - len(legend)
	columns, ok := pack(m.helpGroups(), count, room)
	if !ok {
		room = m.height - 2
		legend = nil
		columns = flow(m.helpGroups(), count)
	}
	title := cell.NewLine(t, m.width, false)
	title.Space(1).Text(t.Accent, "longpole").Space(2).Text(t.Strong, "keys")
	title.Right(t.Muted, " the same on every screen ")
	lines := []string{title.String()}
	width := (m.width - 1) / count
	for y := range room {
		l := cell.NewLine(t, m.width, false)
		for x, column := range columns {
			if y < len(column) {
				l.Column(1 + x*width)
				drawHelp(l, t, column[y], width)
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

// pack puts whole groups, with their headings, into count columns that are as even as they can be; ok is false if they are higher
// than room.
func pack(groups [][]helpEntry, count, room int) (columns [][]helpEntry, ok bool) {
	for height := 1; height <= room; height++ {
		columns = make([][]helpEntry, 1, count)
		for _, g := range groups {
			last := &columns[len(columns)-1]
			switch {
			case len(*last) > 0 && len(*last)+1+len(g) > height && len(columns) < count:
				columns = append(columns, slices.Clone(g))
			case len(*last) > 0:
				*last = append(append(*last, helpEntry{}), g...)
			default:
				*last = slices.Clone(g)
			}
		}
		if slices.IndexFunc(columns, func(c []helpEntry) bool { return len(c) > height }) < 0 {
			return columns, true
		}
	}
	return nil, false
}

// flow puts the entries of all groups, without headings, into count columns of one height.
func flow(groups [][]helpEntry, count int) (columns [][]helpEntry) {
	var all []helpEntry
	for _, g := range groups {
		all = append(all, g[1:]...)
	}
	return slices.Collect(slices.Chunk(all, (len(all)+count-1)/count))
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

// helpGroups lists the key map by group, each led by its heading, keys that belong together on one line.
func (m *Model) helpGroups() [][]helpEntry {
	works := m.actions()
	var groups [][]helpEntry
	for _, g := range keys.Groups {
		list := []helpEntry{{heading: string(g)}}
		for _, b := range keys.Default {
			if b.Group != g {
				continue
			}
			does := b.Action == keys.Help || b.Action == keys.Quit || b.Action == keys.Back || moves(b.Action) ||
				slices.Contains(works, b.Action)
			if n := len(list); b.Joined && n > 1 {
				last := &list[n-1]
				last.keys += " " + b.Help().Key
				last.does = both(last.does, b.Help().Desc)
				last.works = last.works || does
				continue
			}
			list = append(list, helpEntry{keys: b.Help().Key, does: b.Help().Desc, works: does})
		}
		groups = append(groups, list)
	}
	return groups
}

// both says two things without repeating the word they share: "zoom in, out", "first, last row".
func both(a, b string) string {
	head, _, _ := strings.Cut(a, " ")
	if rest, ok := strings.CutPrefix(b, head+" "); ok {
		return a + ", " + rest
	}
	if i := strings.LastIndexByte(a, ' '); i >= 0 && strings.HasSuffix(b, a[i:]) {
		return a[:i] + ", " + b
	}
	return a + ", " + b
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
