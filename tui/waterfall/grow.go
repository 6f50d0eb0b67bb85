package waterfall

import (
	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/bar"
)

// Replace shows the run as it is now. What was folded and unfolded, filtered, searched for and selected stays so, as does the time that was
// zoomed to; a run that was wholly in view still is. Its cost is linear in the number of spans.
func (m *Model) Replace(run *measure.Run) {
	old, next := m.tree, newTree(run)
	known := make(map[spanKey]int32, len(next.nodes))
	for i := range next.nodes {
		known[keyOf(next.nodes[i].span)] = int32(i)
	}
	for i := range old.nodes {
		if k, ok := known[keyOf(old.nodes[i].span)]; ok && !old.bare(int32(i)) {
			next.folded[k] = old.folded[i]
		}
	}
	selected, above := int32(0), m.list.Cursor-m.list.Top
	if len(old.rows) > 0 {
		for i := m.selected(); i >= 0; i = old.nodes[i].parent {
			if k, ok := known[keyOf(old.nodes[i].span)]; ok {
				selected = k
				break
			}
		}
	}
	next.pathOnly = old.pathOnly
	next.list()
	m.run, m.tree = run, next
	m.view.Grow(run.Wall)
	m.whole, m.shown = nil, bar.Axis{}
	m.matches = next.matches(m.query, nil)

	row := next.row(selected)
	m.list.Resize(len(next.rows), m.list.Height)
	m.list.Top = row - above
	m.list.Select(row)
	m.refresh()
}

// A spanKey tells a span from all others of its run, however often the run is built.
type spanKey struct{ trace, id string }

func keyOf(s *traces.Span) spanKey { return spanKey{s.Trace, s.ID} }
