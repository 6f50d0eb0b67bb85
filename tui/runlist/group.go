package runlist

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/traces/stats"
	"github.com/seed46266073/longpole/tui/cell"
	"github.com/seed46266073/longpole/tui/tags"
)

// A group is the runs that are shown and have one value of the tag they are grouped by.
type group struct {
	value string
	order []int // its runs, in the order of the screen
}

// A row is a run, or the head of a group.
type row struct {
	run  int    // into runs
	head *group // nil for a run
}

// regroup groups by the nth next tag in which the runs differ; after the last of them, by none.
func (m *Model) regroup(n int) {
	ways := append([]string{""}, tags.Of(m.runs)...)
	m.by = ways[(max(0, slices.Index(ways, m.by))+n)%len(ways)]
	m.folded = map[string]bool{}
	m.lay()
}

// lay makes the rows anew, and keeps the selected run selected if it is still there.
func (m *Model) lay() {
	selected := m.Run()
	m.rows = m.rows[:0:0]
	if m.by == "" {
		for _, i := range m.order {
			m.rows = append(m.rows, row{run: i})
		}
	}
	for _, g := range m.groups() {
		m.rows = append(m.rows, row{run: g.order[0], head: g})
		if m.folded[g.value] {
			continue
		}
		for _, i := range g.order {
			m.rows = append(m.rows, row{run: i})
		}
	}
	m.list.Resize(len(m.rows), m.list.Height)
	m.choose(selected)
}

// groups returns the groups of what is shown, efforts by rank, else in natural order.
func (m *Model) groups() []*group {
	if m.by == "" {
		return nil
	}
	var list []*group
	byValue := map[string]*group{}
	for _, i := range m.order {
		v := m.runs[i].Group[m.by]
		if byValue[v] == nil {
			byValue[v] = &group{value: v}
			list = append(list, byValue[v])
		}
		byValue[v].order = append(byValue[v].order, i)
	}
	slices.SortFunc(list, func(a, b *group) int {
		if m.by == "effort" {
			if c := cmp.Compare(rank(a.value), rank(b.value)); c != 0 {
				return c
			}
		}
		return stats.Natural(a.value, b.value)
	})
	return list
}

// head returns the group whose head is selected, or that the selected run is in; nil without groups.
func (m *Model) head() *group {
	for i := m.list.Cursor; i >= 0 && i < len(m.rows); i-- {
		if m.rows[i].head != nil {
			return m.rows[i].head
		}
	}
	return nil
}

// fold hides or shows the runs of the selected group, and selects its head.
func (m *Model) fold(fold bool) {
	g := m.head()
	if g == nil {
		return
	}
	m.folded[g.value] = fold
	m.lay()
	m.list.Select(slices.IndexFunc(m.rows, func(r row) bool { return r.head != nil && r.head.value == g.value }))
}

func (m *Model) foldAll(fold bool) {
	g := m.head()
	for _, other := range m.groups() {
		m.folded[other.value] = fold
	}
	m.lay()
	if fold && g != nil {
		m.list.Select(slices.IndexFunc(m.rows, func(r row) bool { return r.head.value == g.value }))
	}
}

// headRow draws the head of a group: its value, and what its runs have in common.
func (m *Model) headRow(l *cell.Line, g *group) {
	t := m.theme
	sign := t.Glyphs.Open
	if m.folded[g.value] {
		sign = t.Glyphs.Closed
	}
	var walls []time.Duration
	ok := 0
	for _, i := range g.order {
		walls = append(walls, m.runs[i].Wall)
		if m.runs[i].Outcome == traces.OK {
			ok++
		}
	}
	slices.Sort(walls)
	l.Column(1).Text(t.Accent, sign).Space(1).Text(t.Muted, m.by+" ").Text(t.Strong, cmp.Or(g.value, "none"))
	l.Text(t.Muted, fmt.Sprintf("   %s   %d ok   median wall %s", traces.FormatCount(len(g.order), "run"), ok, report.Duration(median(walls))))
}

// median returns the middle of sorted times; of two middles, their mean.
func median(sorted []time.Duration) time.Duration {
	n := len(sorted)
	return sorted[(n-1)/2] + (sorted[n/2]-sorted[(n-1)/2])/2
}

// rank is the place of an effort among those that have one.
func rank(effort string) int {
	if i := slices.Index(measure.Efforts, effort); i >= 0 {
		return i
	}
	return len(measure.Efforts)
}
