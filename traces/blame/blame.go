package blame

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// A Blame is what some runs were waiting for. It is read-only.
type Blame struct {
	Runs       int // all that were given, however they ended
	Open       int // that had not ended: their times are so far
	Spans      int // of all runs
	MeanWall   time.Duration
	Components []Row // the largest mean first; the means add up to MeanWall exactly
	Tools      []Row // likewise; they add up to the mean of the component tool
	Models     []Row // the largest mean first: calls of a model with all phases, attempts and backoffs; not what they wait for in tools below
	Steps      []Row // by index: all that is on the path while the step lasts
	Drifts     []Drift

	byWall []*measure.Run // the fastest first
}

// A Row is what runs waited for one component, tool, model or step.
type Row struct {
	Name      string           // the component's, tool's or model's, as recorded; of a step its index
	Component traces.Component // Tool for tools; "" for models and steps
	Step      int              // index of a step, else 0
	Runs      int              // in which the path spent time on it
	Mean      time.Duration    // over all runs
	Share     float64          // of the mean wall time, 0 to 1
	Time      Spread           // over the runs in which the path spent time on it
	Lasted    *time.Duration   // mean over all runs: how long its spans lasted, added up; nil where no span is of that kind alone
	Hidden    *time.Duration   // the part of Lasted in which the run waited for something else
}

// A Spread is marginal percentiles of one quantity: those of several do not add up. A percentile that too few runs tell is nil.
type Spread struct {
	Median, P95, P99 *time.Duration
}

// Of adds up what runs waited for. It takes O(n) time for n spans and segments, and a sort of the runs.
func Of(runs []*measure.Run) *Blame {
	b := &Blame{Runs: len(runs), byWall: slices.Clone(runs)}
	slices.SortStableFunc(b.byWall, func(a, b *measure.Run) int {
		return cmp.Or(cmp.Compare(a.Wall, b.Wall), cmp.Compare(a.ID, b.ID), a.Start.Compare(b.Start))
	})
	t := newTally(len(runs))
	for _, r := range b.byWall {
		b.Spans += len(r.Spans)
		if r.Open {
			b.Open++
		}
		t.add(r)
	}
	var means []measure.ComponentMean
	b.MeanWall, means = measure.Means(runs)
	for _, m := range means {
		row := b.row(t.components[m.Component])
		row.Name, row.Component, row.Mean, row.Share = string(m.Component), m.Component, m.Mean, m.Share
		b.Components = append(b.Components, row)
	}
	slices.SortStableFunc(b.Components, func(a, b Row) int { return cmp.Compare(b.Mean, a.Mean) })
	b.Tools = b.tools(t.tools)
	for name, sum := range t.models {
		row := b.row(sum)
		row.Name = name
		b.Models = append(b.Models, row)
	}
	byMean(b.Models)
	for i, sum := range t.steps {
		row := b.row(sum)
		row.Name, row.Step = strconv.Itoa(i+1), i+1
		b.Steps = append(b.Steps, row)
	}
	b.Drifts = drifts(b.byWall)
	return b
}

// tools makes the rows of the tools, whose means add up to that of the component.
func (b *Blame) tools(sums map[string]*sum) []Row {
	var rows []Row
	for name, sum := range sums {
		row := b.row(sum)
		row.Name, row.Component = name, traces.Tool
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int { return stats.Natural(a.Name, b.Name) })
	parts := make([]stats.Mean, len(rows))
	for i, row := range rows {
		parts[i] = sums[row.Name].onPath
	}
	var whole time.Duration
	for _, c := range b.Components {
		if c.Component == traces.Tool {
			whole = c.Mean
		}
	}
	for i, mean := range stats.Apportion(parts, int64(whole)) {
		rows[i].Mean = time.Duration(mean)
		rows[i].Share = b.share(rows[i].Mean)
	}
	byMean(rows)
	return rows
}

func byMean(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), stats.Natural(a.Name, b.Name))
	})
}

// row makes the figures of a row; whoever calls it names the row.
func (b *Blame) row(s *sum) Row {
	row := Row{Runs: len(s.times), Mean: time.Duration(s.onPath.Round()), Time: spreadOf(s.times)}
	row.Share = b.share(row.Mean)
	if s.spans > 0 {
		lasted, hidden := time.Duration(s.lasted.Round()), time.Duration(s.hidden.Round())
		row.Lasted, row.Hidden = &lasted, &hidden
	}
	return row
}

func (b *Blame) share(d time.Duration) float64 {
	if b.MeanWall <= 0 {
		return 0
	}
	return float64(d) / float64(b.MeanWall)
}

func spreadOf(times []float64) Spread {
	told := func(v float64, ok bool) *time.Duration {
		if !ok {
			return nil
		}
		d := time.Duration(v + 0.5)
		return &d
	}
	return Spread{told(stats.Median(times)), told(stats.Quantile(times, 0.95)), told(stats.Quantile(times, 0.99))}
}
