package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/report"
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

// openHelp shows the help.
func (m *Model) openHelp() { m.sheet = &sheet{title: "help", lines: (*Model).helpLines} }

// helpLines lists all keys in as many columns as fit, the ones that do nothing on this screen paler, and below them what letters, marks
// and words mean.
func (m *Model) helpLines() []string {
	t := m.theme
	count := max(1, min(4, m.width/34))
	var columns [][]helpEntry
	for room, ok := 1, false; !ok; room++ {
		columns, ok = pack(m.helpGroups(), count, room)
	}
	width := (m.width - 1) / count
	var lines []string
	for y := range len(slices.MaxFunc(columns, func(a, b []helpEntry) int { return len(a) - len(b) })) {
		l := cell.NewLine(t, m.width, false)
		for x, column := range columns {
			if y < len(column) {
				l.Column(1 + x*width)
				drawHelp(l, t, column[y], width)
			}
		}
		lines = append(lines, l.String())
	}
	note := cell.NewLine(t, m.width, false)
	note.Space(1).Text(t.Muted, "The same on every screen; paler: not on this one. A number before a key repeats it.")
	lines = append(lines, strings.Repeat(" ", m.width), note.String(), strings.Repeat(" ", m.width))
	return append(append(lines, m.legend()...), m.words()...)
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
	var groups [][]helpEntry
	for _, g := range keys.Groups {
		list := []helpEntry{{heading: string(g)}}
		for _, b := range keys.Default {
			if b.Group != g {
				continue
			}
			works := m.works(b.Action)
			if n := len(list); b.Joined && n > 1 {
				last := &list[n-1]
				last.keys += " " + b.Help().Key
				last.does = both(last.does, m.does(b))
				last.works = last.works || works
				continue
			}
			list = append(list, helpEntry{keys: b.Help().Key, does: m.does(b), works: works})
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

// signs are the marks on screens and what they mean.
func (m *Model) signs() []helpSign {
	t := m.theme
	return []helpSign{
		{t.Critical, t.Glyphs.Critical, "on the critical path: the run was waiting for it"},
		{t.Muted, t.Glyphs.Shade, "paler: beside the path, something else took longer"},
		{t.Strong, t.Glyphs.First, "in a call: here its first token came"},
		{t.Slack, t.Glyphs.Slack, "slack: so much longer it could have lasted for free"},
		{t.Warn, t.Glyphs.Break, "here idle time is cut out of the axis"},
		{t.Warn, t.Glyphs.Knee, "knee of a slider: beyond it going on helps less, as the run waits for something else"},
		{t.Warn, t.Glyphs.Inferred, "inferred, not measured"},
		{t.Warn, t.Glyphs.Bound, "at most this much"},
	}
}

// A helpSign is a mark and what it means.
type helpSign struct {
	style       theme.Style
	sign, means string
}

func (m *Model) legend() []string {
	t := m.theme
	lines := []string{cell.NewLine(t, m.width, false).Space(1).Text(t.Accent, "Marks").String()}
	for _, s := range m.signs() {
		l := cell.NewLine(t, m.width, false)
		l.Space(3).Text(s.style, s.sign).Space(2).Text(t.Text, s.means)
		lines = append(lines, l.String())
	}
	return append(lines, strings.Repeat(" ", m.width))
}

// words explains what time is booked on: the letter and colour of each component, and what it holds.
func (m *Model) words() []string {
	t := m.theme
	lines := []string{cell.NewLine(t, m.width, false).Space(1).Text(t.Accent, "Where a nanosecond goes").String()}
	for _, c := range traces.Components {
		l := cell.NewLine(t, m.width, false)
		l.Space(3)
		headline.Chip(l, t, c)
		l.Space(2).Fit(t.Strong, strings.ReplaceAll(string(c), "_", " "), 11).Text(t.Text, cmp.Or(report.Explain(c), explained[c]))
		lines = append(lines, l.String())
	}
	return lines
}

// explained says of the components whose name says it to those who know the field what they are.
var explained = map[traces.Component]string{
	traces.Queue:     "the part of the wait before the server began, by its own account",
	traces.Prefill:   "the part of the wait in which the server read the prompt",
	traces.Reasoning: "generating tokens of reasoning",
	traces.Output:    "generating visible text",
	traces.ToolArgs:  "generating the names and arguments of tool calls",
	traces.Tool:      "executing a tool",
}
