package breakdown

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A table is one of the three.
type table int

const (
	components table = iota
	tools
	steps
)

// A row is a heading, a blank, one of a component, a tool or a step, or a part of one that is unfolded.
type row struct {
	table     table
	key       string // with of: tells it from the others however the run grows; "" for a blank
	of        string // the key of the row that it is a part of; "" if it is none
	heading   string
	component *measure.ComponentTime
	tool      *measure.ToolTime
	step      *measure.StepTime
	part      *stretch
}

func (r row) selectable() bool {
	return r.component != nil || r.tool != nil || r.step != nil || r.part != nil
}

// An order is how a table is sorted: by which of the columns that it can be sorted by, and whether the other way round.
type order struct {
	by      int
	reverse bool
}

// sortable lists the columns that each table can be sorted by, the usual one first: by size the largest first, else as they come.
var sortable = [...][]string{components: {"on path", "components"}, tools: {"on path", "run", "calls", "tools"}, steps: {"steps", "time"}}

func (o *order) next(t table) { *o = order{by: (o.by + 1) % len(sortable[t])} }

// column returns the head of the column that a table is sorted by, and whether the least stands first.
func (m *Model) column(t table) (head string, rising bool) {
	o := m.orders[t]
	head = sortable[t][o.by]
	return head, (head == "components" || head == "tools" || head == "steps") != o.reverse
}

// sorted returns a table's entries in its order.
func sorted[T any](m *Model, t table, list []T, compare map[string]func(a, b *T) int) []*T {
	var out []*T
	for i := range list {
		out = append(out, &list[i])
	}
	head, rising := m.column(t)
	switch by := compare[head]; {
	case by != nil && rising:
		slices.SortStableFunc(out, by)
	case by != nil:
		slices.SortStableFunc(out, func(a, b *T) int { return by(b, a) })
	case !rising:
		slices.Reverse(out)
	}
	return out
}

// tables returns all rows.
func (m *Model) tables() []row {
	type (
		component = measure.ComponentTime
		tool      = measure.ToolTime
		step      = measure.StepTime
	)
	run := m.run
	rows := []row{{table: components, heading: "components"}}
	for _, c := range sorted(m, components, m.run.Components, map[string]func(a, b *component) int{
		"on path": func(a, b *component) int { return cmp.Compare(a.Time, b.Time) },
	}) {
		r := row{table: components, key: "component " + string(c.Component) + " " + string(c.Quality), component: c}
		rows = m.with(rows, r, func() []stretch { return stretches(run, c) })
	}
	if len(m.run.Tools) > 0 {
		rows = append(rows, row{table: components}, row{table: tools, heading: "tools"})
	}
	for _, t := range sorted(m, tools, m.run.Tools, map[string]func(a, b *tool) int{
		"on path": func(a, b *tool) int { return cmp.Compare(a.Critical, b.Critical) },
		"run": func(a, b *tool) int {
			if a.Run == nil || b.Run == nil {
				return cmp.Compare(known(a), known(b))
			}
			return cmp.Compare(*a.Run, *b.Run)
		},
		"calls": func(a, b *tool) int { return cmp.Compare(a.Calls, b.Calls) },
		"tools": func(a, b *tool) int { return stats.Natural(a.Name, b.Name) },
	}) {
		rows = m.with(rows, row{table: tools, key: "tool " + t.Name, tool: t}, func() []stretch { return calls(run, t) })
	}
	if len(m.run.Steps) > 0 {
		rows = append(rows, row{table: tools}, row{table: steps, heading: "steps"})
	}
	for _, s := range sorted(m, steps, m.run.Steps, map[string]func(a, b *step) int{
		"time": func(a, b *step) int { return cmp.Compare(a.Time(), b.Time()) },
	}) {
		rows = m.with(rows, row{table: steps, key: "step " + strconv.Itoa(s.Index), step: s}, func() []stretch { return within(run, s) })
	}
	return rows
}

func known(t *measure.ToolTime) int {
	if t.Run == nil {
		return 0
	}
	return 1
}

// with appends a row, and its parts if it is unfolded and they are known.
func (m *Model) with(rows []row, r row, parts func() []stretch) []row {
	rows = append(rows, r)
	if !m.open[r.key] {
		return rows
	}
	if m.parts[r.key] == nil {
		if !m.atOnce {
			m.missing = append(m.missing, missing{r.key, parts})
			return rows
		}
		m.parts[r.key] = parts()
	}
	rows = slices.Grow(rows, len(m.parts[r.key]))
	for i := range m.parts[r.key] {
		p := &m.parts[r.key][i]
		rows = append(rows, row{table: r.table, key: p.id(), of: r.key, part: p})
	}
	return rows
}

// componentName writes a component in words.
func componentName(c traces.Component) string { return strings.ReplaceAll(string(c), "_", " ") }
