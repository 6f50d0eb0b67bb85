package report

import (
	"io"
	"math"
	"time"

	"github.com/seed46266073/longpole/traces"
	"github.com/seed46266073/longpole/traces/compare"
	"github.com/seed46266073/longpole/traces/measure"
)

// The document of WriteGroupsJSON.
type (
	comparison struct {
		Schema   string           `json:"schema"`
		Groups   []groupJSON      `json:"groups"`
		Pairs    []pairJSON       `json:"pairs"`
		Knobs    []knobJSON       `json:"knobs"`  // what the effort dial did
		Claims   []assessmentJSON `json:"claims"` // published figures
		Problems []problemJSON    `json:"problems"`
	}
	groupJSON struct {
		Key           map[string]string `json:"key"`
		N             int               `json:"n"`
		Succeeded     int               `json:"succeeded"`
		Censored      int               `json:"censored"`
		Unknown       int               `json:"unknown"`
		Interrupted   int               `json:"interrupted"` // cancelled or not ended; in no figure
		Success       rateJSON          `json:"success"`
		TimeToCorrect timesJSON         `json:"time_to_correct_ns"`
		MeanWall      *time.Duration    `json:"mean_wall_ns"`
		MeanLate      *time.Duration    `json:"mean_late_ns"` // null if no run says when it was meant to begin
		Components    []meanJSON        `json:"components"`
		Tokens        tokensJSON        `json:"tokens"`
		ModelCalls    callsJSON         `json:"model_calls"`
		Notes         []string          `json:"notes"`
		groupYardsticksJSON
	}
	rateJSON struct {
		Rate *float64 `json:"rate"`
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}
	timesJSON struct {
		Median   *time.Duration `json:"median"`
		Low      *time.Duration `json:"low"`
		High     *time.Duration `json:"high"`
		MoreThan *time.Duration `json:"more_than"` // instead of median: too many runs were cut off to say more
		Min      *time.Duration `json:"min"`
		Max      *time.Duration `json:"max"`
	}
	meanJSON struct {
		Component traces.Component `json:"component"`
		Mean      time.Duration    `json:"mean_ns"`
		Share     float64          `json:"share"`
	}
	tokensJSON struct { // means of a correct run
		Input     *float64 `json:"input_tokens"`
		Cached    *float64 `json:"cached_input_tokens"`
		Output    *float64 `json:"output_tokens"`
		Reasoning *float64 `json:"reasoning_tokens"`
	}
	callsJSON struct {
		PerRun  *float64       `json:"mean_per_run"`
		Retries *float64       `json:"mean_retries_per_run"`
		Time    *time.Duration `json:"median_ns"`
	}
)

// WriteGroupsJSON writes groups as the document longpole.compare/v1, each against the best one. Problems are those of the
// sources.
func WriteGroupsJSON(w io.Writer, groups []measure.Group, problems []traces.Problem) error {
	return Yardsticks{}.WriteGroupsJSON(w, groups, problems)
}

// WriteGroupsJSON writes groups as the document longpole.compare/v1, each against the best one, held against the yardsticks.
// Problems are those of the sources.
func (y Yardsticks) WriteGroupsJSON(w io.Writer, groups []measure.Group, problems []traces.Problem) error {
	return y.WriteComparisonJSON(w, compare.Of(groups, compare.Options{}), problems)
}

// WriteComparisonJSON is WriteGroupsJSON for groups that were compared in some other way.
func (y Yardsticks) WriteComparisonJSON(w io.Writer, c *compare.Comparison, problems []traces.Problem) error {
	fields := y.groupFields(c.Groups)
	all := list(c.Groups, groupOf)
	for i := range all {
		all[i].groupYardsticksJSON = fields[i]
	}
	return encode(w, comparison{
		Schema:   "longpole.compare/v1",
		Groups:   all,
		Pairs:    list(c.Pairs, pairOf),
		Knobs:    list(c.Knobs, knobOf),
		Claims:   y.claimFields(),
		Problems: list(problems, problemOf),
	})
}

func groupOf(g measure.Group) groupJSON {
	t := g.TimeToCorrect
	j := groupJSON{
		Key:           g.Key,
		N:             g.N,
		Succeeded:     g.Succeeded,
		Censored:      g.Censored,
		Unknown:       g.Unknown,
		Interrupted:   g.Interrupted,
		TimeToCorrect: timesJSON{Median: t.Median, Low: t.Low, High: t.High, Min: t.Min, Max: t.Max},
		MeanWall:      g.MeanWall,
		MeanLate:      g.MeanLate,
		Components:    list(g.Components, func(c measure.ComponentMean) meanJSON { return meanJSON(c) }),
		Tokens:        tokensJSON{tenth(g.Tokens.Input), tenth(g.Tokens.Cached), tenth(g.Tokens.Output), tenth(g.Tokens.Reasoning)},
		ModelCalls:    callsJSON(g.Calls),
		Notes:         list(g.Notes, func(s string) string { return s }),
	}
	if t.MoreThan {
		j.TimeToCorrect.Median, j.TimeToCorrect.MoreThan = nil, t.Median
	}
	if s := g.Success; s != nil {
		j.Success = rateJSON{&s.Rate, &s.Low, &s.High}
	}
	return j
}

// tenth rounds a mean of tokens to a tenth of a token.
func tenth(f *float64) *float64 {
	if f == nil {
		return nil
	}
	v := math.Round(*f*10) / 10
	return &v
}
