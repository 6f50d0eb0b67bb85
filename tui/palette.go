package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/keys"
)

// A command is something to do that can be called by name.
type command struct {
	name, key string
	do        func(m *Model) tea.Cmd
}

// commands lists all that can be done here: what has a key, the keys of this screen first, and the rest.
func (m *Model) commands() []command {
	var list []command
	for _, a := range append(m.actions(), always...) {
		b, ok := keys.Default.Of(a)
		if !ok || slices.ContainsFunc(list, func(c command) bool { return c.name == m.does(b) }) {
			continue
		}
		list = append(list, command{m.does(b), b.Help().Key, func(m *Model) tea.Cmd { return m.act(a, 0) }})
	}
	return append(list, command{"tour", "", func(m *Model) tea.Cmd { m.tour(); return nil }})
}

// matching returns the commands whose names contain the letters of query in order, the best match first.
func (m *Model) matching(query string) []command {
	type match struct {
		command
		score int
	}
	var found []match
	for _, c := range m.commands() {
		if s, ok := score(c.name, query); ok {
			found = append(found, match{c, s})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	list := make([]command, len(found))
	for i, f := range found {
		list[i] = f.command
	}
	return list
}

// score says how well query fits name: letters at the beginnings of words and next to each other count more, so that "gn" finds "group by
// next tag" and "bre" "breakdown" before all others. ok is false if a letter is missing.
func score(name, query string) (points int, ok bool) {
	name, query = strings.ToLower(name), strings.ToLower(strings.ReplaceAll(query, " ", ""))
	if query != "" && strings.HasPrefix(strings.ReplaceAll(name, " ", ""), query) {
		points = 100 - len(name)
	}
	at, last := 0, -2
	for _, r := range query {
		i := strings.IndexRune(name[at:], r)
		if start := strings.Index(" "+name[at:], " "+string(r)); start >= 0 && i != 0 {
			i = start // the beginning of a word
		}
		if i < 0 {
			return 0, false
		}
		i += at
		switch {
		case i == last+1:
			points += 3
		case i == 0 || name[i-1] == ' ':
			points += 2
		}
		last, at = i, i+len(string(r))
	}
	return points, true
}

// complete writes the selected command's name in full.
func (m *Model) complete() {
	if list := m.matching(m.prompt.text); m.prompt.command && len(list) > 0 {
		m.write(list[min(m.prompt.row, len(list)-1)].name)
	}
}

// obey does what was typed: goes to a time (@12.5s), to a row (42), or carries out the selected command.
func (m *Model) obey(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if text == "" && m.prompt.row == 0 {
		return nil
	}
	if at, ok := strings.CutPrefix(text, "@"); ok {
		m.jump(at)
		return nil
	}
	if row, err := strconv.Atoi(text); err == nil {
		return m.page().Update(keys.Msg{Action: keys.Top, Count: max(row, 1)})
	}
	list := m.matching(text)
	if len(list) == 0 {
		m.status = "no command " + text
		return nil
	}
	return list[min(m.prompt.row, len(list)-1)].do(m)
}

func (m *Model) jump(text string) {
	p, ok := m.page().(timed)
	at, err := instant(text)
	switch {
	case !ok:
		m.status = "no times to go to here"
	case err != nil:
		m.status = "no time: @12.5s, @1m04s or @1:04"
	default:
		p.Jump(at)
	}
}

// instant reads a time since the start of a run: as durations are written, as the ruler writes them (1:04), or in seconds.
func instant(text string) (time.Duration, error) {
	text = strings.ReplaceAll(text, " ", "")
	if head, tail, ok := strings.Cut(text, ":"); ok {
		if minutes, seconds, ok := strings.Cut(tail, ":"); ok {
			text = head + "h" + minutes + "m" + seconds + "s"
		} else {
			text = head + "m" + tail + "s"
		}
	}
	if d, err := time.ParseDuration(text + "s"); err == nil {
		return d, nil
	}
	return time.ParseDuration(text)
}

// paletteView draws the commands that match in at most rows lines, which go above the prompt.
func (m *Model) paletteView(rows int) []string {
	t := m.theme
	list := m.matching(m.prompt.text)
	if c := m.prompt.text; strings.HasPrefix(c, "@") || c != "" && strings.Trim(c, "0123456789") == "" {
		return nil
	}
	selected := min(m.prompt.row, max(0, len(list)-1))
	from := max(0, min(selected-rows/2, len(list)-rows))
	var lines []string
	for i := from; i < min(from+rows, len(list)); i++ {
		l := cell.NewLine(t, m.width, i == selected)
		if i == selected {
			l.Rune(t.Accent, t.Glyphs.Cursor)
		}
		l.Column(2).Fit(t.Text, list[i].name, 24).Text(t.Muted, list[i].key)
		if i == from {
			l.Right(t.Muted, fmt.Sprintf(" %d commands %s @12.5s goes to a time, 42 to a row ", len(list), t.Glyphs.Dot))
		}
		lines = append(lines, l.String())
	}
	if len(list) == 0 {
		lines = append(lines, cell.NewLine(t, m.width, false).Space(2).Text(t.Bad, "no such command").String())
	}
	return lines
}
