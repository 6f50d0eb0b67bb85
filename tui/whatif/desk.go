package whatif

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces/whatif"
	"github.com/seed46266073/longpole/tui/later"
)

// A desk keeps what has been found out, and knows what is still to be.
type desk struct {
	started bool         // the rows are in order
	plan    *whatif.Plan // that the model's total is for; nil: none
	span    *span        // of the total; nil: not known
	assumed []string     // for plan; nil: not known
	working bool         // a question is under way beside the interface
	era     int          // counts how often the sliders have changed: answers to older questions are late
}

// findings are what has been found out about a row, the other rows being as they are; nil: not known.
type findings struct {
	without *time.Duration  // the total if this row were as it was
	curve   []time.Duration // the total for each notch
	bend    *whatif.Bend    // where its first knees are
}

// A span is between what a total is.
type span struct{ low, high time.Duration }

// clear forgets everything, as the runs are others.
func (d *desk) clear() { *d = desk{era: d.era + 1, working: d.working} }

// A question is something to be found out, and what that costs in replays of every run. Its answer takes what was found into the model.
type question struct {
	replays int
	ask     func(*pool) (answer func())
}

const (
	// preparing a run for a set of dependencies costs as much as so many replays
	preparing = 30
	// finding knees costs about so many
	bending = 100
	// patience is how many replays of a span may be made between a key and its frame: each takes some 40 ns, so this is half a frame
	patience = 200_000
)

// changed forgets what the move of a row's slider made untrue (of all sliders for nil), and answers what can be answered at once.
func (m *Model) changed(moved *row) {
	d := &m.desk
	if moved != nil && moved.without == nil && d.plan != nil && slices.Equal(d.plan.Labels(), m.plan(moved, moved.home).Labels()) {
		wall := m.after.wall // it has just left its place
		moved.without = &wall
	}
	for _, r := range m.rows {
		if r != moved {
			r.findings = findings{}
		}
	}
	d.era++
	d.plan, d.span, d.assumed = nil, nil, nil
	m.asked()
}

// asked answers what can be answered at once.
func (m *Model) asked() {
	left := patience
	for q := m.next(); q != nil; q = m.next() {
		if left -= q.replays * m.spans; left < 0 {
			return
		}
		q.ask(m.near)()
	}
}

// Work asks the next question beside the interface, one at a time.
func (m *Model) Work() tea.Cmd {
	q := m.next()
	if q == nil || m.desk.working {
		return nil
	}
	m.desk.working = true
	era, far := m.desk.era, m.far
	return later.Do(func() later.Done {
		answer := q.ask(far)
		return func() {
			m.desk.working = false
			if era == m.desk.era {
				answer()
			}
			m.asked()
		}
	})
}

// next returns the most urgent question that is still open; nil: none.
func (m *Model) next() *question {
	plan, r := m.plan(nil, 0), m.row()
	switch d := &m.desk; {
	case len(m.runs) == 0:
		return nil
	case !m.near.ready:
		return m.prepare()
	case !d.started:
		return m.rank()
	case d.plan == nil:
		return m.total(plan)
	default:
		for _, r := range m.rows {
			if r.moved() && r.without == nil {
				return m.other(r)
			}
		}
		switch {
		case r != nil && len(r.notches) > 1 && r.curve == nil:
			return m.bend(r)
		case d.assumed == nil:
			return m.doubt(plan)
		case d.span == nil:
			return m.between(plan)
		}
		for _, r := range m.rows {
			if r.stage != switches && r.fixed == "" && r.bend == nil {
				return m.knee(r)
			}
		}
	}
	return nil
}

// prepare gets a pool ready for the questions that are answered at once.
func (m *Model) prepare() *question {
	runs := m.runs
	return &question{preparing, func(*pool) func() {
		p := newPool(runs)
		before := p.total(whatif.Plan{})
		p.ready = true
		return func() { m.near, m.before = p, before }
	}}
}

// rank finds out what each row could bring, and orders them by that.
func (m *Model) rank() *question {
	rows, before := m.rows, m.before.wall
	plans := make([]whatif.Plan, len(rows))
	for i, r := range rows {
		plans[i] = r.notches[r.most].onto(whatif.Plan{})
	}
	return &question{2*preparing + len(rows), func(p *pool) func() {
		gains := make([]time.Duration, len(rows))
		for i, plan := range plans {
			gains[i] = before - p.wall(plan)
		}
		return func() {
			for i, r := range rows {
				r.gain = gains[i]
			}
			selected := m.row()
			slices.SortStableFunc(m.rows, byGain)
			if m.list.Cursor > 0 {
				m.list.Select(slices.Index(m.rows, selected))
			}
			m.desk.started = true
		}
	}}
}

// total finds out what the runs take with the sliders as they are.
func (m *Model) total(plan whatif.Plan) *question {
	cost := 1
	if plan.ParallelTools != whatif.AsRecorded {
		cost += preparing
	}
	return &question{cost, func(p *pool) func() {
		after := p.total(plan)
		return func() { m.after, m.desk.plan = after, &plan }
	}}
}

// other finds out the total without the change of a row.
func (m *Model) other(r *row) *question {
	plan := m.plan(r, r.home)
	return &question{1, func(p *pool) func() {
		wall := p.wall(plan)
		return func() { r.without = &wall }
	}}
}

// bend finds out the total for each notch of a row.
func (m *Model) bend(r *row) *question {
	plans := make([]whatif.Plan, len(r.notches))
	for i := range plans {
		plans[i] = m.plan(r, i)
	}
	cost := len(plans)
	if r.name == parallelName {
		cost += 2 * preparing
	}
	return &question{cost, func(p *pool) func() {
		curve := make([]time.Duration, len(plans))
		for i, plan := range plans {
			curve[i] = p.wall(plan)
		}
		return func() { r.curve = curve }
	}}
}

// doubt finds out what is taken for granted.
func (m *Model) doubt(plan whatif.Plan) *question {
	return &question{3, func(p *pool) func() {
		assumed := p.assumed(plan)
		return func() { m.desk.assumed = assumed }
	}}
}

// between finds out between what the total is.
func (m *Model) between(plan whatif.Plan) *question {
	return &question{preparing + 6, func(p *pool) func() {
		low, high := p.span(plan)
		return func() { m.desk.span = &span{low, high} }
	}}
}

// knee finds out where going on with a row begins to help less.
func (m *Model) knee(r *row) *question {
	plan := m.plan(r, r.home)
	if slices.ContainsFunc(plan.Edits, func(e whatif.Edit) bool { return e.Target == r.target }) { // what is cached already is shortened otherwise
		return &question{0, func(*pool) func() { return func() { r.bend = &whatif.Bend{} } }}
	}
	return &question{bending, func(p *pool) func() {
		b := p.bend(plan, r.target)
		return func() { r.bend = &b }
	}}
}
