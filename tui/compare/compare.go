// Package compare shows groups of runs side by side, and why two of them differ.
//
// Runs go in. Above stand the groups: how often they were right, how long that took, what the mean is made of, and how the times are
// distributed, all on one axis. Below, one pair is explained: what traces/compare says of it in words, and its causes as a chart in which
// each bar begins where the one before it ended, from the mean of the one group to that of the other, so that they are seen to add up. What
// the statistics cannot tell is said, not left out.
package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/report"
	"github.com/seed46266073/longpole/tui/keys"
	"github.com/seed46266073/longpole/tui/scroll"
	"github.com/seed46266073/longpole/tui/tags"
	"github.com/seed46266073/longpole/tui/theme"
)

// A ChosenMsg says that a group was opened.
type ChosenMsg struct {
	Group measure.Group
	By    string // the tag it was grouped by, ByRun if each run stands alone
}

// ByRun is the grouping in which each run is a group of its own.
const ByRun = "run"

// A Model compares groups. Make it with New.
type Model struct {
	theme  *theme.Theme
	runs   []*measure.Run
	by     []string // what can be grouped by
	chosen int      // of by

	shown      *compare.Comparison
	goal       report.Goal
	conclusion []string      // what the groups show together, a sentence each
	scale      time.Duration // the end of the axis
	bins       int           // of the distributions
	shares     [][]float64   // of a group's correct runs in each of them; nil without such runs
	densest    float64       // the largest of shares
	list       scroll.List   // of groups
	base       int           // the group that the others are compared with; -1 without groups

	pairs   []*compare.Pair // each group against base; nil for base itself
	why     *compare.Pair   // of the selected group
	rows    []row           // of the chart of why
	causes  scroll.List     // of rows
	whole   bool            // all causes are rows, however small
	focused bool            // keys move among the causes, not the groups

	width, height int
}

// New compares runs, grouped by the tag that tells most: effort before model before task, and each run alone if there are
// few and alone is true.
func New(t *theme.Theme, runs []*measure.Run, alone bool) *Model {
	m := &Model{theme: t, runs: runs, by: ways(runs)}
	if alone && len(runs) > 1 && len(runs) <= maxAlone {
		m.chosen = slices.Index(m.by, ByRun)
	}
	m.regroup()
	return m
}

// maxAlone is up to how many runs can be compared one by one.
const maxAlone = 24

// ways lists what the runs can be grouped by.
func ways(runs []*measure.Run) []string {
	by := tags.Of(runs)
	if !slices.Contains(by, "effort") {
		by = append(by, "effort")
	}
	if len(runs) <= maxAlone {
		by = append(by, ByRun)
	}
	return by
}

func (m *Model) byRun() bool { return m.by[m.chosen] == ByRun }

// regroup compares the groups of the chosen tag: with the best of them, or with the first run where each stands alone.
func (m *Model) regroup() {
	var groups []measure.Group
	if m.byRun() {
		for _, r := range m.runs {
			groups = append(groups, measure.GroupBy([]*measure.Run{r})...)
		}
	} else {
		groups = measure.GroupBy(m.runs, m.by[m.chosen])
	}
	m.shown, m.goal = compare.Of(groups, compare.Options{}), report.GoalOf(groups)
	m.base, m.conclusion = m.shown.Best, nil
	if m.byRun() {
		m.base = max(0, slices.IndexFunc(groups, func(g measure.Group) bool { return g.MeanWall != nil }))
		m.base = min(m.base, len(groups)-1)
	} else {
		m.conclusion = report.ConclusionOf(m.shown)
	}
	m.scale = 0
	for _, g := range groups {
		if d, ok := g.MeanTime(); ok {
			m.scale = max(m.scale, d)
		}
		if g.TimeToCorrect.Max != nil {
			m.scale = max(m.scale, *g.TimeToCorrect.Max)
		}
	}
	m.shares = nil
	m.list.Resize(len(groups), len(groups))
	m.list.Select(0)
	if m.base == 0 {
		m.list.Select(1)
	}
	m.rebase(m.base)
}

// rebase compares the groups with another one of them.
func (m *Model) rebase(base int) {
	m.base, m.pairs = base, make([]*compare.Pair, len(m.shown.Groups))
	for i := range m.pairs {
		if i != base {
			p := m.shown.Pair(base, i)
			m.pairs[i] = &p
		}
	}
	m.explain()
}

// explain finds out why the selected group differs from base.
func (m *Model) explain() {
	m.why, m.whole, m.causes = nil, false, scroll.List{}
	if len(m.pairs) > 0 {
		m.why = m.pairs[m.list.Cursor]
	}
	m.settle()
}

// Replace compares other runs, or the same ones after they have grown, grouped as before as far as that can be, and keeps the selected
// group selected.
func (m *Model) Replace(runs []*measure.Run) {
	by, selected, base := m.by[m.chosen], "", ""
	if g := m.selected(); g != nil {
		selected, base = m.label(g), m.label(&m.shown.Groups[m.base])
	}
	whole, causes, focused := m.whole, m.causes, m.focused
	m.runs, m.by = runs, ways(runs)
	m.chosen = max(0, slices.Index(m.by, by))
	m.regroup()
	for i := range m.shown.Groups {
		label := m.label(&m.shown.Groups[i])
		if label == selected {
			m.list.Select(i)
		}
		if label == base {
			m.base = i
		}
	}
	m.rebase(m.base)
	m.whole, m.causes, m.focused = whole, causes, focused && m.why != nil
	m.settle()
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.settle()
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	list := []keys.Action{keys.Enter}
	if m.why != nil {
		list = append(list, keys.Pane)
	}
	list = append(list, keys.Regroup)
	if len(m.shown.Groups) > 1 {
		list = append(list, keys.Mark)
	}
	list = append(list, keys.Flame, keys.WhatIf)
	if m.focused {
		list = append(list, keys.Fold, keys.Unfold)
	}
	return list
}

// Words returns what some keys do here in other words than elsewhere.
func (m *Model) Words(a keys.Action) string {
	switch {
	case a == keys.Mark:
		return "compare with this"
	case a == keys.Pane && m.focused:
		return "groups"
	case a == keys.Pane:
		return "causes"
	}
	return ""
}

// selected returns the selected group; nil if there is none.
func (m *Model) selected() *measure.Group {
	if len(m.shown.Groups) == 0 {
		return nil
	}
	return &m.shown.Groups[m.list.Cursor]
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	switch msg.Action {
	case keys.Enter:
		return m.open()
	case keys.Unfold:
		if !m.focused {
			return m.open()
		}
		m.unfold(true)
	case keys.Fold:
		m.unfold(false)
	case keys.Regroup:
		m.chosen = (m.chosen + max(1, msg.Count)) % len(m.by)
		m.focused = false
		m.regroup()
	case keys.Mark:
		if len(m.shown.Groups) < 2 {
			break
		}
		base := m.list.Cursor
		m.focused = false
		m.list.Select((base + 1) % len(m.shown.Groups)) // what is to be seen is a difference
		m.rebase(base)
	case keys.Pane:
		m.focused = !m.focused && m.why != nil
		m.settle()
	default:
		if m.focused {
			m.causes.Move(msg.Action, msg.Count)
			break
		}
		m.list.Move(msg.Action, msg.Count)
		m.explain()
	}
	return nil
}

// Back leads from the causes to the groups, and reports whether it did.
func (m *Model) Back() bool {
	was := m.focused
	m.focused = false
	m.settle()
	return was
}

// Click selects the group or the cause on line y, and opens it on the second click.
func (m *Model) Click(_, y int, double bool) tea.Cmd {
	p := m.plan()
	if y >= p.whyAt {
		if at, ok := m.causes.At(y - p.rowsAt()); ok {
			m.focused = true
			m.causes.Select(at)
			m.settle()
			if double {
				return m.open()
			}
		}
		return nil
	}
	at, ok := m.list.At((y - headLines) / p.groupLines)
	switch {
	case !ok || y < headLines:
		return nil
	case double:
		return m.open()
	}
	m.focused = false
	m.list.Select(at)
	m.explain()
	return nil
}

// Wheel scrolls by a row for each notch.
func (m *Model) Wheel(n int) {
	n = max(-1, min(1, n))
	if m.focused {
		m.causes.Wheel(n)
		return
	}
	m.list.Wheel(n)
	m.explain()
}

// open leads to what is selected: the runs of a group, or where a cause shows most.
func (m *Model) open() tea.Cmd {
	g := m.selected()
	if g == nil {
		return nil
	}
	if m.focused {
		r := m.rows[m.causes.Cursor]
		switch {
		case r.cause != nil:
			return m.show(r.cause)
		case r.group == nil:
			m.unfold(true)
			return nil
		}
		g = r.group
	}
	opened := ChosenMsg{*g, m.by[m.chosen]}
	return func() tea.Msg { return opened }
}

// label names a group.
func (m *Model) label(g *measure.Group) string {
	if !m.byRun() {
		return g.Label()
	}
	r := g.Runs[0]
	words := []string{cmp.Or(r.Name, r.ID)}
	for _, k := range []string{"effort", "trial"} {
		if v := r.Group[k]; v != "" {
			words = append(words, v)
		}
	}
	return strings.Join(words, " "+m.theme.Glyphs.Dot+" ")
}
