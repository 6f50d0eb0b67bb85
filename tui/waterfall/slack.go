package waterfall

import (
	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/bar"
	"github.com/seed46266073/longpole/tui/later"
)

// A slack is how much longer spans could have lasted. Finding that out takes longer than the path itself, so that of a large run is
// worked out while the rows can be seen already.
type slack struct {
	run   *measure.Run // of which it is known, or being worked out
	known bool
}

// prompt is up to how many spans slack is worked out at once: at 10,000 it takes a hundredth of a second.
const prompt = 10_000

// Work works out the slack of a large run, and what a search of it looks through.
func (m *Model) Work() tea.Cmd {
	if m.slack.run == m.run {
		return nil
	}
	run, t := m.run, m.tree
	m.slack = slack{run, len(run.Spans) <= prompt}
	if m.slack.known {
		clear(m.cache)
		return nil
	}
	return later.Do(func() later.Done {
		words := t.lower()
		run.Path.Slack(run.Root) // the path keeps it
		return func() {
			t.words = words
			if m.slack.run == run {
				m.slack.known = true
				clear(m.cache)
			}
		}
	})
}

// slackLayer is how much longer a row could have lasted: the selected one, and all that the run did not wait for.
func (m *Model) slackLayer(i int32, selected bool, a bar.Axis) bar.Layer {
	n, t := &m.tree.nodes[i], m.theme
	if !m.slack.known || isCrowd(n.span) || n.subpath > 0 && !selected {
		return bar.Layer{}
	}
	slack, ok := m.run.Path.Slack(n.span)
	if !ok || slack <= 0 || n.span.End >= a.To || n.span.End+slack <= a.From {
		return bar.Layer{}
	}
	layer := bar.Layer{Glyph: t.Glyphs.Slack, Style: t.Muted}
	if selected {
		layer.Style = t.Slack
	}
	layer.From = max(0, (a.Dot(n.span.End)+bar.Dots-1)/bar.Dots)
	layer.To = min(a.Cells, max(layer.From+1, a.Dot(n.span.End+slack)/bar.Dots))
	return layer
}
