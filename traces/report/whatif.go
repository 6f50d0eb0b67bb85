package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/whatif"
)

// WriteWhatIf writes how long runs would have taken, for people: one run with everything about it, several as a list with the mean
// of their components. All answers are to the same plan; where that changes nothing, an outlook says what would help most. Problems
// are those that belong to no run.
func WriteWhatIf(w io.Writer, answers []whatif.Answer, outlook *whatif.Outlook, problems []traces.Problem, opt TextOptions) error {
	p := newPage(opt)
	switch {
	case len(answers) == 0:
		p.line("no runs found: nothing to change")
	case outlook != nil && len(answers) == 1:
		p.outlook(outlook, p.which(answers[0].Run))
		p.assumed(answers[0].Assumed)
	case outlook != nil:
		p.outlook(outlook, traces.FormatCount(len(answers), "run"))
		p.assumed(assumedOf(answers))
	case len(answers) == 1:
		p.whatIf(&answers[0])
	default:
		p.whatIfs(answers)
	}
	if len(answers) > 0 {
		p.limits()
	}
	if len(problems) > 0 {
		p.problems("problems that belong to no run", problems)
	}
	return p.writeTo(w)
}

// whatIf writes the answer for one run, the new total first.
func (p *page) whatIf(a *whatif.Answer) {
	p.line(p.bold("what if"), "  ", p.which(a.Run))
	p.plan(a.Plan)
	p.line()
	p.line("  ", p.bold(p.duration(a.Run.Wall)+p.draw(" → ")+p.duration(a.After.Wall)), "   ", p.saved(a.Saved(), a.Run.Wall))
	p.wrapped(p.bounds(a.Low, a.High, a.Plan), asIs)
	p.idle(a.Idle)
	p.timelines(a)
	p.section("where the time would go")
	p.changes(changesOf(a.Run.Components, a.After.Components), 0)
	p.effects(a.Effects)
	p.curves(a.Curves, len(a.Effects) > 1)
	p.knees(a.Knees)
	p.assumed(without(a.Assumed, a.Idle))
	p.closing(a.After)
}

// which names a run: its name, its effort and its id.
func (p *page) which(r *measure.Run) string {
	words := []string{Clean(title(r))}
	if e := r.Group["effort"]; e != "" {
		words = append(words, "effort "+Clean(e))
	}
	if r.Name != "" && r.ID != "" {
		words = append(words, Clean(r.ID))
	}
	return strings.Join(words, p.draw(" · "))
}

// bounds says between what the answer to a plan is, as far as the digits that are shown tell.
func (p *page) bounds(least, most time.Duration, plan whatif.Plan) string {
	low, high := p.duration(least), p.duration(most)
	switch steps := plan.Steps < 0; {
	case low == high && steps:
		return "the same whichever step is left out, and whatever really had to wait for what"
	case low == high:
		return "the same whatever really had to wait for what"
	case steps:
		return fmt.Sprintf("between %s and %s, depending on which step is left out, and on what really had to wait for what", low, high)
	}
	return fmt.Sprintf("between %s and %s, depending on what really had to wait for what", low, high)
}

// idle says which edits change nothing.
func (p *page) idle(sentences []string) {
	for _, s := range sentences {
		p.wrapped(p.draw(Clean(s)), p.bold)
	}
}

// plan names the changes of a plan.
func (p *page) plan(plan whatif.Plan) {
	labels := list(plan.Labels(), Clean)
	if len(labels) == 0 {
		labels = []string{"nothing is changed"}
	}
	p.wrapped(strings.Join(labels, p.draw(" · ")), asIs)
}

// saved writes by how much a run is shorter or longer.
func (p *page) saved(d, of time.Duration) string {
	switch {
	case d == 0:
		return "as long as it was"
	case of <= 0:
		return p.duration(max(d, -d))
	case d < 0:
		return fmt.Sprintf("%s longer (+%s)", p.duration(-d), Percent(float64(-d)/float64(of)))
	}
	return fmt.Sprintf("%s shorter (%s)", p.duration(d), p.draw("−")+Percent(float64(d)/float64(of)))
}

// timelines draws both paths on one axis.
func (p *page) timelines(a *whatif.Answer) {
	longest := max(a.Run.Wall, a.After.Wall)
	if longest <= 0 {
		return
	}
	p.line()
	cells := p.width - 2 - 8 - 2 - DurationWidth
	for _, side := range []struct {
		name string
		run  *measure.Run
	}{{"before", a.Run}, {"after", a.After}} {
		strip := p.strip(side.run.Path.Segments, 0, side.run.Wall, longest, cells)
		p.line("  ", pad(side.name, 8, false), pad(strip, cells, false), "  ", p.column(side.run.Wall))
	}
	p.legend(parts(append(slices.Clone(a.Run.Components), a.After.Components...)))
	p.aside("what the run waits for, moment by moment, on one scale")
}

// A change is the time of a component before and after.
type change struct {
	component     traces.Component
	before, after time.Duration
}

// changesOf returns the components that either has, in the order of display.
func changesOf(before, after []measure.ComponentTime) []change {
	return changesIn(func(yield func(traces.Component, time.Duration, time.Duration)) {
		for _, c := range before {
			yield(c.Component, c.Time, 0)
		}
		for _, c := range after {
			yield(c.Component, 0, c.Time)
		}
	})
}

func changesIn(each func(yield func(c traces.Component, before, after time.Duration))) []change {
	sums := map[traces.Component]change{}
	each(func(c traces.Component, before, after time.Duration) {
		sum := sums[c]
		sums[c] = change{c, sum.before + before, sum.after + after}
	})
	var list []change
	for _, c := range traces.Components {
		if sum, ok := sums[c]; ok {
			list = append(list, sum)
			delete(sums, c)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(sums)) { // phases nobody knows
		list = append(list, sums[c])
	}
	return list
}

// changes writes components with their time before and after: what stays in the letter of the component, what goes as "_", what comes
// on top as "+". Differences up to noise are none.
func (p *page) changes(list []change, noise time.Duration) {
	var before, after, longest time.Duration
	for _, c := range list {
		before, after, longest = before+c.before, after+c.after, max(longest, c.before, c.after)
	}
	if longest <= 0 {
		p.line("  no time passed")
		return
	}
	cells := min(max(p.width-54, 10), 60)
	n := func(d time.Duration) int {
		if d <= 0 {
			return 0
		}
		return max(1, int(float64(d)/float64(longest)*float64(cells)+0.5))
	}
	difference := func(d time.Duration) string {
		if max(d, -d) <= noise {
			d = 0
		}
		return p.difference(d)
	}
	var rows [][]string
	gone, came := false, false
	for _, c := range list {
		stay := n(min(c.before, c.after))
		bar := p.cells(markOf(c.component), stay)
		if more := n(c.before) - stay; more > 0 {
			bar += p.dim(strings.Repeat("_", more))
			gone = true
		}
		if more := n(c.after) - stay; more > 0 {
			bar += strings.Repeat("+", more)
			came = true
		}
		rows = append(rows, []string{word(c.component), p.column(c.before), p.column(c.after), difference(c.after - c.before), bar})
	}
	rows = append(rows, []string{"sum", p.column(before), p.column(after), difference(after - before), ""})
	p.table([]column{{head: ""}, {head: "before", right: true}, {head: "after", right: true}, {head: "change", right: true}, {head: "", keep: 1}}, rows)
	var key []string
	if gone {
		key = append(key, "_ gone")
	}
	if came {
		key = append(key, "+ more than before")
	}
	if len(key) > 0 {
		p.aside(strings.Join(key, "   "))
	}
}

// difference writes a time that was added or taken away, for a column; nothing where there is none.
func (p *page) difference(d time.Duration) string {
	return p.draw(strings.TrimLeft(DifferenceColumn(d), " "))
}

// effects writes what each of several changes adds.
func (p *page) effects(list []whatif.Effect) {
	if len(list) < 2 {
		return
	}
	p.section("each change, after those above it")
	var rows [][]string
	for _, e := range list {
		rows = append(rows, []string{Clean(e.Change), p.difference(-e.Saved)})
	}
	p.table([]column{{head: "", flex: true}, {head: "the run", right: true}}, rows)
}

// without returns the words of list that others does not have.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// assumed lists what was taken for granted.
func (p *page) assumed(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	p.section("assumed")
	for _, s := range sentences {
		p.wrapped(p.draw("· ")+p.draw(Clean(s)), asIs)
	}
}

// closing names what the changed run waits for longest.
func (p *page) closing(r *measure.Run) {
	if len(r.Path.Segments) == 0 {
		return
	}
	type item struct {
		name string
		time time.Duration
	}
	sums := map[string]time.Duration{}
	for _, s := range r.Path.Segments {
		sums[p.target(whatif.Target{Name: string(s.Component), Tool: s.Tool})] += s.Duration()
	}
	var list []item
	for name, d := range sums {
		list = append(list, item{name, d})
	}
	slices.SortFunc(list, func(a, b item) int { return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.name, b.name)) })
	var words []string
	for _, i := range list[:min(3, len(list))] {
		words = append(words, fmt.Sprintf("%s %s (%s)", i.name, p.duration(i.time), Percent(float64(i.time)/float64(r.Wall))))
	}
	p.line()
	p.wrapped("The long pole would then be "+strings.Join(words, ", ")+".", asIs)
}

// target names what an edit changes.
func (p *page) target(t whatif.Target) string {
	switch {
	case t.Tool != "":
		return "tool " + Clean(t.Tool)
	case t == whatif.DecodeRate:
		return "all that is written"
	}
	return word(traces.Component(t.Name))
}

// limits says what no answer can know.
func (p *page) limits() {
	p.section("what no answer can know")
	for _, s := range whatif.Limits {
		p.wrapped(p.draw("· ")+p.draw(s), p.dim)
	}
}
