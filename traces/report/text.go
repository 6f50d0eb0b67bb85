package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/compare"
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
		p.blame(blame.Of(runs))
		p.line()
		p.comparison(compare.Of(measure.GroupBy(runs, varying(runs)...), compare.Options{}))
	}
	if len(problems) > 0 {
		p.problems("problems that belong to no run", problems)
	}
	return p.writeTo(w)
}

// WriteGroups writes groups for people: per group the success rate, the time to a correct answer and where the time went,
// and what that shows, each group against the best one.
func WriteGroups(w io.Writer, groups []measure.Group, opt TextOptions) error {
	return WriteComparison(w, compare.Of(groups, compare.Options{}), nil, opt)
}

// WriteComparison is WriteGroups for groups that were compared in some other way. Problems are those of the sources.
func WriteComparison(w io.Writer, c *compare.Comparison, problems []traces.Problem, opt TextOptions) error {
	p := newPage(opt)
	p.comparison(c)
	if len(problems) > 0 {
		p.problems("problems that belong to no run", problems)
	}
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
	p.line(p.bold(traces.FormatCount(len(runs), "run")))
	var rows [][]string
	shown, more := capped(runs, runsShown)
	ids := shortIDs(runs)
	for i, r := range shown {
		mark := ""
		if r.Open {
			mark = " so far"
		}
		rows = append(rows, []string{
			Clean(title(r)), Clean(ids[i]), Clean(r.Group["model"]), Clean(r.Group["effort"]), p.outcome(r.Outcome) + mark, p.column(r.Wall),
			fmt.Sprint(r.Counts.Steps), fmt.Sprint(r.Counts.ToolCalls), fmt.Sprint(r.Counts.Retries()), p.stack(parts(r.Components), 16),
		})
	}
	p.table([]column{{head: "run", flex: true}, {head: "id", keep: 8}, {head: "model", keep: 2}, {head: "effort", keep: 6}, {head: "outcome", keep: 9},
		{head: "time", right: true}, {head: "steps", right: true, keep: 3}, {head: "tools", right: true, keep: 4},
		{head: "retries", right: true, keep: 1}, {head: "where it went", keep: 7}}, rows)
	p.more(more)
}

// problems lists what was odd, of each kind the first few in full.
func (p *page) problems(title string, list []traces.Problem) {
	kinds := traces.ProblemKinds(list)
	total := 0
	for _, k := range kinds {
		total += k.Count
	}
	p.section(fmt.Sprintf("%s (%s)", title, Count(int64(total))))
	for _, k := range kinds {
		shown, _ := capped(k.List, problemsShown)
		for _, problem := range shown {
			where := ""
			if problem.SpanID != "" {
				where = " (span " + Clean(problem.SpanID) + ")"
			}
			p.wrapped(Clean(string(k.Code))+": "+p.draw(Clean(problem.Message))+where, asIs)
		}
		if more := k.Count - len(shown); more > 0 {
			p.line("    ", p.dim(p.draw(fmt.Sprintf("… and %s more like this", Count(int64(more))))))
		}
	}
}

// problemsShown is how many problems of a kind are written in full.
const problemsShown = 3

// shortIDs returns as much of each run's id as tells them apart, at least eight characters: enough to ask for one.
func shortIDs(runs []*measure.Run) []string {
	sorted := make([]string, len(runs))
	for i, r := range runs {
		sorted[i] = r.ID
	}
	slices.Sort(sorted)
	short := make([]string, len(runs))
	for i, r := range runs {
		at, _ := slices.BinarySearch(sorted, r.ID)
		n := 8
		for _, k := range []int{at - 1, at + 1} {
			if k >= 0 && k < len(sorted) {
				n = max(n, 1+shared(r.ID, sorted[k]))
			}
		}
		short[i] = strings.ToValidUTF8(r.ID[:min(n, len(r.ID))], "")
	}
	return short
}

// shared returns how many bytes a and b begin with alike.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func title(r *measure.Run) string {
	if r.Name != "" {
		return r.Name
	}
	return r.ID
}
