package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed46266073/longpole/traces/whatif"
)

// curves writes how long the run takes with so much of each target's time, other changes being made or not.
func (p *page) curves(lines []whatif.Line, others bool) {
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
	if others {
		p.aside("the other changes stay made")
	}
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
	where, then := p.where(k.Target, k.Factor), p.then(k.Then)
	if k.After == 0 {
		return fmt.Sprintf("knee of %s: less than that saves nothing more, as the run then waits for %s", where, then)
	}
	return fmt.Sprintf("knee of %s: from there on a second less saves %.2g s, not %.2g s, as the run then also waits for %s", where, k.After, k.Before, then)
}

// where says what has a knee, and at how much of its time.
func (p *page) where(t whatif.Target, factor float64) string {
	where := p.target(t) + " at " + p.factor(factor)
	if t == whatif.DecodeRate {
		where += fmt.Sprintf(" of the time (a rate of %s%.3g)", p.draw("× "), 1/factor)
	}
	return where
}

// then names what runs wait for beyond a knee.
func (p *page) then(t whatif.Target) string {
	if t == (whatif.Target{}) {
		return "other things"
	}
	return p.target(t)
}

// bend says in how many of several runs going on with a target brings less, and where.
func (p *page) bend(t whatif.Target, b whatif.Bend, runs int) {
	switch {
	case b.Runs == 0:
	case b.Runs == 1:
		p.wrapped(fmt.Sprintf("knee of %s, in 1 of %d runs: from there on it helps less, as the run then waits for %s", p.where(t, b.Factor), runs, p.then(b.Then)), asIs)
	default:
		p.wrapped(fmt.Sprintf("knee of %s at the median, in %d of %d runs: from there on it helps less, as most of them then wait for %s",
			p.where(t, b.Factor), b.Runs, runs, p.then(b.Then)), asIs)
	}
}

// bendsOf returns where the targets of a plan have their knees in several runs, by name; those without any are left out.
func bendsOf(answers []whatif.Answer) (targets []whatif.Target, bends []whatif.Bend) {
	knees := map[whatif.Target][][]whatif.Knee{}
	for _, a := range answers {
		for i, k := range a.Knees {
			if i > 0 && a.Knees[i-1].Target == k.Target {
				continue // not the first
			}
			if knees[k.Target] == nil {
				targets = append(targets, k.Target)
			}
			knees[k.Target] = append(knees[k.Target], a.Knees[i:i+1])
		}
	}
	slices.SortFunc(targets, func(a, b whatif.Target) int { return cmp.Compare(a.String(), b.String()) })
	for _, t := range targets {
		bends = append(bends, whatif.BendOf(knees[t]))
	}
	return targets, bends
}
