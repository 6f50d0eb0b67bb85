package report

import (
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
)

// What the document longpole.compare/v1 says of pairs and of the effort dial. All figures of a pair are of b against a.
type (
	pairJSON struct {
		A              map[string]string `json:"a"`
		B              map[string]string `json:"b"`
		NA             int               `json:"n_a"`
		NB             int               `json:"n_b"`
		Paired         bool              `json:"paired"`
		Tasks          int               `json:"tasks"`
		Method         *string           `json:"method"` // null: no times were compared
		Ratio          *float64          `json:"ratio"`
		RatioLow       *float64          `json:"ratio_low"`
		RatioHigh      *float64          `json:"ratio_high"`
		Shift          *time.Duration    `json:"shift_ns"`
		ShiftLow       *time.Duration    `json:"shift_low_ns"`
		ShiftHigh      *time.Duration    `json:"shift_high_ns"`
		P              *float64          `json:"p"` // adjusted for the number of pairs
		Verdict        compare.Verdict   `json:"verdict"`
		Text           string            `json:"text"`
		Smallest       *float64          `json:"smallest_detectable"` // share by which b would have to be faster
		RunsNeeded     *int              `json:"runs_needed"`
		Success        *moreOftenJSON    `json:"success"`
		MeanDifference *time.Duration    `json:"mean_difference_ns"`
		Causes         []causeJSON       `json:"causes"`
		Notes          []string          `json:"notes"`
	}
	moreOftenJSON struct {
		Difference float64 `json:"difference"`
		Low        float64 `json:"low"`
		High       float64 `json:"high"`
		P          float64 `json:"p"`
		RunsNeeded *int    `json:"runs_needed"`
	}
	causeJSON struct {
		Cause  string        `json:"cause"`
		Time   time.Duration `json:"ns"`
		Family traces.Family `json:"family,omitempty"`
		A      *float64      `json:"a"` // the factor: a number, or nanoseconds
		B      *float64      `json:"b"`
		Unit   string        `json:"unit,omitempty"` // "ns" where it is a time
	}
	knobJSON struct {
		Setting string         `json:"setting,omitempty"`
		Effect  compare.Effect `json:"effect"`
		P       *float64       `json:"p"`
		Text    string         `json:"text"`
		Levels  []levelJSON    `json:"levels"`
	}
	levelJSON struct {
		Asked     string   `json:"asked"`
		Sent      []string `json:"sent"`
		Reasoning *float64 `json:"reasoning_tokens_per_call"`
	}
)

func pairOf(p compare.Pair) pairJSON {
	j := pairJSON{
		A: p.A.Key, B: p.B.Key, NA: p.NA, NB: p.NB, Paired: p.Paired, Tasks: p.Tasks, Method: text(string(p.Method)),
		Ratio: p.Ratio, RatioLow: p.RatioLow, RatioHigh: p.RatioHigh,
		Shift: p.Shift, ShiftLow: p.ShiftLow, ShiftHigh: p.ShiftHigh,
		P: p.P, Verdict: p.Verdict, Text: p.Text, Smallest: p.Smallest, RunsNeeded: p.RunsNeeded,
		MeanDifference: p.MeanDifference,
		Causes:         list(p.Causes, causeOf),
		Notes:          list(append(p.Notes[:len(p.Notes):len(p.Notes)], p.CauseNotes...), func(s string) string { return s }),
	}
	if r := p.Success; r != nil {
		j.Success = &moreOftenJSON{r.Rate, r.Low, r.High, r.P, r.RunsNeeded}
	}
	return j
}

func causeOf(c compare.Cause) causeJSON {
	j := causeJSON{Cause: c.Name, Time: c.Time, Family: c.Family, A: c.A, B: c.B}
	if c.InTime {
		j.Unit = "ns"
	}
	return j
}

func knobOf(k compare.Knob) knobJSON {
	return knobJSON{Setting: k.Setting, Effect: k.Effect, P: k.P, Text: k.Text, Levels: list(k.Levels, func(l compare.Level) levelJSON {
		return levelJSON{l.Asked, list(l.Sent, func(s string) string { return s }), tenth(l.Reasoning)}
	})}
}
