package blame

import (
	"slices"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/measure"
	"github.com/seed46266073/longpole/traces/stats"
)

// ComponentDrag returns how much shorter a run would be on average without a component: less than its mean where other work went
// on beside it, which would then be waited for. It costs a replay of every run that waited for it, some 2 µs a span
// the first time and 0.5 µs after that.
func (b *Blame) ComponentDrag(c traces.Component) time.Duration {
	return b.drag(c, func(r *measure.Run) time.Duration { return r.Path.ComponentDrag(c) })
}

// ToolDrag returns the same for a tool.
func (b *Blame) ToolDrag(name string) time.Duration {
	return b.drag(traces.Tool, func(r *measure.Run) time.Duration { return r.Path.ToolDrag(name) })
}

// drag is a mean over all runs. One that did not wait for the component would be as long without it.
func (b *Blame) drag(c traces.Component, of func(*measure.Run) time.Duration) time.Duration {
	mean := stats.Mean{N: int64(max(1, b.Runs))}
	for _, r := range b.byWall {
		if slices.ContainsFunc(r.Components, func(t measure.ComponentTime) bool { return t.Component == c }) {
			mean = mean.Plus(int64(max(0, of(r))))
		}
	}
	return time.Duration(mean.Round())
}
