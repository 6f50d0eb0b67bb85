package tui

import (
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/headline"
)

// tour shows what one has to know to begin, on one screen.
func (m *Model) tour() {
	m.sheet = &sheet{title: "a tour in one minute", lines: (*Model).tourLines, passing: true}
}

// tourPhases is the call that the tour explains.
var tourPhases = []struct {
	component traces.Component
	time      time.Duration
	words     string
}{
	{traces.Wait, 10, "waiting for the first token"},
	{traces.Reasoning, 38, "reasoning"},
	{traces.Stall, 10, "a stall"},
	{traces.Output, 14, "visible text"},
	{traces.ToolArgs, 10, "tool arguments"},
	{traces.Tool, 18, "a tool"},
}

func (m *Model) tourLines() []string {
	t := m.theme
	var lines []string
	say := func(text string) {
		for _, s := range cell.Wrap(text, m.width-4) {
			lines = append(lines, cell.NewLine(t, m.width, false).Space(2).Text(t.Text, strings.TrimSpace(s)).String())
		}
	}
	empty := strings.Repeat(" ", m.width)
	gap := func() { // where there is room
		if m.rows() >= 20 {
			lines = append(lines, empty)
		}
	}
	gap()
	say("longpole says what an agent's run was waiting for. Every nanosecond of a run has one colour and one letter:")
	r, labels := cell.NewLine(t, m.width, false), cell.NewLine(t, m.width, false)
	r.Space(2)
	labels.Space(2)
	var parts []bar.Part
	for _, p := range tourPhases {
		parts = append(parts, bar.Part{Ink: bar.Of(p.component, true), Value: p.time})
		if labels.Left() > cell.Width(p.words)+4 {
			headline.Chip(labels, t, p.component)
			labels.Space(1).Text(t.Muted, p.words).Space(2)
		}
	}
	bar.Draw(r, t, bar.Stack(m.width-4, 0, parts))
	gap()
	lines = append(lines, r.String(), labels.String())
	gap()
	for _, s := range m.signs()[:4] {
		lines = append(lines, cell.NewLine(t, m.width, false).Space(2).Text(s.style, s.sign).Space(2).Text(t.Text, s.means).String())
	}
	gap()
	for _, k := range []struct{ keys, does string }{
		{"enter esc", "into a run, a call, a problem; and back"},
		{"c b f", "critical path only; its sums; a flame graph"},
		{"S W C", "a call's stream; what if it were faster; compare"},
		{"+ - a d", "zoom and pan, or drag with the mouse; u undoes"},
		{": ?", "commands by name; all keys, marks and words"},
	} {
		l := cell.NewLine(t, m.width, false)
		l.Space(2).FitRight(t.Accent, k.keys, 9).Space(2).Text(t.Text, k.does)
		lines = append(lines, l.String())
	}
	return lines
}
