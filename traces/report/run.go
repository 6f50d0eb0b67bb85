package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/critpath"
	"github.com/seed46266073/longpole/traces/measure"
)

// run writes everything about one run, the answer to "where did the time go" first.
func (p *page) run(r *measure.Run) {
	p.headline(r)
	p.bar(r)
	p.components(r)
	p.steps(r)
	p.calls(r)
	p.tools(r)
	p.free(r)
	p.slowest(r)
	p.words(r)
	if len(r.Problems) > 0 {
		p.problems("problems", r.Problems)
	}
}

// headline says what ran and how it went, on one line where that fits.
func (p *page) headline(r *measure.Run) {
	sep := p.draw(" · ")
	what := p.bold("longpole") + "  " + strings.Join(p.what(r), sep)
	counts := []string{traces.FormatCount(r.Counts.Steps, "step"), traces.FormatCount(r.Counts.ToolCalls, "tool"), traces.FormatCount(r.Counts.Retries(), "retry")}
	how := p.bold(p.duration(r.Wall)) + "   " + strings.Join(counts, sep)
	if free := p.width - ansi.StringWidth(what) - ansi.StringWidth(how); free >= 3 {
		p.line(what, strings.Repeat(" ", free), how)
	} else {
		p.line(what)
		p.line("  ", how)
	}
	if r.TimeScale != 1 && r.TimeScale != 0 {
		p.line(fmt.Sprintf("  recorded at %gx: times are scaled", r.TimeScale))
	}
	if r.Open {
		p.line("  not finished when this was read: times are so far")
	}
	if r.Check != "" {
		p.wrapped("check: "+Clean(r.Check), asIs)
	}
	p.line("  ", p.tokens(r.Usage))
	p.line("  id ", Clean(r.ID))
}

func (p *page) what(r *measure.Run) []string {
	words := []string{Clean(title(r))}
	if m := r.Group["model"]; m != "" {
		words = append(words, Clean(m))
	}
	if e := r.Group["effort"]; e != "" {
		words = append(words, "effort "+Clean(e))
	}
	return append(words, p.ended(r))
}

// ended is how a run ended, so far as that was recorded.
func (p *page) ended(r *measure.Run) string {
	if r.Outcome == traces.OutcomeUnknown || r.Outcome == "" {
		return "outcome not recorded"
	}
	return p.outcome(r.Outcome)
}

func (p *page) tokens(u measure.Usage) string {
	if u.Input == nil && u.Output == nil {
		return "tokens unknown"
	}
	number := func(n *int64) string {
		if n == nil {
			return unknown
		}
		return Count(*n)
	}
	s := "tokens " + number(u.Input) + " in"
	if u.Cached != nil {
		s += " (" + number(u.Cached) + " cached)"
	}
	s += p.draw(" · ") + number(u.Output) + " out"
	if u.Reasoning != nil {
		s += " (" + number(u.Reasoning) + " reasoning)"
	}
	if u.Source == traces.UsageEstimated {
		s += ", estimated"
	}
	if u.Uncounted > 0 {
		s += fmt.Sprintf(", %s not counted", traces.FormatCount(u.Uncounted, "call"))
	}
	return s
}

// bar draws the whole run as one stack.
func (p *page) bar(r *measure.Run) {
	if r.Wall <= 0 {
		p.line()
		p.line("  no time passed")
		return
	}
	list := parts(r.Components)
	p.line()
	p.line("  ", p.stack(list, p.width-2))
	p.line("  ", p.dim("shares, not in order; adds up to "+p.duration(r.Wall)+" exactly"))
	p.legend(list)
}

// components writes the same as numbers, by family.
func (p *page) components(r *measure.Run) {
	if len(r.Components) == 0 {
		return
	}
	p.section("where the time went")
	var rows [][]string
	longest := slices.MaxFunc(r.Families, func(a, b measure.FamilyTime) int { return cmp.Compare(a.Time, b.Time) }).Time
	add := func(label string, m mark, d time.Duration, share float64, quality string) {
		cells := max(1, int(float64(d)/float64(longest)*24+0.5))
		rows = append(rows, []string{label, p.column(d), Percent(share), quality, p.cells(m, cells)})
	}
	var marked bool
	for _, f := range r.Families {
		var inside []measure.ComponentTime
		for _, c := range r.Components {
			if c.Component.Family() == f.Family {
				inside = append(inside, c)
				marked = marked || c.Quality != traces.Measured
			}
		}
		if len(inside) == 1 {
			c := inside[0]
			add(alone(f.Family, c.Component), markOf(c.Component), f.Time, f.Share, p.quality(c.Quality))
			continue
		}
		add(string(f.Family), markOfFamily(f.Family), f.Time, f.Share, "")
		for _, c := range inside {
			rows = append(rows, []string{"  " + word(c.Component), p.column(c.Time), Percent(c.Share), p.quality(c.Quality), ""})
		}
	}
	rows = append(rows, []string{"sum", p.column(r.Wall), Percent(1), "", ""})
	p.table([]column{{head: ""}, {head: "time", right: true}, {head: "share", right: true}, {head: ""}, {head: "", keep: 1}}, rows)
	if marked {
		p.aside("≈ inferred, not measured   ≤ upper bound")
	}
}

// alone labels a family that holds a single component.
func alone(f traces.Family, c traces.Component) string {
	switch c {
	case traces.Reasoning, traces.Stall, traces.Tool, traces.Agent:
		return string(f)
	}
	return string(f) + " (" + word(c) + ")"
}

func word(c traces.Component) string { return strings.ReplaceAll(string(c), "_", " ") }

func (p *page) quality(q traces.Quality) string {
	switch q {
	case traces.Inferred:
		return p.draw("≈")
	case traces.Bound:
		return p.draw("≤")
	}
	return ""
}

// steps draws each step's stretch of the critical path on the run's time axis.
func (p *page) steps(r *measure.Run) {
	if len(r.Steps) == 0 || r.Wall <= 0 {
		return
	}
	p.section("steps")
	cells := p.width - 2 - 6 - 2 - DurationWidth - 2
	axis := p.duration(r.Wall)
	axis = "0 s" + strings.Repeat(" ", max(1, cells-3-ansi.StringWidth(axis))) + axis
	columns := []column{{head: pad("step", 6, false)}, {head: "time", right: true}, {head: axis}}
	var rows [][]string
	shown, more := capped(r.Steps, rowsShown)
	for _, s := range shown {
		rows = append(rows, []string{fmt.Sprint(s.Index), p.column(s.Time()), p.strip(r.Path.Segments, s.Start, s.End, r.Wall, cells)})
	}
	p.table(columns, rows)
	p.more(more)
}

// slowest lists the longest stretches of the critical path.
func (p *page) slowest(r *measure.Run) {
	if len(r.Path.Segments) < 2 {
		return
	}
	segments := slices.SortedStableFunc(slices.Values(r.Path.Segments), func(a, b critpath.Segment) int {
		return cmp.Compare(b.To-b.From, a.To-a.From)
	})
	p.section("slowest stretches of the critical path")
	steps := stepsOf(r)
	var rows [][]string
	shown, _ := capped(segments, 8)
	for _, s := range shown {
		span := owner(s.Span)
		where := Clean(span.Name)
		if step := steps.of(span); step != "" && span.Role != traces.RoleStep {
			where = "step " + step + p.draw(" · ") + where
		}
		rows = append(rows, []string{p.column(s.From), p.column(s.To - s.From), Percent(float64(s.To-s.From) / float64(r.Wall)),
			p.cells(markOf(s.Component), 1) + " " + word(s.Component), where})
	}
	p.table([]column{{head: "at", right: true}, {head: "time", right: true}, {head: "share", right: true}, {head: "component"}, {head: "where", flex: true}}, rows)
}

// stepIndex tells in which step a span lies.
type stepIndex map[*traces.Span]*traces.Step

func stepsOf(r *measure.Run) stepIndex {
	steps := stepIndex{}
	for _, s := range r.Run.Steps {
		if s.Span != nil {
			steps[s.Span] = s
		}
	}
	for _, c := range r.Run.ModelCalls {
		steps[c.Span] = c.Step
		for _, a := range c.Attempts {
			steps[a.Span] = c.Step
		}
	}
	for _, c := range r.Run.ToolCalls {
		steps[c.Span] = c.Step
	}
	return steps
}

// of returns the number of the step of the nearest call, tool or step around s; "" if there is none.
func (steps stepIndex) of(s *traces.Span) string {
	for ; s != nil; s = s.Parent {
		if step, ok := steps[s]; ok {
			return stepNumber(step)
		}
	}
	return ""
}

// stepNumber is "" for what belongs to no step.
func stepNumber(s *traces.Step) string {
	if s == nil {
		return ""
	}
	return fmt.Sprint(s.Index)
}

// owner returns what a phase belongs to: "reasoning" says less than the call that reasoned.
func owner(s *traces.Span) *traces.Span {
	for s.Parent != nil && (s.Role == traces.RolePhase || s.Role == traces.RoleAttempt) {
		s = s.Parent
	}
	return s
}
