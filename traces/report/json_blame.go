package report

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/blame"
	"github.com/seed46266073/longpole/traces/measure"
)

// The blame of all runs of the document: mean_ns is over all of them, median_ns, p95_ns and p99_ns over those that waited for
// it, in number "runs"; a percentile that too few runs tell is null.
type (
	blameJSON struct {
		Runs         int               `json:"runs"`
		Open         int               `json:"open"`
		MeanWall     time.Duration     `json:"mean_wall_ns"`
		Components   []blameRowJSON    `json:"components"` // mean_ns sum to mean_wall_ns, exactly
		Tools        []blameRowJSON    `json:"tools"`      // mean_ns sum to that of the component tool, exactly
		Models       []blameRowJSON    `json:"models"`
		Steps        []blameRowJSON    `json:"steps"`
		Drift        []driftJSON       `json:"drift"`
		Compositions []compositionJSON `json:"compositions"` // of the runs around the median and the 95th percentile; none below 20 runs
	}
	blameRowJSON struct {
		Component traces.Component `json:"component,omitempty"` // one of these four
		Name      *string          `json:"name,omitempty"`      // of a tool
		Model     *string          `json:"model,omitempty"`
		Index     int              `json:"index,omitempty"` // of a step
		Runs      int              `json:"runs"`
		Mean      time.Duration    `json:"mean_ns"`
		Share     float64          `json:"share"`
		Median    *time.Duration   `json:"median_ns"`
		P95       *time.Duration   `json:"p95_ns"`
		P99       *time.Duration   `json:"p99_ns"`
		Lasted    *time.Duration   `json:"lasted_ns"` // mean time of its spans, added up; null where it has none of its own
		Hidden    *time.Duration   `json:"hidden_ns"` // the part of that in which the run waited for something else
		Drag      *time.Duration   `json:"drag_ns"`   // how much shorter a run would be without it; null for models and steps, and where there are very many spans
	}
	driftJSON struct {
		Of    blame.Quantity `json:"of"`
		Per   blame.Unit     `json:"per"`
		N     int            `json:"n"`
		Runs  int            `json:"runs"`
		Seen  bool           `json:"seen"`
		Slope *time.Duration `json:"slope_ns"` // null where too few tell
		Low   *time.Duration `json:"low_ns"`
		High  *time.Duration `json:"high_ns"`
	}
	compositionJSON struct {
		Quantile   float64         `json:"quantile"`
		Runs       int             `json:"runs"`
		Low        time.Duration   `json:"low_ns"`
		High       time.Duration   `json:"high_ns"`
		MeanWall   time.Duration   `json:"mean_wall_ns"`
		Components []componentMean `json:"components"` // sum to mean_wall_ns, exactly
	}
	componentMean struct {
		Component traces.Component `json:"component"`
		Mean      time.Duration    `json:"mean_ns"`
		Share     float64          `json:"share"`
	}
)

// blameOf returns nil without runs.
func blameOf(runs []*measure.Run) *blameJSON {
	if len(runs) == 0 {
		return nil
	}
	b := blame.Of(runs)
	doc := &blameJSON{
		Runs: b.Runs, Open: b.Open, MeanWall: b.MeanWall,
		Components: list(b.Components, func(r blame.Row) blameRowJSON {
			row := blameRowOf(r)
			row.Component, row.Drag = r.Component, dragOf(b, b.Components, b.ComponentDrag, r.Component)
			return row
		}),
		Tools: list(b.Tools, func(r blame.Row) blameRowJSON {
			row := blameRowOf(r)
			row.Name, row.Drag = &r.Name, dragOf(b, b.Tools, b.ToolDrag, r.Name)
			return row
		}),
		Models: list(b.Models, func(r blame.Row) blameRowJSON {
			row := blameRowOf(r)
			row.Model = &r.Name
			return row
		}),
		Steps: list(b.Steps, func(r blame.Row) blameRowJSON {
			row := blameRowOf(r)
			row.Index = r.Step
			return row
		}),
		Drift:        list(b.Drifts, driftOf),
		Compositions: []compositionJSON{},
	}
	for _, q := range []float64{0.5, 0.95} {
		if c, ok := b.Around(q); ok {
			doc.Compositions = append(doc.Compositions, compositionOf(c))
		}
	}
	return doc
}

func blameRowOf(r blame.Row) blameRowJSON {
	return blameRowJSON{
		Runs: r.Runs, Mean: r.Mean, Share: r.Share, Median: r.Time.Median, P95: r.Time.P95, P99: r.Time.P99, Lasted: r.Lasted, Hidden: r.Hidden,
	}
}

func driftOf(d blame.Drift) driftJSON {
	doc := driftJSON{Of: d.Of, Per: d.Over, N: d.N, Runs: d.Runs, Seen: d.Seen}
	if d.Told {
		doc.Slope, doc.Low, doc.High = &d.Slope, &d.Low, &d.High
	}
	return doc
}

func compositionOf(c blame.Composition) compositionJSON {
	return compositionJSON{c.Quantile, c.Runs, c.Low, c.High, c.MeanWall, list(c.Components, func(m measure.ComponentMean) componentMean {
		return componentMean{m.Component, m.Mean, m.Share}
	})}
}
