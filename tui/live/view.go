package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces/activity"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

// headLines is how many lines stand above the rows: the title and the column heads.
const headLines = 2

// below is how many lines follow the rows: the selected agent in words.
func (m *Model) below() int {
	if m.height >= 12 {
		return 3
	}
	return 0
}

// columns is where what stands in a row, in cells; 0: it is left out.
type columns struct {
	name, step, state, time int
	age                     int // of each of byte, event and token
	note, strip             int
}

func layout(width int) columns {
	c := columns{name: 10, step: 3, state: 17, time: 6}
	switch {
	case width >= 130:
		c.name, c.step, c.state, c.time, c.age = 20, 4, 22, 7, 6
	case width >= 100:
		c.name, c.step, c.state, c.time, c.age = 18, 4, 22, 7, 6
	case width >= 76:
		c.name, c.state, c.time = 16, 20, 7
	}
	const gutter = 2 + 2 // the cursor and a blank; the state's letter and a blank
	rest := width - gutter - c.name - c.step - c.state - c.time - 3*2 - 3*(c.age+sign(c.age)) - 2 - 1
	c.note = rest
	if width >= 130 {
		c.note = min(29, rest)
		c.strip = min(60, rest-c.note-2)
	}
	return c
}

func sign(n int) int { return min(n, 1) }

// View returns as many lines as the size has, each as wide as it.
func (m *Model) View() string {
	if m.theme == nil || m.height <= 0 {
		return ""
	}
	c := layout(m.width)
	lines := []string{m.titleView(), m.headView(c)}
	from, to := m.list.Seen()
	for at := from; at < to; at++ {
		lines = append(lines, m.rowView(c, at))
	}
	if len(m.rows) == 0 {
		words := "no agent runs: start one with longpole record -- CMD, or longpole bench"
		if m.query != "" {
			words = "no agent matches; esc shows all again"
		}
		lines = append(lines, cell.NewLine(m.theme, m.width, false).Space(2).Text(m.theme.Muted, words).String())
	}
	empty := strings.Repeat(" ", max(0, m.width))
	for len(lines) < m.height-m.below() {
		lines = append(lines, empty)
	}
	lines = append(lines[:max(0, min(len(lines), m.height-m.below()))], m.detail()...)
	for len(lines) < m.height {
		lines = append(lines, empty)
	}
	return strings.Join(lines[:m.height], "\n")
}

func (m *Model) titleView() string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(1).Text(t.Accent, "longpole").Space(2).Text(t.Strong, "live")
	if m.fault != "" {
		l.Space(3).Text(t.Bad, t.Glyphs.Bad+" disconnected: "+m.fault)
		return l.String()
	}
	count, running := map[rank]int{}, 0
	for _, r := range m.rows {
		count[r.rank]++
		if r.rank != ended && r.state.Kind != activity.Lost {
			running++
		}
	}
	clock := " " + m.now.Format("15:04:05") + " "
	for _, part := range []struct {
		n     int
		words string
		bad   bool
	}{{running, "running", false}, {count[stuck], "stuck", true}, {count[ended], "ended", false}} {
		words := fmt.Sprintf("%d %s", part.n, part.words)
		if part.n == 0 && part.words != "running" || l.Left() < cell.Width(words)+3+cell.Width(clock) {
			continue
		}
		style := t.Muted
		if part.bad {
			style = t.Bad
		}
		l.Space(3).Text(style, words)
	}
	if m.now.IsZero() {
		return l.String()
	}
	l.Right(t.Muted, clock)
	return l.String()
}

func (m *Model) headView(c columns) string {
	t := m.theme
	l := cell.NewLine(t, m.width, false)
	l.Space(2).Fit(t.Muted, "agent", c.name).Space(1)
	head := "step"
	if c.step < len(head) {
		head = "st" // narrow, and known from above
	}
	l.FitRight(t.Muted, head, c.step).Space(2).Fit(t.Muted, "is", c.state+2).Space(1).FitRight(t.Muted, "for", c.time)
	if c.age > 0 {
		for _, of := range []string{"byte", "event", "token"} {
			l.Space(1).FitRight(t.Muted, of, c.age)
		}
	}
	l.Space(2).Fit(t.Muted, "", c.note)
	if c.strip > 0 {
		l.Space(2).Fit(t.Muted, "last minute", c.strip)
	}
	return l.String()
}

func (m *Model) rowView(c columns, at int) string {
	t, r, selected := m.theme, m.rows[at], at == m.list.Cursor
	s := &r.state
	l := cell.NewLine(t, m.width, selected)
	if selected {
		l.Rune(t.Accent, t.Glyphs.Cursor)
	} else {
		l.Space(1)
	}
	name := t.Text
	switch {
	case r.rank == ended:
		name = t.Muted
	case selected:
		name = t.Strong
	}
	ordinal, called := m.ordinal(r), cell.Clean(r.name())
	l.Space(1).Fit(name, called, min(cell.Width(called), c.name-len(ordinal))).Text(name, ordinal)
	l.Column(2 + c.name + 1)
	step := ""
	if s.Step > 0 {
		step = strconv.Itoa(s.Step)
	}
	l.FitRight(t.Muted, step, c.step).Space(2)
	m.sign(l, r)
	label, style := m.label(s)
	l.Space(1).Fit(style, label, c.state).Space(1)
	mark := ""
	if s.AtMost {
		mark = t.Glyphs.Bound
	}
	timeStyle := t.Text
	switch r.rank {
	case stuck:
		timeStyle = style
	case ended:
		timeStyle = t.Muted
	}
	l.FitRight(timeStyle, mark+age(s.For), c.time)
	if c.age > 0 {
		for _, d := range []*time.Duration{s.Byte, s.Event, s.Token} {
			text := ""
			if d != nil {
				text = age(*d)
			}
			l.Space(1).FitRight(t.Muted, text, c.age)
		}
	}
	l.Space(2)
	m.drawNotes(l, c, r)
	if c.strip > 0 {
		l.Column(m.width - c.strip - 1)
		m.drawStrip(l, r, c.strip)
	}
	return l.String()
}

// sign draws the one cell that says in shape and colour what an agent does.
func (m *Model) sign(l *cell.Line, r row) {
	t := m.theme
	switch s := &r.state; s.Kind {
	case activity.Ended:
		l.Rune(t.Outcome(s.Outcome), t.Glyphs.Outcome(s.Outcome))
	case activity.Lost:
		l.Rune(t.Bad, t.Glyphs.Bad)
	default:
		headline.Chip(l, t, s.Kind.Component())
	}
}

// drawNotes writes as many notes as fit, and after them the ages that have no columns.
func (m *Model) drawNotes(l *cell.Line, c columns, r row) {
	t := m.theme
	begin := l.Used()
	end := begin + c.note
	notes := m.notes(r)
	if c.age == 0 {
		for _, text := range ages(&r.state) {
			notes = append(notes, note{style: t.Muted, text: text})
		}
	}
	for _, n := range notes {
		separator := ""
		if l.Used() > begin {
			separator = " " + t.Glyphs.Dot + " "
		}
		text, room := cell.Clean(n.text), end-l.Used()-cell.Width(separator)
		if room < cell.Width(text) {
			text = n.short
		}
		if text == "" || room < cell.Width(text) {
			continue
		}
		style := n.style
		if r.rank == ended {
			style = t.Muted
		}
		l.Text(t.Faint, separator).Text(style, text)
	}
}

// detail says of the selected agent in words what the row may have no room for.
func (m *Model) detail() []string {
	if m.below() == 0 {
		return nil
	}
	t := m.theme
	rule := cell.NewLine(t, m.width, false)
	for rule.Left() > 0 {
		rule.Rune(t.Faint, t.Glyphs.Rule)
	}
	who, what := cell.NewLine(t, m.width, false), cell.NewLine(t, m.width, false)
	if len(m.rows) > 0 {
		r := m.rows[m.list.Cursor]
		m.drawFacts(who, m.whoFacts(r))
		m.drawFacts(what, m.whatFacts(r))
	}
	return []string{rule.String(), who.String(), what.String()}
}

func (m *Model) drawFacts(l *cell.Line, facts []note) {
	l.Space(1)
	for i, f := range facts {
		if i > 0 {
			if l.Left() < cell.Width(cell.Clean(f.text))+3 {
				break
			}
			l.Text(m.theme.Faint, " "+m.theme.Glyphs.Dot+" ")
		}
		l.Text(f.style, f.text)
	}
}

// whoFacts says which run it is.
func (m *Model) whoFacts(r row) []note {
	t := m.theme
	facts := []note{{style: t.Strong, text: m.title(r)}}
	say := func(text string) {
		if text != "" {
			facts = append(facts, note{style: t.Muted, text: text})
		}
	}
	say(r.Run.Group["model"])
	if effort := r.Run.Group["effort"]; effort != "" {
		say("effort " + effort)
	}
	say("began " + r.Run.Start.In(m.now.Location()).Format("15:04:05"))
	switch s := &r.state; {
	case !r.Run.Open:
		say(report.Duration(r.Run.Wall))
	case s.Kind == activity.Ended || s.Kind == activity.Lost:
		say(report.Duration(r.Run.Wall) + " so far")
	default: // it has gone on since it was read
		say(age(max(r.Run.Wall, r.Doing.Present(m.now).Sub(r.Run.Start))) + " so far")
	}
	if r.Run.TimeScale != 1 {
		say(fmt.Sprintf("recorded at %gx", r.Run.TimeScale))
	}
	return facts
}

// whatFacts says what it does in full.
func (m *Model) whatFacts(r row) []note {
	t, s := m.theme, &r.state
	label, style := m.label(s)
	facts := []note{{style: style, text: label + " for " + age(s.For)}}
	switch s.Kind {
	case activity.Ended:
		facts[0].text = label + " " + age(s.For) + " ago"
	case activity.Tool:
		if s.AtMost {
			facts[0].text += " at most"
		}
	}
	for i, text := range ages(s) {
		if i == 0 {
			text = "last " + text + " ago"
		}
		facts = append(facts, note{style: t.Text, text: text})
	}
	return append(facts, m.notes(r)...)
}
