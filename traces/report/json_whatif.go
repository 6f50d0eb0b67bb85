package report

import (
	"io"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/whatif"
)

// The document of WriteWhatIfJSON.
type (
	whatIfJSON struct {
		Schema   string        `json:"schema"`
		Edits    []string      `json:"edits"`
		Parallel *string       `json:"parallel"` // tools, early
		Steps    int           `json:"steps"`
		Assumed  []string      `json:"assumed"` // of all runs
		Limits   []string      `json:"limits"`
		Runs     []answerJSON  `json:"runs"`
		Summary  *savingsJSON  `json:"summary"` // null without runs
		Help     *helpJSON     `json:"help"`    // null where there are edits
		Problems []problemJSON `json:"problems"`
	}
	answerJSON struct {
		ID           string           `json:"id"`
		Name         string           `json:"name"`
		Before       time.Duration    `json:"before_ns"`
		After        time.Duration    `json:"after_ns"`
		Range        [2]time.Duration `json:"range_ns"`
		Components   []changeJSON     `json:"components"`
		Effects      []effectJSON     `json:"effects"` // their savings add up to before - after
		CriticalPath []segmentJSON    `json:"critical_path"`
		Knee         []kneeJSON       `json:"knee"`
		Curves       []curveJSON      `json:"curves"`
		Idle         []string         `json:"idle"` // of assumed: edits that change nothing
		Assumed      []string         `json:"assumed"`
	}
	changeJSON struct {
		Component traces.Component `json:"component"`
		Before    time.Duration    `json:"before_ns"`
		After     time.Duration    `json:"after_ns"`
	}
	effectJSON struct {
		Change string        `json:"change"`
		Saved  time.Duration `json:"saved_ns"`
	}
	kneeJSON struct {
		Target string        `json:"target"`
		Factor float64       `json:"factor"` // of the target's time
		Wall   time.Duration `json:"wall_ns"`
		Before float64       `json:"saved_before"` // of the run, per unit of the target's time, down to the knee
		After  float64       `json:"saved_after"`  // and from there on
		Then   *string       `json:"then"`         // what the run waits for in its place
	}
	curveJSON struct {
		Target string      `json:"target"`
		Points []pointJSON `json:"points"`
	}
	pointJSON struct {
		Factor float64       `json:"factor"`
		Wall   time.Duration `json:"wall_ns"`
	}
	savingsJSON struct {
		Runs   int           `json:"runs"`
		Before time.Duration `json:"mean_before_ns"`
		After  time.Duration `json:"mean_after_ns"`
		Median time.Duration `json:"median_saved_ns"`
		Low    time.Duration `json:"least_saved_ns"`
		High   time.Duration `json:"most_saved_ns"`
		Knees  []bendJSON    `json:"knees"`
	}
	bendJSON struct { // the first knees of a target in several runs
		Target string  `json:"target"`
		Runs   int     `json:"runs"`   // that have one
		Factor float64 `json:"factor"` // median
		Then   *string `json:"then"`   // of most of them
	}
	helpJSON struct { // of one run, or means of all
		Runs     int           `json:"runs"`
		Wall     time.Duration `json:"wall_ns"`
		Chances  []chanceJSON  `json:"chances"`
		Untried  int           `json:"untried"` // further things, which the runs wait for less
		Remedies []remedyJSON  `json:"remedies"`
	}
	chanceJSON struct {
		Target  string        `json:"target"`
		Runs    int           `json:"runs"`
		OnPath  time.Duration `json:"on_path_ns"`
		Halved  time.Duration `json:"halved_saves_ns"`
		Removed time.Duration `json:"removed_saves_ns"`
		Points  []pointJSON   `json:"points"` // of the first few of one run, like knee
		Knee    []kneeJSON    `json:"knee"`
		Knees   *bendJSON     `json:"knees"` // null: none
	}
	remedyJSON struct {
		Change string        `json:"change"`
		Runs   int           `json:"runs"`
		Saved  time.Duration `json:"saved_ns"`
	}
)

// WriteWhatIfJSON writes the document longpole.whatif/v1. All answers are to the same plan; outlook is nil where that changes
// something. Problems are those that belong to no run.
func WriteWhatIfJSON(w io.Writer, plan whatif.Plan, answers []whatif.Answer, outlook *whatif.Outlook, problems []traces.Problem) error {
	doc := whatIfJSON{
		Schema:   "longpole.whatif/v1",
		Edits:    list(plan.Edits, whatif.Edit.String),
		Parallel: text(plan.ParallelTools.String()),
		Steps:    plan.Steps,
		Assumed:  list(assumedOf(answers), same),
		Limits:   whatif.Limits,
		Runs:     list(answers, answerOf),
		Problems: list(problems, problemOf),
	}
	if len(answers) > 0 {
		s := savingsOf(answers)
		doc.Summary = &savingsJSON{len(answers), s.before, s.after, s.median, s.low, s.high, []bendJSON{}}
		targets, bends := bendsOf(answers)
		for i, t := range targets {
			doc.Summary.Knees = append(doc.Summary.Knees, *bendIn(t, bends[i]))
		}
	}
	if outlook != nil {
		doc.Help = &helpJSON{outlook.Runs, outlook.Wall, list(outlook.Chances, chanceOf), outlook.Untried, list(outlook.Remedies, remedyOf)}
	}
	return encode(w, doc)
}

func same(s string) string { return s }

func answerOf(a whatif.Answer) answerJSON {
	return answerJSON{
		ID: a.Run.ID, Name: a.Run.Name, Before: a.Run.Wall, After: a.After.Wall, Range: [2]time.Duration{a.Low, a.High},
		Components: list(changesOf(a.Run.Components, a.After.Components), func(c change) changeJSON {
			return changeJSON{c.component, c.before, c.after}
		}),
		Effects:      list(a.Effects, func(e whatif.Effect) effectJSON { return effectJSON(e) }),
		CriticalPath: list(a.After.Path.Segments, segmentOf),
		Knee:         list(a.Knees, kneeOf),
		Curves:       list(a.Curves, func(l whatif.Line) curveJSON { return curveJSON{l.Target.String(), list(l.Points, pointOf)} }),
		Idle:         list(a.Idle, same),
		Assumed:      list(a.Assumed, same),
	}
}

func kneeOf(k whatif.Knee) kneeJSON {
	return kneeJSON{k.Target.String(), k.Factor, k.Wall, k.Before, k.After, text(k.Then.String())}
}

// bendIn is nil where there is none.
func bendIn(t whatif.Target, b whatif.Bend) *bendJSON {
	if b.Runs == 0 {
		return nil
	}
	return &bendJSON{t.String(), b.Runs, b.Factor, text(b.Then.String())}
}

func pointOf(p whatif.Point) pointJSON { return pointJSON(p) }

func chanceOf(c whatif.Chance) chanceJSON {
	return chanceJSON{c.Target.String(), c.Runs, c.OnPath, c.Halved, c.Removed, list(c.Curve, pointOf), list(c.Knees, kneeOf), bendIn(c.Target, c.Bend)}
}

func remedyOf(r whatif.Remedy) remedyJSON {
	return remedyJSON{r.Plan.Labels()[0], r.Runs, r.Saved}
}
