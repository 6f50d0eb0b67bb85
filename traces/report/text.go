package report

import (
	"fmt"
	"io"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
)

// WriteText writes runs for people: one run with everything about it, several as a list and by group. Problems are those
// that belong to no run.
func WriteText(w io.Writer, runs []*measure.Run, problems []traces.Problem, opt TextOptions) error {
	p := newPage(opt)
	switch len(runs) {
	case 0:
		p.line("no runs found: nothing to report")
	case 1:
		p.run(runs[0])
	default:
		p.runs(runs)
		p.line()
		p.groups(measure.GroupBy(runs, varying(runs)...))
	}
	if len(problems) > 0 {
		p.problems("problems that belong to no run", problems)
	}
	return p.writeTo(w)
}

// WriteGroups writes groups for people: per group the success rate, the time to a correct answer and where the time went,
// and a sentence of what that shows.
func WriteGroups(w io.Writer, groups []measure.Group, opt TextOptions) error {
	p := newPage(opt)
	p.groups(groups)
	return p.writeTo(w)
}

// varying returns which of model and effort differ among runs.
func varying(runs []*measure.Run) []string {
	var keys []string
	for _, k := range []string{"model", "effort"} {
		for _, r := range runs[1:] {
			if r.Group[k] != runs[0].Group[k] {
				keys = append(keys, k)
				break
			}
		}
	}
	return keys
}

// runs lists several runs, one a line.
func (p *page) runs(runs []*measure.Run) {
	p.line(p.bold(plural(len(runs), "run")))
	var rows [][]string
	shown, more := capped(runs, runsShown)
	for _, r := range shown {
		mark := ""
		if r.Open {
			mark = " so far"
		}
		rows = append(rows, []string{
			Clean(title(r)), Clean(r.Group["model"]), Clean(r.Group["effort"]), p.outcome(r.Outcome) + mark, p.column(r.Wall),
			fmt.Sprint(r.Counts.Steps), fmt.Sprint(r.Counts.ToolCalls), fmt.Sprint(r.Counts.Retries()), p.stack(parts(r.Components), 16),
		})
	}
	p.table([]column{{head: "run", flex: true}, {head: "model", keep: 2}, {head: "effort", keep: 6}, {head: "outcome", keep: 8},
		{head: "time", right: true}, {head: "steps", right: true, keep: 3}, {head: "tools", right: true, keep: 4},
		{head: "retries", right: true, keep: 1}, {head: "where it went", keep: 7}}, rows)
	p.more(more)
}

// problems lists what was odd, the first few in full.
func (p *page) problems(title string, list []traces.Problem) {
	p.section(fmt.Sprintf("%s (%d)", title, len(list)))
	shown, more := capped(list, 12)
	for _, problem := range shown {
		where := ""
		if problem.SpanID != "" {
			where = " (span " + Clean(problem.SpanID) + ")"
		}
		p.wrapped(Clean(string(problem.Code))+": "+Clean(problem.Message)+where, asIs)
	}
	p.more(more)
}

func title(r *measure.Run) string {
	if r.Name != "" {
		return r.Name
	}
	return r.ID
}

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "retry":
		return fmt.Sprintf("%d retries", n)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
