// Package compare puts groups of runs side by side: how often they were right, how long a right answer took, and where
// that time went.
//
// The cursor begins on the best group, and below the groups stands in words what they show, as in the text report. All bars and
// distributions share one axis, so that longer is later. Success stands before every time, and each number comes
// with its interval, because a fast wrong answer is no answer.
package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	pairs "github.com/seed46266073/longpole/traces/compare"
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
	theme         *theme.Theme
	runs          []*measure.Run
	by            []string // what can be grouped by
	chosen        int      // of by
	groups        []measure.Group
	goal          report.Goal
	verdict       []string      // what the comparison shows, a sentence each
	scale         time.Duration // the end of the axis
	list          scroll.List
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

func (m *Model) regroup() {
	if len(m.by) == 0 {
		return
	}
	if m.by[m.chosen] == ByRun {
		m.groups = nil
		for _, r := range m.runs {
			m.groups = append(m.groups, measure.GroupBy([]*measure.Run{r})...)
		}
	} else {
		m.groups = measure.GroupBy(m.runs, m.by[m.chosen])
	}
	m.goal = report.GoalOf(m.groups)
	shown := pairs.Of(m.groups, pairs.Options{})
	m.verdict = nil
	if m.by[m.chosen] != ByRun {
		m.verdict = report.VerdictOf(shown)
	}
	m.scale = 0
	for _, g := range m.groups {
		if g.MeanWall != nil {
			m.scale = max(m.scale, *g.MeanWall)
		}
		if g.TimeToCorrect.Max != nil {
			m.scale = max(m.scale, *g.TimeToCorrect.Max)
		}
	}
	m.list.Resize(len(m.groups), m.fit())
	m.list.Select(max(0, shown.Best))
}

// Replace compares other runs, or the same ones after they have grown, grouped as before as far as that can be, and keeps the selected
// group selected.
func (m *Model) Replace(runs []*measure.Run) {
	by, selected := "", ""
	if len(m.by) > 0 {
		by = m.by[m.chosen]
	}
	if g, ok := m.Selected(); ok {
		selected = m.label(&g)
	}
	m.runs, m.by = runs, ways(runs)
	m.chosen = max(0, slices.Index(m.by, by))
	m.groups = nil
	m.regroup()
	for i := range m.groups {
		if m.label(&m.groups[i]) == selected {
			m.list.Select(i)
		}
	}
}

// SetTheme changes the look.
func (m *Model) SetTheme(t *theme.Theme) { m.theme = t }

// SetSize sets how many cells there are.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.list.Resize(len(m.groups), m.fit())
}

// Actions lists the keys that do something here, most useful first.
func (m *Model) Actions() []keys.Action {
	return []keys.Action{keys.Enter, keys.Regroup, keys.Flame, keys.WhatIf}
}

// Selected returns the selected group; ok is false if there is none.
func (m *Model) Selected() (group measure.Group, ok bool) {
	if len(m.groups) == 0 {
		return group, false
	}
	return m.groups[m.list.Cursor], true
}

// Update does what the user asked for.
func (m *Model) Update(msg keys.Msg) tea.Cmd {
	switch msg.Action {
	case keys.Enter, keys.Unfold:
		return m.open()
	case keys.Regroup:
		m.chosen = (m.chosen + max(1, msg.Count)) % len(m.by)
		m.regroup()
	default:
		m.list.Move(msg.Action, msg.Count)
	}
	return nil
}

// Click selects the group on line y, and opens it on the second click.
func (m *Model) Click(_, y int, double bool) tea.Cmd {
	if y < headLines {
		return nil
	}
	at, ok := m.list.At((y - headLines) / m.lines())
	switch {
	case !ok:
		return nil
	case double:
		return m.open()
	}
	m.list.Select(at)
	return nil
}

// Wheel scrolls by n groups in threes of lines.
func (m *Model) Wheel(n int) {
	m.list.Wheel(max(-1, min(1, n)))
}

func (m *Model) open() tea.Cmd {
	g, ok := m.Selected()
	if !ok {
		return nil
	}
	chosen := ChosenMsg{g, m.by[m.chosen]}
	return func() tea.Msg { return chosen }
}

// label names a group.
func (m *Model) label(g *measure.Group) string {
	if m.by[m.chosen] != ByRun {
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
