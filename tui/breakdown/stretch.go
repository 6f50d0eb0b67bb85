package breakdown

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/tui/later"
)

// A stretch is a part of a component, a tool or a step: what of it was spent in one place.
type stretch struct {
	name      string       // "": that of owner
	owner     *traces.Span // the call, tool or step that it was spent in; nil where it has a name
	component traces.Component
	quality   traces.Quality
	time      time.Duration  // on the path
	ran       *time.Duration // of a tool call: how long it took; nil: it is none, or that is unknown
	outcome   traces.Outcome // of a tool call
	at        time.Duration  // when it began
	span      *traces.Span   // where most of it lies
	most      time.Duration  // of it, at span
}

func (s *stretch) id() string {
	if s.span != nil {
		return s.span.ID
	}
	return s.name
}

// stretches returns in which calls, tools or steps a component was spent, the most first.
func stretches(run *measure.Run, c *measure.ComponentTime) []stretch {
	var list []stretch
	index := map[*traces.Span]int{}
	for i := range run.Path.Segments {
		s := &run.Path.Segments[i]
		if s.Component != c.Component || s.Quality != c.Quality {
			continue
		}
		owner := ownerOf(s.Span)
		at, ok := index[owner]
		if !ok {
			at = len(list)
			index[owner] = at
			list = append(list, stretch{owner: owner, component: c.Component, quality: c.Quality, at: s.From})
		}
		list[at].add(s.Span, s.To-s.From)
	}
	slices.SortStableFunc(list, func(a, b stretch) int { return cmp.Compare(b.time, a.time) })
	return list
}

func (s *stretch) add(span *traces.Span, d time.Duration) {
	s.time += d
	if d > s.most {
		s.span, s.most = span, d
	}
}

// ownerOf returns the call, tool, step or run that a span is a part of.
func ownerOf(s *traces.Span) *traces.Span {
	for s.Parent != nil && s.Role != traces.RoleModel && s.Role != traces.RoleTool && s.Role != traces.RoleStep && s.Role != traces.RoleAgent {
		s = s.Parent
	}
	return s
}

// place says where in the run a stretch is.
func (m *Model) place(p *stretch) string {
	if p.owner == nil {
		return p.name
	}
	s := p.owner
	name := cmp.Or(m.toolNames()[s], s.Name)
	if s.Role == traces.RoleStep {
		return name
	}
	if i := stepAt(m.run, s.Start); i >= 0 && s.Parent != nil {
		name = "step " + strconv.Itoa(m.run.Steps[i].Index) + ": " + name
	}
	return name
}

// toolNames says which tool a span is a call of.
func (m *Model) toolNames() map[*traces.Span]string {
	if m.tools == nil {
		m.tools = make(map[*traces.Span]string, len(m.run.ToolCalls))
		for i := range m.run.ToolCalls {
			m.tools[m.run.ToolCalls[i].Span] = m.run.ToolCalls[i].Name
		}
	}
	return m.tools
}

// stepAt returns the place of the step that was going on at an instant; -1: none.
func stepAt(run *measure.Run, at time.Duration) int {
	i, found := slices.BinarySearchFunc(run.Steps, at, func(s measure.StepTime, at time.Duration) int { return cmp.Compare(s.Start, at) })
	if !found {
		i--
	}
	if i < 0 || i >= len(run.Steps) || at >= max(run.Steps[i].End, run.Steps[i].Start+1) {
		return -1
	}
	return i
}

// calls returns the calls of a tool, the one most waited for first.
func calls(run *measure.Run, t *measure.ToolTime) []stretch {
	var list []stretch
	for i := range run.ToolCalls {
		c := &run.ToolCalls[i]
		if c.Name != t.Name {
			continue
		}
		s := stretch{name: "call", component: traces.Tool, time: c.Critical, at: c.Span.Start, span: c.Span, outcome: c.Outcome}
		if i := stepAt(run, c.Span.Start); i >= 0 {
			s.name = "step " + strconv.Itoa(run.Steps[i].Index)
		}
		s.ran = c.Run
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b stretch) int { return cmp.Compare(b.time, a.time) })
	return list
}

// within returns what a step was spent on, the most first.
func within(run *measure.Run, step *measure.StepTime) []stretch {
	var list []stretch
	for _, c := range step.Components {
		list = append(list, stretch{name: componentName(c.Component), component: c.Component, quality: c.Quality, time: c.Time})
	}
	path := run.Path.Segments
	first, _ := slices.BinarySearchFunc(path, step.Start, func(s critpath.Segment, at time.Duration) int {
		return cmp.Compare(s.To, at+1) // the first one that ends after at
	})
	for i := first; i < len(path) && path[i].From < step.End; i++ {
		s := &path[i]
		from, to := max(s.From, step.Start), min(s.To, step.End)
		for k := range list {
			p := &list[k]
			if from < to && p.component == s.Component && p.quality == s.Quality {
				if p.span == nil {
					p.at = from
				}
				if to-from > p.most {
					p.span, p.most = s.Span, to-from
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b stretch) int { return cmp.Compare(b.time, a.time) })
	return list
}

// What would be saved without a component or a tool, by key.
type saved struct {
	known   map[string]time.Duration // nil: not yet
	pending bool
}

// prompt is up to how many spans × questions what would be saved is worked out at once: about a hundredth of a second.
const prompt = 100_000

// few is up to how many spans a row unfolds at once. Of 100,000 that would take some 20 ms, of all rows half a second.
const few = 5000

// A missing is what an unfolded row consists of, not yet found out.
type missing struct {
	key   string
	parts func() []stretch
}

// Work works out what is missing: at once, or beside the interface where that takes long.
func (m *Model) Work() tea.Cmd { return tea.Batch(m.save(), m.find()) }

// find finds out what rows unfold into.
func (m *Model) find() tea.Cmd {
	if len(m.missing) == 0 || m.asking {
		return nil
	}
	m.asking = true
	run, list := m.run, m.missing
	return later.Do(func() later.Done {
		found := map[string][]stretch{}
		for _, p := range list {
			found[p.key] = p.parts()
		}
		return func() {
			if m.run != run {
				return
			}
			m.asking = false
			maps.Copy(m.parts, found)
			m.arrange()
			if key := m.selected().key; found[key] != nil {
				m.reveal(key)
			}
		}
	})
}

// save works out what would be saved.
func (m *Model) save() tea.Cmd {
	if m.saved.known != nil || m.saved.pending {
		return nil
	}
	run := m.run
	if n := len(run.Spans) * (len(run.Components) + len(run.Tools)); n <= prompt {
		m.saved.known = savings(run)
		return nil
	}
	m.saved.pending = true
	return later.Do(func() later.Done {
		known := savings(run)
		return func() {
			if m.run == run {
				m.saved = saved{known: known}
			}
		}
	})
}

// asked is about how many tools it is asked what would be saved without them.
const asked = 30

// savings answers that for the components and the tools that were waited for most.
func savings(run *measure.Run) map[string]time.Duration {
	known := map[string]time.Duration{}
	for _, c := range run.Components {
		key := "component " + string(c.Component)
		if _, ok := known[key]; !ok {
			known[key] = run.Path.ComponentDrag(c.Component)
		}
	}
	tools := slices.Clone(run.Tools)
	slices.SortStableFunc(tools, func(a, b measure.ToolTime) int { return cmp.Compare(b.Critical, a.Critical) })
	for _, t := range tools[:min(len(tools), asked)] {
		known["tool "+t.Name] = run.Path.ToolDrag(t.Name)
	}
	return known
}

// saves returns how much shorter the run would be without what a row is about. A component that is known in two ways is one.
func (m *Model) saves(r row) (time.Duration, bool) {
	key := r.key
	if r.component != nil {
		key, _ = strings.CutSuffix(r.key, " "+string(r.component.Quality))
	}
	d, ok := m.saved.known[key]
	return d, ok
}
