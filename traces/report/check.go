package report

import (
	"io"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/budget"
)

// A Check is what runs were held against, and how they stand.
type Check struct {
	Budgets   []budget.Result
	Baselines []budget.Regression
}

// Failed returns how many parts of the check are broken, and how many budgets cannot be told. That a regression cannot be told is
// noise, which fails nothing.
func (c Check) Failed() (broken, untold int) {
	for _, r := range c.Budgets {
		switch r.Verdict {
		case budget.Broken:
			broken++
		case budget.Untold:
			untold++
		}
	}
	for _, r := range c.Baselines {
		if r.Verdict == budget.Broken {
			broken++
		}
	}
	return broken, untold
}

// WriteCheck writes a check for people: what is broken first.
func WriteCheck(w io.Writer, c Check, problems []traces.Problem, opt TextOptions) error {
	p := newPage(opt)
	if len(c.Budgets) > 0 {
		p.line(p.bold("budgets"))
		p.budgets(c.Budgets)
	}
	if len(c.Baselines) > 0 {
		if len(c.Budgets) > 0 {
			p.line()
		}
		p.line(p.bold("against the baseline"))
		p.baselines(c.Baselines)
	}
	if len(problems) > 0 {
		p.problems("problems", problems)
	}
	return p.writeTo(w)
}

var checkColumns = []column{{head: ""}, {head: "budget"}, {head: "group", keep: 3}, {head: "seen", right: true}, {head: "", flex: true, keep: 1}}

func (p *page) budgets(results []budget.Result) {
	var rows [][]string
	grouped := false
	for _, verdict := range []budget.Verdict{budget.Broken, budget.Untold, budget.Kept} {
		for _, r := range results {
			if r.Verdict != verdict {
				continue
			}
			seen := p.draw(r.Seen)
			if seen == "" {
				seen = "-"
			}
			grouped = grouped || len(r.Group.By) > 0
			rows = append(rows, []string{p.verdict(r.Verdict), Clean(r.Budget.String()), p.label(*r.Group), seen, Clean(r.Why)})
		}
	}
	columns := append([]column{}, checkColumns...)
	columns[2].out = !grouped
	p.table(columns, rows)
}

func (p *page) baselines(results []budget.Regression) {
	for _, verdict := range []budget.Verdict{budget.Broken, budget.Untold, budget.Kept} {
		for _, r := range results {
			if r.Verdict == verdict {
				p.wrapped(pad(p.verdict(r.Verdict), len("BROKEN"), false)+"  "+p.draw(Clean(r.Text)), asIs)
			}
		}
	}
}

// verdict writes a verdict: the word says it, colour only underlines.
func (p *page) verdict(v budget.Verdict) string {
	switch v {
	case budget.Broken:
		return p.sgr("31", "BROKEN")
	case budget.Untold:
		return p.sgr("33", "untold")
	}
	return p.sgr("32", "kept")
}

// The document of WriteCheckJSON.
type (
	checkJSON struct {
		Schema    string           `json:"schema"`
		Budgets   []budgetJSON     `json:"budgets"`
		Baselines []regressionJSON `json:"baselines"`
		Problems  []problemJSON    `json:"problems"`
	}
	budgetJSON struct {
		Budget  string            `json:"budget"`
		Group   map[string]string `json:"group"`
		Verdict string            `json:"verdict"` // kept, broken, untold
		Value   *float64          `json:"value"`
		More    bool              `json:"more_than"` // the value is more than that
		Unit    string            `json:"unit"`      // ns, share, number
		Why     string            `json:"why"`
	}
	regressionJSON struct {
		Group   map[string]string `json:"group"`
		Measure string            `json:"measure"` // time, success
		Verdict string            `json:"verdict"`
		Change  *float64          `json:"change"` // time: ratio; success: difference
		Low     *float64          `json:"change_low"`
		High    *float64          `json:"change_high"`
		Needed  *int              `json:"runs_needed"`
		Alone   bool              `json:"alone"` // only one of the two has runs of the setting
		Text    string            `json:"text"`
	}
)

var verdictWords = map[budget.Verdict]string{budget.Kept: "kept", budget.Broken: "broken", budget.Untold: "untold"}

// WriteCheckJSON writes a check as the document longpole.check/v1.
func WriteCheckJSON(w io.Writer, c Check, problems []traces.Problem) error {
	return encode(w, checkJSON{
		Schema: "longpole.check/v1",
		Budgets: list(c.Budgets, func(r budget.Result) budgetJSON {
			return budgetJSON{r.Budget.String(), r.Group.Key, verdictWords[r.Verdict], r.Value, r.More, r.Unit, r.Why}
		}),
		Baselines: list(c.Baselines, func(r budget.Regression) regressionJSON {
			return regressionJSON{r.Group.Key, r.Measure, verdictWords[r.Verdict], r.Change, r.Low, r.High, r.Needed, r.Alone, r.Text}
		}),
		Problems: list(problems, problemOf),
	})
}
