package whatif

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
)

// An Outlook is what would help most, of one run or on average of several.
type Outlook struct {
	Runs     int
	Wall     time.Duration // the run's, or the mean
	Chances  []Chance      // what making one thing faster would bring, alone; what brings most when halved first
	Untried  int           // things that the run waits for less than for any of Chances, which were not looked at; of several runs the most
	Remedies []Remedy      // what else could be had, alone; what brings most first
}

// A Chance is what making one component or tool faster would bring.
type Chance struct {
	Target  Target
	Runs    int           // that wait for it
	OnPath  time.Duration // how long the run waits for it
	Halved  time.Duration // how much shorter the run is if the target takes half its time
	Removed time.Duration // and if it takes none
	Curve   []Point       // of the first few of one run, else nil
	Knees   []Knee        // of one run, else nil; of a large one those of the first few
	Bend    Bend          // where the first of the knees are
}

// A Remedy is a plan that stands for one thing that could be had.
type Remedy struct {
	Plan  Plan
	Runs  int           // that it makes shorter
	Saved time.Duration // above 0
}

// remedies are the plans that an Outlook tries: no failures, input that had been cached, nobody to ask, tools at once, tools early,
// one step less.
var remedies = []Plan{
	{Edits: []Edit{{Target: Component(traces.Retry), How: Off}}},
	{Edits: []Edit{{Target: Component(traces.Wait), How: Cached}}},
	{Edits: []Edit{{Target: Component(traces.Approval), How: Off}}},
	{ParallelTools: AtOnce},
	{ParallelTools: Early},
	{Steps: -1},
}

// Outlook returns what would help most: each component and each tool that the run waits for, of hundreds those that it waits for
// longest, and the usual remedies. Time that no span shows (untraced) is not among them.
func (p *Prepared) Outlook() Outlook {
	o := Outlook{Runs: 1, Wall: p.Run.Wall}
	onPath := map[Target]time.Duration{}
	for _, s := range p.Run.Path.Segments {
		switch {
		case s.Component == traces.Tool && s.Tool != "":
			onPath[Tool(s.Tool)] += s.Duration()
		case s.Component != traces.Untraced:
			onPath[Component(s.Component)] += s.Duration()
		}
	}
	o.Untried = max(0, len(onPath)-tried)
	for _, t := range longest(onPath, tried) {
		w, d := p.sweep(Plan{}, t), onPath[t]
		o.Chances = append(o.Chances, Chance{Target: t, Runs: 1, OnPath: d, Halved: p.Run.Wall - w.at(0.5), Removed: p.Run.Wall - w.at(0)})
	}
	for _, plan := range remedies {
		if saved := p.Run.Wall - p.made(plan).wall(); saved > 0 {
			o.Remedies = append(o.Remedies, Remedy{plan, 1, saved})
		}
	}
	o.sort()
	for i := range o.Chances {
		c := &o.Chances[i]
		w := p.sweep(Plan{}, c.Target)
		if i < detailed {
			c.Curve = w.curve()
		}
		if i < detailed || len(p.Run.Spans) <= small {
			c.Knees = w.knees()
			c.Bend = BendOf([][]Knee{c.Knees})
		}
	}
	return o
}

// tried is how many chances an outlook looks at, two replays each. What a target saves is at most its time on the path.
const tried = 200

// longest returns the n targets with most time, all if there are fewer.
func longest(times map[Target]time.Duration, n int) []Target {
	list := slices.SortedFunc(maps.Keys(times), func(a, b Target) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.String(), b.String()))
	})
	return list[:min(n, len(list))]
}

const (
	detailed = 5    // chances of an outlook that have a curve and knees, which take some fifty replays each
	small    = 1000 // spans of a run all of whose chances have knees
)

func (o *Outlook) sort() {
	slices.SortFunc(o.Chances, func(a, b Chance) int {
		return cmp.Or(cmp.Compare(b.Halved, a.Halved), cmp.Compare(b.Removed, a.Removed), cmp.Compare(a.Target.String(), b.Target.String()))
	})
	slices.SortStableFunc(o.Remedies, func(a, b Remedy) int { return cmp.Compare(b.Saved, a.Saved) })
}

// Pool returns what would help runs on average. Times are means over all of them, rounded down; a run that something would not help
// counts with 0.
func Pool(list []Outlook) Outlook {
	if len(list) == 1 {
		return list[0]
	}
	var pooled Outlook
	chances, found, knees := map[Target]Chance{}, map[string]Remedy{}, map[Target][][]Knee{}
	for _, o := range list {
		pooled.Runs += o.Runs
		pooled.Wall += o.Wall
		pooled.Untried = max(pooled.Untried, o.Untried)
		for _, c := range o.Chances {
			sum := chances[c.Target]
			chances[c.Target] = Chance{Target: c.Target, Runs: sum.Runs + c.Runs, OnPath: sum.OnPath + c.OnPath,
				Halved: sum.Halved + c.Halved, Removed: sum.Removed + c.Removed}
			knees[c.Target] = append(knees[c.Target], c.Knees)
		}
		for _, r := range o.Remedies {
			label := r.Plan.Labels()[0]
			sum := found[label]
			found[label] = Remedy{r.Plan, sum.Runs + r.Runs, sum.Saved + r.Saved}
		}
	}
	n := time.Duration(max(pooled.Runs, 1))
	pooled.Wall /= n
	for _, c := range chances {
		c.OnPath, c.Halved, c.Removed = c.OnPath/n, c.Halved/n, c.Removed/n
		c.Bend = BendOf(knees[c.Target])
		pooled.Chances = append(pooled.Chances, c)
	}
	for _, plan := range remedies {
		if r, ok := found[plan.Labels()[0]]; ok {
			r.Saved /= n
			pooled.Remedies = append(pooled.Remedies, r)
		}
	}
	pooled.sort()
	return pooled
}
