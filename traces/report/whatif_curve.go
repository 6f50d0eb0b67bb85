package report

import (
	"fmt"
	"strings"

	"github.com/seed46266073/longpole/traces/whatif"
)

// curves writes how long the run takes with so much of each target's time.
func (p *page) curves(lines []whatif.Line) {
	if len(lines) == 0 {
		return
	}
	p.section("how long the run would take with less of it")
	columns := []column{{head: "time of", flex: true}}
	shown := map[float64]int{1: 0, 0.8: 1, 0.6: 2, 0.5: 4, 0.4: 2, 0.2: 3, 0: 0} // keep, by factor
	for _, pt := range lines[0].Points {
		if keep, ok := shown[pt.Factor]; ok {
			columns = append(columns, column{head: p.factor(pt.Factor), right: true, keep: keep})
		}
	}
	var rows [][]string
	for _, l := range lines {
		row := []string{p.target(l.Target)}
		for _, pt := range l.Points {
			if _, ok := shown[pt.Factor]; ok {
				row = append(row, p.duration(pt.Wall))
			}
		}
		rows = append(rows, row)
	}
	p.table(columns, rows)
}

func (p *page) factor(f float64) string {
	if f == 0 {
		return "none"
	}
	return p.draw("× ") + strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

// knees says in sentences where going on brings less.
func (p *page) knees(list []whatif.Knee) {
	if len(list) == 0 {
		return
	}
	p.line()
	for _, k := range list {
		p.wrapped(p.knee(k), asIs)
	}
}

func (p *page) knee(k whatif.Knee) string {
	where := p.target(k.Target) + " at " + p.factor(k.Factor)
	if k.Target == whatif.DecodeRate {
		where += fmt.Sprintf(" of the time (a rate of %s%.3g)", p.draw("× "), 1/k.Factor)
	}
	then := "other things"
	if k.Then != (whatif.Target{}) {
		then = p.target(k.Then)
	}
	if k.After == 0 {
		return fmt.Sprintf("knee of %s: less than that saves nothing more, as the run then waits for %s", where, then)
	}
	return fmt.Sprintf("knee of %s: from there on a second less saves %.2g s, not %.2g s, as the run then also waits for %s", where, k.After, k.Before, then)
}
